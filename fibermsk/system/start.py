"""Geometric checks of the initial configuration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree, TreeState

_MOST_POINTS = 65
"""Maximum number of points on an element where penetration is checked."""


def check_start(
    owner: str, cables: Cables, partners: Partners, tree: Tree, nodes: Array, links: TreeState
) -> None:
    """Reject inadmissible penetration; warn if partners could slip between contact points.

    nodes (n_nodes, 6): initial positions and tangents.

    Raises
    ------
    ModelError
        If the initial penetration is too deep anywhere along a fiber.
    """
    if partners.points.size == 0 or cables.h.size == 0:
        return
    element_length = (cables.weight * cables.G0).sum(axis=1)
    radius = np.sqrt(cables.area / np.pi).min(axis=1)
    wanted = 1 + int(np.ceil(2.0 * (element_length / radius).max()))
    n = min(max(wanted, 9), _MOST_POINTS)
    n_laws = partners.points.size
    dense = replace(
        partners,
        points=np.full(n_laws, n),
        xi=np.tile(np.linspace(0.0, 1.0, n), (n_laws, 1)),
        weight=np.full((n_laws, n), 1.0 / n),
    )
    least, names = ContactSearch(cables, dense, tree).worst_at(nodes, links)
    if not least > 0.0:
        raise ModelError(
            f"{owner}: {names} start with 1 + gamma g = {least:.3g}; must be "
            "positive; move the path or the attachments apart, make the fibers thinner, or give "
            "the contact a smaller limit gamma"
        )
    _warn_of_gaps(cables, partners, element_length, radius)


def _warn_of_gaps(cables: Cables, partners: Partners, element_length: Array, radius: Array) -> None:
    """Warn if contact points lie so far apart that a partner may pass between two of them."""
    n_groups = partners.fiber_law.shape[0]
    thinnest = np.array(
        [radius[partners.group[cables.fiber] == g].min(initial=np.inf) for g in range(n_groups)]
    )
    for law, n in enumerate(partners.points):
        if partners.refine[law]:
            continue  # points are added where needed
        xi = partners.xi[law, :n]
        spacing = max(np.diff(xi).max(initial=0.0), 2.0 * xi[0]) * element_length
        reach = 1.0 - 1.0 / partners.constants[law, 1]
        other = np.where(partners.fiber_law == law, thinnest[None, :], np.inf).min(axis=1)
        bones = np.where(partners.bone_law == law, partners.shape_radius[None, :], np.inf)
        other = np.minimum(other, bones.min(axis=1, initial=np.inf))
        allowed = 2.0 * reach * (radius + other[partners.group[cables.fiber]])
        worst = int(np.argmax(spacing / allowed))
        if spacing[worst] > allowed[worst]:
            name = cables.names[cables.fiber[worst]]
            text = (
                f"fiber {name!r}: contact points lie {spacing[worst]:.3g} m apart, and a partner "
                f"may pass between two that are more than {allowed[worst]:.3g} m apart; use more "
                "elements or points_per_element, or Contact(refine=True)"
            )
            warn(ModelWarning(text, kind="contact_points", fiber=name))

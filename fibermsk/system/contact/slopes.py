"""Derivatives of the virtual work of contact in shapes of fibers, laws, and sizes of bones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.fibers.shape import power_coefficients
from fibermsk.kernels.virtual_work.curves import LawSteps, Virtual, WorkSlopes
from fibermsk.kernels.virtual_work.own_work import work_kernels
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.fibers.cables import Cables

_STEP = 1e-4
"""Step of the constants of laws over their size: errors are then about 1e-12."""

_CENTRAL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0), (0, 0.0))
_AHEAD = ((1, 48.0), (2, -36.0), (3, 16.0), (4, -3.0), (0, -25.0))
"""Steps, and twelfths of the weights, of differences; of constants that are zero to one side."""


class Displacements(NamedTuple):
    """Displacements, or velocities, of nodes (n_nodes, 6) and of joint axes (n_axes,)."""

    nodes: Array
    axes: Array


def shape_of(cables: Cables) -> Array:
    """What contact has of the shape of each element, (n_elements, 15), with nodes held.

    The length h, the coefficients of the reference radius, and the products of the reference's
    coefficients.
    """
    rows = cables.reference_rows[:, 1:]
    products = np.einsum("eic,ejc->eij", rows, rows).reshape(len(rows), -1)[cables.shape_of]
    return np.hstack([cables.h[:, None], cables.radius_poly, products])


def law_steps(constants: Array) -> LawSteps:
    """Differences in the constants (n_laws, n) of laws."""
    n_laws, n = constants.shape
    found = LawSteps(
        np.broadcast_to(constants, (n, len(_CENTRAL), n_laws, n)).copy(),
        np.empty((n, len(_CENTRAL), n_laws)),
    )
    for k, column in enumerate(constants.T):
        for law, value in enumerate(column.tolist()):
            step = _STEP * (abs(value) or 1.0)
            for m, (at, weight) in enumerate(_CENTRAL if value else _AHEAD):
                found.constants[k, m, law, k] += at * step
                found.weight[k, m, law] = weight / (12.0 * step)
    return found


def work_slopes(
    search: ContactSearch, work: Displacements, velocity: Displacements, steps: LawSteps
) -> WorkSlopes:
    """Derivatives of the work of an evaluated search along virtual displacements.

    The work is the product of these with the rows that contact and its friction add. Laws and
    `steps`, those of `law_steps`, are as the contacts specify.
    """
    cables, partners, geometry = search.cables, search.partners, search.geometry
    n_laws = search.given.points.size
    levels = partners.points.size // n_laws
    steps = LawSteps(np.tile(steps.constants, (levels, 1)), np.tile(steps.weight, levels))
    moves, S = search.tree.moves, geometry.state.S
    curves, twists = list[Array](), list[Array]()
    for one in (work, velocity):
        power = np.empty((cables.h.size, 4, 3))
        power_coefficients(one.nodes, cables.elements, cables.h, power)
        curves.append(power)
        twists.append((moves * one.axes) @ S)
    virtual = Virtual(*curves, *twists)
    n_shapes = partners.shape_link.size
    found = WorkSlopes(
        np.zeros((cables.h.size, 15)), np.zeros_like(partners.constants),
        np.zeros_like(partners.friction), np.zeros(n_shapes), np.zeros((n_shapes, 2)),
    )  # fmt: skip
    common = partners.friction, steps, virtual, found
    for part in search.sets.fibers:
        kernels = work_kernels(partners.kinds[part.kind])
        kernels.fiber_work(
            geometry.fibers, part.runs, partners.laws, part.quadrature, part.points, part.held,
            part.potential, *common,
        )  # fmt: skip
    for part in search.sets.bones:
        kernels = work_kernels(partners.kinds[part.kind])
        kernels.bone_work(
            geometry.fibers, part.runs, geometry.shapes, partners.laws, part.points,
            partners.shape_link, part.potential, *common,
        )  # fmt: skip
    constants, friction = (
        one.reshape(levels, n_laws, -1).sum(axis=0) for one in (found.constants, found.friction)
    )
    return found._replace(constants=constants, friction=friction)

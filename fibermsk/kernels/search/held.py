"""Bounds of the motion since a search, and along an update, of all elements in one call.

Small models would spend more time between the kernels of `fibermsk.kernels.search.motion`,
`bounds` and `bone_bounds` than in them. ``links`` (n_links,) are those with bones, -1 for the
ground; ``rotation``, ``position`` the poses of all links; ``among``: whether fibers touch others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._compile import inner, kernel
from fibermsk.kernels.fibers.shape import fill_hull, fill_power
from fibermsk.kernels.search.bone_bounds import fill_bone_approach, motion_beside
from fibermsk.kernels.search.bounds import fill_after, relative_motion
from fibermsk.kernels.search.motion import fill_least_tangents, fill_radii


class Elements(NamedTuple):
    """Elements of all fibers.

    Attributes
    ----------
    elements : (n_elements, 2) int array
        Their nodes.
    h, widest : (n_elements,) float array
        Length in theta, and bound of r0 sqrt(|A1|).
    xi : (n_points,) float array
        Quadrature points.
    start : (n_fibers + 1,) int array
        First element of each fiber.
    """

    elements: Any
    h: Any
    widest: Any
    xi: Any
    start: Any


class Found(NamedTuple):
    """Configuration of a search.

    Attributes
    ----------
    hull : (n_elements, 4, 3) float array
        Bezier control points.
    radii : (n_fibers,) float array
        Bound of each fiber's radius.
    links : (n_links,) int array
        Links with bones.
    rotation, position : (n_links, 3, 3) and (n_links, 3) float array
        Their poses.
    """

    hull: Any
    radii: Any
    links: Any
    rotation: Any
    position: Any


@kernel
def place_elements(nodes, elements, h, power, hull):
    """Fill `power_coefficients` and `bezier_hull` of every element."""
    for e in range(elements.shape[0]):
        fill_power(e, nodes, elements, h, power)
        fill_hull(e, nodes, elements, h, hull)


@kernel
def bound_radii(of, nodes, hull, least, radii):
    """Fill the lower bounds of |a1| (n_elements,), and of them those of the radii (n_fibers,)."""
    fill_least_tangents(nodes, of.elements, of.h, of.xi, hull, least)
    fill_radii(of.start, of.widest, least, radii)


@inner
def _growth(radii, found):
    """Largest growth of a radius since the search, at least zero; NaN if any is."""
    growth = 0.0
    for f in range(radii.size):
        own = radii[f] - found.radii[f]
        if own > growth or own != own:
            growth = own
    return growth


@inner
def _apart(found, among, before, after, stray):
    """Bound of the motion of fibers relative to each other since the search, at both ends."""
    astray, motion = 0.0, 0.0
    for e in range(stray.size):
        astray = max(astray, stray[e])
    if among:
        motion = max(relative_motion(found.hull, before), relative_motion(found.hull, after))
    return motion + 2.0 * astray


@kernel
def motion_beside_links(found, hull, rotation, position, beside):
    """Fill beside (n_links,) with the largest motion of any element relative to each link."""
    for i in range(found.links.size):
        k = found.links[i]
        before = found.rotation[i], found.position[i]
        after = before
        if k >= 0:
            after = rotation[k], position[k]
        beside[i] = motion_beside(found.hull, hull, before[0], before[1], after[0], after[1])


@kernel
def motion_since(of, found, among, nodes, hull, rotation, position, least, radii, beside):
    """Bound of how far any pair may have approached since the search.

    Fills least, radii, as `bound_radii`, and beside, as `motion_beside_links`.
    """
    bound_radii(of, nodes, hull, least, radii)
    motion_beside_links(found, hull, rotation, position, beside)
    motion = relative_motion(found.hull, hull) if among else 0.0
    for i in range(beside.size):
        motion = max(motion, beside[i])
    return motion + 2.0 * _growth(radii, found)


@kernel
def fill_way(
    of, links, nodes, hull, update, remainder, S, moves, position, chain_length, update_q,
    fraction, after, radii, approach,
):  # fmt: skip
    """Fill the bounds of a fraction of an update; see `fibermsk.system.contact.candidates.Way`."""
    least, left = approach[0], approach[1]
    fill_least_tangents(nodes, of.elements, of.h, of.xi, hull, least)
    fill_after(hull, update, remainder, of.h, fraction, least, after, left)
    fill_radii(of.start, of.widest, left, radii)
    for i in range(links.size):
        fill_bone_approach(
            hull, update, remainder, links[i], S, moves, position, chain_length, update_q,
            fraction, approach[2 + i],
        )  # fmt: skip


@kernel
def motion_along(
    found, among, hull, after, stray, radii, approach, rotation, position, beside
):  # fmt: skip
    """Bound of how far any pair may have approached since the search, during a `Way`."""
    motion_beside_links(found, hull, rotation, position, beside)
    motion = _apart(found, among, hull, after, stray)
    for i in range(beside.size):
        farthest = 0.0
        for e in range(approach.shape[1]):
            farthest = max(farthest, approach[i, e])
        motion = max(motion, beside[i] + farthest)
    return motion + 2.0 * _growth(radii, found)


@kernel
def motion_between(
    of, found, among, before, after, poses, poses_after, least, least_after, stray, bends, radii,
    beside,
):  # fmt: skip
    """Bound of how far any pair may have approached since the search, during a linear motion.

    before, after (n_elements, 4, 3), least, least_after (n_elements,): control points and lower
    bounds of |a1| at its ends; poses, poses_after: rotations and positions of the links; stray
    (n_elements,), bends (n_links,): deviations from linear motion, of the control points and of
    these in the frames of the links with bones. Fills radii (n_fibers,), the larger bounds of both
    ends, and beside (2, n_links).
    """
    least_of_both = np.empty(least.size)
    for e in range(least.size):
        least_of_both[e] = min(least[e], least_after[e])
    fill_radii(of.start, of.widest, least_of_both, radii)
    motion_beside_links(found, before, poses[0], poses[1], beside[0])
    motion_beside_links(found, after, poses_after[0], poses_after[1], beside[1])
    motion = _apart(found, among, before, after, stray)
    for i in range(bends.size):
        motion = max(motion, max(beside[0, i], beside[1, i]) + bends[i])
    return motion + 2.0 * _growth(radii, found)

"""Kinematics of bodies and attached ends, and contact points at new positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._compile import kernel, part
from fibermsk._prepared import argument, call, exchanged, unpacked

SEARCH, SAME, OTHERS = -1, 0, 1
"""Results of `look`: candidates must be searched anew; the same pairs touch, or other ones."""


class Moving(NamedTuple):
    """Prepared `tree_state` and `place_points`."""

    tree: Any
    points: Any


class Looking(NamedTuple):
    """Prepared kernels of `look`, in its order, and packed arrays.

    Attributes
    ----------
    shapes : Packed
        `BoneShapes`, of which the places are not read.
    before : Packed
        Which pairs of fibers touched before, in a tuple.
    """

    elements: Any
    motion: Any
    places: Any
    rows: Any
    fibers: Any
    bones: Any
    touching: Any
    shapes: Any
    before: Any


@kernel
def move(of, q, p, p_dot, links, points):
    """Fill the links and the attached ends of coordinates q and their rates, all (n,)."""
    call(of.tree, (q, p, p_dot, links))
    call(of.points, (links.S, links.rotation, links.position, points.c, points.C))


@kernel
def retract(of, y, increment, attached, links, points, new):
    """Fill new (n,) with y plus an increment, and attached nodes (n_points,) at their places.

    Also the links, at rest, and the attached ends there.
    """
    for i in range(y.size):
        new[i] = y[i] + increment[i]
    n_x = y.size - links.position.shape[0]
    q, rest = new[n_x:], np.zeros(y.size - n_x)
    move(of, q, rest, rest, links, points)
    for m in range(attached.size):
        for c in range(3):
            new[6 * attached[m] + c] = points.c[m, c]


@kernel
def lead(v, attached, C, new):
    """Fill new (n,) with rates v in which attached nodes (n_points,) have C times those of q."""
    for i in range(v.size):
        new[i] = v[i]
    n_x = v.size - C.shape[2]
    lead_ends(new[:n_x].reshape(n_x // 6, 6), v[n_x:], attached, C)


@kernel
def lead_rates(slope, v_dot, p, attached, S, C, new):
    """Fill new (n,) with rates v_dot in which attached nodes have C p_dot + (dC/dq p) p.

    slope: prepared `velocity_slope`; S (n_links, 6) twists of the joints, p (n,) of coordinates.
    """
    lead(v_dot, attached, C, new)
    turned = np.empty(C.shape)
    call(slope, (S, C, p, turned))
    for m in range(attached.size):
        for c in range(3):
            for j in range(p.size):
                new[6 * attached[m] + c] += turned[m, c, j] * p[j]


@part
def lead_ends(nodes, coordinates, attached, C):
    """Rows of attached nodes (n_nodes, 6): C (n_points, 3, n) times the coordinates (n,)."""
    for m in range(attached.size):
        for c in range(3):
            total = 0.0
            for j in range(C.shape[2]):
                total += C[m, c, j] * coordinates[j]
            nodes[attached[m], c] = total


@kernel
def look(of, sections, nodes, links, place, reach):
    """Find the contact points at nodes (n_nodes, 6), unless pairs may have come by `reach` nearer.

    sections: prepared `fill_widest_sections`, which potentials need, or None; place (n_shapes, 4,
    3) receives the bones. Returns one of `SEARCH`, `SAME` and `OTHERS`, the
    least 1 + gamma g, at most 1, and the energies between fibers and with bones.
    """
    call(of.elements, (nodes,))
    if not call(of.motion, (nodes, links.rotation, links.position)) <= reach:
        return SEARCH, 1.0, 0.0, 0.0
    call(of.places, (links.rotation, links.position, place))
    shapes = exchanged(unpacked(of.shapes), 0, (place,))
    call(of.rows, ())
    if sections is not None:
        call(sections, (nodes,))
    least = 1.0
    between, between_energy = call(of.fibers, ())
    if between < least:
        least = between
    on_bones, energy = call(of.bones, (shapes,))
    if on_bones < least:
        least = on_bones
    touches, (before,) = argument(of.touching, 3), unpacked(of.before)
    touches[:] = False
    call(of.touching, ())
    found = SAME
    for pair in range(touches.size):
        if touches[pair] != before[pair]:
            found = OTHERS
    return found, least, between_energy, energy

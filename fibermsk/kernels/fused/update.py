"""Safeguard of an update of the positions, and bounds of where it leads."""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk._compile import kernel
from fibermsk._prepared import call, exchanged, unpacked
from fibermsk.kernels.contact_arrays import FiberUpdate
from fibermsk.kernels.fused.look import lead_ends


class Updating(NamedTuple):
    """Prepared kernels of `safeguard`, in its order, and packed work arrays.

    Attributes
    ----------
    work : Packed
        See `Work`.
    motion : Packed
        `BoneMotion`, of which only the bound of the gradients is read.
    axes : Packed
        `BoneAxes`, of which the twists are not read.
    """

    strays: Any
    stretch: Any
    place: Any
    hulls: Any
    chains: Any
    fibers: Any
    bones: Any
    way: Any
    along: Any
    work: Any
    motion: Any
    axes: Any


class Work(NamedTuple):
    """Work arrays.

    Attributes
    ----------
    way : (n_nodes, 6) float array
        Update of the nodes, to first order in the coordinates at attached nodes.
    hull : (n_elements, 4, 3) float array
        That of the Bezier control points.
    stray : (n_elements,) float array
        Bound of the deviation of control points from it [m].
    size : (n,) float array
        Sizes of the updates of the coordinates.
    chain : (n,) float array
        Distance along the chain from each link to its first joint [m].
    attached : (n_points,) int array
        Attached nodes.
    """

    way: Any
    hull: Any
    stray: Any
    size: Any
    chain: Any
    attached: Any


@kernel
def safeguard(of, nodes, update, update_q, links, C, keep):
    """Fraction of an update that stretches and contact points allow.

    nodes, update (n_nodes, 6), update_q (n,): positions, and their update; C (n_points, 3, n):
    derivatives of the attached ends. Also returns a bound of how far pairs that are no candidates
    may approach, since the search; see `fibermsk.kernels.search.held.motion_along`.
    """
    work = unpacked(of.work)
    way, n = work.way, update_q.size
    for i in range(way.shape[0]):
        for c in range(6):
            way[i, c] = update[i, c]
    lead_ends(way, update_q, work.attached, C)
    for j in range(n):
        work.size[j] = abs(update_q[j])
    call(of.strays, (nodes, links.position))
    fraction = 1.0
    part = call(of.stretch, (nodes,))
    if part < fraction:
        fraction = part
    call(of.place, (nodes,))
    call(of.hulls, ())
    call(of.chains, (links.position,))
    fraction = call(of.fibers, (fraction, keep))
    motion = exchanged(unpacked(of.motion), 0, (update_q, links.position))
    axes = exchanged(unpacked(of.axes), 2, (links.S,))
    fraction = call(
        of.bones, (FiberUpdate(way, work.hull, work.stray), axes, motion, fraction, keep)
    )
    call(of.way, (nodes, links.S, links.position, update_q, fraction))
    return fraction, call(of.along, (links.rotation, links.position))

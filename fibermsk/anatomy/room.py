"""The room that fibers leave each other and bones: by which factor their radii may grow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.packing import Neighbors

__all__ = ["least_gap"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_PARTS = np.linspace(0.0, 1.0, 7)
"""Parts of a chord at which its distance to bones is looked at."""


def least_gap(
    curves: list[Array], radii: list[Array], obstacles: Obstacles, neighbors: Neighbors
) -> tuple[float, str]:
    """Factor of all radii of the curves at which nothing touches any more, and what is nearest.

    Parameters
    ----------
    curves : list of (n_samples, 3) float arrays
        Dense points of each fiber [m].
    radii : list of (n_samples,) float arrays
        Reference radii there [m].
    obstacles, neighbors
        What they must not touch; the radii of these stay.

    Returns
    -------
    factor : float
        Above one where there is room to spare.
    nearest : str
        What bounds it.
    """
    factor, nearest = np.inf, "nothing"
    for f, (points, radius) in enumerate(zip(curves, radii, strict=True)):
        place, width = _subdivide(points, radius)
        phi, _ = obstacles.distance(place)
        ratio = float((phi / width).min())
        if ratio < factor:
            factor, nearest = ratio, f"fiber {f + 1} and a bone"
        if neighbors.radius.size:
            beside = neighbors.points, neighbors.radius
            ratio = _least_room(_room_beside, points, radius, *beside)
            if ratio < factor:
                factor, nearest = ratio, f"fiber {f + 1} and a neighbor"
        for g in range(f):
            ratio = _least_room(_room_among, points, radius, curves[g], radii[g])
            if ratio < factor:
                factor, nearest = ratio, f"fibers {f + 1} and {g + 1}"
    return factor, nearest


def _subdivide(points: Array, radius: Array) -> tuple[Array, Array]:
    """Points of a curve and its radii there, with more points on its chords."""
    first, last = np.arange(len(points) - 1), np.arange(1, len(points))
    whole = np.ones(first.size)
    parts = [_on_chord(points, radius, first, last, part * whole) for part in _PARTS]
    return np.concatenate([x for x, _ in parts]), np.concatenate([r for _, r in parts])


def _room_beside(distance: Array, own: Array, theirs: Array) -> Array:
    """Factor of our own radii at which two touch."""
    return (distance - theirs) / own


def _room_among(distance: Array, own: Array, theirs: Array) -> Array:
    """Factor of both radii at which two touch."""
    return distance / (own + theirs)


def _least_room(
    room: Callable[[Array, Array, Array], Array],
    points: Array,
    own: Array,
    others: Array,
    theirs: Array,
) -> float:
    """Least room of a curve with radii `own` at its dense points to others with radii `theirs`.

    Two cross each other between their points, and radii change from one to the next: it is looked
    for on the chords on both sides of each point and of the other that has the least room.
    """
    apart = np.asarray(cdist(points, others), np.float64)
    at = room(apart, own[:, None], theirs[None, :]).argmin(axis=1)
    square = np.sum(np.diff(others, axis=0) ** 2, axis=1)
    jump = 9.0 * float(np.median(square)) if square.size else 0.0
    here = np.arange(len(points))
    least = np.inf
    for side in (-1, 1):
        beside = (at + side).clip(0, len(others) - 1)
        square = ((others[beside] - others[at]) ** 2).sum(axis=1)
        # no chord joins the end of one neighbor with the start of the next
        beside = np.where(square > jump, at, beside)
        for ahead in (-1, 1):
            following = (here + ahead).clip(0, len(points) - 1)
            ends = points, points[following], others[at], others[beside]
            for s, t in (_closest(*ends), (0.0 * own, 0.0 * own)):
                point, width = _on_chord(points, own, here, following, s)
                place, radius = _on_chord(others, theirs, at, beside, t)
                distance = np.linalg.norm(point - place, axis=1)
                least = min(least, float(room(distance, width, radius).min()))
    return least


def _closest(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Parts of the ways from a to b and from c to d (n, 3) where these are closest; (n,) each.

    Source: Ericson, Real-Time Collision Detection (2005), sec. 5.1.9.
    """
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = (
        np.einsum("ni,ni->n", x, y) for x, y in ((u, u), (u, v), (v, v), (u, w), (v, w))
    )
    determinant = uu * vv - uv * uv
    zero = 0.0 * uu

    def ratio(over: Array, under: Array) -> Array:
        return np.divide(over, under, out=zero.copy(), where=under > 0.0).clip(0.0, 1.0)

    s = ratio(uv * vw - vv * uw, determinant)
    t = ratio(uv * s + vw, vv)
    return ratio(uv * t - uw, uu), t


def _on_chord(
    points: Array, radius: Array, first: Index, second: Index, part: Array
) -> tuple[Array, Array]:
    """Points parts (n,) of the way between two of a curve, and the radii there."""
    place = points[first] + part[:, None] * (points[second] - points[first])
    return place, radius[first] + part * (radius[second] - radius[first])

"""Clearance of fibers to each other and to bones, as a factor of their radii."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from fibermsk._arrays import Array, Index
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.packing import Neighbors
from fibermsk.kernels.search.chords import fill_closest

_PARTS = np.linspace(0.0, 1.0, 7)
"""Points along a chord at which its distance to bones is evaluated."""


def least_gap(
    curves: list[Array], radii: list[Array], obstacles: Obstacles, neighbors: Neighbors
) -> tuple[float, str]:
    """Largest factor of all radii without overlap, above one if there is room; and what limits it.

    Fibers are dense points (n_samples, 3) with reference radii there [m]; those of the neighbors
    are fixed.
    """
    found = [(np.inf, "nothing")]
    for f, (points, radius) in enumerate(zip(curves, radii, strict=True)):
        place, width = _subdivide(points, radius)
        phi, _ = obstacles.distance(place)
        found.append((float((phi / width).min()), f"fiber {f + 1} and a bone"))
        if neighbors.radius.size:
            ratio = _least_room(_room_beside, points, radius, neighbors.points, neighbors.radius)
            found.append((ratio, f"fiber {f + 1} and a neighbor"))
        for g in range(f):
            ratio = _least_room(_room_among, points, radius, curves[g], radii[g])
            found.append((ratio, f"fibers {f + 1} and {g + 1}"))
    return min(found, key=lambda one: one[0])


def _subdivide(points: Array, radius: Array) -> tuple[Array, Array]:
    """Points and radii of a curve, refined along its chords."""
    first, last = np.arange(len(points) - 1), np.arange(1, len(points))
    whole = np.ones(first.size)
    parts = [_on_chord(points, radius, first, last, part * whole) for part in _PARTS]
    return np.concatenate([x for x, _ in parts]), np.concatenate([r for _, r in parts])


def _room_beside(distance: Array, own: Array, theirs: Array) -> Array:
    """Factor of the own radii at which two fibers touch."""
    return (distance - theirs) / own


def _room_among(distance: Array, own: Array, theirs: Array) -> Array:
    """Factor of both radii at which two fibers touch."""
    return distance / (own + theirs)


def _least_room(
    room: Callable[[Array, Array, Array], Array],
    points: Array,
    own: Array,
    others: Array,
    theirs: Array,
) -> float:
    """Smallest room of a curve with radii `own` at dense points to others with `theirs`.

    Curves may cross between points, and radii vary: the minimum is searched on the chords on both
    sides of each point and of its closest counterpart.
    """
    apart = np.asarray(cdist(points, others), np.float64)
    at = room(apart, own[:, None], theirs[None, :]).argmin(axis=1)
    square = np.sum(np.diff(others, axis=0) ** 2, axis=1)
    jump = 9.0 * float(np.median(square)) if square.size else 0.0
    here = np.arange(len(points))
    least, closest = np.inf, (np.empty_like(own), np.empty_like(own))
    for side in (-1, 1):
        beside = (at + side).clip(0, len(others) - 1)
        square = ((others[beside] - others[at]) ** 2).sum(axis=1)
        # no chord joins the end of one neighbor with the start of the next
        beside = np.where(square > jump, at, beside)
        for ahead in (-1, 1):
            following = (here + ahead).clip(0, len(points) - 1)
            ends = points, points[following], others[at], others[beside]
            fill_closest(*ends, *closest)
            for s, t in (closest, (0.0 * own, 0.0 * own)):
                point, width = _on_chord(points, own, here, following, s)
                place, radius = _on_chord(others, theirs, at, beside, t)
                distance = np.linalg.norm(point - place, axis=1)
                least = min(least, float(room(distance, width, radius).min()))
    return least


def _on_chord(
    points: Array, radius: Array, first: Index, second: Index, part: Array
) -> tuple[Array, Array]:
    """Points and radii at fractions (n,) between two points of a curve."""
    place = points[first] + part[:, None] * (points[second] - points[first])
    return place, radius[first] + part * (radius[second] - radius[first])

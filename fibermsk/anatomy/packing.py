"""Many fibers side by side: where they lie in a cross-section, and the room that they take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.path import Grid

__all__ = ["Neighbors", "least_gap", "pack_section", "place_ends", "relax"]

Array = NDArray[np.float64]

_ROUNDS = 80
"""Steps of the relaxation, at most."""

_PENALTY = 1e5
"""Weight of a missing distance beside the weight one of the curve's own straightening."""

_STILL = 1e-7
"""Largest movement of a sample, over the length, that ends the relaxation."""


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Curves that are already there.

    Attributes
    ----------
    points : (n, 3) float array
        Dense points of all of them [m].
    radius : (n,) float array
        Radius there [m].
    """

    points: Array
    radius: Array

    @staticmethod
    def none() -> Neighbors:
        """No neighbors."""
        return Neighbors(np.zeros((0, 3)), np.zeros(0))


def pack_section(n: int) -> Array:
    """Centers (n, 2) of equal circles of radius one side by side, as near to the origin as they go.

    The n points of a hexagonal lattice nearest to a point of it, to the middle of an edge or to
    that of a triangle, whichever keeps the outermost nearest; ties fall to a fixed order.
    """
    side = int(np.ceil(np.sqrt(n))) + 2
    i, j = np.mgrid[-side : side + 1, -side : side + 1].reshape(2, -1)
    lattice = np.stack([2.0 * i + j, np.sqrt(3.0) * j], axis=1)
    best = np.zeros((n, 2))
    size = np.inf
    for center in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0 / np.sqrt(3.0))):
        around = lattice - center
        distance = np.round(np.hypot(*around.T), 9)
        angle = np.round(np.arctan2(around[:, 1], around[:, 0]), 9)
        chosen = around[np.lexsort((angle, distance))[:n]]
        chosen = chosen - chosen.mean(axis=0)
        reach = np.hypot(*chosen.T).max()
        if reach < size - 1e-9:
            best, size = chosen, reach
    return best


def place_ends(
    points: Array, radius: Array, obstacles: Obstacles, neighbors: Neighbors, clearance: float
) -> Array:
    """Attachments moved out of bones and apart.

    Parameters
    ----------
    points : (n, 3) float array
        Wanted places, ground frame [m].
    radius : (n,) float array
        Of the fibers there [m].
    obstacles, neighbors
        What they must not touch.
    clearance : float
        Gap that they keep, over the radius.

    Returns
    -------
    points : (n, 3) float array
        New array; a bone's surface lies a radius away, where the relaxation found room.
    """
    points = points.copy()
    wide = radius * (1.0 + clearance)
    for _ in range(200):
        phi, way = obstacles.distance(points)
        missing = np.maximum(wide - phi, 0.0)
        move = missing[:, None] * way
        worst = float(missing.max(initial=0.0))
        for first, second, lack, direction in _close_pairs(points, wide):
            worst = max(worst, lack)
            move[first] += 0.5 * lack * direction
            move[second] -= 0.5 * lack * direction
        for k in range(len(points)):
            lack, direction = _from_neighbors(points[k], wide[k], neighbors, clearance)
            worst = max(worst, lack)
            move[k] += lack * direction
        if worst <= 1e-6 * float(radius.min()):
            break
        # a little more than is missing, so that it does not take for ever
        points += 1.02 * move
    return points


def _close_pairs(points: Array, wide: Array):
    for first in range(len(points)):
        for second in range(first + 1, len(points)):
            offset = points[first] - points[second]
            distance = float(np.linalg.norm(offset))
            lack = float(wide[first] + wide[second]) - distance
            if lack > 0.0:
                yield first, second, lack, offset / max(distance, 1e-12)


def _from_neighbors(
    point: Array, wide: float, neighbors: Neighbors, clearance: float
) -> tuple[float, Array]:
    if not neighbors.radius.size:
        return 0.0, np.zeros(3)
    offset = point - neighbors.points
    distance = np.linalg.norm(offset, axis=1)
    lack = wide + neighbors.radius * (1.0 + clearance) - distance
    k = int(np.argmax(lack))
    return max(float(lack[k]), 0.0), offset[k] / max(distance[k], 1e-12)


def relax(
    grid: Grid,
    nodal: Array,
    radius: Array,
    obstacles: Obstacles,
    neighbors: Neighbors,
    *,
    clearance: float,
    smoothing: float,
    aside: Array,
) -> Array:
    """Curves tightened, pushed out of bones and apart; their ends stay.

    Parameters
    ----------
    grid : Grid
        Elements and samples, the same for all curves.
    nodal : (n, 2 n_nodes, 3) float array
        Nodal values of the curves [m].
    radius : (n_samples,) float array
        Of each curve [m].
    obstacles, neighbors
        What they must not touch.
    clearance : float
        Gap that they keep, over the radius.
    smoothing : float
        Length over which a curve is straightened, over its own.
    aside : (3,) float array
        Way that a curve goes where it lies on a neighbor's centerline.

    Returns
    -------
    nodal : (n, 2 n_nodes, 3) float array
        New array.

    Notes
    -----
    Least of the sum over the curves of the integral over theta of
    |x'|^2 + b^2 |x''|^2 + |x - x_start|^2 / s^2, s the smoothing and b = 0.3 s, plus a penalty on
    the square of every missing distance, by Gauss and Newton's method with limited steps.
    """
    n, n_dofs = len(nodal), nodal.shape[1]
    weight = grid.weight[:, None]
    own = (
        grid.slope.T @ (weight * grid.slope)
        + (0.3 * smoothing) ** 2 * grid.bend.T @ (weight * grid.bend)
        + smoothing**-2 * grid.value.T @ (weight * grid.value)
    )
    pull = smoothing**-2 * grid.value.T @ (weight * grid.value)
    start, nodal = nodal, nodal.copy()
    wide = radius * (1.0 + clearance)
    free = np.setdiff1d(np.arange(n_dofs), [0, n_dofs - 2])
    size = n * free.size * 3
    length = float(np.linalg.norm(np.diff(grid.value @ start[0], axis=0), axis=1).sum())
    # no step passes what keeps it out
    longest = 0.5 * float(radius.min())
    for _ in range(_ROUNDS):
        gradient = np.einsum("ab,nbi->nai", own, nodal) - np.einsum("ab,nbi->nai", pull, start)
        hessian = np.zeros((n, n_dofs, 3, n, n_dofs, 3))
        for f in range(n):
            for i in range(3):
                hessian[f, :, i, f, :, i] += own
        points = np.einsum("sa,nai->nsi", grid.value, nodal)
        for parts, lack, way, strength in _violations(
            grid, points, wide, obstacles, neighbors, clearance, aside
        ):
            strength = _PENALTY * strength
            for f, rows, sign in parts:
                gradient[f] -= sign * np.einsum("s,sa,si->ai", strength * lack, rows, way)
                for g, others, other_sign in parts:
                    hessian[f, :, :, g, :, :] += sign * other_sign * np.einsum(
                        "s,sa,si,sb,sj->aibj", strength, rows, way, others, way, optimize=True
                    )
        matrix = hessian[:, free][:, :, :, :, free].reshape(size, size)
        step = np.zeros_like(nodal)
        step[:, free] = -np.linalg.solve(matrix, gradient[:, free].reshape(size)).reshape(
            n, free.size, 3
        )
        moved = np.einsum("sa,nai->nsi", grid.value, step)
        largest = float(np.linalg.norm(moved, axis=2).max())
        nodal += min(1.0, longest / largest) * step if largest > 0.0 else step
        if largest < _STILL * length:
            break
    return nodal


def _violations(grid, points, wide, obstacles, neighbors, clearance, aside):
    """Missing distances, in groups: curves with their rows and signs, lack, way out, weight."""
    n, n_samples = points.shape[:2]
    inner = np.arange(1, n_samples - 1)
    for f in range(n):
        phi, way = obstacles.distance(points[f, inner])
        lack = wide[inner] - phi
        own = lack > 0.0
        if own.any():
            at = inner[own]
            yield [(f, grid.value[at], 1.0)], lack[own], way[own], grid.weight[at]
        if neighbors.radius.size:
            at, lack, way = _beside(
                points[f], wide, neighbors.points, neighbors.radius * (1.0 + clearance), inner
            )
            way = _unstuck(way, aside)
            if at.size:
                yield [(f, grid.value[at], 1.0)], lack, way, grid.weight[at]
        for g in range(n):
            if g == f:
                continue
            offset = points[f][inner, None, :] - points[g][None, :, :]
            distance = np.linalg.norm(offset, axis=2)
            near = distance.argmin(axis=1)
            distance = distance[np.arange(inner.size), near]
            lack = wide[inner] + wide[near] - distance
            own = lack > 0.0
            if own.any():
                at, other = inner[own], near[own]
                way = offset[own, other] / np.maximum(distance[own], 1e-12)[:, None]
                parts = [(f, grid.value[at], 1.0), (g, grid.value[other], -1.0)]
                # each pair is met twice, once from each side
                yield parts, lack[own], way, 0.5 * grid.weight[at]


def _beside(points, wide, others, their_radius, inner):
    """Samples too near to points of others: which, how much is missing, and the way out."""
    offset = points[inner, None, :] - others[None, :, :]
    distance = np.linalg.norm(offset, axis=2)
    lack = wide[inner, None] + their_radius[None, :] - distance
    worst = lack.argmax(axis=1)
    rows = np.arange(inner.size)
    lack, distance = lack[rows, worst], distance[rows, worst]
    own = lack > 0.0
    way = offset[rows, worst][own]
    scale = np.maximum(distance[own], 1e-12)[:, None]
    return inner[own], lack[own], np.where(scale > 1e-6, way / scale, 0.0)


def _unstuck(way: Array, aside: Array) -> Array:
    stuck = np.linalg.norm(way, axis=1) < 0.5
    return np.where(stuck[:, None], aside, way)


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
        phi, _ = obstacles.distance(points)
        ratio = float((phi / radius).min())
        if ratio < factor:
            factor, nearest = ratio, f"fiber {f + 1} and a bone"
        if neighbors.radius.size:
            distance, k = _to_polyline(points, neighbors.points)
            ratio = float(((distance - neighbors.radius[k]) / radius).min())
            if ratio < factor:
                factor, nearest = ratio, f"fiber {f + 1} and a neighbor"
        for g in range(f):
            distance, k = _to_polyline(points, curves[g])
            ratio = float((distance / (radius + radii[g][k])).min())
            if ratio < factor:
                factor, nearest = ratio, f"fibers {f + 1} and {g + 1}"
    return factor, nearest


def _to_polyline(points: Array, others: Array) -> tuple[Array, Array]:
    """Least distance of points to dense others, and the number of the nearest of these.

    The nearest may lie between two: the distance is taken to the chords beside the nearest.
    """
    offset = points[:, None, :] - others[None, :, :]
    distance = np.sqrt(np.einsum("abi,abi->ab", offset, offset))
    k = distance.argmin(axis=1)
    best = distance[np.arange(len(points)), k]
    jump = 9.0 * float(np.median(np.sum(np.diff(others, axis=0) ** 2, axis=1)))
    for step in (-1, 1):
        other = (k + step).clip(0, len(others) - 1)
        chord = others[other] - others[k]
        square = np.maximum(np.einsum("ai,ai->a", chord, chord), 1e-30)
        part = np.einsum("ai,ai->a", points - others[k], chord) / square
        # no chord joins the end of one neighbor with the start of the next
        part = np.where(square > jump, 0.0, part)
        foot = others[k] + part.clip(0.0, 1.0)[:, None] * chord
        best = np.minimum(best, np.linalg.norm(points - foot, axis=1))
    return best, k

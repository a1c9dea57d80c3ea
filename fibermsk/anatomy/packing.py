"""Packing of parallel fibers in a cross-section and along a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve
from scipy.spatial.distance import cdist

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.path import Grid, polyline_length

_ROUNDS = 40
"""Largest number of relaxation steps."""

_PENALTY = 3e6
"""Penalty weight of overlap, relative to that of smoothing."""

_MOST = 1_000_000
"""Largest number of circles in a section."""

_STILL = 1e-5
"""Displacement of samples, relative to the length, below which relaxation has converged."""


class Neighbors(NamedTuple):
    """Dense points of existing curves (n, 3) and the radius there (n,) [m]."""

    points: Array
    radius: Array


def pack_section(n: int) -> Array:
    """Compute centers of a dense packing of equal circles of radius one.

    They are the n points of a hexagonal lattice nearest to a lattice point, an edge midpoint or a
    triangle center, whichever minimizes the outer radius; ties are broken by a fixed order.

    Parameters
    ----------
    n : int
        Number of circles; 7, 19, 37 and 61 fill hexagons.

    Returns
    -------
    centers : (n, 2) float array
        New array, in radii; neighbors are two apart, and their mean is zero.

    Raises
    ------
    ModelError
        If n is not an integer of one or more.
    """
    n = _check.count("pack_section", "n", n, _MOST)
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
    """Move attachments (n, 3) of fibers with a radius (n,) out of bones and apart [m]; new array.

    They are at least a radius, and the clearance relative to it, away from bones and other fibers
    if the relaxation converged.
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
        # over-relaxation, to converge in finitely many steps
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
    grids: Sequence[Grid],
    nodal: Array,
    radius: Array,
    obstacles: Obstacles,
    neighbors: Neighbors,
    *,
    clearance: float,
    smoothing: float,
    aside: Array,
    wanted: Array | None = None,
) -> Array:
    """Smooth curves and push them out of bones and apart; their ends are fixed.

    The curves have grids with equal numbers of nodes and samples, nodal values (n, 2 n_nodes, 3)
    [m], of which new ones are given, and radii (n, n_samples) [m]. They keep a gap of `clearance`,
    relative to the radius, to bones and other fibers; off the centerline of a neighbor they move in
    the direction `aside`. `wanted` are the nodal values of curves to which they stay close; by
    default those given.

    Minimizes the sum over the curves of the integral over theta of |x'|^2 + b^2 |x''|^2 + |x -
    x_wanted|^2 / s^2, s the smoothing and b = 0.3 s, plus a quadratic penalty on overlap, by the
    Gauss-Newton method with limited steps.
    """
    n, n_dofs = len(nodal), nodal.shape[1]
    anchors, owns = zip(*(_smoothing_of(grid, smoothing) for grid in grids), strict=True)
    start, nodal = nodal if wanted is None else wanted, nodal.copy()
    wide = radius * (1.0 + clearance)
    is_free = np.ones((n, n_dofs, 3), bool)
    is_free[:, [0, -2]] = False
    free = np.flatnonzero(is_free.ravel())
    stiffness = sparse.block_diag(
        [sparse.kron(sparse.csr_matrix(own), sparse.eye(3)) for own in owns]
    )
    stiffness = stiffness.tocsr()[free][:, free]
    values = [sparse.csr_matrix(grid.value) for grid in grids]
    length = polyline_length(grids[0].value @ start[0])
    # no step crosses an obstacle
    longest = 0.5 * float(radius.min())
    for _ in range(_ROUNDS):
        parts = zip(owns, nodal, anchors, start, strict=True)
        gradient = np.array([own @ now - anchor @ first for own, now, anchor, first in parts])
        gradient = gradient.ravel()[free]
        points = _sampled(grids, nodal)
        found = list(_violations(grids, points, wide, obstacles, neighbors, clearance, aside))
        matrix = stiffness
        if found:
            lacking = _rows(values, found)[:, free]
            strength = _PENALTY * np.concatenate([w for *_, w in found])
            gradient -= lacking.T @ (strength * np.concatenate([lack for _, lack, _, _ in found]))
            matrix = stiffness + lacking.T @ sparse.diags(strength) @ lacking
        step = np.zeros(nodal.size)
        step[free] = -spsolve(matrix.tocsc(), gradient)
        step = step.reshape(nodal.shape)
        largest = float(np.linalg.norm(_sampled(grids, step), axis=2).max())
        nodal += min(1.0, longest / largest) * step if largest > 0.0 else step
        if largest < _STILL * length:
            break
    return nodal


def _smoothing_of(grid: Grid, smoothing: float) -> tuple[Array, Array]:
    """Stiffness of a curve's distance from its start, and with that of its slope and bend."""
    weight = grid.weight[:, None]
    anchor = smoothing**-2 * grid.value.T @ (weight * grid.value)
    own = (
        grid.slope.T @ (weight * grid.slope)
        + (0.3 * smoothing) ** 2 * grid.bend.T @ (weight * grid.bend)
        + anchor
    )
    return anchor, own


def _sampled(grids: Sequence[Grid], nodal: Array) -> Array:
    """Samples (n, n_samples, 3) of curves with nodal values (n, 2 n_nodes, 3)."""
    return np.array([grid.value @ one for grid, one in zip(grids, nodal, strict=True)])


def _rows(values: list, found: list) -> Any:
    """Jacobian of the distances of all groups in all nodal values (n_rows, n 2 n_nodes 3)."""
    n_dofs, n_rows = values[0].shape[1], 0
    data, rows, columns = [], [], []
    for parts, _, way, _ in found:
        for f, at, sign in parts:
            # entries of the samples, row by row
            size = np.diff(values[f].indptr)[at]
            row = np.repeat(np.arange(at.size), size)
            entry = np.arange(row.size) + (values[f].indptr[at] - np.cumsum(size) + size)[row]
            data.append(sign * values[f].data[entry][:, None] * way[row])
            rows.append(np.repeat(n_rows + row, 3))
            column = 3 * (f * n_dofs + values[f].indices[entry])
            columns.append((column[:, None] + np.arange(3)).ravel())
        n_rows += len(way)
    at = np.concatenate(rows), np.concatenate(columns)
    shape = n_rows, len(values) * n_dofs * 3
    return sparse.csr_matrix((np.concatenate(data).ravel(), at), shape=shape)


def _violations(grids, points, wide, obstacles, neighbors, clearance, aside):
    """Overlaps in groups: curves with samples and signs, overlap, direction, weight."""
    n, n_samples = points.shape[:2]
    inner = np.arange(1, n_samples - 1)
    all_phi, all_ways = obstacles.distance(points[:, inner].reshape(-1, 3))
    all_phi, all_ways = all_phi.reshape(n, -1), all_ways.reshape(n, -1, 3)
    for f in range(n):
        weight = grids[f].weight
        lack = wide[f, inner] - all_phi[f]
        own = lack > 0.0
        if own.any():
            at = inner[own]
            yield [(f, at, 1.0)], lack[own], all_ways[f, own], weight[at]
        if neighbors.radius.size:
            at, lack, way = _beside(
                points[f], wide[f], neighbors.points, neighbors.radius * (1.0 + clearance), inner
            )
            if at.size:
                stuck = np.linalg.norm(way, axis=1) < 0.5
                way = np.where(stuck[:, None], aside, way)
                yield [(f, at, 1.0)], lack, way, weight[at]
        distances = cdist(points[f, inner], points.reshape(-1, 3)).reshape(inner.size, n, -1)
        near = distances.argmin(axis=2)
        for g in range(n):
            if g == f:
                continue
            other = near[:, g]
            distance = distances[np.arange(inner.size), g, other]
            lack = wide[f, inner] + wide[g, other] - distance
            own = lack > 0.0
            if own.any():
                at, other = inner[own], other[own]
                way = (points[f, at] - points[g, other]) / np.maximum(distance[own], 1e-12)[:, None]
                # each pair occurs twice, once from each side
                yield [(f, at, 1.0), (g, other, -1.0)], lack[own], way, 0.5 * weight[at]


def _beside(points, wide, others, their_radius, inner):
    """Samples too close to points of others: indices, overlap and direction."""
    distance = cdist(points[inner], others)
    lack = wide[inner, None] + their_radius[None, :] - distance
    worst = lack.argmax(axis=1)
    rows = np.arange(inner.size)
    lack, distance = lack[rows, worst], distance[rows, worst]
    own = lack > 0.0
    way = (points[inner] - others[worst])[own]
    scale = np.maximum(distance[own], 1e-12)[:, None]
    return inner[own], lack[own], np.where(scale > 1e-6, way / scale, 0.0)

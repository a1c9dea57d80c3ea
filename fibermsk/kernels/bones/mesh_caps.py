"""Surfaces that close the holes of a mesh where its winding number passes one half.

Dual contouring over a grid: one quadrilateral across each grid edge whose ends lie on different
sides without a triangle between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array


def hole_caps(winding: Array, apart: Array, spacing: float) -> Array:
    """Triangles (n, 3, 3) over the holes of a mesh, relative to the first grid node [m].

    At the nodes of a grid (nx, ny, nz): winding number, and distance `apart` to the triangles [m].
    """
    shape = np.array(winding.shape)
    total, count = np.zeros((*shape, 3)), np.zeros(winding.shape)
    edges = [_edges(winding, apart, spacing, axis) for axis in range(3)]
    if not any(len(first) for first, _, _ in edges):
        return np.empty((0, 3, 3))
    for axis, (_, near, crossing) in enumerate(edges):
        # each crossing lies between four cells, identified by their lowest node
        for cell in _cells(near, axis, shape):
            inside = (cell >= 0).all(axis=1)
            np.add.at(total, tuple(cell[inside].T), crossing[inside])
            np.add.at(count, tuple(cell[inside].T), 1.0)
    corners = []
    for axis, (first, _, _) in enumerate(edges):
        ring = _cells(first, axis, shape)
        inside = np.all([(cell >= 0).all(axis=1) for cell in ring], axis=0)
        a, b, c, d = (
            total[tuple(cell[inside].T)] / count[tuple(cell[inside].T)][:, None] for cell in ring
        )
        corners += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    return spacing * np.concatenate(corners)


def _edges(
    winding: Array, apart: Array, spacing: float, axis: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """First nodes of edges across holes and of all edges with a sign change, and crossings.

    Crossings are in node units, from the winding number across holes, else from the distances.
    """
    n = winding.shape[axis]
    low, high = (np.take(winding, range(k, n - 1 + k), axis) for k in (0, 1))
    d_low, d_high = (np.take(apart, range(k, n - 1 + k), axis) for k in (0, 1))
    changes = (low > 0.5) != (high > 0.5)
    hole = changes & (d_low + d_high > (1.0 + 1e-9) * spacing)
    part = np.where(hole, 0.0, d_low / np.maximum(d_low + d_high, 1e-300))
    part[hole] = (0.5 - low[hole]) / (high[hole] - low[hole])
    node = np.argwhere(changes)
    crossing = node.astype(float)
    crossing[:, axis] += part[changes]
    return np.argwhere(hole), node, crossing


def _cells(node: NDArray[np.int64], axis: int, shape: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Lowest nodes of the four cells around edges, in cyclic order; -1 outside the grid."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    ring = []
    for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
        cell = node.copy()
        cell[:, first] -= i
        cell[:, second] -= j
        cell[(cell >= shape - 1).any(axis=1)] = -1
        ring.append(cell)
    return ring

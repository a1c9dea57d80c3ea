"""Polygons and strips of files, and their triangulation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Polygons(NamedTuple):
    """Polygons of a file."""

    vertices: NDArray[np.float64]  # (n, 3) as in the file
    corners: NDArray[np.int64]  # vertex indices (n_corners,) of all polygons, concatenated
    sizes: NDArray[np.int64]  # number (m,) of corners of each polygon
    doubt: str  # why the file may be truncated although it is consistent; empty if it cannot be


def _thirds(size: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cell, and index within the cell, of each triangle of cells of given sizes."""
    count = np.maximum(size - 2, 0)
    cell = np.repeat(np.arange(len(size)), count)
    return cell, np.arange(len(cell)) - np.repeat(np.cumsum(count) - count, count)


def fans(
    corners: NDArray[np.float64],
    points: NDArray[np.int64],
    begin: NDArray[np.int64],
    size: NDArray[np.int64],
    shorter: bool,
) -> NDArray[np.int64]:
    """Triangle fans of polygons; quads from their first corner, or along the `shorter` diagonal."""
    points = points.copy()
    four = begin[(size == 4) & shorter][:, None] + np.arange(4)
    at = corners[points[four]]
    first, second = (np.linalg.norm(at[:, k + 2] - at[:, k], axis=1) for k in (0, 1))
    turned = four[second < first]
    points[turned] = np.roll(points[turned], -1, axis=1)
    cell, k = _thirds(size)
    first = begin[cell]
    return points[np.stack([first, first + k + 1, first + k + 2], axis=1)]


def strips(
    points: NDArray[np.int64], begin: NDArray[np.int64], size: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Triangles of strips, every other one flipped."""
    cell, k = _thirds(size)
    first, odd = begin[cell] + k, k % 2
    return points[np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)]

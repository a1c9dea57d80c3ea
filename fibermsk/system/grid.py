"""Coefficients of a field on a regular grid, and how steep it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.mesh_field import BEYOND

__all__ = ["Grid"]

Array = NDArray[np.float64]

# Cubic Bezier control points of a cell from its four coefficients, and those of its two halves.
_BEZIER = np.array([[1.0, 4, 1, 0], [0, 4, 2, 0], [0, 2, 4, 0], [0, 1, 4, 1]]) / 6.0
_FIRST = np.array([[8.0, 0, 0, 0], [4, 4, 0, 0], [2, 4, 2, 0], [1, 3, 3, 1]]) / 8.0
_HALVES = (_FIRST @ _BEZIER, _FIRST[::-1, ::-1] @ _BEZIER)

# So many cells are looked at closely at a time.
_CHUNK = 4096

# A bound this far above what the field does reach is not worth a closer look.
_SLACK = 1.1


@dataclass(frozen=True)
class Grid:
    """Coefficients of the field of a mesh; see `fibermsk.kernels.mesh_field`.

    Attributes
    ----------
    origin : (3,) float array
        Place of the first coefficient, body frame [m].
    spacing : float
        [m].
    coefficients : (nx, ny, nz) float array
        [m].
    """

    origin: Array
    spacing: float
    coefficients: Array

    def lipschitz(self, depth: float) -> float:
        """Bound of |grad phi| wherever phi is above -depth, at least 1.

        The gradient is a mean of first differences of the coefficients. Where these leave much
        room above the gradient in the middle of each cell, the Bezier control points of the cell's
        eighths are the coefficients instead.
        """
        largest, middle = self._largest_slopes(), self._middle_slopes()
        above = self.over_stencil(self.coefficients, (4, 4, 4)) > -depth
        worst = self._bound(largest, middle, above, (0, 1, 2), 0.0)
        for axis in range(3):  # beyond a face, the slope along it and that away from it
            across = tuple(k for k in range(3) if k != axis)
            face = np.zeros(above.shape, bool)
            np.moveaxis(face, axis, 0)[[0, -1]] = True
            worst = max(worst, self._bound(largest, middle, face, across, BEYOND))
        return max(1.0, worst)

    def _bound(
        self, largest: Array, middle: Array, where: NDArray[np.bool_], axes: tuple[int, ...],
        away: float,
    ) -> float:  # fmt: skip
        """Bound of some components together in some cells, and another one across them."""
        index = list(axes)
        square = (largest[index] ** 2).sum(axis=0) + away**2
        reached = (middle[index] ** 2).sum(axis=0)[where].max(initial=0.0) + away**2
        enough = _SLACK**2 * max(1.0, float(reached))
        closer = where & (square > enough)
        found = square[where & ~closer].max(initial=0.0)
        cells = np.argwhere(closer)
        for k in range(0, len(cells), _CHUNK):
            slopes = self._close_slopes(cells[k : k + _CHUNK])
            found = max(found, float((slopes[index] ** 2).sum(axis=0).max()) + away**2)
        return float(np.sqrt(found))

    def _close_slopes(self, cells: NDArray[np.int64]) -> Array:
        """Bound of each component of the gradient in the eighths of cells, (3, 8, n)."""
        steps = np.arange(4)
        i, j, k = (cells[:, c, None] + steps for c in range(3))
        own = self.coefficients[i[:, :, None, None], j[:, None, :, None], k[:, None, None, :]]
        bounds = np.empty((3, 8, len(cells)))
        for part in range(8):
            x, y, z = (_HALVES[(part >> c) & 1] for c in range(3))
            points = np.einsum("ia,jb,kc,nabc->nijk", x, y, z, own, optimize=True)
            for axis in range(3):
                change = np.abs(np.diff(points, axis=1 + axis)).max(axis=(1, 2, 3))
                bounds[axis, part] = 6.0 * change / self.spacing
        return bounds

    def _middle_slopes(self) -> Array:
        """Gradient in the middle of each cell, (3, n, n, n)."""
        value, change = np.array([1.0, 23.0, 23.0, 1.0]) / 48.0, np.array([-1.0, -5.0, 5.0, 1.0])
        slopes = []
        for axis in range(3):
            c = self.coefficients
            for k in range(3):
                weights = change / (8.0 * self.spacing) if k == axis else value
                n = c.shape[k] - 3
                c = sum(w * np.take(c, range(m, n + m), k) for m, w in enumerate(weights))
            slopes.append(c)
        return np.array(slopes)

    def _largest_slopes(self) -> Array:
        """Bound of each component of the gradient in each cell, (3, n, n, n)."""
        bounds = []
        for axis in range(3):
            change = np.abs(np.diff(self.coefficients, axis=axis)) / self.spacing
            stencil = tuple(4 - (k == axis) for k in range(3))
            bounds.append(self.over_stencil(change, stencil))
        return np.array(bounds)

    def over_stencil(self, values: Array, stencil: tuple[int, ...]) -> Array:
        """Largest of the values (or differences) that each cell takes."""
        for axis, n in enumerate(stencil):
            size = self.coefficients.shape[axis] - 3
            largest = np.take(values, range(size), axis)
            for k in range(1, n):
                np.maximum(largest, np.take(values, range(k, k + size), axis), out=largest)
            values = largest
        return values

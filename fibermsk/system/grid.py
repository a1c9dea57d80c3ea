"""Coefficients of a field on a regular grid, and how steep it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.mesh_bounds import highest_of_cells, steepest
from fibermsk.kernels.mesh_field import BEYOND

__all__ = ["FLAT", "Grid"]

Array = NDArray[np.float64]

FLAT = 0.5
"""Inside a mesh, where a signed distance is less steep than this, is the middle of a part."""


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
        """Bound of |grad phi| wherever phi is above -depth, at least 1."""
        c = self.coefficients
        highest = np.empty(tuple(n - 3 for n in c.shape))
        highest_of_cells(c, highest)
        bound = steepest(c, highest > -depth, self.spacing, np.ones(3), 0.0)
        for axis in range(3):  # beyond a face, the slope along it and that away from it
            face = np.zeros(highest.shape, bool)
            np.moveaxis(face, axis, 0)[[0, -1]] = True
            bound = max(bound, steepest(c, face, self.spacing, 1.0 - np.eye(3)[axis], BEYOND))
        return bound

    def is_thin(self, depth: float) -> bool:
        """Whether a middle, where the slope vanishes, lies inside and above -depth."""
        c = self.coefficients
        core = c[1:-1, 1:-1, 1:-1]
        where = np.argwhere((core < 0.0) & (core > -depth)) + 1
        square = np.zeros(len(where))
        for step in np.eye(3, dtype=np.int64):
            square += (c[tuple((where + step).T)] - c[tuple((where - step).T)]) ** 2
        return bool((square < (2.0 * FLAT * self.spacing) ** 2).any())

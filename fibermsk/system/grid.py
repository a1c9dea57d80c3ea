"""Coefficients of a field on a regular grid, and how steep it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.mesh_bounds import highest_of_cells, steepest
from fibermsk.kernels.mesh_field import BEYOND

__all__ = ["Grid"]

Array = NDArray[np.float64]


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

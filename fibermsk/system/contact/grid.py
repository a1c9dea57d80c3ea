"""Coefficients of a field on a regular grid, and bounds of its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.bones.mesh_bounds import steepest
from fibermsk.kernels.bones.mesh_field import BEYOND

FLAT = 0.5
"""Slope of the signed distance below which a point inside a mesh is on the medial axis."""


@dataclass(frozen=True)
class Grid:
    """Coefficients of the field of a mesh; see `fibermsk.kernels.bones.mesh_field`."""

    origin: Array  # position (3,) of the first coefficient, body frame [m]
    spacing: float  # [m]
    coefficients: Array  # (nx, ny, nz) [m]

    @cached_property
    def _known(self) -> dict[tuple[str, float], float]:
        return {}

    def lipschitz(self, depth: float) -> float:
        """Bound of |grad phi| wherever phi is above -depth, at least 1."""
        key = "slope", depth
        if key not in self._known:
            self._known[key] = self._find_lipschitz(depth)
        return self._known[key]

    def is_thin(self, depth: float) -> bool:
        """Whether the medial axis, where the slope vanishes, lies inside and above -depth."""
        key = "thin", depth
        if key not in self._known:
            self._known[key] = self._find_thin(depth)
        return bool(self._known[key])

    def _find_lipschitz(self, depth: float) -> float:
        c = highest = self.coefficients
        for axis in range(3):  # the largest coefficient of each cell, an upper bound there
            highest = np.lib.stride_tricks.sliding_window_view(highest, 4, axis).max(axis=-1)
        bound = steepest(c, highest > -depth, self.spacing, np.ones(3), 0.0)
        for axis in range(3):  # beyond a face, the slope along it and that away from it
            face = np.zeros(highest.shape, bool)
            np.moveaxis(face, axis, 0)[[0, -1]] = True
            bound = max(bound, steepest(c, face, self.spacing, 1.0 - np.eye(3)[axis], BEYOND))
        return bound

    def _find_thin(self, depth: float) -> bool:
        c = self.coefficients
        core = c[1:-1, 1:-1, 1:-1]
        where = np.argwhere((core < 0.0) & (core > -depth)) + 1
        square = np.zeros(len(where))
        for step in np.eye(3, dtype=np.int64):
            square += (c[tuple((where + step).T)] - c[tuple((where - step).T)]) ** 2
        return bool((square < (2.0 * FLAT * self.spacing) ** 2).any())

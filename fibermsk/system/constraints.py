"""Coordinates that are held: prescribed in time, or coupled to others by a multiplier.

Prescribed entries of the state are where their functions of time have them; their equations, which
would give the forces that hold them, are left out. A coupling g(q) = 0 with a multiplier has

    M p_dot + bias + G^T lam = forces,   g'' = G p_dot - b = -2 w g' - w^2 g,   w = `RETURN_RATE`,

the constrained arm of identification (its eqs. 1 and 2) with the two terms that keep g from
drifting. The multipliers follow from the rows of the dependent coordinates, and act on the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.coordinate_map import CoordinateMap, Rows

if TYPE_CHECKING:
    from fibermsk.system.numbering import Numbers

__all__ = ["Constraints"]

Array = NDArray[np.float64]

RETURN_RATE = 100.0
"""[1/s]."""


class Constraints:
    """Held coordinates of a skeleton.

    Parameters
    ----------
    numbers : Numbers
        Coordinates, and what holds them.

    Attributes
    ----------
    row : (m,) int array
        Row of the map of each coupling with a multiplier.
    dependent : (m,) int array
        Entry of the state that it holds.
    held : (k,) int array
        Entries of the state that are prescribed.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.row = np.array([row for row, _ in numbers.kept], np.int64)
        self.dependent = np.array([entry for _, entry in numbers.kept], np.int64)
        self.held = np.array([entry for entry, _ in numbers.held], np.int64)
        self._motions = [function.pieces() for _, function in numbers.held]
        self._map: CoordinateMap | None = numbers.map
        self._free = np.ones(numbers.start.size, bool)
        self._free[self.dependent] = False

    @property
    def knots(self) -> list[Array]:
        """Times at which each prescribed motion passes from one polynomial to the next [s]."""
        return [motion.knots for motion in self._motions]

    def at(self, t: float, order: int) -> Array:
        """Prescribed entries, or their derivatives of an order, at a time [s]; (k,)."""
        return np.array([float(motion(t, order)) for motion in self._motions])

    def settle(self, rows: Rows | None, force: Array) -> None:
        """Hand forces (n,) of held coordinates on to those they follow, or to what holds them."""
        if self.row.size and rows is not None:
            G, own, free = rows.J[self.row], self.dependent, self._free
            force[free] -= G[:, free].T @ np.linalg.solve(G[:, own].T, force[own])
            force[own] = 0.0
        force[self.held] = 0.0

    def reduce(
        self, rows: Rows | None, dp_dq: float, dpdot_dp: float, residual: Array, B: Array,
        R: Array, D: Array, tangent: bool,
    ) -> None:  # fmt: skip
        """Put the constraints in place of the equations of the coordinates they hold.

        residual (n,); B (n_x, n), R (n, n_x), D (n, n): border of the tangent, changed in place if
        `tangent`.
        """
        if self.row.size and rows is not None and self._map is not None:
            self._couple(rows, dp_dq, dpdot_dp, residual, R, D, tangent)
        if self.held.size:
            residual[self.held] = 0.0
            if tangent:
                B[:, self.held], R[self.held] = 0.0, 0.0
                D[self.held], D[:, self.held] = 0.0, 0.0
                D[self.held, self.held] = 1.0

    def _couple(
        self, rows: Rows, dp_dq: float, dpdot_dp: float, residual: Array, R: Array, D: Array,
        tangent: bool,
    ) -> None:  # fmt: skip
        own, free = self.dependent, self._free
        G = rows.J[self.row]
        to_multipliers = -np.linalg.inv(G[:, own].T)
        lam = to_multipliers @ residual[own]
        residual[free] += G[:, free].T @ lam
        if tangent:
            assert self._map is not None
            weight = np.zeros(rows.x.size)
            weight[self.row] = lam
            self._map.add_curvature(rows, 0, weight, D)
            R[free] += G[:, free].T @ (to_multipliers @ R[own])
            D[free] += G[:, free].T @ (to_multipliers @ D[own])
            first = rows.V[self.row] + dp_dq * G
            second = rows.W[self.row] + 2.0 * dp_dq * rows.V[self.row] + dp_dq * dpdot_dp * G
            R[own] = 0.0
            D[own] = second + 2.0 * RETURN_RATE * first + RETURN_RATE**2 * G
        g, g_dot, g_ddot = rows.x[self.row], rows.x_dot[self.row], rows.x_ddot[self.row]
        residual[own] = g_ddot + 2.0 * RETURN_RATE * g_dot + RETURN_RATE**2 * g

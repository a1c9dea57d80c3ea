"""Constrained coordinates: prescribed in time, or coupled to others by a multiplier.

Prescribed entries of the state follow their functions of time; their equations, which determine the
constraint forces, are omitted. Couplings g(q) = 0 with multipliers are constraints like those of
contributions; see `fibermsk.system.multipliers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.skeleton.coordinate_map import CoordinateMap, Rows

if TYPE_CHECKING:
    from fibermsk.system.skeleton.numbering import Numbers


class Held(NamedTuple):
    """m constraints g = 0 on the coordinates, at one state.

    Attributes
    ----------
    g, g_dot, g_ddot : (m,) float array
        Values and rates.
    G : (m, n) float array
        Derivative of g with respect to the coordinates.
    V, W : (m, n) float array
        Derivatives of g_dot and g_ddot at constant rates; empty without tangent.
    """

    g: Array
    g_dot: Array
    g_ddot: Array
    G: Array
    V: Array
    W: Array


class Constraints:
    """Constrained coordinates of a skeleton.

    Attributes
    ----------
    row : (m,) int array
        Row of the map of each coupling with a multiplier.
    dependent : (m,) int array
        Entry of the state that each coupling determines.
    held : (k,) int array
        Entries of the state that are prescribed.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.row = np.array([row for row, _ in numbers.kept], np.int64)
        self.dependent = np.array([entry for _, entry in numbers.kept], np.int64)
        self.held = np.array([entry for entry, _ in numbers.held], np.int64)
        self._motions = [function.pieces() for _, function in numbers.held]
        self._map: CoordinateMap | None = numbers.map
        self._n = numbers.start.size

    @property
    def knots(self) -> list[Array]:
        """Breakpoints of the piecewise polynomials of each prescribed motion [s]."""
        return [motion.knots for motion in self._motions]

    def at(self, t: float, order: int) -> Array:
        """Prescribed entries, or their time derivatives of an order, at a time [s]; (k,)."""
        return np.array([float(motion(t, order)) for motion in self._motions])

    def couplings(self, rows: Rows | None) -> list[Held]:
        """Couplings with multipliers as a list of at most one `Held`."""
        if not self.row.size or rows is None:
            return []
        own = self.row
        second = rows.V[own] if rows.V.size else rows.V, rows.W[own] if rows.W.size else rows.W
        return [Held(rows.x[own], rows.x_dot[own], rows.x_ddot[own], rows.J[own], *second)]

    def curvature(self, rows: Rows, multipliers: Array) -> Array:
        """Derivative (n, n) of G^T times the multipliers of couplings in the coordinates."""
        assert self._map is not None
        weight, out = np.zeros(rows.x.size), np.zeros((self._n, self._n))
        weight[self.row] = multipliers
        self._map.add_curvature(rows, 0, weight, out)
        return out

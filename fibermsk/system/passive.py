"""Forces that coordinates have of their own: springs, dampers, limits, lengths of quaternions.

A quaternion's length r has no part in the mechanics. It has an inertia of its own, and is led back
to one: `LENGTH_INERTIA` (r'' + 2 w r' + w^2 (r - 1)) = 0 along the quaternion, w = `LENGTH_RATE`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.coordinate_map import CoordinateMap, Rows

if TYPE_CHECKING:
    from fibermsk.system.numbering import Numbers

__all__ = ["Passive"]

Array = NDArray[np.float64]

LENGTH_INERTIA, LENGTH_RATE = 1.0, 10.0
"""[kg m^2] and [1/s]; they touch nothing but the length."""


class Passive:
    """Forces of the coordinates on themselves.

    Parameters
    ----------
    numbers : Numbers
        Coordinates with their forces.
    """

    def __init__(self, numbers: Numbers) -> None:
        self._laws, self._n = numbers.laws, numbers.start.size
        self._quaternions = numbers.quaternions
        self._map: CoordinateMap | None = numbers.map

    def forces(self, rows: Rows | None, q: Array, p: Array) -> Array:
        """Generalized forces without those of the lengths, (n,) [N m, N]."""
        total: Array = np.zeros(self._n)
        for row, found in self._evaluate(rows, q, p):
            total += found.force * self._slope(rows, row)
        return total

    def add(self, rows: Rows | None, q: Array, p: Array, p_dot: Array, residual: Array) -> None:
        """Subtract all forces from a residual (n,)."""
        if self._laws:
            residual -= self.forces(rows, q, p)
        self.add_lengths(q, p, p_dot, residual)

    def add_tangent(
        self, rows: Rows | None, q: Array, p: Array, p_dot: Array, dp_dq: float, dpdot_dp: float,
        D: Array,
    ) -> None:  # fmt: skip
        """Add the derivative of `add` in q, with p and p_dot following q linearly."""
        n = self._n
        weight = np.zeros(n if rows is None else rows.x.size, float)
        for row, found in self._evaluate(rows, q, p):
            J = self._slope(rows, row)
            way = found.dq * J + found.dp * dp_dq * J
            if rows is not None:
                way += found.dp * rows.V[row]
            D -= np.outer(J, way)
            weight[row] -= found.force
        if rows is not None and self._map is not None:
            self._map.add_curvature(rows, 0, weight, D)
        for own in self._quaternions:
            D[np.ix_(own, own)] += _length_tangent(q[own], p[own], p_dot[own], dp_dq, dpdot_dp)

    def add_lengths(self, q: Array, p: Array, p_dot: Array, residual: Array) -> None:
        """Add the equations of the quaternions' lengths to a residual (n,)."""
        for own in self._quaternions:
            n, force = _length_force(q[own], p[own], p_dot[own])
            residual[own] += force * n

    def add_inertia(self, q: Array, M: Array) -> None:
        """Add the inertia of the lengths to a mass matrix (n, n)."""
        for own in self._quaternions:
            n = q[own] / np.linalg.norm(q[own])
            M[np.ix_(own, own)] += LENGTH_INERTIA * np.outer(n, n)

    def energy(self, rows: Rows | None, q: Array, p: Array) -> float:
        """Energy stored in springs and limits [J]."""
        return sum(found.energy for _, found in self._evaluate(rows, q, p))

    def _evaluate(self, rows: Rows | None, q: Array, p: Array):
        """Row and force of each law."""
        x, x_dot = (q, p) if rows is None else (rows.x, rows.x_dot)
        for row, law in self._laws:
            yield row, law(float(x[row]), float(x_dot[row]))

    def _slope(self, rows: Rows | None, row: int) -> Array:
        """How a row follows the state, (n,)."""
        if rows is not None:
            return rows.J[row]
        unit = np.zeros(self._n)
        unit[row] = 1.0
        return unit


def _length_force(q: Array, p: Array, p_dot: Array) -> tuple[Array, float]:
    """Direction of a quaternion, and what the equation of its length lacks."""
    r = float(np.linalg.norm(q))
    n = q / r
    rate = float(n @ p)
    change = float(n @ p_dot) + (float(p @ p) - rate * rate) / r
    force = change + 2.0 * LENGTH_RATE * rate + LENGTH_RATE**2 * (r - 1.0)
    return n, LENGTH_INERTIA * force


def _length_tangent(q: Array, p: Array, p_dot: Array, dp_dq: float, dpdot_dp: float) -> Array:
    """Derivative of the direction times the force, (4, 4)."""
    n, force = _length_force(q, p, p_dot)
    r = float(np.linalg.norm(q))
    P = (np.eye(4) - np.outer(n, n)) / r
    rate, square = float(n @ p), float(p @ p)
    drate = P @ p + dp_dq * n
    dchange = P @ p_dot + dp_dq * dpdot_dp * n
    dchange += (2.0 * dp_dq * p - 2.0 * rate * drate) / r - (square - rate**2) / r**2 * n
    slope = dchange + 2.0 * LENGTH_RATE * drate + LENGTH_RATE**2 * n
    return LENGTH_INERTIA * np.outer(n, slope) + force * P

"""Passive forces of coordinates: springs, dampers, limits, quaternion lengths.

A quaternion's length r does not affect the mechanics. It has a separate inertia and is stabilized
at one: `LENGTH_INERTIA` (r'' + 2 w r' + w^2 (r - 1)) = 0 along the quaternion, w = `LENGTH_RATE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fibermsk._arrays import Array
from fibermsk.laws.coordinate import CoordinateForce
from fibermsk.laws.own import CoordinateLaw
from fibermsk.system.skeleton.coordinate_map import (
    CoordinateMap,
    Corner,
    Push,
    Rows,
    push_coordinates,
)

if TYPE_CHECKING:
    from fibermsk.system.skeleton.numbering import Numbers


LENGTH_INERTIA, LENGTH_RATE = 1.0, 10.0
"""[kg m^2] and [1/s]; they affect only the length."""


class Passive:
    """Passive forces of the coordinates."""

    def __init__(self, numbers: Numbers) -> None:
        self._laws, self._n = numbers.laws, numbers.start.size
        self._quaternions = numbers.quaternions
        self._map: CoordinateMap | None = numbers.map

    @property
    def laws(self) -> list[tuple[int, CoordinateLaw]]:
        """Row of a coordinate, and a force on it."""
        return self._laws

    def forces(self, rows: Rows | None, q: Array, p: Array) -> Array:
        """Generalized forces, without those of quaternion lengths, (n,) [N m, N]."""
        lacking: Array = np.zeros(self._n)
        push_coordinates(self._map, rows, self._pushes(rows, q, p), lacking)
        return -lacking

    def add(
        self,
        rows: Rows | None,
        q: Array,
        p: Array,
        p_dot: Array,
        residual: Array,
        corner: Corner | None = None,
    ) -> None:
        """Subtract all forces from a residual (n,), and their derivatives from a corner."""
        if self._laws:
            pushes = self._pushes(rows, q, p)
            push_coordinates(self._map, rows, pushes, residual, corner)
        self.add_lengths(q, p, p_dot, residual)
        if corner is not None:
            for own in self._quaternions:
                tangent = _length_tangent(q[own], p[own], p_dot[own], *corner[1:])
                corner.D[np.ix_(own, own)] += tangent

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

    def _evaluate(
        self, rows: Rows | None, q: Array, p: Array
    ) -> Iterator[tuple[int, CoordinateForce]]:
        """Row and force of each law."""
        x, x_dot = (q, p) if rows is None else (rows.x, rows.x_dot)
        for row, law in self._laws:
            yield row, law(float(x[row]), float(x_dot[row]))

    def _pushes(self, rows: Rows | None, q: Array, p: Array) -> Iterator[Push]:
        for row, found in self._evaluate(rows, q, p):
            yield Push(row, found.force, found.dq, found.dp)


def _length_force(q: Array, p: Array, p_dot: Array) -> tuple[Array, float]:
    """Direction of a quaternion, and the residual of its length equation."""
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

"""Constraints on ways between points of bodies: parts of a way, and products of two ways.

With ways u = x_b - x_a between points, a part is d . u along a direction d in ground, and a product
is factor (u . w) - constant of two ways u and w. A way between two points of one body is a
direction fixed to it, so that products also hold directions of bodies to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.contribution import At
from fibermsk.system.ports import BodyPoints, Placed
from fibermsk.system.skeleton.constraints import Held


class Part(NamedTuple):
    """A part of a way along a direction in ground."""

    way: int
    direction: Array  # (3,)


class Product(NamedTuple):
    """A product of two ways."""

    first: int
    second: int
    factor: float = 1.0
    constant: float = 0.0


class HeldPoints:
    """Values, rates and derivatives of rows; multipliers act as forces on the points.

    Parameters
    ----------
    points : BodyPoints
        The points (n,).
    ways : sequence of (int, int)
        Points from and to which each way leads.
    rows : sequence of Part or Product
        The constraints (m,).
    """

    def __init__(
        self,
        points: BodyPoints,
        ways: Sequence[tuple[int, int]],
        rows: Sequence[Part | Product],
    ) -> None:
        self.points, self._rows = points, rows
        self._from = np.array([begin for begin, _ in ways])
        self._to = np.array([end for _, end in ways])

    def ways(self, placed: Placed) -> Array:
        """The ways (n_ways, 3) in ground [m]."""
        return self._along(placed.x)

    def constrain(self, at: At, second: bool) -> Held:
        """All rows at a state; see `fibermsk.system.optional.HasConstraints`."""
        placed = self.points.at(at)
        found = self.points.accelerate(at, placed, second)
        n = found.X.shape[1]
        u, v, a = (self._along(part) for part in (placed.x, placed.v, found.a))
        X, V, W = (
            self._along(part.reshape(-1, 3, n)) if part.size or second else part
            for part in (found.X, found.V, found.W)
        )
        m = len(self._rows)
        g, g_dot, g_ddot = np.zeros(m), np.zeros(m), np.zeros(m)
        G = np.zeros((m, n))
        by_rate, by_rates = (np.zeros((m if second else 0, n)) for _ in range(2))
        for k, row in enumerate(self._rows):
            if isinstance(row, Part):
                i, d = row.way, row.direction
                g[k], g_dot[k], g_ddot[k], G[k] = d @ u[i], d @ v[i], d @ a[i], d @ X[i]
                if second:
                    by_rate[k], by_rates[k] = d @ V[i], d @ W[i]
                continue
            i, j, factor, constant = row
            g[k] = factor * (u[i] @ u[j]) - constant
            g_dot[k] = factor * (v[i] @ u[j] + u[i] @ v[j])
            g_ddot[k] = factor * (a[i] @ u[j] + 2.0 * v[i] @ v[j] + u[i] @ a[j])
            G[k] = factor * (u[j] @ X[i] + u[i] @ X[j])
            if second:
                swayed = v[j] @ X[i] + u[j] @ V[i] + v[i] @ X[j] + u[i] @ V[j]
                by_rate[k] = factor * swayed
                swayed = a[j] @ X[i] + u[j] @ W[i] + a[i] @ X[j] + u[i] @ W[j]
                by_rates[k] = factor * (swayed + 2.0 * (v[j] @ V[i] + v[i] @ V[j]))
        return Held(g, g_dot, g_ddot, G, by_rate, by_rates)

    def pull(self, placed: Placed, multipliers: Array) -> Array:
        """G^T times multipliers (m,) as forces on the points, (n, 3) [N]."""
        u, on = self._along(placed.x), np.zeros((self._from.size, 3))
        for row, one in zip(self._rows, multipliers, strict=True):
            if isinstance(row, Part):
                on[row.way] += one * row.direction
            else:
                on[row.first] += one * row.factor * u[row.second]
                on[row.second] += one * row.factor * u[row.first]
        force = np.zeros_like(placed.x)
        np.add.at(force, self._to, on)
        np.add.at(force, self._from, -on)
        return force

    def curvature(self, at: At, multipliers: Array) -> Array:
        """Derivative (n, n) of G^T times multipliers in the coordinates."""
        placed = self.points.at(at)
        out = self.points.curvature(at, placed, self.pull(placed, multipliers))
        found = self.points.accelerate(at, placed, False)
        X = self._along(found.X.reshape(-1, 3, found.X.shape[1]))
        for row, one in zip(self._rows, multipliers, strict=True):
            if isinstance(row, Product):
                both = one * row.factor * (X[row.first].T @ X[row.second])
                out = out + both + both.T
        return out

    def _along(self, parts: Array) -> Array:
        """Differences between the ends of the ways, of values of the points."""
        return parts[self._to] - parts[self._from]

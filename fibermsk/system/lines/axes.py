"""Axes of the joints and drivers of path points, on which paths depend, in the coordinates.

Symbols: ``u`` axes and then drivers, the coordinates that move or switch path points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.kernels.lines.material.columns import Ways
from fibermsk.system.contribution import At, Slopes
from fibermsk.system.skeleton.skeleton import Motion, Skeleton


class PathAxes:
    """Axes and drivers.

    Attributes
    ----------
    rows : (n_drivers,) int array
        Row of the map of each driver, or entry of the state where there is none.
    n : int
        Number of axes and drivers.
    """

    def __init__(self, skeleton: Skeleton, drivers: Sequence[str]) -> None:
        self._skeleton = skeleton
        self.rows = np.array([skeleton.row_of(name) for name in drivers], np.int64)
        self.n = skeleton.tree.n + self.rows.size

    def drivers(self, motion: Motion, q: Array) -> Array:
        """Values of the drivers, (..., n_drivers)."""
        return (q if motion.rows is None else motion.rows.x)[..., self.rows]

    def speeds(self, motion: Motion, p: Array) -> Array:
        """Rates (..., n_u)."""
        own = p if motion.rows is None else motion.rows.x_dot
        return np.concatenate([motion.speed, own[..., self.rows]], axis=-1)

    def rates(self, at: At) -> Array:
        """Accelerations (n_u,)."""
        rows = at.motion.rows
        own = at.p_dot if rows is None else rows.x_ddot
        return np.concatenate([at.motion.rate, own[self.rows]])

    def columns(self, motion: Motion, columns: Array) -> Array:
        """Columns (m, n_u) times du/dq."""
        skeleton, rows = self._skeleton, motion.rows
        n = skeleton.tree.n
        out = np.array(skeleton.columns(motion, columns[:, :n]))
        if self.rows.size and rows is not None:
            out += columns[:, n:] @ rows.J[self.rows]
        elif self.rows.size:
            out[:, self.rows] += columns[:, n:]
        return out

    def jacobian(self, motion: Motion) -> Array:
        """du/dq (n_u, n); of a motion in many states (..., n_u, n)."""
        if motion.rows is None:
            own = np.eye(self._skeleton.n)
            return np.concatenate([own, own[self.rows]]) if self.rows.size else own
        J = motion.rows.J
        axes = J[..., J.shape[-2] - self._skeleton.tree.n :, :]  # the last rows
        if not self.rows.size:
            return axes
        return np.concatenate([axes, J[..., self.rows, :]], axis=-2)

    def of(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Rows of the map that belong to axes and drivers."""
        axes = self._skeleton.axes_of(rows)
        return np.concatenate([axes, rows[self.rows]]) if self.rows.size else axes

    def add_curvature(self, motion: Motion, force: Array, out: Array) -> None:
        """Add d2u/dq2 times forces (n_u,) to out (n, n)."""
        skeleton, rows = self._skeleton, motion.rows
        if rows is None or skeleton.map is None:
            return
        n = skeleton.tree.n
        skeleton.add_curvature(motion, force[:n], out)
        if self.rows.size:
            weight = np.zeros(rows.x.size)
            np.add.at(weight, self.rows, force[n:])
            skeleton.map.add_curvature(rows, 0, weight, out)

    def ways(self, motion: Motion) -> Ways:
        """Derivatives of axes and drivers in the coordinates; second ones where they are known."""
        J, rows, skeleton = self.jacobian(motion), motion.rows, self._skeleton
        if rows is None or skeleton.map is None or not rows.H.shape[0]:
            still = np.zeros_like(J)
            return Ways(J, still, still, np.zeros((self.n, 0), np.int64), np.zeros((self.n, 0, 0)))
        support = self.of(skeleton.map.arrays.support)
        return Ways(J, self.of(rows.V), self.of(rows.W), support, self.of(rows.H))

    def coordinates_of(self, axes: Index) -> Index:
        """Entries of the state that axes and drivers (m,) depend on."""
        skeleton = self._skeleton
        if skeleton.map is None:
            return np.unique(np.concatenate([np.arange(skeleton.tree.n), self.rows])[axes])
        own = self.of(skeleton.map.arrays.support)[axes]
        return np.unique(own[own >= 0])

    def collect(self, ways: Ways, force: Array) -> Array:
        """Forces (n,) on the coordinates, of those (n_u + n,) on axes, drivers and coordinates."""
        return ways.J.T @ force[: self.n] + force[self.n :]

    def follow(
        self, motion: Motion, ways: Ways, slopes: Slopes, dq: Array, dp: Array, M: Array,
        force: Array,
    ) -> Array:  # fmt: skip
        """Derivative (n, n) in the coordinates of du/dq^T times forces, plus forces on these.

        force (n_u + n,): those on axes and drivers, then those on coordinates; dq, dp, M
        (n_u + n, n_u + n) are its derivatives by positions, rates and accelerations. See
        `fibermsk.system.contribution.Sums.follow_axes`.
        """
        b, ab, n = slopes.dv_dy, slopes.dvdot_dy, self.n
        by = dq + b * dp + ab * M
        follow = by[:, :n] @ ways.J + by[:, n:]
        if motion.rows is not None:
            follow += dp[:, :n] @ ways.V + M[:, :n] @ (ways.W + 2.0 * b * ways.V)
        out = ways.J.T @ follow[:n] + follow[n:]
        self.add_curvature(motion, force[:n], out)
        return out

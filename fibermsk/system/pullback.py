"""From forces on the axes of the joints to the coordinates, with their derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.skeleton import Motion, Skeleton

__all__ = ["AxisBorder", "Pullback"]

Array = NDArray[np.float64]


class AxisBorder(NamedTuple):
    """What acts on the axes: forces with the sign of a residual, and a border of the tangent.

    Attributes
    ----------
    force : (n_axes,) float array
        Residual.
    B, R, D : (n_x, n_axes), (n_axes, n_x) and (n_axes, n_axes) float array
        Columns, rows and corner; see `fibermsk.protocol.BorderedMatrix`. Empty without tangent.
    """

    force: Array
    B: Array
    R: Array
    D: Array


class Pullback:
    """Residual and border of the axes on their way to those of the coordinates.

    With dp = b dq and dp_dot = a dp the axes follow an increment of the state by J, their speeds by
    V + b J and their accelerations by W + 2 b V + a b J; see `fibermsk.kernels.coordinate_map`.

    Parameters
    ----------
    skeleton : Skeleton
        Bodies and joints.
    motion : Motion
        Where they are, with second derivatives if there is a tangent.
    n_x : int
        Unknowns of the fibers.
    tangent : bool
        Whether derivatives are asked for.

    Attributes
    ----------
    border : AxisBorder
        To add to.
    """

    def __init__(self, skeleton: Skeleton, motion: Motion, n_x: int, tangent: bool) -> None:
        self._skeleton, self._motion, self._tangent = skeleton, motion, tangent
        n = skeleton.tree.n
        m = n if tangent else 0
        self.border = AxisBorder(
            np.zeros(n), np.zeros((n_x, m)), np.zeros((m, n_x)), np.zeros((m, m))
        )

    def add_bodies(self, dp_dq: float, dpdot_dp: float) -> None:
        """Add the inertia and the weight of the bodies."""
        tree, motion = self._skeleton.tree, self._motion
        tree.dynamics(motion.links, self.border.force)
        if not self._tangent:
            return
        dq, dp, M = tree.slopes(motion.links, motion.speed, motion.rate)
        if motion.rows is None:
            self.border.D[:] += dq + dp_dq * dp + (dp_dq * dpdot_dp) * M
            return
        J, V, W = (self._skeleton.axes_of(part) for part in motion.rows[3:6])
        self.border.D[:] += dq
        follow = dp @ (V + dp_dq * J) + M @ (W + 2.0 * dp_dq * V + dp_dq * dpdot_dp * J)
        self._motion_corner = J.T @ follow

    def columns(self) -> Array:
        """Border columns of the coordinates, (n_x, n)."""
        if not self._tangent:
            return self.border.B
        return self._skeleton.columns(self._motion, self.border.B)

    def rows(self) -> Array:
        """Border rows of the coordinates, (n, n_x)."""
        rows = self._motion.rows
        if rows is None or not self._tangent:
            return self.border.R
        return self._skeleton.axes_of(rows.J).T @ self.border.R

    def corner(self) -> Array:
        """Corner of the coordinates to add to before `finish`, (n, n)."""
        if self._motion.rows is None:
            return self.border.D
        n = self._skeleton.n if self._tangent else 0
        return np.zeros((n, n))

    def finish(self, D: Array, C: Array, reactions: Array) -> None:
        """Add all that has come together on the axes to the corner of the coordinates.

        C (n_points, 3, n_axes), reactions (n_points, 3): what the attached ends add to the force.
        """
        rows = self._motion.rows
        if rows is None:
            return
        J = self._skeleton.axes_of(rows.J)
        D += J.T @ self.border.D @ J + self._motion_corner
        force = self.border.force + np.einsum("mrj,mr->j", C, reactions)
        self._skeleton.add_curvature(self._motion, force, D)

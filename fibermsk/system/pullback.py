"""Pullback of forces on the joint axes, and their derivatives, to the coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.contribution import Sums
from fibermsk.system.skeleton.skeleton import Motion, Skeleton

Array = NDArray[np.float64]


class Pullback:
    """Transform the border of the joint axes to that of the coordinates.

    Parameters
    ----------
    skeleton : Skeleton
        Bodies and joints.
    motion : Motion
        Their state, with second derivatives if there is a tangent.
    sums : Sums
        Forces on the axes; the corner is modified.
    """

    def __init__(self, skeleton: Skeleton, motion: Motion, sums: Sums) -> None:
        self._skeleton, self._motion, self._sums = skeleton, motion, sums

    def columns(self) -> Array:
        """Border columns of the coordinates, (n_x, n)."""
        B = self._sums.axes.B
        return B if self._sums.slopes is None else self._skeleton.columns(self._motion, B)

    def rows(self) -> Array:
        """Border rows of the coordinates, (n, n_x)."""
        rows, R = self._motion.rows, self._sums.axes.R
        if rows is None or self._sums.slopes is None:
            return R
        return self._skeleton.axes_of(rows.J).T @ R

    def finish(self, C: Array, reactions: Array) -> None:
        """Add the derivatives of all forces on the axes to the corner of the coordinates.

        C (n_points, 3, n_axes), reactions (n_points, 3): Jacobian and forces of attached ends.
        """
        rows, axes = self._motion.rows, self._sums.axes
        if rows is None:
            return
        J = self._skeleton.axes_of(rows.J)
        self._sums.corner += J.T @ axes.D @ J
        force = axes.force + np.einsum("mrj,mr->j", C, reactions)
        self._skeleton.add_curvature(self._motion, force, self._sums.corner)

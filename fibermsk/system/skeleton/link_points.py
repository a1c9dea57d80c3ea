"""Points fixed to links: positions, and derivatives in the joint axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.kernels.skeleton import points
from fibermsk.system.skeleton.skeleton import Motion, Skeleton


class PointsAt(NamedTuple):
    """Positions c (n_points, 3) in ground, and C (n_points, 3, n_axes), dc/d(axes)."""

    c: Array
    C: Array


class LinkPoints:
    """Points fixed to links; see `fibermsk.kernels.skeleton.points`."""

    def __init__(self, skeleton: Skeleton, link: NDArray[np.int64], local: Array) -> None:
        self._skeleton, self.link, self.local = skeleton, link, local

    def place(self, motion: Motion) -> PointsAt:
        """Positions of the points."""
        links, tree, n = motion.links, self._skeleton.tree, self.link.size
        c, C = np.empty((n, 3)), np.empty((n, 3, tree.n))
        points.place_points(
            links.S, tree.moves, links.rotation, links.position, self.link, self.local, c, C
        )
        return PointsAt(c, C)

    def velocity_slope(self, motion: Motion, C: Array) -> Array:
        """Derivative of velocities in the axes at constant speeds, (n_points, 3, n_axes)."""
        slope, moves = np.empty_like(C), self._skeleton.tree.moves
        points.velocity_slope(motion.links.S, moves, self.link, C, motion.speed, slope)
        return slope

    def acceleration_slope(self, motion: Motion, C: Array, dp_dq: float) -> Array:
        """Derivative of accelerations in the axes, (n_points, 3, n_axes), without C dp_dot."""
        slope, moves = np.empty_like(C), self._skeleton.tree.moves
        points.acceleration_slope(
            motion.links.S, moves, self.link, C, motion.speed, motion.rate, dp_dq, slope
        )
        return slope

    def add_curvature(self, motion: Motion, C: Array, force: Array, D: Array) -> None:
        """Add the derivative in the axes of C^T force at constant force (n_points, 3) to D."""
        moves = self._skeleton.tree.moves
        points.add_curvature(motion.links.S, moves, self.link, C, force, D)

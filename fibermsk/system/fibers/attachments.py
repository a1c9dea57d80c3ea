"""Kinematics of the attached ends of fibers."""

from __future__ import annotations

import numpy as np
import sparse
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.kernels.skeleton import points
from fibermsk.kernels.skeleton.rigid import REVOLUTE
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.link_points import LinkPoints, PointsAt
from fibermsk.system.skeleton.skeleton import Motion, Skeleton


class Attachments(LinkPoints):
    """Points on links that fibers are attached to."""

    def __init__(self, cables: Cables, skeleton: Skeleton) -> None:
        super().__init__(skeleton, cables.point_link, cables.point_local)
        self._cables = cables
        self._moved = skeleton.moved_by(cables.point_link)
        self._pattern: tuple[Index, Index] | None = None

    def jacobian(self, motion: Motion, ends: PointsAt) -> Array:
        """dc/dq, (n_points, 3, n)."""
        return self._skeleton.columns(motion, ends.C)

    def slopes(
        self, motion: Motion, ends: PointsAt, dp_dq: float, dpdot_dp: float, rates: bool
    ) -> tuple[Array, Array]:
        """Derivatives of the ends' velocities and accelerations in the state, two (n_points, 3, n).

        Without the parts C dp and C dp_dot. `rates` as in `fibermsk.protocol.System.evaluate`.
        """
        by_axes = self.velocity_slope(motion, ends.C)
        if motion.rows is None:
            if not rates:
                return by_axes, dpdot_dp * by_axes
            return by_axes, self.acceleration_slope(motion, ends.C, dp_dq)
        J, V, W = (self._skeleton.axes_of(part) for part in motion.rows[3:6])
        velocity = by_axes @ J + ends.C @ V
        if not rates:
            return velocity, dpdot_dp * velocity
        bent = self.acceleration_slope(motion, ends.C, 0.0)
        acceleration = bent @ J + 2.0 * by_axes @ (V + dp_dq * J)
        return velocity, acceleration + ends.C @ (W + 2.0 * dp_dq * V)

    def stray(self, motion: Motion, nodes: Array, update: Array, excess: Array) -> Array:
        """Bound of the deviation of control points from linear motion, per element [m].

        nodes (n_nodes, 6); update (n_axes,): linear part of the motion of the axes; excess
        (n_axes,): bound of its nonlinear part, which affects all points, since it may move a bone
        near them.
        """
        cables, tree, links = self._cables, self._skeleton.tree, motion.links
        remainder = np.empty(cables.h.size)
        points.fill_strays(
            nodes, cables.elements, cables.end_element, cables.end_side, cables.point_link,
            tree.parent, tree.moves, tree.kind, links.position, np.abs(update) + excess, remainder,
        )  # fmt: skip
        if not excess.any():
            return remainder
        turns = tree.kind == REVOLUTE
        whole = float((np.abs(update) + excess)[turns].sum()) + 1.0
        farthest = float(tree.chain_length(links).max(initial=0.0))
        points.add_excesses(
            nodes, cables.elements, cables.h, links.position, turns, farthest, whole, excess,
            remainder,
        )  # fmt: skip
        return remainder

    def hessian(self, q: Array) -> sparse.COO:
        """Rank-3 tensor d2c/dq2 (3 n_points, n, n)."""
        skeleton, link = self._skeleton, self.link
        zero = np.zeros(skeleton.n)
        motion = skeleton.evaluate(q, zero, zero, second=True)
        ends = self.place(motion)
        if self._pattern is None:
            self._pattern = _find_pattern(self._moved)
        start, coords = self._pattern
        values = np.zeros(coords.shape[1])
        support, J, H, first = skeleton.dependence(motion)
        points.fill_hessian(
            motion.links.S, skeleton.tree.moves, link, ends.C, first, support, J, H,
            skeleton.joint_of_axis, start, self._moved, values,
        )  # fmt: skip
        shape = (3 * link.size, skeleton.n, skeleton.n)
        return sparse.COO(coords, values, shape=shape, has_duplicates=False, sorted=True)


def _find_pattern(moved: NDArray[np.bool_]) -> tuple[Index, Index]:
    """First entry of each point in the rank-3 tensor, and the coordinates of all entries."""
    start, coords = [0], []
    for m in range(moved.shape[0]):
        own = np.flatnonzero(moved[m])
        r, j, k = np.meshgrid(np.arange(3), own, own, indexing="ij")
        coords.append(np.stack([3 * m + r.ravel(), j.ravel(), k.ravel()]))
        start.append(start[-1] + r.size)
    return np.array(start, np.int64), np.concatenate([np.zeros((3, 0), np.int64), *coords], axis=1)

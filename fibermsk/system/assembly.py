"""Assembly of the equations: attached ends, joint axes and constraints.

Attached nodes follow the coordinates. With the constraints x_D = c(q) and v_D = C(q) p on position
and velocity level the multipliers follow from the rows of these nodes (eq. 62) and act on q through
C^T (eq. 63): index 1. Source: Gfrerer and Simeon (2021), eqs. 54-64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.fibers import attachment
from fibermsk.linalg import Condensed, Couplings, LineMatrix
from fibermsk.protocol import NO_MULTIPLIERS, BorderedMatrix, Tangent
from fibermsk.system.contribution import At, Contribution, Slopes, Sums
from fibermsk.system.fibers.attachments import Attachments
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.multipliers import Multipliers
from fibermsk.system.norms import imbalance
from fibermsk.system.optional import FollowsEnds, OfPositions
from fibermsk.system.skeleton.skeleton import Skeleton


class Assembled(NamedTuple):
    """Equations at one state; fields as of `fibermsk.protocol.Evaluation`."""

    residual: Array
    matrix: Tangent | None
    reactions: Array
    imbalance: float
    multipliers: Array = NO_MULTIPLIERS


class Assembly:
    """Equations of fibers and coordinates; nodal forces below `round_off` [N] count as zero."""

    def __init__(
        self,
        cables: Cables,
        skeleton: Skeleton,
        attached: Attachments,
        contributions: Sequence[Contribution],
        round_off: float,
    ) -> None:
        self._cables, self._skeleton, self._attached = cables, skeleton, attached
        self._contributions = contributions
        self._of_rates = [one for one in contributions if not isinstance(one, OfPositions)]
        self._following = [one for one in contributions if isinstance(one, FollowsEnds)]
        self._round_off = round_off
        self.multipliers = Multipliers(skeleton, contributions)
        self._uncoupled = Couplings.none(cables.node_start.size - 1)

    def __call__(self, at: At, slopes: Slopes | None) -> Assembled:
        """Residual, and the tangent where slopes are given.

        Its memory, most of that of a run, is that of the caller: nothing is kept here.
        """
        whole, sums, B, R, D = self._sum(at, slopes)
        skeleton, attached, n_x = self._skeleton, self._attached, at.nodes.size
        n_q = skeleton.n
        n = n_x + n_q + at.states.size
        residual = whole[:n]
        r_nodes, r_q = sums.nodes, residual[n_x : n_x + n_q]
        follow = self._follow(at)
        reactions = self._eliminate(follow, sums, residual[n_x:], B, R, D)
        if slopes is not None:
            own = D[:n_q, :n_q]
            sums.corner[...] = own
            attached.add_curvature(at.motion, at.ends.C, reactions, sums.axes.D)
            force = sums.axes.force + np.einsum("mrj,mr->j", at.ends.C, reactions)
            skeleton.pull_back(at.motion, force, sums.axes.D, sums.corner)
            own[...] = sums.corner
        residual[n_x + n_q :] += sums.states.row
        moments = self._add_axes(at, sums, r_q)
        condensed = None
        if sums.points.rows:
            whole[n:] = np.concatenate([row.ravel() for row in sums.points.rows])
        if sums.points.tangent:
            # multipliers combine rows of the border: with them those that attached ends add
            R = np.hstack([R, follow.transpose(2, 0, 1).reshape(R.shape[0], 3 * len(follow))])
        multipliers = self.multipliers.reduce(at, slopes, r_q, B, R, D)
        if sums.points.tangent:
            R, to_border = np.ascontiguousarray(R[:, :n_x]), R[:, n_x:]
            nodes = self._cables.attached_nodes
            condensed = Condensed(tuple(sums.points.tangent), nodes, follow, to_border)
        matrix = None
        if slopes is not None:
            matrix = self._matrix(sums, B, R, D, condensed)
        unbalanced = max(
            imbalance(r_nodes, max(self._round_off, sums.present), (reactions,)),
            imbalance(r_q, 0.0, (moments,)),
        )
        return Assembled(whole, matrix, reactions, unbalanced, multipliers)

    def of_rates(self, at: At) -> Array:
        """Part of the residual (n,) that changes with rates alone, without constraints."""
        n_x, n_q = at.nodes.size, self._skeleton.n
        whole, sums, B, R, D = self._sum(at, None, self._of_rates)
        border = whole[n_x:]
        self._eliminate(self._follow(at), sums, border, B, R, D)
        border[n_q:] += sums.states.row
        self._add_axes(at, sums, border[:n_q])
        return whole

    def unreduced(self, at: At, slopes: Slopes) -> tuple[BorderedMatrix, Array]:
        """Matrix in which attached ends are nodes as others, and the forces on them (n_points, 3).

        Without the part of the stiffness that forces on axes have as the axes turn.
        """
        _, sums, B, R, D = self._sum(at, slopes)
        if at.motion.rows is not None:
            J = self._skeleton.axes_of(at.motion.rows.J)
            D[: J.shape[1], : J.shape[1]] += J.T @ sums.axes.D @ J
        m, condensed = R.shape[0], None
        if sums.points.tangent:
            none = np.zeros(0, np.int64), np.zeros((0, 3, m)), np.zeros((m, 0))
            condensed = Condensed(tuple(sums.points.tangent), *none)
        ends = sums.nodes[self._cables.attached_nodes, :3]
        return self._matrix(sums, B, R, D, condensed), ends

    def _matrix(
        self, sums: Sums, B: Array, R: Array, D: Array, condensed: Condensed | None
    ) -> BorderedMatrix:
        assert sums.couplings is not None
        lines = LineMatrix(self._cables.node_start, sums.lines, sums.couplings)
        return BorderedMatrix(lines, B, R, D, condensed)

    def _sum(
        self, at: At, slopes: Slopes | None, contributions: Sequence[Contribution] | None = None
    ) -> tuple[Array, Sums, Array, Array, Array]:
        """Residual, sums of contributions, and border, before attached ends are eliminated.

        All of them by default.
        """
        skeleton, attached, n_x = self._skeleton, self._attached, at.nodes.size
        whole = np.zeros(n_x + skeleton.n + at.states.size + at.points[0].size)
        nodes = whole[:n_x].reshape(-1, 6)
        lines = np.zeros((self._cables.n_nodes if slopes else 0, 3, 6, 6))
        sums = Sums.zero(skeleton, at, nodes, lines, slopes)
        for one in self._contributions if contributions is None else contributions:
            one.add(at, sums)
        if sums.couplings is None:
            sums.couplings = self._uncoupled
        B, R = sums.axes.B, sums.axes.R
        if slopes is not None:
            B, R = skeleton.columns(at.motion, B), skeleton.from_axes(at.motion, R)
            if sums.corner.size:
                rates = attached.slopes(at.motion, at.ends, *slopes)
                for one in self._following:
                    one.follow_ends(at, *rates, B)
            if sums.border is not None:
                B, R = B + sums.border[0], R + sums.border[1]
        return whole, sums, *_with_states(sums, B, R)

    def _eliminate(
        self, C: Array, sums: Sums, r_border: Array, B: Array, R: Array, D: Array
    ) -> Array:
        """Transfer the load of attached ends to the coordinates; return the forces on the fibers.

        The border is that of coordinates and states, which attached ends do not follow; C
        (n_points, 3, m) their derivatives in it.
        """
        cables = self._cables
        reactions = np.empty((C.shape[0], 3))
        attachment.take_reactions(cables.ends.node, C, sums.nodes, r_border, reactions)
        if sums.slopes is not None:
            attachment.eliminate_attached(
                cables.ends, cables.node_start, C, sums.couplings, sums.lines, B, R, D
            )
        return reactions

    def _follow(self, at: At) -> Array:
        """Derivatives of attached ends in the border, (n_points, 3, m)."""
        C = self._attached.jacobian(at.motion, at.ends)
        if at.states.size:
            C = np.concatenate([C, np.zeros((*C.shape[:2], at.states.size))], axis=2)
        return C

    def _add_axes(self, at: At, sums: Sums, r_q: Array) -> Array:
        """Add forces on axes and coordinates; return the magnitudes of those on coordinates."""
        pull, skeleton = r_q.copy(), self._skeleton
        on_axes = skeleton.from_axes(at.motion, sums.axes.force)
        r_q += on_axes
        r_q += sums.force
        moments = np.abs(pull) + np.abs(on_axes)
        if moments.size:
            weight = skeleton.tree.weight(at.motion.links)
            moments += np.abs(skeleton.from_axes(at.motion, weight))
        return moments


def _with_states(sums: Sums, B: Array, R: Array) -> tuple[Array, Array, Array]:
    """Border of coordinates and states: columns, rows and corner."""
    states = sums.states
    if sums.slopes is None or not states.row.size:
        return B, R, sums.corner
    D = np.block([[sums.corner, states.on_q], [states.by_q, states.by_state]])
    return np.hstack([B, states.on_nodes]), np.vstack([R, states.by_nodes]), D

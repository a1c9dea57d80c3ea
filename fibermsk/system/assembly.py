"""From contributions to equations: attached ends, joint axes and constraints.

Attached nodes follow the coordinates. With the constraints x_D = c(q) and v_D = C(q) p on position
and velocity level the multipliers follow from the rows of these nodes (eq. 62) and act on q through
C^T (eq. 63): index 1. Source: Gfrerer and Simeon (2021), eqs. 54-64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import attachment
from fibermsk.linalg import LineMatrix
from fibermsk.protocol import BorderedMatrix
from fibermsk.system.attachments import Attachments
from fibermsk.system.cables import Cables
from fibermsk.system.contributions import At, Contribution, FollowsEnds, Slopes, Sums
from fibermsk.system.norms import imbalance
from fibermsk.system.pullback import Pullback
from fibermsk.system.skeleton import Skeleton

__all__ = ["Assembled", "Assembly"]

Array = NDArray[np.float64]


class Assembled(NamedTuple):
    """Equations at one state.

    Attributes
    ----------
    residual : (n,) float array
        M v_dot - forces.
    matrix : BorderedMatrix or None
        Its derivative, if asked for.
    reactions : (n_points, 3) float array
        Forces of the attachments on the fibers [N].
    imbalance : float
        Largest residual over the forces present.
    """

    residual: Array
    matrix: BorderedMatrix | None
    reactions: Array
    imbalance: float


class Assembly:
    """Equations of fibers and coordinates.

    Parameters
    ----------
    cables : Cables
        Nodes of the fibers.
    skeleton : Skeleton
        Coordinates, axes and constraints.
    attached : Attachments
        Ends of fibers on bodies.
    contributions : sequence of Contribution
        All of the physics.
    round_off : float
        Force on a node that is round-off of the others [N].
    """

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
        self._following = [one for one in contributions if isinstance(one, FollowsEnds)]
        self._round_off = round_off
        self._lines = np.empty((cables.n_nodes, 3, 6, 6))

    def __call__(self, at: At, slopes: Slopes | None) -> Assembled:
        """Residual, and the tangent where slopes are given.

        The matrix keeps the arrays of lines and couplings until the next one is asked for.
        """
        skeleton, attached, n_x = self._skeleton, self._attached, at.nodes.size
        residual = np.zeros(n_x + skeleton.n)
        r_nodes, r_q = residual[:n_x].reshape(-1, 6), residual[n_x:]
        sums = Sums.zero(skeleton, at.motion, r_nodes, self._lines, slopes)
        for one in self._contributions:
            one.add(at, sums)
        pullback = Pullback(skeleton, at.motion, sums)
        B, R, D = pullback.columns(), pullback.rows(), sums.corner
        if slopes is not None and D.size:
            rates = attached.slopes(at.motion, at.ends, *slopes)
            for one in self._following:
                one.follow_ends(at, *rates, B)
        reactions = self._eliminate(at, sums, r_q, B, R, D)
        if slopes is not None:
            attached.add_curvature(at.motion, at.ends, reactions, sums.axes.D)
            pullback.finish(at.ends.C, reactions)
        moments = self._add_axes(at, sums, r_q)
        b, a = (slopes.dv_dy, slopes.dvdot_dv) if slopes is not None else (0.0, 0.0)
        skeleton.constraints.reduce(at.motion.rows, b, a, r_q, B, R, D, slopes is not None)
        matrix = None
        if slopes is not None and sums.couplings is not None:
            lines = LineMatrix(self._cables.node_start, self._lines, sums.couplings)
            matrix = BorderedMatrix(lines, B, R, D)
        unbalanced = max(
            imbalance(r_nodes, max(self._round_off, sums.present), (reactions,)),
            imbalance(r_q, 0.0, (moments,)),
        )
        return Assembled(residual, matrix, reactions, unbalanced)

    def _eliminate(self, at: At, sums: Sums, r_q: Array, B: Array, R: Array, D: Array) -> Array:
        """Put what attached ends carry on the coordinates; the forces on the fibers there."""
        cables, couplings = self._cables, sums.couplings
        assert couplings is not None
        reactions = np.empty((at.ends.c.shape[0], 3))
        attachment.eliminate_attached(
            cables.elements, cables.end_element, cables.end_side, cables.node_start,
            self._attached.jacobian(at.motion, at.ends), cables.attached, cables.fiber,
            couplings.first, couplings.second, couplings.entry_start, couplings.entries,
            couplings.row_start, couplings.row_node, couplings.column, couplings.block_start,
            couplings.upper, couplings.lower, sums.slopes is not None, sums.nodes, r_q, self._lines,
            B, R, D, reactions,
        )  # fmt: skip
        return reactions

    def _add_axes(self, at: At, sums: Sums, r_q: Array) -> Array:
        """Add what acts on axes and coordinates; the sizes of all forces on the latter."""
        pull, skeleton = r_q.copy(), self._skeleton
        on_axes = skeleton.from_axes(at.motion, sums.axes.force)
        r_q += on_axes
        r_q += sums.force
        moments = np.abs(pull) + np.abs(on_axes)
        if moments.size:
            weight = skeleton.tree.weight(at.motion.links)
            moments += np.abs(skeleton.from_axes(at.motion, weight))
        return moments

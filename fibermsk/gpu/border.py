"""Border of the joint coordinates on a device, with the elimination of attached ends.

As `fibermsk.kernels.fibers.attachment`, with tasks that write to separate memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends, Links
from fibermsk.gpu.pairs import DeviceCouplings
from fibermsk.kernels.fibers.attachment import (
    leave_identity,
    line_to_border,
    take_reaction,
)


class Border(NamedTuple):
    """Border of a matrix; see `fibermsk.protocol.BorderedMatrix`. D is on the host.

    Of the axes of the joints, or of coordinates and states.
    """

    B: Any
    R: Any
    D: Array


class Elimination:
    """Elimination of attached nodes from residual and matrix."""

    def __init__(self, device: Device, arrays: DeviceCables, ends: Ends) -> None:
        self._device, self._arrays, self._ends = device, arrays, ends
        n_x = 6 * int(arrays.fiber_of_node.size)
        self._B = device.xp.zeros((n_x, ends.n_axes))
        self._R = device.xp.zeros((ends.n_axes, n_x))

    def clear(self) -> Border:
        """Zero border of the axes; B and R are the same arrays each time."""
        self._B[...], self._R[...] = 0.0, 0.0
        return Border(self._B, self._R, np.zeros((self._ends.n_axes, self._ends.n_axes)))

    def from_axes(self, links: Links, axes: Border) -> tuple[Any, Any]:
        """Columns and rows of coordinates and states, from those of the axes."""
        if self._ends.plain:
            return axes.B, axes.R
        if not self._ends.n_axes:
            zeros, n_x = self._device.xp.zeros, int(axes.B.shape[0])
            return zeros((n_x, self._ends.n_border)), zeros((self._ends.n_border, n_x))
        J = self._ends.jacobian(links)
        return axes.B @ J, self._transposed(J) @ axes.R

    def take_reactions(self, links: Links, residual: Any) -> tuple[Any, Array]:
        """Move the forces on attached nodes out of the residual (n_nodes, 6).

        Returns the forces of the attachments on the fibers (n_points, 3) [N], eq. 62, and on the
        host the sum over all ends of C[:, j] times their reaction (3, n_axes, 3).
        """
        at, ends = self._arrays, self._ends
        reactions = self._device.xp.zeros((ends.n, 3))
        self._device.launch(take_reaction, ends.n, (at.ends.node, residual, reactions))
        if not ends.n_axes or not ends.n:
            return reactions, np.zeros((3, ends.n_axes, 3))
        levers = self._transposed(links.C.reshape(ends.n, -1)) @ reactions
        return reactions, self._device.to_host(levers).reshape(3, ends.n_axes, 3)

    def reduce(self, links: Links, lines: Any, couplings: DeviceCouplings, border: Border) -> None:
        """Reduce the matrix to the independent unknowns, in place.

        The border, of coordinates and states, already has all terms but those of the lines.
        """
        at, ends, launch = self._arrays, self._ends, self._device.launch
        B, R, D = border
        if ends.n_border and ends.n:
            follow = ends.on_border(links)
            C = follow.reshape(-1, ends.n_border)
            columns = self._device.to_host(R[:, at.attached] @ C)
            R[:, at.attached] = 0.0
            launch(
                line_to_border, int(at.node_start.size) - 1,
                (at.node_start, follow, at.ends.at_node, couplings, lines, B, R),
            )  # fmt: skip
            rows = self._device.to_host(self._transposed(C) @ B[at.attached])
            B[at.attached] = 0.0
            D += columns + rows
        launch(leave_identity, ends.n, (at.ends, couplings, lines))

    def _transposed(self, array: Any) -> Any:
        return self._device.xp.ascontiguousarray(array.T)


def add_curvature(links: Links, moves: NDArray[np.bool_], levers: Array, D: Array) -> None:
    """Add the reactions times the second derivatives w_j x C[:, k], j above k in the chain or k.

    levers: see `Elimination.take_reactions`; D (n_axes, n_axes).
    """
    moments = np.stack([levers[a - 2, :, a - 1] - levers[a - 1, :, a - 2] for a in range(3)])
    curvature = np.where(moves.T, links.state.S[:, :3] @ moments, 0.0)
    D += curvature + curvature.T - np.diag(np.diag(curvature))

"""The border of the joint coordinates on a device: what the attached ends leave to it.

As `fibermsk.kernels.attachment.eliminate_attached`, with tasks that write to no other's memory: the
lines gather what attached nodes couple them to, and what sums over all ends are products of
matrices. Sums that end on the host are a few numbers for each coordinate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends, Links
from fibermsk.gpu.pairs import DeviceCouplings
from fibermsk.kernels.attachment import (
    add_end_rates,
    leave_identity,
    line_to_border,
    take_reaction,
)

__all__ = ["Border", "Elimination"]

Array = NDArray[np.float64]


class Border(NamedTuple):
    """Border of a matrix; see `fibermsk.protocol.BorderedMatrix`. D lies on the host."""

    B: Any
    R: Any
    D: Array


class Elimination:
    """Attached nodes taken out of residual and matrix.

    Parameters
    ----------
    device : Device
        Of all arrays.
    arrays : DeviceCables
        Fibers.
    ends : Ends
        Their attached ends.
    """

    def __init__(self, device: Device, arrays: DeviceCables, ends: Ends) -> None:
        self._device, self._arrays, self._ends = device, arrays, ends
        n_x = 6 * int(arrays.fiber_of_node.size)
        self._B = device.xp.zeros((n_x, ends.n_q))
        self._R = device.xp.zeros((ends.n_q, n_x))

    def clear(self) -> Border:
        """An empty border, whose B and R are the same arrays each time."""
        self._B[...], self._R[...] = 0.0, 0.0
        return Border(self._B, self._R, np.zeros((self._ends.n_q, self._ends.n_q)))

    def add_rates(
        self, links: Links, fibers: tuple[Any, ...], p: Any, p_dot: Any, dv_dy: float,
        dvdot_dv: float, rates: bool, border: Border,
    ) -> None:  # fmt: skip
        """Add how the residual varies with the ends' velocities and accelerations.

        Parameters
        ----------
        links : Links
            Where they are.
        fibers : tuple
            Arguments of `fibermsk.kernels.attachment.add_end_rates` from ``nodes`` to ``mass``.
        p, p_dot : (n_q,) array
            Of the device.
        dv_dy, dvdot_dv, rates
            See `fibermsk.protocol.System.evaluate`.
        border : Border
            To add to.
        """
        ends, at = self._ends, self._arrays
        velocity_rate = ends.velocity_slope(links, p)
        if rates:
            acceleration_rate = ends.acceleration_slope(links, p, p_dot, dv_dy)
        else:
            acceleration_rate = dvdot_dv * velocity_rate
        for side in ends.sides:
            self._device.launch(
                add_end_rates, side,
                (*fibers, at.end_element, at.end_side, velocity_rate, acceleration_rate, border.B),
            )  # fmt: skip

    def take_reactions(self, links: Links, residual: Any) -> tuple[Any, Array]:
        """Move the forces on attached nodes out of the residual (n_nodes, 6).

        Returns
        -------
        reactions : (n_points, 3) array
            Forces of the attachments on the fibers [N], eq. 62.
        levers : (3, n_q, 3) float array
            On the host: sum over all ends of their C[:, j] times their reaction.
        """
        at, ends = self._arrays, self._ends
        reactions = self._device.xp.zeros((ends.n, 3))
        nodes = (at.elements, at.end_element, at.end_side)
        self._device.launch(take_reaction, ends.n, (*nodes, residual, reactions))
        if not ends.n_q or not ends.n:
            return reactions, np.zeros((3, ends.n_q, 3))
        levers = self._transposed(links.C.reshape(ends.n, -1)) @ reactions
        return reactions, self._device.to_host(levers).reshape(3, ends.n_q, 3)

    def reduce(
        self, links: Links, levers: Array, lines: Any, couplings: DeviceCouplings, border: Border
    ) -> None:
        """Reduce the matrix to the independent unknowns, in place.

        border holds already what does not follow from the lines.
        """
        at, ends, launch = self._arrays, self._ends, self._device.launch
        B, R, D = border
        if ends.n_q and ends.n:
            C = links.C.reshape(-1, ends.n_q)
            columns = self._device.to_host(R[:, at.attached] @ C)
            R[:, at.attached] = 0.0
            launch(
                line_to_border, int(at.node_start.size) - 1,
                (
                    at.node_start, links.C, at.attached_point, couplings.first,
                    couplings.second, couplings.entry_start, couplings.entries, *couplings.rows,
                    lines, B, R,
                ),
            )  # fmt: skip
            rows = self._device.to_host(self._transposed(C) @ B[at.attached])
            B[at.attached] = 0.0
            D += columns + rows
            _add_curvature(links, ends.tree.moves, levers, D)
        launch(
            leave_identity, ends.n,
            (
                at.elements, at.end_element, at.end_side, at.fiber, couplings.entry_start,
                couplings.entries, *couplings.rows, lines,
            ),
        )  # fmt: skip

    def _transposed(self, array: Any) -> Any:
        return self._device.xp.ascontiguousarray(array.T)


def _add_curvature(links: Links, moves: NDArray[np.bool_], levers: Array, D: Array) -> None:
    """Add the reactions times the second derivatives w_j x C[:, k], j above k in the chain or k."""
    moments = np.stack([levers[a - 2, :, a - 1] - levers[a - 1, :, a - 2] for a in range(3)])
    curvature = np.where(moves.T, links.state.S[:, :3] @ moments, 0.0)
    D += curvature + curvature.T - np.diag(np.diag(curvature))

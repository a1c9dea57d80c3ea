"""Assembly of the equations on a device; as `fibermsk.system.assembly`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gpu.border import Border, Elimination, add_curvature
from fibermsk.gpu.contribution import DeviceAt, DeviceContribution, DeviceSums
from fibermsk.gpu.matrix import DeviceMatrix
from fibermsk.gpu.twins import DeviceFibers, Parts
from fibermsk.system.assembly import Assembled
from fibermsk.system.contribution import Slopes, Sums
from fibermsk.system.norms import imbalance
from fibermsk.system.optional import FollowsEnds


class DeviceAssembly:
    """Assembly of all contributions to fibers and coordinates."""

    def __init__(self, parts: Parts, contributions: Sequence[DeviceContribution]) -> None:
        self._parts, self._contributions = parts, contributions
        self._following: list[Any] = [one for one in contributions if isinstance(one, FollowsEnds)]
        self._elimination = Elimination(parts.device, parts.arrays, parts.ends)
        (self._fibers,) = (one for one in contributions if isinstance(one, DeviceFibers))
        self._lines = parts.device.xp.zeros((parts.host.cables.n_nodes, 3, 6, 6))

    def __call__(self, at: DeviceAt, slopes: Slopes | None) -> Assembled:
        """Residual, and the tangent if slopes are given; the next tangent overwrites it."""
        device, _, ends, _, host = self._parts
        n_x, skeleton, multipliers = at.nodes.size, host.skeleton, host.multipliers
        residual = device.xp.zeros(n_x + ends.n_border)
        r_nodes = residual[:n_x].reshape(-1, 6)
        axes = None if slopes is None else self._elimination.clear()
        sums = DeviceSums.zero(ends, r_nodes, self._lines, axes, slopes)
        for one in self._contributions:
            one.add(at, sums)
        columns, rows = (None, None) if axes is None else self._border(at, axes, slopes)
        reactions, levers = self._elimination.take_reactions(at.links, r_nodes)
        motion, on_axes = at.links.motion, sums.host.axes.force
        pull = np.trace(levers, axis1=0, axis2=2)
        parts = [
            skeleton.from_axes(motion, force)
            for force in (pull, on_axes, host.tree.weight(at.links.state))
        ]
        r_q = parts[0] + parts[1] + sums.host.force
        if axes is None or slopes is None:
            matrix, none = None, np.zeros((0, 0))
            found = multipliers.reduce(at.host, None, r_q, none, none, none)
        else:
            add_curvature(at.links, ends.tree.moves, levers, axes.D)
            skeleton.pull_back(motion, on_axes + pull, axes.D, sums.host.corner)
            border = Border(columns, rows, _with_states(sums.host))
            matrix, found = self._reduce(at, slopes, r_q, border, sums)
        if ends.n_border:
            residual[n_x:] = device.to_device(np.r_[r_q, sums.host.states.row])
        unbalanced = max(
            imbalance(r_nodes, max(host.tension.round_off, sums.host.present), (reactions,)),
            imbalance(r_q, 0.0, (sum(map(abs, parts)),)),
        )
        return Assembled(residual, matrix, reactions, unbalanced, found)

    def _border(self, at: DeviceAt, axes: Border, slopes: Any) -> tuple[Any, Any]:
        """Columns and rows of coordinates and states, before attached ends are eliminated."""
        ends = self._parts.ends
        columns, rows = self._elimination.from_axes(at.links, axes)
        self._fibers.follow_states(at, columns)
        if ends.n_q:
            rates = ends.slopes(at.links, slopes)
            for one in self._following:
                one.follow_ends(at, *rates, columns)
        return columns, rows

    def _reduce(
        self, at: DeviceAt, slopes: Slopes, r_q: Array, border: Border, sums: DeviceSums
    ) -> tuple[DeviceMatrix, Array]:
        """Matrix of the independent unknowns, and multipliers; r_q (n_q,) is changed too."""
        device, arrays, ends, contact, host = self._parts
        assert sums.couplings is not None
        self._elimination.reduce(at.links, self._lines, sums.couplings, border)
        # operations on rows, and columns that stay, of unit matrices in place of the border
        rows, kept = np.eye(ends.n_border), np.ones((1, ends.n_border))
        found = host.multipliers.reduce(at.host, slopes, r_q, kept, rows, border.D)
        if host.multipliers.any or host.skeleton.constraints.held.size:
            border.R[...] = device.to_device(rows) @ border.R
            border.B[...] = border.B * device.to_device(kept)
        groups = contact.fibers.groups
        whole = (self._lines, sums.couplings, groups, border)
        return DeviceMatrix(device, arrays.node_start, *whole), found


def _with_states(sums: Sums) -> Array:
    """Corner of coordinates and states."""
    states = sums.states
    if not states.row.size:
        return sums.corner
    return np.block([[sums.corner, states.on_q], [states.by_q, states.by_state]])

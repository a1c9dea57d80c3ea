"""Assembly of the equations on a device; as `fibermsk.system.assembly`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk.gpu.border import Elimination
from fibermsk.gpu.contribution import DeviceAt, DeviceContribution, DeviceSums
from fibermsk.gpu.matrix import DeviceMatrix
from fibermsk.gpu.twins import Parts
from fibermsk.system.assembly import Assembled
from fibermsk.system.contribution import Slopes
from fibermsk.system.norms import imbalance
from fibermsk.system.optional import FollowsEnds


class DeviceAssembly:
    """Assembly of all contributions to fibers and coordinates."""

    def __init__(self, parts: Parts, contributions: Sequence[DeviceContribution]) -> None:
        self._parts, self._contributions = parts, contributions
        self._following: list[Any] = [one for one in contributions if isinstance(one, FollowsEnds)]
        self._elimination = Elimination(parts.device, parts.arrays, parts.ends)
        self._lines = parts.device.xp.zeros((parts.host.cables.n_nodes, 3, 6, 6))

    def __call__(self, at: DeviceAt, slopes: Slopes | None) -> Assembled:
        """Residual, and the tangent if slopes are given; the next tangent overwrites it."""
        device, arrays, ends, contact, host = self._parts
        n_x, n, tree = at.nodes.size, ends.n_q, host.tree
        residual = device.xp.zeros(n_x + n)
        r_nodes = residual[:n_x].reshape(-1, 6)
        border = None if slopes is None else self._elimination.clear()
        sums = DeviceSums.zero(n, r_nodes, self._lines, border, slopes)
        for one in self._contributions:
            one.add(at, sums)
        if border is not None and slopes is not None and n:
            rates = ends.slopes(at.links, at.p, at.p_dot, slopes)
            for one in self._following:
                one.follow_ends(at, *rates, border.B)
        reactions, levers = self._elimination.take_reactions(at.links, r_nodes)
        pull, on_axes = np.trace(levers, axis1=0, axis2=2), sums.host.axes.force
        r_q = pull + on_axes + sums.host.force
        if n:
            residual[n_x:] = device.to_device(r_q)
        matrix = None
        if border is not None and sums.couplings is not None:
            self._elimination.reduce(at.links, levers, self._lines, sums.couplings, border)
            matrix = DeviceMatrix(
                device,
                arrays.node_start,
                self._lines,
                sums.couplings,
                contact.fibers.groups,
                border,
            )
        moments = abs(pull) + abs(on_axes) + abs(tree.weight(at.links.state))
        unbalanced = max(
            imbalance(r_nodes, max(host.tension.round_off, sums.host.present), (reactions,)),
            imbalance(r_q, 0.0, (moments,)),
        )
        return Assembled(residual, matrix, reactions, unbalanced)

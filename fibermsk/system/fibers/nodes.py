"""Port of contributions to the nodes of a fiber."""

from __future__ import annotations

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums


class FiberNodes:
    """Nodes of a fiber, 6 numbers each: position [m] and theta-tangent [m].

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    fiber : str
        Name of the fiber.

    Attributes
    ----------
    n : int
        Number of nodes, one more than elements.

    Raises
    ------
    ModelError
        If the model has no such fiber.
    """

    def __init__(self, configuration: Configuration, fiber: str) -> None:
        cables = configuration.cables
        names = list(cables.names)
        _check.choice("FiberNodes", "fiber", fiber, names)
        first, end = (int(cables.node_start[names.index(fiber) + k]) for k in (0, 1))
        self.n, self._own = end - first, slice(first, end)
        ends = cables.ends.node
        points = np.flatnonzero((ends >= first) & (ends < end))
        self._ends = [(int(point), int(ends[point]) - first) for point in points]

    def at(self, at: At) -> tuple[Array, Array]:
        """Positions and their rates, two (n, 6)."""
        return at.nodes[self._own], at.velocity[self._own]

    def push(self, sums: Sums, force: Array, by_x: Array, by_v: Array) -> None:
        """Apply nodal forces (n, 6), with derivatives (n, 6, 6) of each in its own node.

        by_x, by_v: derivatives in position and rate; row: force, column: unknown. A contribution
        whose by_v is not zero at an attached end also needs `follow_ends`.
        """
        sums.nodes[self._own] -= force
        if sums.slopes is not None:
            block = by_x + sums.slopes.dv_dy * by_v
            # lines hold (column, row)
            sums.lines[self._own, 0] -= block.transpose(0, 2, 1)

    def follow_ends(self, velocity: Array, by_v: Array, columns: Array) -> None:
        """Add what forces at attached ends gain as their velocity depends on the coordinates.

        velocity, columns: as in `fibermsk.system.optional.FollowsEnds`.
        """
        rows = columns.reshape(-1, 6, columns.shape[1])[self._own]
        for point, node in self._ends:
            rows[node] -= by_v[node][:, :3] @ velocity[point]

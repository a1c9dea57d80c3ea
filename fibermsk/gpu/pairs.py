"""Candidate pairs of fibers on a device, and their couplings.

Pairs as in `fibermsk.system.contact.fiber_pairs`, couplings and entries as in
`fibermsk.linalg.couplings`, with lines ordered by color: lines of one color are never coupled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.gpu.device import Device
from fibermsk.kernels.contact.pairs import color_pairs
from fibermsk.linalg.coloring import color_lines
from fibermsk.linalg.couplings import list_entries
from fibermsk.system.contact.fiber_pairs import FiberPairs


class DeviceCouplings(NamedTuple):
    """Fields as in `fibermsk.linalg.Couplings`, and their number of blocks."""

    first: Any
    second: Any
    row_start: Any
    row_node: Any
    column: Any
    block_start: Any
    upper: Any
    lower: Any
    entry_start: Any
    entry_middle: Any
    entries: Any
    n_blocks: int

    @property
    def rows(self) -> tuple[Any, Any, Any, Any]:
        """Arguments of task bodies that add to blocks."""
        return self.row_start, self.row_node, self.column, self.block_start


class DevicePairs(NamedTuple):
    """Pairs of fibers on a device.

    Attributes
    ----------
    first, second, row_start, row_node
        See `fibermsk.system.contact.fiber_pairs.FiberPairs`.
    entries : tuple of int array
        ``entry_start``, ``entry_middle`` and ``entries``, fibers in the order of their colors.
    fibers : list of (n,) int array
        Fibers by color: fibers of one color form no pair.
    groups : list of (n,) int array
        Pairs by color: pairs of one color share no fiber.
    n_rows : int
        Rows of all pairs.
    """

    first: Any
    second: Any
    row_start: Any
    row_node: Any
    entries: tuple[Any, Any, Any]
    fibers: list[Any]
    groups: list[Any]
    n_rows: int

    @property
    def n(self) -> int:
        """Number of pairs."""
        return int(self.first.size)

    @classmethod
    def of(cls, device: Device, pairs: FiberPairs) -> DevicePairs:
        """Copy the pairs of the host and color all of them.

        Groups depend on the candidates, which change rarely; on the host, on pairs in contact.
        """
        n, n_fibers = pairs.first.size, pairs.entries[1].size
        color = color_lines(n_fibers, pairs.first, pairs.second)
        entries = tuple(map(np.empty_like, pairs.entries))
        list_entries(pairs.first, pairs.second, color, *entries)
        room, of_pair = np.empty((2, n), np.int64)
        color_pairs(
            np.ones(n, bool), pairs.first, pairs.second, entries[0], entries[2], room, of_pair
        )
        copy = device.to_device
        start, middle, listed = map(copy, entries)
        return cls(
            *map(copy, (pairs.first, pairs.second, pairs.row_start, pairs.row_node)),
            entries=(start, middle, listed),
            fibers=_by_color(device, color),
            groups=_by_color(device, of_pair),
            n_rows=int(pairs.row_start[-1]),
        )


def _by_color(device: Device, color: NDArray[np.int64]) -> list[Any]:
    """Indices of each color."""
    colors = range(int(color.max(initial=-1)) + 1)
    return [device.to_device(np.flatnonzero(color == own)) for own in colors]

"""Candidate pairs of fibers on a device, and their couplings, with lines ordered by color."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Index
from fibermsk._ranges import starts
from fibermsk.gpu.device import Device
from fibermsk.kernels.contact.pairs import color_pairs
from fibermsk.linalg.coloring import color_lines
from fibermsk.linalg.couplings import list_entries

_SPARE = 1.05
"""Growth factor of allocated memory, so that it is rarely reallocated."""


class DeviceCouplings(NamedTuple):
    """Fields of `fibermsk.linalg.Couplings`, and their number of blocks."""

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


class DevicePairs(NamedTuple):
    """Pairs of fibers on a device; see `fibermsk.system.contact.fiber_pairs.FiberPairs`."""

    first: Any
    second: Any
    row_start: Any
    row_node: Any
    # ``entry_start``, ``entry_middle`` and ``entries``, fibers ordered by color
    entries: tuple[Any, Any, Any]
    fibers: list[Any]  # fibers by color: those of one color form no pair
    groups: list[Any]  # pairs by color: those of one color share no fiber
    n_rows: int  # rows of all pairs

    @property
    def n(self) -> int:
        """Number of pairs."""
        return int(self.first.size)

    @classmethod
    def of(
        cls,
        device: Device,
        fibers: tuple[Index, Index],
        spans: tuple[Index, Index],
        n_fibers: int,
    ) -> DevicePairs:
        """Copy pairs of the host and color all of them, since candidates change rarely.

        fibers: the first and second of each pair; spans: first coupled node of the first, and the
        end of these.
        """
        (first, second), (row_node, end), n = fibers, spans, fibers[0].size
        row_start = starts(end - row_node)
        color = color_lines(n_fibers, first, second)
        shapes = n_fibers + 1, n_fibers, 2 * n
        entries = tuple(np.empty(size, np.int64) for size in shapes)
        list_entries(first, second, color, *entries)
        room, of_pair = np.empty((2, n), np.int64)
        color_pairs(np.ones(n, bool), first, second, entries[0], entries[2], room, of_pair)
        copy = device.to_device
        start, middle, listed = map(copy, entries)
        return cls(
            *map(copy, (first, second, row_start, row_node)),
            entries=(start, middle, listed),
            fibers=_by_color(device, color),
            groups=_by_color(device, of_pair),
            n_rows=int(row_start[-1]),
        )


class BlockMemory:
    """Storage of coupling blocks, reused between evaluations; `xp` is CuPy, or NumPy in tests."""

    def __init__(self, xp: Any) -> None:
        self._xp = xp
        self._upper = self._lower = xp.zeros((0, 6, 6))

    def make_room(self, n: int, both: bool, rounds: bool) -> tuple[Any, Any]:
        """Return n zero blocks, upper and lower; no lower ones unless `both`.

        In single precision if it `rounds`.
        """
        xp, kind = self._xp, np.float32 if rounds else np.float64
        if n > self._upper.shape[0] or self._upper.dtype != kind:
            # release the old memory first
            self._upper = self._lower = xp.zeros((0, 6, 6), kind)
            self._upper = xp.zeros((int(_SPARE * n), 6, 6), kind)
        if both and n > self._lower.shape[0]:
            self._lower = xp.zeros((self._upper.shape[0], 6, 6), kind)
        lower = self._lower if both else self._lower[:0]
        self._upper[:n] = 0.0
        lower[:n] = 0.0
        return self._upper, lower


def _by_color(device: Device, color: NDArray[np.int64]) -> list[Any]:
    """Indices of each color."""
    colors = range(int(color.max(initial=-1)) + 1)
    return [device.to_device(np.flatnonzero(color == own)) for own in colors]

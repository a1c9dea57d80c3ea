"""Pairs of elements that touch, on a device: their memory, and the couplings that they make.

Pairs as in `fibermsk.kernels.pairs`, couplings and entries as in `fibermsk.linalg.couplings`, where
the color of a line takes the place of its number: lines of one color are never coupled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk.gpu.device import Device

__all__ = ["DeviceCouplings", "PairMemory", "list_couplings"]

_SPARE = 1.5
"""How much more memory is taken than needed, so that it is rarely taken anew."""


class DeviceCouplings(NamedTuple):
    """Fields as in `fibermsk.linalg.Couplings`; all couplings stand for their transposes too."""

    row: Any
    column: Any
    block: Any
    entry_start: Any
    entry_middle: Any
    entries: Any

    @property
    def n(self) -> int:
        """Number of couplings."""
        return int(self.row.size)


class PairMemory:
    """Shares of pairs in residual and tangent, kept from one evaluation to the next."""

    def __init__(self, device: Device) -> None:
        xp = self._xp = device.xp
        self._gradient = xp.zeros((0, 24))
        self._blocks, self._room = tuple(xp.zeros((0, 12, 12)) for _ in range(3)), 0

    def gradient(self, n: int) -> Any:
        """Room (n, 24), undefined."""
        if n > self._gradient.shape[0]:
            self._gradient = self._xp.zeros((int(_SPARE * n), 24))
        return self._gradient[:n]

    def blocks(self, n: int) -> tuple[Any, ...]:
        """Room (n, 12, 12) for ``own``, ``cross`` and ``partner``, undefined."""
        if n > self._room:
            # what was there is given back first
            self._blocks, self._room = (), int(_SPARE * n)
            self._blocks = tuple(self._xp.zeros((self._room, 12, 12)) for _ in range(3))
        return tuple(block[:n] for block in self._blocks)


def list_couplings(
    device: Device, row: Any, column: Any, block: Any, line_of_node: Any, color: Any
) -> DeviceCouplings:
    """Couplings with the entries of every line in their order: lower colors first, then higher.

    Parameters
    ----------
    device : Device
        Of all arrays.
    row, column : (n_pairs,) int array
        First nodes of the elements.
    block : (n_pairs, 12, 12) float array
        Entries.
    line_of_node : (n_nodes,) int array
        Line of each node.
    color : (n_lines,) int array
        Color of each line.
    """
    xp = device.xp
    n_lines = color.size
    first, second = line_of_node[row], line_of_node[column]
    lines, others = xp.stack([first, second], axis=1), xp.stack([second, first], axis=1)
    place = (2 * lines + (color[others] > color[lines])).reshape(-1)
    ends = xp.zeros(2 * n_lines + 1, int)
    ends[1:] = xp.cumsum(xp.bincount(place, minlength=2 * n_lines))
    return DeviceCouplings(
        row,
        column,
        block,
        xp.ascontiguousarray(ends[::2]),
        xp.ascontiguousarray(ends[1::2]),
        xp.argsort(place, kind="stable"),
    )

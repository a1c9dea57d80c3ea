"""Couplings between lines: bands of 6 x 6 blocks, and lists of coupled lines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._compile import body, kernel, loop_body
from fibermsk.linalg.block import subtract_product, subtract_transposed
from fibermsk.linalg.lines import solve_line


class Couplings(NamedTuple):
    """Bands of 6 x 6 blocks between pairs of lines.

    Pair p makes two entries: 2 p in its first line and 2 p + 1 in its second. Blocks may be in
    single precision; products are in double precision.
    """

    first: Index  # coupled lines (n_pairs,)
    second: Index
    row_start: Index  # first row of each pair (n_pairs + 1,), one per node of its first line
    row_node: Index  # first of these nodes (n_pairs,)
    column: Index  # first node (n_rows,) of the second line with a block in the row
    block_start: Index  # first block of each row (n_rows + 1,)
    upper: Array  # (n_blocks or more, 6, 6): column of the second line's node, row of the first's
    # row of the second line's node, column of the first's; if empty, `upper` transposed
    lower: Array
    entry_start: Index  # first entry of each line (n_lines + 1,)
    entry_middle: Index  # first entry of each line with a later line (n_lines,)
    entries: Index  # of all lines (2 n_pairs,)

    @classmethod
    def none(cls, n_lines: int) -> Couplings:
        """No couplings between lines."""
        empty, zero = np.zeros(0, np.int64), np.zeros(1, np.int64)
        blocks: Any = np.zeros((0, 6, 6), np.float32)  # as in Newton's method, which compiles it
        start, middle = np.zeros(n_lines + 1, np.int64), np.zeros(n_lines, np.int64)
        return cls(empty, empty, zero, empty, empty, zero, blocks, blocks, start, middle, empty)

    @property
    def T(self) -> Couplings:
        """Those of the transposed matrix."""
        if not self.lower.size:  # each pair of blocks is symmetric
            return self
        upper, lower = (one.transpose(0, 2, 1).copy() for one in (self.upper, self.lower))
        return self._replace(upper=lower, lower=upper)

    @property
    def n_blocks(self) -> int:
        """Number of blocks in use; the arrays may be longer."""
        return int(self.block_start[-1])

    @property
    def is_finite(self) -> bool:
        """Whether the blocks in use are finite."""
        n = self.n_blocks
        return bool(np.isfinite(self.upper[:n]).all() and np.isfinite(self.lower[:n]).all())


@kernel
def list_entries(first, second, order, entry_start, entry_middle, entries):
    """Fill the entries of every line, in the order of pairs; order (n_lines,) ranks the lines."""
    entry_start[:] = 0
    entry_middle[:] = 0
    for p in range(first.size):
        one, other = first[p], second[p]
        entry_start[one + 1] += 1
        entry_start[other + 1] += 1
        entry_middle[one if order[other] < order[one] else other] += 1
    for line in range(1, entry_start.size):
        entry_start[line] += entry_start[line - 1]
    for line in range(entry_middle.size):
        entry_middle[line] += entry_start[line]
    # the starts serve as the next free places of the first parts, the middles of the second
    for p in range(first.size):
        for side in range(2):
            line, other = (first[p], second[p]) if side == 0 else (second[p], first[p])
            place = entry_start if order[other] < order[line] else entry_middle
            entries[place[line]] = 2 * p + side
            place[line] += 1
    for line in range(entry_middle.size - 1, -1, -1):
        end = entry_middle[line]
        entry_middle[line] = entry_start[line]
        entry_start[line + 1] = end
    entry_start[0] = 0


@loop_body
def _subtract_pair(p, above, couplings, x, y):
    """Subtract the product of pair p's blocks with x (n_nodes, 6) from y: upper ones if `above`."""
    column, block_start = couplings.column, couplings.block_start
    first, last = couplings.row_start[p], couplings.row_start[p + 1]
    if block_start[first] == block_start[last]:
        return
    shift = couplings.row_node[p] - first
    mirrored = couplings.lower.shape[0] == 0
    for row in range(first, last):
        begin, end = block_start[row], block_start[row + 1]
        if begin == end:
            continue
        one, other = row + shift, column[row] - begin
        for b in range(begin, end):
            if above:
                subtract_product(couplings.upper[b], x[other + b], y[one])
            elif mirrored:
                subtract_transposed(couplings.upper[b], x[one], y[other + b])
            else:
                subtract_product(couplings.lower[b], x[one], y[other + b])


@body
def _subtract_entries(begin, end, couplings, x, y):
    """Subtract the products of some entries of a line with x from its part of y."""
    for k in range(begin, end):
        p = couplings.entries[k] // 2
        if couplings.entries[k] % 2 == 0:
            _subtract_pair(p, True, couplings, x, y)
        else:
            _subtract_pair(p, False, couplings, x, y)


@body
def subtract_others(line, couplings, x, y):
    """Subtract the products of all entries of a line with x from its part of y."""
    start = couplings.entry_start
    _subtract_entries(start[line], start[line + 1], couplings, x, y)


@kernel
def multiply_couplings(couplings, x, y):
    """Subtract the product of all couplings with x (n_nodes, 6) from y."""
    for p in range(couplings.first.size):
        _subtract_pair(p, True, couplings, x, y)
        _subtract_pair(p, False, couplings, x, y)


@kernel
def multiply_entries(couplings, x, y):
    """Subtract the products of the entries of all lines with x (n_nodes, 6) from y.

    Unlike `multiply_couplings`, this follows the lists of entries, which may lack some.
    """
    for line in range(couplings.entry_middle.size):
        subtract_others(line, couplings, x, y)


@body
def _has_blocks(begin, end, couplings):
    """Whether any of some entries has a block."""
    row_start, block_start = couplings.row_start, couplings.block_start
    for k in range(begin, end):
        p = couplings.entries[k] // 2
        if block_start[row_start[p]] < block_start[row_start[p + 1]]:
            return True
    return False


@body
def _subtract_solved(begin, end, first, last, couplings, factors, change, x):
    """Subtract from x, at the nodes of a line, the solution with the line of some entries."""
    if not _has_blocks(begin, end, couplings):
        return
    for i in range(first, last):
        for c in range(6):
            change[i, c] = 0.0
    _subtract_entries(begin, end, couplings, x, change)
    solve_line(factors, first, last, change)
    for i in range(first, last):
        for c in range(6):
            x[i, c] += change[i, c]


@body
def solve_one_forward(line, start, couplings, factors, change, x):
    """Solve one line once those before it are solved; see `sweep_forward`."""
    begin, end = couplings.entry_start[line], couplings.entry_middle[line]
    _subtract_solved(begin, end, start[line], start[line + 1], couplings, factors, change, x)


@body
def solve_one_backward(line, start, couplings, factors, change, x):
    """Solve one line once those after it are solved; see `sweep_backward`."""
    begin, end = couplings.entry_middle[line], couplings.entry_start[line + 1]
    _subtract_solved(begin, end, start[line], start[line + 1], couplings, factors, change, x)


@kernel
def sweep_forward(start, couplings, factors, change, x):
    """Replace x (n_nodes, 6) by (E + L)^-1 E x: lines E, couplings L with the lines before.

    x is already solved with the lines alone; change (n_nodes, 6) is workspace.
    """
    for line in range(start.size - 1):
        solve_one_forward(line, start, couplings, factors, change, x)


@kernel
def sweep_backward(start, couplings, factors, change, x):
    """Replace x (n_nodes, 6) by (E + U)^-1 E x: lines E, couplings U with the lines after."""
    for line in range(start.size - 2, -1, -1):
        solve_one_backward(line, start, couplings, factors, change, x)

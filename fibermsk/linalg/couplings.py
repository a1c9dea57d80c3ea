"""Couplings between lines: bands of 6 x 6 blocks, and lists of coupled lines.

Pair p couples the lines ``first[p]`` and ``second[p]``. It has the rows ``row_start[p]`` to
``row_start[p + 1]``, one for each node of the first line from ``row_node[p]`` on. Row r has the
blocks ``block_start[r]`` to ``block_start[r + 1]``, for the nodes of the second line from
``column[r]`` on; many rows have none. ``upper[b]`` has the rows of the first line's node and the
columns of the second's, ``lower[b]`` the rows of the second's and the columns of the first's, both
with indices (column, row). A `lower` of length 0 stands for the transposes of `upper`.

Every pair makes two entries, 2 p in its first line and 2 p + 1 in its second. ``entries[
entry_start[l]:entry_start[l + 1]]`` are those of line l: up to ``entry_middle[l]`` those with a
line before it, then those with a line after it.
"""

from __future__ import annotations

from fibermsk._compile import body, kernel
from fibermsk.linalg.block import subtract_product, subtract_transposed
from fibermsk.linalg.lines import solve_line

__all__ = [
    "list_entries",
    "multiply_couplings",
    "solve_one_backward",
    "solve_one_forward",
    "subtract_lower",
    "subtract_others",
    "subtract_upper",
    "sweep_backward",
    "sweep_forward",
]


@kernel
def list_entries(first, second, order, entry_start, entry_middle, entries):
    """Fill the entries of every line, each part in the order of the pairs.

    A line is before another if its order (n_lines,) is lower; coupled lines differ in it.
    """
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


@body
def subtract_upper(p, row_start, row_node, column, block_start, upper, x, y):
    """Subtract the product of the upper blocks of pair p with x (n_nodes, 6) from y."""
    first, last = row_start[p], row_start[p + 1]
    if block_start[first] == block_start[last]:
        return
    shift = row_node[p] - first
    for row in range(first, last):
        begin, end = block_start[row], block_start[row + 1]
        if begin == end:
            continue
        to, at = row + shift, column[row] - begin
        for b in range(begin, end):
            subtract_product(upper[b], x[at + b], y[to])


@body
def subtract_lower(p, row_start, row_node, column, block_start, upper, lower, x, y):
    """Subtract the product of the lower blocks of pair p with x (n_nodes, 6) from y."""
    first, last = row_start[p], row_start[p + 1]
    if block_start[first] == block_start[last]:
        return
    shift = row_node[p] - first
    mirrored = lower.shape[0] == 0
    for row in range(first, last):
        begin, end = block_start[row], block_start[row + 1]
        if begin == end:
            continue
        at, to = row + shift, column[row] - begin
        for b in range(begin, end):
            if mirrored:
                subtract_transposed(upper[b], x[at], y[to + b])
            else:
                subtract_product(lower[b], x[at], y[to + b])


@body
def _subtract_entries(
    begin, end, entries, row_start, row_node, column, block_start, upper, lower, x, y
):
    """Subtract the products of some entries of a line with x from its part of y."""
    for k in range(begin, end):
        p = entries[k] // 2
        if entries[k] % 2 == 0:
            subtract_upper(p, row_start, row_node, column, block_start, upper, x, y)
        else:
            subtract_lower(p, row_start, row_node, column, block_start, upper, lower, x, y)


@body
def subtract_others(
    line, entry_start, entries, row_start, row_node, column, block_start, upper, lower, x, y
):
    """Subtract the products of all entries of a line with x from its part of y."""
    _subtract_entries(
        entry_start[line], entry_start[line + 1], entries, row_start, row_node, column, block_start,
        upper, lower, x, y,
    )  # fmt: skip


@kernel
def multiply_couplings(row_start, row_node, column, block_start, upper, lower, x, y):
    """Subtract the product of all couplings with x (n_nodes, 6) from y."""
    for p in range(row_node.size):
        subtract_upper(p, row_start, row_node, column, block_start, upper, x, y)
        subtract_lower(p, row_start, row_node, column, block_start, upper, lower, x, y)


@body
def _has_blocks(begin, end, entries, row_start, block_start):
    """Whether any of some entries has a block."""
    for k in range(begin, end):
        p = entries[k] // 2
        if block_start[row_start[p]] < block_start[row_start[p + 1]]:
            return True
    return False


@body
def _subtract_solved(
    begin, end, first, last, entries, row_start, row_node, column, block_start, upper, lower,
    factors, change, x,
):  # fmt: skip
    """Subtract from x, at the nodes of a line, the solution with the line of some entries."""
    if not _has_blocks(begin, end, entries, row_start, block_start):
        return
    for i in range(first, last):
        for c in range(6):
            change[i, c] = 0.0
    _subtract_entries(
        begin, end, entries, row_start, row_node, column, block_start, upper, lower, x, change
    )
    solve_line(factors, first, last, change)
    for i in range(first, last):
        for c in range(6):
            x[i, c] += change[i, c]


@body
def solve_one_forward(
    line, start, entry_start, entry_middle, entries, row_start, row_node, column, block_start,
    upper, lower, factors, change, x,
):  # fmt: skip
    """Solve one line once those before it are solved; see `sweep_forward`."""
    _subtract_solved(
        entry_start[line], entry_middle[line], start[line], start[line + 1], entries, row_start,
        row_node, column, block_start, upper, lower, factors, change, x,
    )  # fmt: skip


@body
def solve_one_backward(
    line, start, entry_start, entry_middle, entries, row_start, row_node, column, block_start,
    upper, lower, factors, change, x,
):  # fmt: skip
    """Solve one line once those after it are solved; see `sweep_backward`."""
    _subtract_solved(
        entry_middle[line], entry_start[line + 1], start[line], start[line + 1], entries, row_start,
        row_node, column, block_start, upper, lower, factors, change, x,
    )  # fmt: skip


@kernel
def sweep_forward(
    start, entry_start, entry_middle, entries, row_start, row_node, column, block_start, upper,
    lower, factors, change, x,
):  # fmt: skip
    """Replace x (n_nodes, 6) by (E + L)^-1 E x: lines E, couplings L with the lines before.

    The input is already solved with the lines alone, so that lines without couplings cost nothing.
    change (n_nodes, 6) is workspace.
    """
    for line in range(start.size - 1):
        solve_one_forward(
            line, start, entry_start, entry_middle, entries, row_start, row_node, column,
            block_start, upper, lower, factors, change, x,
        )  # fmt: skip


@kernel
def sweep_backward(
    start, entry_start, entry_middle, entries, row_start, row_node, column, block_start, upper,
    lower, factors, change, x,
):  # fmt: skip
    """Replace x (n_nodes, 6) by (E + U)^-1 E x: lines E, couplings U with the lines after."""
    for line in range(start.size - 2, -1, -1):
        solve_one_backward(
            line, start, entry_start, entry_middle, entries, row_start, row_node, column,
            block_start, upper, lower, factors, change, x,
        )  # fmt: skip

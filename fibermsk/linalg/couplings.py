"""Couplings between elements of different lines: 12 x 12 blocks, and who meets whom.

Coupling p has the rows of the element whose first node is ``row[p]`` and the columns of that at
``column[p]``; ``block[p]`` is (12, 12) in rows and columns. The first ``n_mirrored`` couplings also
stand for their transposes. Every coupling makes two entries, 2 p in the line of its rows and 2 p +
1 in that of its columns. ``entries[entry_start[l]:entry_start[l + 1]]`` are those of line l: up to
``entry_middle[l]`` those with a line before it, then those with a line after it.
"""

from __future__ import annotations

from fibermsk._compile import kernel
from fibermsk.linalg.lines import solve_line

__all__ = [
    "list_entries",
    "multiply_couplings",
    "solve_backward",
    "solve_forward",
    "solve_one_backward",
    "solve_one_forward",
    "subtract_others",
]


@kernel
def list_entries(row, column, line_of_node, entry_start, entry_middle, entries):
    """Fill the entries of every line, each part in the order of the couplings."""
    entry_start[:] = 0
    entry_middle[:] = 0
    for p in range(row.size):
        first, second = line_of_node[row[p]], line_of_node[column[p]]
        entry_start[first + 1] += 1
        entry_start[second + 1] += 1
        entry_middle[max(first, second)] += 1
    for line in range(1, entry_start.size):
        entry_start[line] += entry_start[line - 1]
    for line in range(entry_middle.size):
        entry_middle[line] += entry_start[line]
    # the starts serve as the next free places of the first parts, the middles of the second
    for p in range(row.size):
        first, second = line_of_node[row[p]], line_of_node[column[p]]
        for side in range(2):
            line, other = (first, second) if side == 0 else (second, first)
            place = entry_start if other < line else entry_middle
            entries[place[line]] = 2 * p + side
            place[line] += 1
    for line in range(entry_middle.size - 1, -1, -1):
        end = entry_middle[line]
        entry_middle[line] = entry_start[line]
        entry_start[line + 1] = end
    entry_start[0] = 0


@kernel
def subtract_coupling(block, x, at, y, to):
    """Subtract a block (12, 12) times x at two nodes from y at two nodes."""
    for a in range(2):
        for r in range(6):
            row = 6 * a + r
            even, odd = 0.0, 0.0
            for c in range(0, 6, 2):
                even += block[row, c] * x[at, c] + block[row, 6 + c] * x[at + 1, c]
                odd += block[row, c + 1] * x[at, c + 1] + block[row, 7 + c] * x[at + 1, c + 1]
            y[to + a, r] -= even + odd


@kernel
def subtract_transposed(block, x, at, y, to):
    """Subtract the transpose of a block (12, 12) times x at two nodes from y at two nodes."""
    y_first, y_second = y[to], y[to + 1]
    for a in range(2):
        for c in range(6):
            value = x[at + a, c]
            row = block[6 * a + c]
            for r in range(6):
                y_first[r] -= row[r] * value
                y_second[r] -= row[6 + r] * value


@kernel
def multiply_couplings(n_mirrored, row, column, block, x, y):
    """Subtract the product of all couplings with x (n_nodes, 6) from y."""
    for p in range(row.size):
        subtract_coupling(block[p], x, column[p], y, row[p])
        if p < n_mirrored:
            subtract_transposed(block[p], x, row[p], y, column[p])


@kernel
def _subtract_entries(begin, end, entries, n_mirrored, row, column, block, x, y):
    """Subtract what the other lines of some entries, at x, contribute to a line's part of y."""
    for k in range(begin, end):
        p = entries[k] // 2
        if entries[k] % 2 == 0:
            subtract_coupling(block[p], x, column[p], y, row[p])
        elif p < n_mirrored:
            subtract_transposed(block[p], x, row[p], y, column[p])


@kernel
def subtract_others(
    line, entry_start, entry_middle, entries, n_mirrored, row, column, block, x, y
):  # fmt: skip
    """Subtract what all lines coupled to one, at x, contribute to its part of y."""
    begin, end = entry_start[line], entry_start[line + 1]
    _subtract_entries(begin, end, entries, n_mirrored, row, column, block, x, y)


@kernel
def solve_one_forward(
    line, start, entry_start, entry_middle, entries, n_mirrored, row, column, block, factors, x
):
    """Solve one line once those before it are solved; see `solve_forward`."""
    begin, end = entry_start[line], entry_middle[line]
    _subtract_entries(begin, end, entries, n_mirrored, row, column, block, x, x)
    solve_line(factors, start[line], start[line + 1], x)


@kernel
def solve_forward(
    start, entry_start, entry_middle, entries, n_mirrored, row, column, block, factors, x
):
    """Replace x (n_nodes, 6) by the solution with the lines and the couplings below them."""
    for line in range(start.size - 1):
        solve_one_forward(
            line, start, entry_start, entry_middle, entries, n_mirrored, row, column, block,
            factors, x,
        )  # fmt: skip


@kernel
def solve_one_backward(
    line, start, entry_start, entry_middle, entries, n_mirrored, row, column, block, factors,
    bordered, change, x,
):  # fmt: skip
    """Solve one line once those after it are solved; see `solve_backward`."""
    begin, end = entry_middle[line], entry_start[line + 1]
    if begin == end and not bordered:
        return
    first, last = start[line], start[line + 1]
    if not bordered:
        for i in range(first, last):
            for c in range(6):
                change[i, c] = 0.0
    _subtract_entries(begin, end, entries, n_mirrored, row, column, block, x, change)
    solve_line(factors, first, last, change)
    for i in range(first, last):
        for c in range(6):
            x[i, c] += change[i, c]


@kernel
def solve_backward(
    start, entry_start, entry_middle, entries, n_mirrored, row, column, block, factors, bordered,
    change, x,
):  # fmt: skip
    """Replace E x by the solution with the lines E and the couplings above them, x (n_nodes, 6).

    change (n_nodes, 6) holds what else is on the right if it is `bordered`, and is used up.
    """
    for line in range(start.size - 2, -1, -1):
        solve_one_backward(
            line, start, entry_start, entry_middle, entries, n_mirrored, row, column, block,
            factors, bordered, change, x,
        )  # fmt: skip

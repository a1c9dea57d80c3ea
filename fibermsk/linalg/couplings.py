"""Couplings between elements of different lines: 12 x 12 blocks, and who meets whom.

Coupling p has the rows of the element whose first node is ``row[p]`` and the columns of that at
``column[p]``; ``block[p]`` is (12, 12) in rows and columns. The first ``n_mirrored`` couplings also
stand for their transposes. Every coupling makes two entries, 2 p in the line of its rows and 2 p +
1 in that of its columns; ``entries[entry_start[l]:entry_start[l + 1]]`` are those of line l.
"""

from __future__ import annotations

from fibermsk.kernels._compile import kernel
from fibermsk.linalg.lines import solve_line

__all__ = ["list_entries", "multiply_couplings", "sweep"]


@kernel
def list_entries(n_pairs, row, column, line_of_node, entry_start, entries):
    """Fill the entries of every line, in the order of the couplings."""
    entry_start[:] = 0
    for p in range(n_pairs):
        entry_start[line_of_node[row[p]] + 1] += 1
        entry_start[line_of_node[column[p]] + 1] += 1
    for line in range(1, entry_start.size):
        entry_start[line] += entry_start[line - 1]
    for p in range(n_pairs):
        for side in range(2):
            line = line_of_node[row[p] if side == 0 else column[p]]
            entries[entry_start[line]] = 2 * p + side
            entry_start[line] += 1
    for line in range(entry_start.size - 1, 0, -1):
        entry_start[line] = entry_start[line - 1]
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
def multiply_couplings(n_pairs, n_mirrored, row, column, block, x, y):
    """Subtract the product of all couplings with x (n_nodes, 6) from y."""
    for p in range(n_pairs):
        subtract_coupling(block[p], x, column[p], y, row[p])
        if p < n_mirrored:
            subtract_transposed(block[p], x, row[p], y, column[p])


@kernel
def _relax(line, start, entry_start, entries, n_mirrored, row, column, block, factors, right, x):
    """Solve one line with what the others are at present."""
    first, last = start[line], start[line + 1]
    for i in range(first, last):
        for c in range(6):
            x[i, c] = right[i, c]
    for k in range(entry_start[line], entry_start[line + 1]):
        p = entries[k] // 2
        if entries[k] % 2 == 0:
            subtract_coupling(block[p], x, column[p], x, row[p])
        elif p < n_mirrored:
            subtract_transposed(block[p], x, row[p], x, column[p])
    solve_line(factors, first, last, x)


@kernel
def sweep(start, entry_start, entries, n_mirrored, row, column, block, factors, right, x):
    """Symmetric Gauss-Seidel sweep over the lines from x = 0: forward, then backward.

    Lines without couplings are solved exactly, once.
    """
    n_lines = start.size - 1
    x[:] = 0.0
    for line in range(n_lines):
        _relax(line, start, entry_start, entries, n_mirrored, row, column, block, factors, right, x)
    for line in range(n_lines - 2, -1, -1):
        if entry_start[line] < entry_start[line + 1]:
            _relax(
                line, start, entry_start, entries, n_mirrored, row, column, block, factors, right, x
            )

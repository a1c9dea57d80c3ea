"""Block-tridiagonal matrices of lines of nodes, 6 unknowns per node: product, factors, solution.

Layout: ``lines`` (n_nodes, 3, 6, 6) holds for node i its diagonal block, the upper block (its row,
next node's column) and the lower block (next node's row, its column); the last two are unused at
the last node of a line. The last two indices are (column, row). Line l has the nodes ``start[l]``
to ``start[l + 1]``. Vectors are (n_nodes, 6).

The factors, in the same layout, hold the inverse of each pivot block, that inverse times the upper
block, and the inverse of the next pivot block times the lower block: the recurrence of a solution
then has one product per node, not two. Blocks are inverted with row pivoting; there is none between
blocks, as for a block-tridiagonal matrix whose diagonal blocks outweigh the others (Golub and Van
Loan, Matrix Computations, 4th ed., sec. 4.5.1).
"""

from __future__ import annotations

import numpy as np
from numba import prange

from fibermsk._arrays import Array, Index
from fibermsk._compile import body, kernel, parallel
from fibermsk.linalg.block import multiply_in_place, subtract_product


@body
def invert_block(block):
    """Replace a 6 x 6 block (column, row) by its inverse; False if a pivot vanishes."""
    swapped = 0
    for k in range(6):
        best, size = k, abs(block[k, k])
        for r in range(k + 1, 6):
            if abs(block[k, r]) > size:
                best, size = r, abs(block[k, r])
        if not (size > 0.0 and size < np.inf):
            return False
        if best != k:
            for c in range(6):
                block[c, k], block[c, best] = block[c, best], block[c, k]
        swapped += best << (3 * k)
        pivot = 1.0 / block[k, k]
        block[k, k] = 1.0
        for c in range(6):
            block[c, k] *= pivot
        for r in range(6):
            if r == k:
                continue
            factor = block[k, r]
            block[k, r] = 0.0
            for c in range(6):
                block[c, r] -= factor * block[c, k]
    for k in range(5, -1, -1):
        best = (swapped >> (3 * k)) & 7
        if best != k:
            for r in range(6):
                block[k, r], block[best, r] = block[best, r], block[k, r]
    return True


@body
def factor_one(line, lines, start, factors, regular):
    """Factor one line; see `factor_lines`."""
    first, last = start[line], start[line + 1]
    regular[line] = False
    for i in range(first, last):
        for c in range(6):
            for r in range(6):
                factors[i, 0, c, r] = lines[i, 0, c, r]
        if i > first:
            for c in range(6):
                subtract_product(lines[i - 1, 2], factors[i - 1, 1, c], factors[i, 0, c])
        if not invert_block(factors[i, 0]):
            return
        if i > first:
            for c in range(6):
                for r in range(6):
                    factors[i - 1, 2, c, r] = lines[i - 1, 2, c, r]
                multiply_in_place(factors[i, 0], factors[i - 1, 2, c])
        if i + 1 < last:
            for c in range(6):
                for r in range(6):
                    factors[i, 1, c, r] = lines[i, 1, c, r]
                multiply_in_place(factors[i, 0], factors[i, 1, c])
    regular[line] = True


@parallel("regular", least=64)
def factor_lines(lines, start, factors, regular):
    """Factor all lines; regular (n_lines,) tells which ones have no singular pivot block.

    The factors may be the lines themselves, which they replace.
    """
    for line in prange(start.size - 1):
        factor_one(line, lines, start, factors, regular)


def lines_of(factors: Array, start: Index) -> Array:
    """Lines with some factors, up to round-off; a new array."""
    pivots, lines = np.linalg.inv(factors[:, 0]), np.zeros_like(factors)
    inner = np.ones(len(factors), bool)
    inner[start[1:] - 1] = False
    first = np.flatnonzero(inner)
    lines[:, 0] = pivots
    # blocks are transposed, and so are products of blocks
    lines[first, 1] = factors[first, 1] @ pivots[first]
    lines[first, 2] = factors[first, 2] @ pivots[first + 1]
    lines[first + 1, 0] += factors[first, 1] @ lines[first, 2]
    return lines


@body
def _first_not_zero(first, last, x):
    """First of some nodes where x (n_nodes, 6) is not zero, the last one at most."""
    for i in range(first, last):
        for c in range(6):
            if x[i, c] != 0.0:
                return i
    return last


@body
def solve_line(factors, first, last, x):
    """Replace the right-hand side x (n_nodes, 6) at the nodes of one line by the solution."""
    begin = _first_not_zero(first, last, x)
    if begin == last:
        return
    for i in range(begin, last):
        multiply_in_place(factors[i, 0], x[i])
        if i > begin:
            subtract_product(factors[i - 1, 2], x[i - 1], x[i])
    for i in range(last - 2, first - 1, -1):
        subtract_product(factors[i, 1], x[i + 1], x[i])


@body
def solve_one(line, factors, start, x):
    """Solve one line; see `solve_lines`."""
    solve_line(factors, start[line], start[line + 1], x)


@kernel
def solve_lines(factors, start, x):
    """Replace right-hand sides x (n_nodes, 6) by the solution with all lines."""
    for line in range(start.size - 1):
        solve_one(line, factors, start, x)


@kernel
def solve_columns(factors, start, columns):
    """Replace right-hand sides (m, n_nodes, 6) by the solutions with all lines.

    Processed together node by node, so that products are independent.
    """
    m = columns.shape[0]
    begin = np.empty(m, np.int64)
    for line in range(start.size - 1):
        first, last = start[line], start[line + 1]
        for j in range(m):
            begin[j] = _first_not_zero(first, last, columns[j])
        for i in range(first, last):
            for j in range(m):
                if i >= begin[j]:
                    multiply_in_place(factors[i, 0], columns[j, i])
                if i > begin[j]:
                    subtract_product(factors[i - 1, 2], columns[j, i - 1], columns[j, i])
        for i in range(last - 2, first - 1, -1):
            for j in range(m):
                if begin[j] < last:
                    subtract_product(factors[i, 1], columns[j, i + 1], columns[j, i])


@body
def multiply_one(line, lines, start, x, y):
    """Subtract the product of one line with x (n_nodes, 6) from y."""
    for i in range(start[line], start[line + 1]):
        subtract_product(lines[i, 0], x[i], y[i])
        if i + 1 < start[line + 1]:
            subtract_product(lines[i, 1], x[i + 1], y[i])
            subtract_product(lines[i, 2], x[i], y[i + 1])


@kernel
def multiply_lines(lines, start, x, y):
    """Subtract the product of all lines with x (n_nodes, 6) from y."""
    for line in range(start.size - 1):
        multiply_one(line, lines, start, x, y)

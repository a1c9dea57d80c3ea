"""Lines of different lengths with couplings between them, and what they mean in full."""

import numpy as np

from fibermsk.linalg import Couplings, LineMatrix
from fibermsk.linalg.couplings import list_entries

SIZES = (4, 1, 6, 3, 2, 5)
"""Nodes of the lines."""

PAIRS = {
    (0, 2): (0, 3, 0, 2),
    (0, 3): (0, 0),
    (1, 2): (1,),
    (2, 3): (0, 1, 0, 0, 2),
    (2, 5): (3, 0, 1),
    (3, 4): (0, 2),
}
"""Lines that are coupled, and how many blocks their rows have."""


def random_couplings(rng, start, mirrored, size=0.1):
    """Couplings of some size with spare blocks that are none."""
    first, second = np.array([*PAIRS]).T.copy()
    row_node, row_start, column, counts = [], [0], [], []
    for (one, other), sizes in PAIRS.items():
        row_node.append(int(rng.integers(start[one], start[one + 1] - len(sizes) + 1)))
        row_start.append(row_start[-1] + len(sizes))
        for count in sizes:
            at = int(rng.integers(start[other], start[other + 1] - count + 1))
            column.append(at if count else -(10**9))
        counts += sizes
    block_start = np.r_[0, np.cumsum(counts)]
    spare = np.full((3, 6, 6), np.nan)
    upper = np.concatenate([size * rng.standard_normal((block_start[-1], 6, 6)), spare])
    lower = np.concatenate([size * rng.standard_normal((block_start[-1], 6, 6)), spare])
    n_lines = start.size - 1
    entry_start, middle = np.empty(n_lines + 1, np.int64), np.empty(n_lines, np.int64)
    entries = np.empty(2 * first.size, np.int64)
    list_entries(first, second, np.arange(n_lines), entry_start, middle, entries)
    return Couplings(
        first, second, np.array(row_start), np.array(row_node), np.array(column), block_start,
        upper, lower[:0] if mirrored else lower, entry_start, middle, entries,
    )  # fmt: skip


def random_matrix(rng, mirrored, size=0.1):
    """Lines that are easy to solve, with couplings of a size."""
    start = np.r_[0, np.cumsum(SIZES)]
    lines = 0.1 * rng.standard_normal((start[-1], 3, 6, 6))
    lines[:, 0] += 2.0 * np.eye(6)
    lines[start[1:] - 1, 1:] = np.nan
    return LineMatrix(start, lines, random_couplings(rng, start, mirrored, size))


def no_couplings(matrix):
    """The same lines alone."""
    return LineMatrix(matrix.start, matrix.lines, Couplings.none(matrix.start.size - 1))


def dense_lines(matrix):
    """Lines in full."""
    K = np.zeros(matrix.shape)
    for line in range(matrix.start.size - 1):
        for i in range(matrix.start[line], matrix.start[line + 1]):
            own, after = slice(6 * i, 6 * i + 6), slice(6 * i + 6, 6 * i + 12)
            K[own, own] = matrix.lines[i, 0].T
            if i + 1 < matrix.start[line + 1]:
                K[own, after] = matrix.lines[i, 1].T
                K[after, own] = matrix.lines[i, 2].T
    return K


def dense_couplings(matrix, order=None):
    """Couplings in full: those of a line with lines before it, and those with lines after it."""
    couplings, below, above = matrix.couplings, np.zeros(matrix.shape), np.zeros(matrix.shape)
    order = np.arange(matrix.start.size - 1) if order is None else order
    for p in range(couplings.first.size):
        for row in range(couplings.row_start[p], couplings.row_start[p + 1]):
            node = couplings.row_node[p] + row - couplings.row_start[p]
            for k, b in enumerate(
                range(couplings.block_start[row], couplings.block_start[row + 1])
            ):
                own = slice(6 * node, 6 * node + 6)
                there = couplings.column[row] + k
                other = slice(6 * there, 6 * there + 6)
                upper = couplings.upper[b].T
                lower = couplings.lower[b].T if couplings.lower.size else upper.T
                ahead = order[couplings.second[p]] < order[couplings.first[p]]
                (below if ahead else above)[own, other] = upper
                (above if ahead else below)[other, own] = lower
    return below, above

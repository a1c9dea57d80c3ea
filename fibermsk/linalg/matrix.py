"""A sparse matrix of lines and couplings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csc_array

from fibermsk._arrays import Array, Index
from fibermsk.linalg.couplings import Couplings, multiply_couplings
from fibermsk.linalg.lines import multiply_lines


@dataclass(frozen=True)
class LineMatrix:
    """Block-tridiagonal lines of nodes, six unknowns each, with couplings between their nodes."""

    start: Index  # first node of each line (n_lines + 1,)
    lines: Array  # (n_nodes, 3, 6, 6), see `fibermsk.linalg.lines`
    couplings: Couplings  # blocks off the lines

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n = 6 * self.lines.shape[0]
        return n, n

    @property
    def T(self) -> LineMatrix:
        """The transposed matrix, with arrays of its own."""
        lines = self.lines.transpose(0, 1, 3, 2)[:, [0, 2, 1]]
        return LineMatrix(self.start, np.ascontiguousarray(lines), self.couplings.T)

    def subtract_product(self, x: Array, y: Array) -> None:
        """Subtract the product with x (n,) from y (n,), in place."""
        x, y = x.reshape(-1, 6), y.reshape(-1, 6)
        multiply_lines(self.lines, self.start, x, y)
        multiply_couplings(self.couplings, x, y)

    def __matmul__(self, x: Array) -> Array:
        """Product with a vector (n,)."""
        y = np.zeros(self.shape[0])
        self.subtract_product(x, y)
        return np.negative(y, out=y)

    def tocsc(self) -> csc_array:
        """Convert to compressed columns without zero entries."""
        n = self.lines.shape[0]
        nodes = np.arange(n)
        inner = np.ones(n, bool)
        inner[self.start[1:] - 1] = False
        parts = [(nodes, nodes, self.lines[:, 0])]
        parts.append((nodes[inner], nodes[inner] + 1, self.lines[inner, 1]))
        parts.append((nodes[inner] + 1, nodes[inner], self.lines[inner, 2]))
        pairs = self.couplings
        n_blocks, sizes = pairs.n_blocks, np.diff(pairs.block_start)
        row = np.repeat(np.arange(sizes.size), sizes)
        shift = pairs.row_node - pairs.row_start[:-1]
        of_first = row + np.repeat(shift, np.diff(pairs.row_start))[row]
        of_second = np.arange(n_blocks) + (pairs.column - pairs.block_start[:-1])[row]
        upper = pairs.upper[:n_blocks]
        lower = pairs.lower[:n_blocks] if pairs.lower.size else upper.transpose(0, 2, 1)
        parts.append((of_first, of_second, upper))
        parts.append((of_second, of_first, lower))
        rows, columns, data = [], [], []
        for row, column, block in parts:  # block: (n, column, row)
            shape = block.shape
            rows.append(np.broadcast_to((6 * row)[:, None, None] + np.arange(6), shape).ravel())
            columns.append(
                np.broadcast_to((6 * column)[:, None, None] + np.arange(6)[:, None], shape).ravel()
            )
            data.append(block.ravel())
        entries = np.concatenate(data)
        kept = entries != 0.0
        position = (np.concatenate(rows)[kept], np.concatenate(columns)[kept])
        return csc_array(coo_array((entries[kept], position), shape=self.shape))

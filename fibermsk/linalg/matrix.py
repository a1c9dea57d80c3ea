"""A sparse matrix of lines and couplings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from fibermsk.linalg.couplings import list_entries, multiply_couplings
from fibermsk.linalg.lines import multiply_lines

__all__ = ["Couplings", "LineMatrix"]

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Couplings:
    """Blocks between elements of different lines; see `fibermsk.linalg.couplings`.

    Attributes
    ----------
    row, column : (n_pairs,) int array
        First nodes of the elements.
    n_mirrored : int
        How many, from the first on, stand for their transposes as well.
    block : (n_pairs, 12, 12) float array
        Entries.
    entry_start, entry_middle : (n_lines + 1,) and (n_lines,) int array
        Where each line's entries begin, and those with a line after it.
    entries : (2 n_pairs,) int array
        Of all lines.
    """

    row: Index
    column: Index
    n_mirrored: int
    block: Array
    entry_start: Index
    entry_middle: Index
    entries: Index

    @classmethod
    def between(
        cls, row: Index, column: Index, n_mirrored: int, block: Array, line_of_node: Index
    ) -> Couplings:
        """Couplings with their entries listed."""
        n_lines = int(line_of_node[-1]) + 1 if line_of_node.size else 0
        start, middle = np.empty(n_lines + 1, np.int64), np.empty(n_lines, np.int64)
        entries = np.empty(2 * row.size, np.int64)
        list_entries(row, column, line_of_node, start, middle, entries)
        return cls(row, column, n_mirrored, block, start, middle, entries)


@dataclass(frozen=True)
class LineMatrix:
    """Block-tridiagonal lines of nodes, six unknowns each, with couplings between their elements.

    Attributes
    ----------
    start : (n_lines + 1,) int array
        First node of each line.
    lines : (n_nodes, 3, 6, 6) float array
        See `fibermsk.linalg.lines`.
    couplings : Couplings
        Blocks off the lines.
    """

    start: Index
    lines: Array
    couplings: Couplings

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n = 6 * self.lines.shape[0]
        return n, n

    def subtract_product(self, x: Array, y: Array) -> None:
        """Subtract the product with x (n,) from y (n,), in place."""
        x, y = x.reshape(-1, 6), y.reshape(-1, 6)
        pairs = self.couplings
        multiply_lines(self.lines, self.start, x, y)
        multiply_couplings(pairs.n_mirrored, pairs.row, pairs.column, pairs.block, x, y)

    def __matmul__(self, x: Array) -> Array:
        """Product with a vector (n,)."""
        y = np.zeros(self.shape[0])
        self.subtract_product(x, y)
        return np.negative(y, out=y)

    def tocsc(self) -> csc_array:
        """Compressed columns without the entries that are zero."""
        n = self.lines.shape[0]
        nodes = np.arange(n)
        inner = np.ones(n, bool)
        inner[self.start[1:] - 1] = False
        parts = [(nodes, nodes, self.lines[:, 0])]
        parts.append((nodes[inner], nodes[inner] + 1, self.lines[inner, 1]))
        parts.append((nodes[inner] + 1, nodes[inner], self.lines[inner, 2]))
        pairs = self.couplings
        for a in range(2):
            for b in range(2):
                block = pairs.block[:, 6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
                parts.append((pairs.row + a, pairs.column + b, block.transpose(0, 2, 1)))
                own = slice(pairs.n_mirrored)
                parts.append((pairs.column[own] + b, pairs.row[own] + a, block[own]))
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

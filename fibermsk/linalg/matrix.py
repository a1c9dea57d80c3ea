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
    """Bands of 6 x 6 blocks between pairs of lines; see `fibermsk.linalg.couplings`.

    Attributes
    ----------
    first, second : (n_pairs,) int array
        Lines that are coupled.
    row_start : (n_pairs + 1,) int array
        Where each pair's rows begin: one for each node of its first line,
    row_node : (n_pairs,) int array
        from this one on.
    column : (n_rows,) int array
        First node of the second line that a row has a block with; undefined if it has none.
    block_start : (n_rows + 1,) int array
        Where each row's blocks begin.
    upper : (at least n_blocks, 6, 6) float array
        With the rows of the first line's nodes and the columns of the second's.
    lower : (at least n_blocks, 6, 6) or (0, 6, 6) float array
        With the rows of the second line's nodes and the columns of the first's; if of length 0,
        the transposes of `upper`.
    entry_start, entry_middle : (n_lines + 1,) and (n_lines,) int array
        Where each line's entries begin, and those with a line after it.
    entries : (2 n_pairs,) int array
        Entries of all lines.
    """

    first: Index
    second: Index
    row_start: Index
    row_node: Index
    column: Index
    block_start: Index
    upper: Array
    lower: Array
    entry_start: Index
    entry_middle: Index
    entries: Index

    @classmethod
    def between(
        cls, first: Index, second: Index, row_start: Index, row_node: Index, column: Index,
        block_start: Index, upper: Array, lower: Array, n_lines: int,
    ) -> Couplings:  # fmt: skip
        """Couplings with their entries listed, lines in the order of their numbers."""
        start, middle = np.empty(n_lines + 1, np.int64), np.empty(n_lines, np.int64)
        entries = np.empty(2 * first.size, np.int64)
        list_entries(first, second, np.arange(n_lines), start, middle, entries)
        return cls(
            first, second, row_start, row_node, column, block_start, upper, lower, start, middle,
            entries,
        )  # fmt: skip

    @classmethod
    def none(cls, n_lines: int) -> Couplings:
        """No couplings between lines."""
        empty, zero, blocks = np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros((0, 6, 6))
        return cls.between(empty, empty, zero, empty, empty, zero, blocks, blocks, n_lines)

    @property
    def n_blocks(self) -> int:
        """Number of blocks in use; the arrays may be longer."""
        return int(self.block_start[-1])

    @property
    def is_finite(self) -> bool:
        """Whether the blocks in use are finite."""
        n = self.n_blocks
        return bool(np.isfinite(self.upper[:n]).all() and np.isfinite(self.lower[:n]).all())


@dataclass(frozen=True)
class LineMatrix:
    """Block-tridiagonal lines of nodes, six unknowns each, with couplings between their nodes.

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
        multiply_couplings(
            pairs.row_start, pairs.row_node, pairs.column, pairs.block_start, pairs.upper,
            pairs.lower, x, y,
        )  # fmt: skip

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

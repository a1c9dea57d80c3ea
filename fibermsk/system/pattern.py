"""Sparsity pattern of the tangent in 6 x 6 node blocks, stored column after column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

__all__ = ["BlockPattern", "build_pattern"]

Index = NDArray[np.int64]


@dataclass(frozen=True)
class BlockPattern:
    """Where each node block lies in the data of a CSC matrix.

    Entry (r, c) of block p lies at ``base[p] + c * stride[p] + r``.

    Attributes
    ----------
    row, column, base, stride : (n_blocks,) int array
        Sorted by column, then row.
    self_base, self_stride : (n_elements, 2, 2) int array
        Blocks of each element with itself.
    pair_base, pair_stride, mirror_base, mirror_stride : (n_pairs, 2, 2) int array
        Blocks of each pair of elements: rows of the first, and rows of the second.
    row_start, row_entries, column_start, column_entries : int array
        Blocks in the rows and columns of the attached nodes, one list after the other.
    indptr, indices : int32 array
        Of the CSC matrix.
    """

    row: Index
    column: Index
    base: Index
    stride: Index
    self_base: Index
    self_stride: Index
    pair_base: Index
    pair_stride: Index
    mirror_base: Index
    mirror_stride: Index
    row_start: Index
    row_entries: Index
    column_start: Index
    column_entries: Index
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]

    def matrix(self, data: NDArray[np.float64]) -> csc_array:
        """CSC matrix over `data`, which is not copied."""
        n = self.indptr.size - 1
        return csc_array((data, self.indices, self.indptr), shape=(n, n))


def build_pattern(
    n_nodes: int, elements: Index, pair_first: Index, pair_second: Index, attached: Index
) -> BlockPattern:
    """Pattern of all elements and of the given pairs: rows of the first, columns of the second.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    elements : (n_elements, 2) int array
        Nodes of the elements.
    pair_first, pair_second : (n_pairs,) int array
        Elements.
    attached : (n_points,) int array
        Attached nodes.
    """
    first = np.concatenate([np.arange(elements.shape[0]), pair_first])
    second = np.concatenate([np.arange(elements.shape[0]), pair_second])
    rows = np.repeat(elements[first][:, :, None], 2, axis=2)
    columns = np.repeat(elements[second][:, None, :], 2, axis=1)
    # every node keeps its diagonal block, and the pattern is symmetric so that orderings can rely
    # on it
    key = (columns * n_nodes + rows).ravel()
    mirror = (rows * n_nodes + columns).ravel()
    unique = np.unique(np.concatenate([key, mirror]))
    where = np.searchsorted(unique, key).reshape(rows.shape)
    # from a pair's second nodes (rows) to its first (columns)
    mirrored = np.searchsorted(unique, mirror).reshape(rows.shape)[elements.shape[0] :]
    mirrored = np.swapaxes(mirrored, 1, 2)
    column, row = unique // n_nodes, unique % n_nodes
    per_column = np.bincount(column, minlength=n_nodes)
    start = np.r_[0, np.cumsum(per_column)]
    stride = 6 * per_column[column]
    base = 36 * start[column] + 6 * (np.arange(unique.size) - start[column])
    indptr = np.r_[0, np.cumsum(np.repeat(6 * per_column, 6))]
    # each scalar column of block column j lists the rows of its blocks
    block_rows = 6 * row[:, None] + np.arange(6)
    indices = [np.tile(block_rows[start[j] : start[j + 1]].ravel(), 6) for j in range(n_nodes)]
    indices = np.concatenate([np.zeros(0, np.int64), *indices])
    n_elements = elements.shape[0]
    row_start, row_entries = _lists(row, attached, n_nodes)
    column_start, column_entries = _lists(column, attached, n_nodes)
    return BlockPattern(
        row=row,
        column=column,
        base=base,
        stride=stride,
        self_base=base[where[:n_elements]],
        self_stride=stride[where[:n_elements]],
        pair_base=base[where[n_elements:]],
        pair_stride=stride[where[n_elements:]],
        mirror_base=base[mirrored],
        mirror_stride=stride[mirrored],
        row_start=row_start,
        row_entries=row_entries,
        column_start=column_start,
        column_entries=column_entries,
        indptr=indptr.astype(np.int32),
        indices=indices.astype(np.int32),
    )


def _lists(of: Index, attached: Index, n_nodes: int) -> tuple[Index, Index]:
    """Entries whose row (or column) is each attached node, one list after the other."""
    order = np.argsort(of, kind="stable")
    start = np.r_[0, np.cumsum(np.bincount(of, minlength=n_nodes))]
    lists = [order[start[node] : start[node + 1]] for node in attached]
    bounds = np.r_[0, np.cumsum([part.size for part in lists])].astype(np.int64)
    return bounds, np.concatenate(lists) if lists else np.zeros(0, np.int64)

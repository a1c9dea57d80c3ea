"""Approximate inverse of a matrix of lines: a symmetric Gauss-Seidel sweep."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.linalg.couplings import sweep
from fibermsk.linalg.lines import factor_lines
from fibermsk.linalg.matrix import LineMatrix

__all__ = ["LineSweep"]

Array = NDArray[np.float64]


class LineSweep:
    """Factors of the lines of a matrix, applied in a symmetric Gauss-Seidel sweep over the lines.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a line is singular or not finite.
    """

    def __init__(self, matrix: LineMatrix) -> None:
        self._matrix = matrix
        self._factors = np.empty_like(matrix.lines)
        regular = np.empty(matrix.start.size - 1, bool)
        factor_lines(matrix.lines, matrix.start, self._factors, regular)
        if not regular.all():
            raise np.linalg.LinAlgError("the tangent is singular or not finite")

    @property
    def is_exact(self) -> bool:
        """Whether this is the inverse itself."""
        return self._matrix.couplings.row.size == 0

    def __call__(self, right: Array) -> Array:
        """New vector (n,): the sweep's answer to a right-hand side (n,)."""
        x = np.empty_like(right)
        pairs = self._matrix.couplings
        sweep(
            self._matrix.start, pairs.entry_start, pairs.entries, pairs.n_mirrored, pairs.row,
            pairs.column, pairs.block, self._factors, right.reshape(-1, 6), x.reshape(-1, 6),
        )  # fmt: skip
        return x

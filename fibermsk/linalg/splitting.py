"""A matrix of lines with a border, split into what lies below, on and above its lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from fibermsk.linalg.couplings import solve_backward, solve_forward
from fibermsk.linalg.lines import factor_lines, multiply_lines, solve_lines
from fibermsk.linalg.matrix import LineMatrix

__all__ = ["Splitting"]

Array = NDArray[np.float64]


class Splitting:
    """Preconditioner for [[A, B], [R, D]], applied from both sides at the cost of one sweep.

    The matrix is L + E + U with the lines and D in E, the couplings of a line with those before it
    and R in L, the other couplings and B in U. With F, which has the Schur complement S = D - R
    E^-1 B in place of D, the product (F + L) F^-1 (F + U) is near the matrix, and the matrix itself
    where no two lines are coupled. As L + E + U = (F + L) + (F + U) - (2 F - E),

    (F + L)^-1 (L + E + U) w = w + (F + L)^-1 (F v - (2 F - E) w), w = (F + U)^-1 F v

    needs no product with L or U beside the two solutions: Eisenstat, SIAM Journal on Scientific and
    Statistical Computing 2 (1981), 1-4.

    Parameters
    ----------
    matrix : LineMatrix
        A (n, n).
    B, R, D : float array
        Border (n, m), (m, n), (m, m).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a line or the Schur complement is singular or not finite.
    """

    def __init__(self, matrix: LineMatrix, B: Array, R: Array, D: Array) -> None:
        self._matrix, self._B, self._R, self._D = matrix, B, R, D
        self._factors = np.empty_like(matrix.lines)
        regular = np.empty(matrix.start.size - 1, bool)
        factor_lines(matrix.lines, matrix.start, self._factors, regular)
        if not regular.all():
            raise np.linalg.LinAlgError("the tangent is singular or not finite")
        self._n = B.shape[0]
        if D.size:
            columns = B.T.copy(order="C")
            for column in columns:
                solve_lines(self._factors, matrix.start, column.reshape(-1, 6))
            self._S = D - R @ columns.T
            if not np.isfinite(self._S).all():
                raise np.linalg.LinAlgError("the tangent is not finite")
            self._corner = lu_factor(self._S, check_finite=False)
            if not np.diag(self._corner[0]).all():
                raise np.linalg.LinAlgError("the tangent is singular")

    @property
    def is_exact(self) -> bool:
        """Whether no two lines are coupled."""
        return self._matrix.couplings.row.size == 0

    def forward(self, v: Array) -> Array:
        """(F + L)^-1 v, a new vector (n + m,)."""
        x = v.copy()
        solve_forward(*self._arguments, x[: self._n].reshape(-1, 6))
        if self._D.size:
            x[self._n :] = self._solve_corner(x[self._n :] - self._R @ x[: self._n])
        return x

    def backward(self, v: Array) -> Array:
        """(F + U)^-1 F v, a new vector (n + m,)."""
        x = v.copy()
        change = np.empty(self._n)
        if self._D.size:
            np.matmul(self._B, v[self._n :], out=change)
            np.negative(change, out=change)
        solve_backward(
            *self._arguments, self._D.size > 0, change.reshape(-1, 6), x[: self._n].reshape(-1, 6)
        )
        return x

    def multiply(self, v: Array) -> Array:
        """(F + L)^-1 (L + E + U) (F + U)^-1 F v, a new vector (n + m,)."""
        w = self.backward(v)
        rest, lines, n = np.zeros_like(v), self._matrix, self._n
        multiply_lines(
            lines.lines, lines.start, (w - v)[:n].reshape(-1, 6), rest[:n].reshape(-1, 6)
        )
        if self._D.size:
            rest[n:] = (self._D - self._S) @ v[n:]
        w += self.forward(rest)
        return w

    def _solve_corner(self, right: Array) -> Array:
        return np.asarray(lu_solve(self._corner, right, check_finite=False))

    @property
    def _arguments(self):
        pairs = self._matrix.couplings
        return (
            self._matrix.start, pairs.entry_start, pairs.entry_middle, pairs.entries,
            pairs.n_mirrored, pairs.row, pairs.column, pairs.block, self._factors,
        )  # fmt: skip

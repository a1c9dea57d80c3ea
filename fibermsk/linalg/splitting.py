"""Block splitting of a line matrix with a border: lower part, lines, upper part."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fibermsk._arrays import Array
from fibermsk._compile import kernel
from fibermsk.linalg.couplings import sweep_backward, sweep_forward
from fibermsk.linalg.lines import factor_lines, solve_columns, solve_lines
from fibermsk.linalg.matrix import LineMatrix
from fibermsk.linalg.rows import multiply_rows, subtract_rows
from fibermsk.linalg.solution import invert_dense

if TYPE_CHECKING:
    from fibermsk.linalg.iteration import Iteration


class Splitting:
    """Preconditioner for [[A, B], [R, D]], applied from both sides at the cost of one sweep.

    The matrix is L + E + U with the lines and D in E, the couplings of a line with those before it
    and R in L, the other couplings and B in U. With F, which has the Schur complement S = D - R
    E^-1 B in place of D, the product (F + L) F^-1 (F + U) approximates the matrix, exactly if no
    two lines are coupled. As L + E + U = (F + L) + (F + U) - F + (E - F),

    (F + L)^-1 (L + E + U) w = w + (F + L)^-1 (F (v - w) + (E - F) w), w = (F + U)^-1 F v

    needs no product with L or U beside the two solutions, nor with E on the lines: Eisenstat, SIAM
    Journal on Scientific and Statistical Computing 2 (1981), 1-4. Raises LinAlgError if a line or S
    is singular or not finite.

    With `in_place` the factors of the lines replace these in the matrix.
    """

    def __init__(
        self, matrix: LineMatrix, B: Array, R: Array, D: Array, *, in_place: bool = False
    ) -> None:
        factors = matrix.lines if in_place else np.empty_like(matrix.lines)
        regular = np.empty(matrix.start.size - 1, bool)
        factor_lines(matrix.lines, matrix.start, factors, regular)
        if not regular.all():
            raise np.linalg.LinAlgError("the tangent is singular or not finite")
        columns, inverse = B.T.copy(order="C"), D  # E^-1 B, S^-1
        if D.size:
            solve_columns(factors, matrix.start, columns.reshape(D.shape[0], -1, 6))
            inverse = invert_dense(D - R @ columns.T)
        self.is_exact = matrix.couplings.n_blocks == 0  # whether no two lines are coupled
        self._parts = matrix.start, matrix.couplings, factors, columns, R, inverse
        self._D = D
        self._work: tuple[Array, Array] | None = None

    @property
    def _room(self) -> tuple[Array, Array]:
        """Work arrays (n_nodes, 6) and (n,), which successive calls share."""
        if self._work is None:
            n = self._parts[2].shape[0]
            self._work = np.empty((n, 6)), np.empty(6 * n)
        return self._work

    def rest(self) -> None:
        """Release the work arrays; the next call makes new ones."""
        self._work = None

    def iteration(self) -> Iteration | None:
        """GMRES in one compiled call, for small matrices."""
        from fibermsk.linalg.iteration import Iteration  # compiles only where it is used

        _, couplings, factors, columns, rows, inverse = self._parts
        if not Iteration.takes(couplings, columns, factors, rows, inverse, self._D):
            return None
        change, apart = self._room
        return Iteration((*self._parts, change), self._D, apart)

    def forward(self, v: Array) -> Array:
        """(F + L)^-1 v, a new vector (n + m,)."""
        x = np.empty_like(v)
        _forward(*self._parts, self._room[0], v, x)
        return x

    def backward(self, v: Array) -> Array:
        """(F + U)^-1 F v, a new vector (n + m,)."""
        x = np.empty_like(v)
        _backward(*self._parts, self._room[0], v, x)
        return x

    def multiply(self, v: Array, beside: Callable[[Array], Array] | None = None) -> Array:
        """(F + L)^-1 (L + E + U) (F + U)^-1 F v, a new vector (n + m,).

        `beside` maps w = (F + U)^-1 F v to the rows (n,), overwritten here, that couplings outside
        the splitting add to the product (L + E + U) w.
        """
        if beside is None:
            x, (change, apart) = np.empty_like(v), self._room
            _multiply(*self._parts, change, self._D, apart, v, x)
            return x
        x = self.backward(v)
        others = beside(x)
        change, apart = self._room
        _multiply_beside(*self._parts, change, self._D, apart, v, others, x)
        return x


@kernel
def _solve_corner(rows, inverse, right, x, out):
    """Fill out (m,) with the inverse of the Schur complement times (right - rows x), x (n,)."""
    rest = np.empty(right.size)
    multiply_rows(rows, right.size, x, rest)
    for j in range(right.size):
        rest[j] = right[j] - rest[j]
    for i in range(right.size):
        out[i] = 0.0
        for j in range(right.size):
            out[i] += inverse[i, j] * rest[j]


@kernel
def _forward(start, couplings, factors, columns, rows, inverse, change, v, x):
    n = columns.shape[1]
    for i in range(n):
        x[i] = v[i]
    at_nodes = x[:n].reshape((-1, 6))
    solve_lines(factors, start, at_nodes)
    sweep_forward(start, couplings, factors, change, at_nodes)
    _solve_corner(rows, inverse, v[n:], x[:n], x[n:])


@kernel
def _backward(start, couplings, factors, columns, rows, inverse, change, v, x):
    n = columns.shape[1]
    for i in range(v.size):
        x[i] = v[i]
    subtract_rows(columns, columns.shape[0], v[n:], x[:n])
    sweep_backward(start, couplings, factors, change, x[:n].reshape((-1, 6)))


@kernel
def _sweep_rest(start, couplings, factors, columns, rows, inverse, change, D, apart, v, x):
    """Add to x (F + L)^-1 of the rest of a product, solved with the lines alone in `apart` (n,)."""
    n, m = columns.shape[1], columns.shape[0]
    sweep_forward(start, couplings, factors, change, apart.reshape((-1, 6)))
    for i in range(n):
        x[i] += apart[i]
    right = np.zeros(m)
    for i in range(m):
        for j in range(m):
            right[i] += D[i, j] * v[n + j]
    # in the corner, v + S^-1 ((D - S) v - R x)
    _solve_corner(rows, inverse, right, apart, x[n:])


@kernel
def _multiply(start, couplings, factors, columns, rows, inverse, change, D, apart, v, x):
    n = columns.shape[1]
    _backward(start, couplings, factors, columns, rows, inverse, change, v, x)
    for i in range(n):
        apart[i] = v[i] - x[i]
    _sweep_rest(start, couplings, factors, columns, rows, inverse, change, D, apart, v, x)


@kernel
def _multiply_beside(
    start, couplings, factors, columns, rows, inverse, change, D, apart, v, others, x
):
    """Product from x = (F + U)^-1 F v on; others (n,): rows to add to it, solved in place."""
    solve_lines(factors, start, others.reshape((-1, 6)))
    for i in range(columns.shape[1]):
        apart[i] = v[i] - x[i] + others[i]
    _sweep_rest(start, couplings, factors, columns, rows, inverse, change, D, apart, v, x)

"""Linear solvers for Newton's method."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import MatrixRankWarning, splu

from fibermsk._arrays import Array
from fibermsk.linalg import Condensed, LineMatrix, Solution, Solver, Splitting, gmres
from fibermsk.linalg.krylov import GOOD_ENOUGH, MOST_DIRECT, MOST_ITERATIONS
from fibermsk.linalg.lines import lines_of
from fibermsk.linalg.solution import factor_dense
from fibermsk.protocol import BorderedMatrix, Tangent

Solve = Callable[[Array], Array]


TOLERANCE = 1e-10
"""Relative tolerance of the preconditioned residual of iterative solutions."""


def factorize(matrix: Tangent, *, spend: bool = False) -> Solve:
    """Function that solves with one tangent for any right-hand side; see `solver`."""
    solve = solver(matrix, spend=spend)
    return lambda right: solve(right, TOLERANCE).x


def solver(matrix: Tangent, *, spend: bool = False) -> Solver:
    """Factorization of a tangent, as a function that solves with it.

    A `LineMatrix` is solved by GMRES with its `Splitting` as preconditioner, directly if no two
    lines are coupled. If GMRES does not converge, and for all other sparse matrices, a sparse LU
    factorization is used. The matrix must not change while the solver is used. With `spend`, the
    factors of the lines replace these: nothing else can use the matrix any more.

    Returns
    -------
    solve : callable
        Maps a right-hand side (n,) and a tolerance to a `Solution`. An iterative solution reduces
        the preconditioned residual by the tolerance.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular or not finite; raised here or by `solve`.
    """
    if isinstance(matrix, np.ndarray):
        return _exactly(factor_dense(matrix))
    if not isinstance(matrix, BorderedMatrix):
        return matrix.solver(spend=spend)
    if matrix.points is not None:
        return _with_points(matrix, matrix.points, spend)
    if matrix.B.shape[0] == 0:
        return _exactly(factor_dense(matrix.D))
    if not isinstance(matrix.A, LineMatrix):
        return _exactly(_bordered(matrix, _sparse(matrix.A)))
    A = matrix.A
    split = Splitting(A, matrix.B, matrix.R, matrix.D, in_place=spend)
    if split.is_exact:
        return _exactly(lambda right: split.backward(split.forward(right)))
    direct: list[Solve] = []
    small = split.iteration()

    def solve(right: Array, tolerance: float) -> Solution:
        if not direct and small is not None:
            x, iterations, reduction = small.solve(right, tolerance, MOST_ITERATIONS)
            if reduction <= tolerance:
                return Solution(x, iterations)
        if not direct:
            x, iterations, reduction = gmres(
                split.multiply, split.forward(right), tolerance, MOST_ITERATIONS
            )
            if reduction <= max(tolerance, GOOD_ENOUGH):
                found = split.backward(x)
                split.rest()
                return Solution(found, iterations)
            # every block enters every product; one that is not finite ends the iteration
            if not A.couplings.is_finite:
                raise np.linalg.LinAlgError("the tangent is not finite")
            if right.size > MOST_DIRECT:
                raise np.linalg.LinAlgError(
                    f"the iterative solution does not converge in {iterations} iterations"
                )
            whole = replace(A, lines=lines_of(A.lines, A.start)) if spend else A
            direct.append(_bordered(matrix, _sparse(whole.tocsc())))
        return Solution(direct[0](right), 0)

    return solve


def _with_points(matrix: BorderedMatrix, points: Condensed, spend: bool) -> Solver:
    """Solve for the others with the eliminated states, then for these by back-substitution."""
    inner, diagonal = solver(matrix._replace(points=None), spend=spend), points.diagonal
    n, m = matrix.B.shape[0], matrix.B.shape[0] + matrix.D.shape[0]
    if not (np.isfinite(diagonal).all() and diagonal.all()):
        raise np.linalg.LinAlgError("the tangent is singular or not finite")

    def solve(right: Array, tolerance: float) -> Solution:
        own = right[m:] / diagonal
        x, iterations = inner(right[:m] - points.columns(own, n), tolerance)
        return Solution(np.concatenate([x, own - points.rows(x, n) / diagonal]), iterations)

    return solve


def _exactly(solve: Solve) -> Solver:
    return lambda right, tolerance: Solution(solve(right), 0)


def _bordered(matrix: BorderedMatrix, inner: Solve) -> Solve:
    """Solve the bordered matrix with its sparse part, by the Schur complement of the border."""
    if matrix.D.size == 0:
        return inner
    columns = np.stack([inner(column) for column in np.ascontiguousarray(matrix.B.T)], axis=1)
    corner = factor_dense(matrix.D - matrix.R @ columns)
    n = matrix.B.shape[0]

    def solve(right: Array) -> Array:
        x = inner(np.ascontiguousarray(right[:n]))
        border = corner(right[n:] - matrix.R @ x)
        return np.concatenate([x - columns @ border, border])

    return solve


def _sparse(A: csc_array) -> Solve:
    """Sparse LU factorization.

    Ordered by minimum degree on A + A^T with pivots preferred on the diagonal: on these nearly
    symmetric matrices SuperLU's default ordering fills in two orders of magnitude more. Zero
    entries would cause fill-in and are dropped.
    """
    if not np.isfinite(A.data).all():
        raise np.linalg.LinAlgError("the tangent is not finite")
    if not A.data.all():
        A = A.copy()
        A.eliminate_zeros()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", MatrixRankWarning)
            lu = splu(
                A,
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.01,
                options={"SymmetricMode": True},
            )
    except (RuntimeError, MatrixRankWarning) as error:
        raise np.linalg.LinAlgError(str(error)) from error
    return lu.solve

"""Direct solution of the Newton systems."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve
from scipy.sparse.linalg import MatrixRankWarning, splu

from fibermsk.protocol import BorderedMatrix

__all__ = ["factorize"]

Array = NDArray[np.float64]
Solve = Callable[[Array], Array]


def factorize(matrix: BorderedMatrix | Array) -> Solve:
    """Factorization of a tangent, as a function that solves with it.

    Entries that are zero, such as those of pairs that do not touch, are left out first: most of
    them would fill in. The sparse part is ordered by minimum degree on A + A^T with pivots
    preferred on the diagonal: on these nearly symmetric matrices SuperLU's default ordering fills
    in two orders of magnitude more. The border is eliminated by its Schur complement.

    Parameters
    ----------
    matrix : BorderedMatrix or (n, n) float array
        Tangent.

    Returns
    -------
    solve : callable
        Right-hand side (n,) to solution (n,).

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular or not finite.
    """
    if isinstance(matrix, np.ndarray):
        return _dense(matrix)
    if matrix.B.shape[0] == 0:
        return _dense(matrix.D)
    if not np.isfinite(matrix.A.data).all():
        raise np.linalg.LinAlgError("the tangent is not finite")
    A = matrix.A.copy()
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
    if matrix.D.size == 0:
        return lu.solve
    columns = lu.solve(matrix.B)
    corner = _dense(matrix.D - matrix.R @ columns)
    n = matrix.B.shape[0]

    def solve(right: Array) -> Array:
        inner = lu.solve(right[:n])
        border = corner(right[n:] - matrix.R @ inner)
        return np.concatenate([inner - columns @ border, border])

    return solve


def _dense(matrix: Array) -> Solve:
    if not np.isfinite(matrix).all():
        raise np.linalg.LinAlgError("the tangent is not finite")
    with warnings.catch_warnings():
        warnings.simplefilter("error", LinAlgWarning)
        try:
            factors: Any = lu_factor(matrix, check_finite=False)
        except LinAlgWarning as error:
            raise np.linalg.LinAlgError("the tangent is singular") from error

    def solve(right: Array) -> Array:
        return np.asarray(lu_solve(factors, right, check_finite=False))

    return solve

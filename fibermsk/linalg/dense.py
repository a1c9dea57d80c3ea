"""Solution with a dense matrix."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

__all__ = ["factor_dense"]

Array = NDArray[np.float64]


def factor_dense(matrix: Array) -> Callable[[Array], Array]:
    """Factor a matrix (n, n); return a function that solves for (n,) or (n, m).

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular or not finite.
    """
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

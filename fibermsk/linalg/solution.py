"""Solutions of linear systems, and the solver of dense ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import get_lapack_funcs

from fibermsk._arrays import Array


class Solution(NamedTuple):
    """A solution (n,) and its number of iterations, 0 if direct."""

    x: Array
    iterations: int


Solver = Callable[[Array, float], Solution]
"""From right-hand side (n,) and tolerance to a solution; see `fibermsk.solvers.newton.linear`."""

_LAPACK: Any = get_lapack_funcs(("getrf", "getrs"))
_FACTOR, _SOLVE = _LAPACK


_SINGULAR = "the tangent is singular"


def _require_finite(matrix: Array) -> None:
    if not np.isfinite(matrix).all():
        raise np.linalg.LinAlgError("the tangent is not finite")


def invert_dense(matrix: Array) -> Array:
    """Inverse of a matrix (n, n), a new array; for small ones faster than by `factor_dense`.

    Raises LinAlgError if the matrix is singular or not finite.
    """
    _require_finite(matrix)
    try:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError(_SINGULAR) from error


def factor_dense(matrix: Array) -> Callable[[Array], Array]:
    """Factor a matrix (n, n); return a function that solves for (n,) or (n, m).

    Raises LinAlgError if the matrix is singular or not finite.
    """
    _require_finite(matrix)
    if not matrix.size:
        return np.copy
    factors, pivots, info = _FACTOR(matrix)
    if info:
        raise np.linalg.LinAlgError(_SINGULAR)

    def solve(right: Array) -> Array:
        return _SOLVE(factors, pivots, right)[0]

    return solve

"""GMRES with a splitting of a small matrix, all iterations in one compiled call."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk._compile import kernel
from fibermsk._prepared import Open, Prepared, call, entry_of
from fibermsk.linalg.couplings import Couplings
from fibermsk.linalg.krylov import _orthogonalize, _rotate, _solve_triangle
from fibermsk.linalg.rows import subtract_rows
from fibermsk.linalg.splitting import _backward, _forward, _multiply

MOST, _ROOM = 2000, 16
"""Number of unknowns up to which Python between the kernels takes longer than these, and of vectors
of the basis, one more than of iterations."""


class _Steps(NamedTuple):
    """Prepared kernels."""

    forward: Any
    multiply: Any
    orthogonalize: Any
    rotate: Any
    triangle: Any
    subtract: Any
    backward: Any


class _Split(NamedTuple):
    """What the kernels of `fibermsk.linalg.splitting` take, but for the vectors."""

    start: Any
    couplings: Any
    factors: Any
    columns: Any
    rows: Any
    inverse: Any
    change: Any
    D: Any
    apart: Any


@kernel
def _iterate(of, split, right, tolerance, most, basis, x):
    """Fill x (n,) with the solution; as `fibermsk.linalg.krylov.gmres`, with as many iterations.

    basis (room, n) is workspace. Returns the number of iterations and the norm of the residual over
    that at the start: infinite where the matrix is singular or not finite.
    """
    start, couplings, factors, columns, rows, inverse, change, D, apart = split
    n, room = x.size, basis.shape[0]
    call(of.forward, (start, couplings, factors, columns, rows, inverse, change, right, x))
    square = 0.0
    for i in range(n):
        square += x[i] * x[i]
    norm = square**0.5
    if norm == 0.0 or not norm < np.inf:
        x[:] = 0.0
        return 0, 0.0 if norm == 0.0 else np.inf
    for i in range(n):
        basis[0, i] = x[i] / norm
    hessenberg, rotations, goal = np.empty((room, room)), np.empty((room, 2)), np.empty(room)
    goal[0] = norm
    k, size = 0, norm
    while k < most and (k == 0 or size > tolerance * norm):
        whole = (start, couplings, factors, columns, rows, inverse, change, D, apart, basis[k], x)
        call(of.multiply, whole)
        call(of.orthogonalize, (basis, k + 1, x, hessenberg[k]))
        following = call(of.rotate, (hessenberg, rotations, goal, k))
        if following == np.inf:
            break
        k, size = k + 1, following
    call(of.triangle, (hessenberg, goal, k))
    found = basis[room - 1]
    found[:] = 0.0
    for i in range(k):
        goal[i] = -goal[i]
    call(of.subtract, (basis, k, goal, found))
    call(of.backward, (start, couplings, factors, columns, rows, inverse, change, found, x))
    return k, size / norm


class Iteration:
    """Solutions with a splitting, of whose kernels it takes the arguments."""

    def __init__(self, arguments: tuple[Any, ...], D: Array, apart: Array) -> None:
        self._split = _Split._make((*arguments, D, apart))
        self._of, self._entry = _entry(arguments[1].upper.dtype)

    @staticmethod
    def takes(couplings: Couplings, *arrays: Array) -> bool:
        """Whether a matrix is small, and its arrays as compiled code expects them."""
        return (
            hasattr(_iterate, "overloads")  # not if kernels are interpreted
            and arrays[0].shape[1] <= MOST
            and couplings.upper.dtype == couplings.lower.dtype
            and all(one.dtype == np.float64 and one.flags.c_contiguous for one in arrays)
        )

    def solve(self, right: Array, tolerance: float, most: int) -> tuple[Array, int, float]:
        """Solution for a right-hand side (n,), number of iterations, and reduction."""
        right = np.ascontiguousarray(right, np.float64)
        x, basis = np.empty(right.size), np.empty((_ROOM, right.size))
        most = min(most, _ROOM - 2)
        return x, *self._entry(self._of, self._split, right, float(tolerance), most, basis, x)


@cache
def _entry(kind: Any) -> tuple[_Steps, Any]:
    """Prepared kernels for blocks of a kind, and the entry of compiled code."""
    blocks: Any = np.zeros((0, 6, 6), kind)
    couplings = Couplings.none(1)._replace(upper=blocks, lower=blocks)
    x, matrix, index = np.zeros(0), np.zeros((0, 0)), np.zeros(0, np.int64)
    own = index, couplings, np.zeros((0, 3, 6, 6)), matrix, matrix, matrix, np.zeros((0, 6))
    split = tuple(map(Open, own))
    X, rows, k = Open(x), Open(matrix), Open(0)
    of = _Steps(
        Prepared(_forward, *split, X, X),
        Prepared(_multiply, *split, rows, X, X, X),
        Prepared(_orthogonalize, rows, k, X, X),
        Prepared(_rotate, rows, rows, X, k),
        Prepared(_solve_triangle, rows, X, k),
        Prepared(subtract_rows, rows, k, X, X),
        Prepared(_backward, *split, X, X),
    )
    arguments = of, _Split._make((*own, matrix, x)), x, 0.1, 1, matrix, x
    return of, entry_of(_iterate, arguments)

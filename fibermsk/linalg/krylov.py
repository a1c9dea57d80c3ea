"""The generalized minimal residual method."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import kernel
from fibermsk.linalg.rows import multiply_rows, subtract_rows

MOST_ITERATIONS = 200
"""Maximum iterations for a Newton system."""

GOOD_ENOUGH = 0.03
"""Reduction of the residual accepted after the maximum number of iterations: the next increment
corrects the error, and a direct solution takes far longer on large systems."""

MOST_DIRECT = 100_000
"""Number of unknowns above which no direct solution is tried, for lack of memory."""

Sum = Callable[[Array], Array]
"""Adds numbers (n,) of all processes."""

_ROOM = 5
"""Initial capacity of the basis."""


@kernel
def _orthogonalize(basis, n, w, column):
    """Orthogonalize w against the first n rows of the basis, and append it normalized.

    column receives the projections on the rows and the remaining length.
    """
    parts = np.empty(n)
    column[:n] = 0.0
    for _ in range(2):
        multiply_rows(basis, n, w, parts)
        subtract_rows(basis, n, parts, w)
        for k in range(n):
            column[k] += parts[k]
    for i in range(w.size):
        basis[n, i] = w[i]
    last = basis[n : n + 1]
    multiply_rows(last, last.shape[0], w, parts)  # a constant would compile it once more
    column[n] = parts[0] ** 0.5
    if column[n] > 0.0:
        inverse = 1.0 / column[n]
        for i in range(w.size):
            basis[n, i] *= inverse


def _orthogonalize_on_device(basis: Any, n: int, w: Any, column: NDArray[np.float64]) -> None:
    """`_orthogonalize` for arrays of a device."""
    known = basis[:n]
    parts = known @ w
    w -= parts @ known
    rest = known @ w
    w -= rest @ known
    column[:n] = (parts + rest).tolist()
    column[n] = float(w @ w) ** 0.5
    if column[n] > 0.0:
        basis[n] = w / float(column[n])


@kernel
def _rotate(columns, rotations, goal, n):
    """Reduce column n of the Hessenberg matrix, columns[n, : n + 2], by Givens rotations.

    The right-hand side `goal` is rotated as well. Returns the norm of the residual; infinite if the
    matrix is singular or not finite.
    """
    h = columns[n]
    for k in range(n):
        c, s = rotations[k, 0], rotations[k, 1]
        h[k], h[k + 1] = c * h[k] + s * h[k + 1], c * h[k + 1] - s * h[k]
    turned = np.hypot(h[n], h[n + 1])
    if not 0.0 < turned < np.inf:
        return np.inf
    c, s = h[n] / turned, h[n + 1] / turned
    rotations[n, 0], rotations[n, 1], h[n] = c, s, turned
    goal[n], goal[n + 1] = c * goal[n], -s * goal[n]
    return abs(goal[n + 1])


@kernel
def _solve_triangle(columns, goal, n):
    """Replace the first n entries of the goal by the solution of the triangular system."""
    for k in range(n - 1, -1, -1):
        goal[k] /= columns[k, k]
        for i in range(k):
            goal[i] -= columns[k, i] * goal[k]


def _orthogonalize_parts(total: Sum, basis: Array, n: int, w: Array, column: Array) -> None:
    """`_orthogonalize` for parts of vectors; `total` adds products of all parts."""
    parts, square = np.empty(n), np.empty(1)
    column[:n] = 0.0
    for _ in range(2):
        multiply_rows(basis, n, w, parts)
        whole = total(parts)
        subtract_rows(basis, n, whole, w)
        column[:n] += whole
    multiply_rows(w[None], 1, w, square)
    column[n] = total(square)[0] ** 0.5
    if column[n] > 0.0:
        np.divide(w, column[n], out=basis[n])


def _combination(basis: Any, n: int, weights: NDArray[np.float64]) -> Any:
    """Weighted sum of the first n rows of a NumPy or device basis."""
    x = np.zeros_like(basis[0])
    if isinstance(x, np.ndarray):
        subtract_rows(basis, n, -weights, x)
        return x
    for k in range(n):
        x += float(weights[k]) * basis[k]
    return x


def _enlarged(array: Any, shape: tuple[int, ...]) -> Any:
    """Copy of an array, enlarged at the end of its rows and columns."""
    result = np.empty_like(array, shape=shape)
    result[tuple(slice(size) for size in array.shape)] = array
    return result


def gmres(
    multiply: Callable[[Any], Any],
    right: Any,
    tolerance: float,
    max_iterations: int,
    total: Sum | None = None,
) -> tuple[Any, int, float]:
    """Solve A x = b by GMRES from x = 0, without restarts, for NumPy or CuPy arrays.

    `multiply` gives A times a vector as a new vector. Returns the last iterate, the number of
    iterations, and the norm of the residual over that of b. Saad and Schultz, SIAM Journal on
    Scientific and Statistical Computing 7 (1986), 856-869, with Gram-Schmidt orthogonalization done
    twice.

    If processes hold parts of the vectors (NumPy), `total` adds dot products (n,) of all parts: one
    at the start, then three sums in every iteration, of n, n and one numbers in iteration n.
    """
    square = right @ right
    norm = float(square if total is None else total(np.array([square]))[0]) ** 0.5
    if norm == 0.0 or not norm < np.inf:
        return np.zeros_like(right), 0, 0.0 if norm == 0.0 else np.inf
    orthogonalize: Callable[..., None]
    if total is not None:
        orthogonalize = partial(_orthogonalize_parts, total)
    else:
        orthogonalize = (
            _orthogonalize if isinstance(right, np.ndarray) else _orthogonalize_on_device
        )
    room = min(_ROOM, max_iterations) + 1
    basis = np.empty_like(right, shape=(room, right.size))  # rows: an orthonormal basis
    np.divide(right, norm, out=basis[0])
    del right
    columns, rotations, goal = np.empty((room, room)), np.empty((room, 2)), np.empty(room)
    goal[0] = norm
    n, size = 0, norm
    while n < max_iterations and (n == 0 or size > tolerance * norm):
        if n + 1 == room:
            room = min(2 * n, max_iterations) + 1
            basis = _enlarged(basis, (room, basis.shape[1]))
            columns, rotations = _enlarged(columns, (room, room)), _enlarged(rotations, (room, 2))
            goal = _enlarged(goal, (room,))
        w = multiply(basis[n])
        orthogonalize(basis, n + 1, w, columns[n])
        del w  # the next product needs the memory
        next_size = _rotate(columns, rotations, goal, n)
        if next_size == np.inf:
            break
        n, size = n + 1, next_size
    _solve_triangle(columns, goal, n)
    return _combination(basis, n, goal), n, size / norm

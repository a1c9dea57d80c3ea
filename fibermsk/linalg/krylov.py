"""The generalized minimal residual method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fibermsk._compile import kernel

__all__ = ["GOOD_ENOUGH", "MOST_DIRECT", "MOST_ITERATIONS", "gmres"]

MOST_ITERATIONS = 200
"""Of the solution of a Newton system."""

GOOD_ENOUGH = 0.03
"""Reduction of the residual with which a solution is taken after so many iterations: the next
increment makes up for it, and a direct solution takes far longer on large systems."""

MOST_DIRECT = 100_000
"""Unknowns above which there is no direct solution instead: it would fill the memory."""

_ROOM = 24
"""Vectors that a device has room for at first."""


@kernel
def remove_parts(basis, n, w):
    """Subtract the projections of w on the first n rows of the basis; returns their lengths.

    In four partial sums each, which vector units add at once; a library's threads would have to be
    woken for every product.
    """
    parts = np.empty(n)
    for k in range(n):
        row = basis[k]
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        whole = w.size - w.size % 4
        for i in range(0, whole, 4):
            s0 += row[i] * w[i]
            s1 += row[i + 1] * w[i + 1]
            s2 += row[i + 2] * w[i + 2]
            s3 += row[i + 3] * w[i + 3]
        for i in range(whole, w.size):
            s0 += row[i] * w[i]
        parts[k] = (s0 + s1) + (s2 + s3)
    for k in range(n):
        row, part = basis[k], parts[k]
        for i in range(w.size):
            w[i] -= part * row[i]
    return parts


def _remove_parts(basis: Any, n: int, w: Any) -> list[float]:
    """`remove_parts` for arrays of NumPy or of a device."""
    if isinstance(w, np.ndarray):
        return remove_parts(basis, n, w).tolist()
    parts = basis[:n] @ w
    w -= parts @ basis[:n]
    return parts.tolist()


def gmres(
    multiply: Callable[[Any], Any], right: Any, tolerance: float, max_iterations: int
) -> tuple[Any, int, float]:
    """Solve A x = b by GMRES from x = 0, without restarts.

    Saad and Schultz, SIAM Journal on Scientific and Statistical Computing 7 (1986), 856-869, with
    Gram-Schmidt orthogonalization done twice.

    Parameters
    ----------
    multiply : callable
        Product with A, of a vector that stays as it is; a new vector.
    right : (n,) array
        b, of NumPy or CuPy.
    tolerance : float
        For the norm of the residual over that of b.
    max_iterations : int
        At most so many.

    Returns
    -------
    x : (n,) array
        The last iterate.
    iterations : int
        Number of products with A.
    reduction : float
        Norm of the residual over that of b; above the tolerance if it was not met.
    """
    norm = float(right @ right) ** 0.5
    if norm == 0.0 or not norm < np.inf:
        return 0.0 * right, 0, 0.0 if norm == 0.0 else np.inf
    # rows: the orthonormal basis; of NumPy only those that are used ever take memory
    room = max_iterations + 1 if isinstance(right, np.ndarray) else _ROOM
    basis = np.empty_like(right, shape=(room, right.size))
    basis[0] = right / norm
    # columns of the triangular factor of the Hessenberg matrix, and the rotations that give it
    columns, cosines, sines, goal = [], [], [], [norm]
    converged = False
    while len(columns) < max_iterations and not converged:
        n = len(columns) + 1
        w = multiply(basis[n - 1])
        h = [0.0] * n
        for _ in range(2):
            for k, part in enumerate(_remove_parts(basis, n, w)):
                h[k] += part
        size = float(w @ w) ** 0.5
        h.append(size)
        for k, (c, s) in enumerate(zip(cosines, sines, strict=True)):
            h[k], h[k + 1] = c * h[k] + s * h[k + 1], c * h[k + 1] - s * h[k]
        turned = float(np.hypot(h[-2], h[-1]))
        if not 0.0 < turned < np.inf:
            break
        c, s = h[-2] / turned, h[-1] / turned
        columns.append([*h[:-2], turned])
        cosines.append(c)
        sines.append(s)
        goal.append(-s * goal[-1])
        goal[-2] *= c
        converged = abs(goal[-1]) <= tolerance * norm
        if not converged:
            if n == basis.shape[0]:
                basis = np.concatenate([basis, np.empty_like(basis)])
            basis[n] = w / size
    n = len(columns)
    y = np.array(goal[:n])
    for k in range(n - 1, -1, -1):
        y[k] /= columns[k][k]
        for i in range(k):
            y[i] -= columns[k][i] * y[k]
    x = 0.0 * right
    for weight, vector in zip(y, basis, strict=False):
        x += float(weight) * vector
    return x, n, abs(goal[-1]) / norm

"""Natural splines of odd degree through points.

Of degree 2 m - 1, a piece between two points is given by its values and first m - 1 derivatives at
both. These follow from the continuity of the next m - 1 derivatives at inner points, and from
their vanishing at the ends: one block-tridiagonal system.
"""

from __future__ import annotations

from math import comb

import numpy as np

from fibermsk._arrays import Array


def natural_coefficients(x: Array, y: Array, degree: int) -> Array:
    """Coefficients (n + 1, degree + 1) of the powers of x - origin of each piece.

    The first piece, before the n points, has the origin of the second; beyond the ends the pieces
    have degree (degree - 1) / 2.
    """
    m, n, width = (degree + 1) // 2, x.size, np.diff(x)
    upper = _upper_part(m)
    states = np.zeros((n, m))  # values and first m - 1 derivatives, over factorials
    states[:, 0] = y
    if m > 1:
        states[:, 1:] = _inner_derivatives(y, width, m, upper)
    found = np.zeros((n + 1, degree + 1))
    found[0, :m], found[-1, :m] = states[0], states[-1]
    for k, h in enumerate(width):
        scale = h ** np.arange(m)
        ends = np.concatenate([states[k] * scale, states[k + 1] * scale])
        found[k + 1, :m] = states[k]
        found[k + 1, m:] = (upper @ ends) / h ** np.arange(m, 2 * m)
    return found


def _upper_part(m: int) -> Array:
    """Upper coefficients (m, 2 m) of a piece of width 1, of both ends' derivatives k / k!."""
    below = np.array([[comb(j, k) for j in range(m)] for k in range(m)], float)
    above = np.array([[comb(j, k) for j in range(m, 2 * m)] for k in range(m)], float)
    return np.asarray(np.linalg.solve(above, np.hstack([-below, np.eye(m)])), np.float64)


def _inner_derivatives(y: Array, width: Array, m: int, upper: Array) -> Array:
    """First m - 1 derivatives over factorials at the points, (n, m - 1)."""
    n, low = y.size, m - 1
    # derivatives m to 2 m - 2 over factorials of a piece of width 1, at its begin and its end
    begin = upper[:low]
    whole = np.vstack([np.hstack([np.eye(m), np.zeros((m, m))]), upper])
    orders = range(m, 2 * m - 1)
    end = np.array([[comb(j, k) for j in range(2 * m)] for k in orders], float) @ whole
    A = np.zeros((n, 3, low, low))  # of the point before, the point itself, and the one after
    right = np.zeros((n, low))
    for k, h in enumerate(width):
        powers = h ** np.arange(m)
        for part, at, sign in ((end, k + 1, -1.0), (begin, k, 1.0)):
            rows = sign * part / h ** np.array(list(orders))[:, None]
            first, second = rows[:, :m] * powers, rows[:, m:] * powers
            A[at, 1 + (k - at)] += first[:, 1:]
            A[at, 2 + (k - at)] += second[:, 1:]
            right[at] -= first[:, 0] * y[k] + second[:, 0] * y[k + 1]
    return _solve_blocks(A, right)


def _solve_blocks(A: Array, right: Array) -> Array:
    """Solve a block-tridiagonal system: A[k] has the blocks before, on and after the diagonal."""
    n = right.shape[0]
    after, x = np.zeros_like(A[:, 0]), right.copy()
    for k in range(n):
        pivot = A[k, 1]
        if k:
            pivot = pivot - A[k, 0] @ after[k - 1]
            x[k] -= A[k, 0] @ x[k - 1]
        both = np.linalg.solve(pivot, np.hstack([A[k, 2], x[k][:, None]]))
        after[k], x[k] = both[:, :-1], both[:, -1]
    for k in range(n - 2, -1, -1):
        x[k] -= after[k] @ x[k + 1]
    return x

"""Cubic splines through points."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array


def third_difference(x: Array, y: Array) -> float:
    """Third divided difference of four points."""
    for width in range(1, 4):
        y = np.diff(y) / (x[width:] - x[:-width])
    return float(y[0])


def _solve_tridiagonal(low: Array, middle: Array, high: Array, right: Array) -> Array:
    """Solve the tridiagonal system low_k c_(k-1) + middle_k c_k + high_k c_(k+1) = right_k.

    No pivoting is needed: inner rows are diagonally dominant.
    """
    above, c = np.empty(right.size), np.empty(right.size)
    above[0], c[0] = high[0] / middle[0], right[0] / middle[0]
    for k in range(1, right.size):
        pivot = middle[k] - low[k] * above[k - 1]
        above[k], c[k] = high[k] / pivot, (right[k] - low[k] * c[k - 1]) / pivot
    for k in range(right.size - 2, -1, -1):
        c[k] -= above[k] * c[k + 1]
    return c


def cubic_coefficients(x: Array, y: Array, ends: Array, first: float, last: float) -> Array:
    """Coefficients (n + 1, 4) of a cubic spline through n points, linear outside.

    Of each piece, in powers of x - origin, the first one with the origin of the second; with end
    conditions on the curvatures c at the points.

    ends: a, b of a c_0 + b c_1 = first, and a, b of a c_(m-2) + b c_(m-1) = last.
    """
    width, slope = np.diff(x), np.diff(y) / np.diff(x)
    low = np.r_[0.0, width[:-1], ends[2]]
    middle = np.r_[ends[0], 2.0 * (width[:-1] + width[1:]), ends[3]]
    high = np.r_[ends[1], width[1:], 0.0]
    c = _solve_tridiagonal(low, middle, high, np.r_[first, 6.0 * np.diff(slope), last])
    inner = np.stack(
        [
            y[:-1],
            slope - width * (2.0 * c[:-1] + c[1:]) / 6.0,
            0.5 * c[:-1],
            np.diff(c) / (6.0 * width),
        ],
        axis=1,
    )
    end_slope = slope[-1] + width[-1] * (c[-2] + 2.0 * c[-1]) / 6.0
    before = [[y[0], inner[0, 1], 0.0, 0.0]]
    after = [[y[-1], end_slope, 0.0, 0.0]]
    return np.array(np.concatenate([before, inner, after]), float)

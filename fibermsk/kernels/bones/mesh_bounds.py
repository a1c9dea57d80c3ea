"""Gradient bounds of a field of tricubic B-splines, per cell; see `kernels.bones.mesh_field`.

The gradient in a cell is a mean of first differences of its 4 x 4 x 4 coefficients. If this
bound is far above the gradient in the middle, it is refined with the Bezier control points of the
cell, and then with those of its octants.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel

# Cubic Bezier control points of a cell from its four coefficients, and those of its two halves.
_BEZIER = np.array([[1.0, 4, 1, 0], [0, 4, 2, 0], [0, 2, 4, 0], [0, 1, 4, 1]]) / 6.0
_FIRST = np.array([[8.0, 0, 0, 0], [4, 4, 0, 0], [2, 4, 2, 0], [1, 3, 3, 1]]) / 8.0
_CHANGES = np.stack([_BEZIER, _FIRST @ _BEZIER, _FIRST[::-1, ::-1] @ _BEZIER])

# Weights of a cell's middle, of value and slope.
_VALUE, _SLOPE = np.array([1.0, 23, 23, 1]) / 48.0, np.array([-1.0, -5, 5, 1]) / 8.0

# Ratio of the bound to an attained slope below which it is not refined.
_SLACK = 1.1


@kernel
def _differences(c, scale, axes, away):
    """Squared bound from the first differences of control points (4, 4, 4)."""
    x, y, z = 0.0, 0.0, 0.0
    for a in range(4):
        for b in range(4):
            for i in range(3):
                x = max(x, abs(c[i + 1, a, b] - c[i, a, b]))
                y = max(y, abs(c[a, i + 1, b] - c[a, i, b]))
                z = max(z, abs(c[a, b, i + 1] - c[a, b, i]))
    return scale * scale * (axes[0] * x * x + axes[1] * y * y + axes[2] * z * z) + away * away


@kernel
def _change_first(c, matrix, out):
    """Fill out with control points (4, 4, 4) changed along their first axis, put last."""
    for i in range(4):
        for a in range(4):
            for b in range(4):
                total = 0.0
                for m in range(4):
                    total += matrix[i, m] * c[m, a, b]
                out[a, b, i] = total


@kernel
def _fill_changed(c, mx, my, mz, one, two, out):
    """Fill out with control points (4, 4, 4) transformed by a matrix along each axis."""
    _change_first(c, mx, one)
    _change_first(one, my, two)
    _change_first(two, mz, out)


@kernel
def _middle(c, spacing, axes, away):
    """Squared slope in the middle of a cell."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(4):
        for j in range(4):
            value, slope = 0.0, 0.0
            for k in range(4):
                value += _VALUE[k] * c[i, j, k]
                slope += _SLOPE[k] * c[i, j, k]
            x += _SLOPE[i] * _VALUE[j] * value
            y += _VALUE[i] * _SLOPE[j] * value
            z += _VALUE[i] * _VALUE[j] * slope
    square = axes[0] * x * x + axes[1] * y * y + axes[2] * z * z
    return square / (spacing * spacing) + away * away


@kernel
def steepest(coefficients, where, spacing, axes, away):
    """Bound of the slope in the cells of a mask (n, n, n), at least 1.

    axes (3,): 1 for the components that count, else 0; away: another component, across them.
    """
    c, one, two = np.empty((4, 4, 4)), np.empty((4, 4, 4)), np.empty((4, 4, 4))
    points = np.empty((4, 4, 4))
    reached = 1.0
    for i in range(where.shape[0]):
        for j in range(where.shape[1]):
            for k in range(where.shape[2]):
                if where[i, j, k]:
                    own = coefficients[i : i + 4, j : j + 4, k : k + 4]
                    reached = max(reached, _middle(own, spacing, axes, away))
    best = _SLACK * _SLACK * reached
    bezier = _CHANGES[0]
    for i in range(where.shape[0]):
        for j in range(where.shape[1]):
            for k in range(where.shape[2]):
                if not where[i, j, k]:
                    continue
                c[:] = coefficients[i : i + 4, j : j + 4, k : k + 4]
                if _differences(c, 1.0 / spacing, axes, away) <= best:
                    continue
                _fill_changed(c, bezier, bezier, bezier, one, two, points)
                if _differences(points, 3.0 / spacing, axes, away) <= best:
                    continue
                for part in range(8):
                    mx, my = _CHANGES[1 + part % 2], _CHANGES[1 + part // 2 % 2]
                    _fill_changed(c, mx, my, _CHANGES[1 + part // 4], one, two, points)
                    best = max(best, _differences(points, 6.0 / spacing, axes, away))
    return math.sqrt(best)

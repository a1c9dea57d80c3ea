"""Curves of quintic Bezier sections, as OpenSim has them for the muscle of Millard (2013).

A section is a corner: it leaves its first and meets its last point along given lines. Its six
control points are those two, and each of two inner points twice. A curve of n sections is a row of
constants: x (n + 1,) and y (n + 1,) of its points, x and y of the two inner points of each section
(n, 4), and the slopes below the first and above the last point, where it is linear.

References
----------
.. [1] Millard, Uchida, Seth and Delp, "Flexing computational muscle", Journal of Biomechanical
       Engineering 135 (2013), 021005; OpenSim's SmoothSegmentedFunctionFactory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def size_of(n: int) -> int:
    """Return the number of constants of a curve of n sections."""
    return 2 * (n + 1) + 4 * n + 2


def curve(points: Sequence[tuple[Any, Any, Any]], curviness: Sequence[Any]) -> list[Any]:
    """Constants of the curve through points (x, y, slope), with a curviness in [0, 1] per section.

    Real or complex. Not a number where a section would be no corner.
    """
    inner = []
    for (x0, y0, s0), (x1, y1, s1), bend in zip(points[:-1], points[1:], curviness, strict=True):
        share = 0.1 + 0.8 * bend
        if abs((s0 - s1).real) > 1.5e-8:
            x = (y1 - y0 - x1 * s1 + x0 * s0) / (s0 - s1)
        else:
            x = 0.5 * (x0 + x1)
        y = (x - x1) * s1 + y1
        near = max(np.hypot((x - a).real, (y - b).real) for a, b in ((x0, y0), (x1, y1)))
        if not near < np.hypot((x1 - x0).real, (y1 - y0).real):
            x = np.nan
        inner += [x0 + share * (x - x0), y0 + share * (y - y0)]
        inner += [x1 + share * (x - x1), y1 + share * (y - y1)]
    return [
        *(x for x, _, _ in points), *(y for _, y, _ in points), *inner, points[0][2], points[-1][2]
    ]  # fmt: skip


def _bend(p0, p1, p2, p3, u):
    """Return a coordinate at the parameter u, and its derivative."""
    o = 1.0 - u
    oo, uu = o * o, u * u
    value = oo * oo * (o * p0 + 5.0 * u * p1) + 10.0 * uu * oo * (o * p1 + u * p2)
    value = value + uu * uu * (5.0 * o * p2 + u * p3)
    slope = oo * oo * (p1 - p0) + 6.0 * uu * oo * (p2 - p1) + uu * uu * (p3 - p2)
    return value, 5.0 * slope


def _parameter(x0, x1, x2, x3, x):
    """Return u with x(u) = x, of real numbers: Newton's method in a shrinking bracket."""
    low, high = 0.0, 1.0
    u = (x - x0) / (x3 - x0)
    for _ in range(80):
        found, slope = _bend(x0, x1, x2, x3, u)
        if found > x:
            high = u
        else:
            low = u
        new = u - (found - x) / slope
        if abs(new - u) <= 2e-16:
            break
        if not low < new < high:
            new = 0.5 * (low + high)
            if new <= low or new >= high:
                break
        u = new
    return u


def value_and_slope(c, first, n, x):
    """Return the curve of n sections, of which the constants begin at column first, and its slope.

    Real or complex.
    """
    last = first + n
    slopes = first + 2 * (n + 1) + 4 * n
    if x.real <= c[first].real:
        return c[last + 1] + c[slopes] * (x - c[first]), c[slopes] + 0.0 * x
    if x.real >= c[last].real:
        return c[last + 1 + n] + c[slopes + 1] * (x - c[last]), c[slopes + 1] + 0.0 * x
    k = first
    while x.real > c[k + 1].real:
        k += 1
    at = first + 2 * (n + 1) + 4 * (k - first)
    x0, x1, x2, x3 = c[k], c[at], c[at + 2], c[k + 1]
    u = _parameter(x0.real, x1.real, x2.real, x3.real, x.real)
    # one step of Newton's method from the real root carries a complex step exactly
    found, by_u = _bend(x0, x1, x2, x3, u + 0.0 * x)
    u = u - (found - x) / by_u
    _, x_u = _bend(x0, x1, x2, x3, u)
    y, y_u = _bend(c[k + n + 1], c[at + 1], c[at + 3], c[k + n + 2], u)
    return y, y_u / x_u


def curvature(c, first, n, x):
    """Return the second derivative of a curve; zero at both ends, where the sections are straight.

    Real or complex.
    """
    if x.real <= c[first].real or x.real >= c[first + n].real:
        return 0.0 * x
    k = first
    while x.real > c[k + 1].real:
        k += 1
    at = first + 2 * (n + 1) + 4 * (k - first)
    in_x = c[k], c[at], c[at + 2], c[k + 1]
    in_y = c[k + n + 1], c[at + 1], c[at + 3], c[k + n + 2]
    u = _parameter(in_x[0].real, in_x[1].real, in_x[2].real, in_x[3].real, x.real)
    found, by_u = _bend(*in_x, u + 0.0 * x)
    u = u - (found - x) / by_u
    x_u, y_u = _bend(*in_x, u)[1], _bend(*in_y, u)[1]
    return (_turn(*in_y, u) * x_u - y_u * _turn(*in_x, u)) / (x_u * x_u * x_u)


def _turn(p0, p1, p2, p3, u):
    """Second derivative of a coordinate in the parameter."""
    o = 1.0 - u
    inner = 12.0 * u * o * (o - u) * (p2 - p1)
    return 5.0 * (inner - 4.0 * o * o * o * (p1 - p0) + 4.0 * u * u * u * (p3 - p2))


_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)


def integral(c, first, n, x):
    """Integral of a curve from its first point to x, exact: y dx is a polynomial of degree 9."""
    xs, slopes = c[first : first + n + 1], first + 2 * (n + 1) + 4 * n
    if x <= xs[0]:
        d = x - xs[0]
        return d * (c[first + n + 1] + 0.5 * c[slopes] * d)
    total = 0.0
    for k in range(n):
        if x <= xs[k]:
            break
        at = first + 2 * (n + 1) + 4 * k
        in_x = xs[k], c[at], c[at + 2], xs[k + 1]
        in_y = c[first + n + 1 + k], c[at + 1], c[at + 3], c[first + n + 2 + k]
        end = 1.0 if x >= xs[k + 1] else _parameter(*in_x, x)
        u = 0.5 * end * (1.0 + _POINTS)
        total += 0.5 * end * float(_WEIGHTS @ (_bend(*in_y, u)[0] * _bend(*in_x, u)[1]))
    if x > xs[n]:
        d = x - xs[n]
        total += d * (c[first + 2 * n + 1] + 0.5 * c[slopes + 1] * d)
    return total

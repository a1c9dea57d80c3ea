"""Geodesics with their Jacobi fields: closed forms on cylinder and sphere, elsewhere integrated.

The state y (10,) along arc length s is x (3,), the unit tangent t (3,), and two Jacobi fields with
their slopes, (c, c') from (1, 0) and (d, d') from (0, 1): a displacement beta b of the start and a
turn theta of the direction there displace the geodesic sideways by c beta + d theta. They solve

    x' = t,   t' = -h(t, t) n,   a'' + K a = 0

in three dimensions: no chart, no pole. All in the frame of the surface.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, part
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.taut.ellipsoid import MOST_STEPS, integrate_on_ellipsoid
from fibermsk.kernels.lines.taut.surfaces import (
    CYLINDER,
    ELLIPSOID,
    SPHERE,
    curvature,
    gauss_curvature,
    level,
)

COLUMNS = 10
"""Most columns of the extrapolation; its order is twice as high."""
ACCURACY = 3e-14
"""Of a step: largest difference of the last two extrapolations, relative to radius of curvature and
to 1; of a series its last two terms, in slopes."""
ROUGH = 1e-7
"""The same far from a solution."""


@part
def _slope(kind, size, y, g, H, out):
    """Fill out (10,) with dy/ds."""
    level(kind, size, y, g, H)
    square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2]
    bend = 0.0
    for r in range(3):
        for k in range(3):
            bend += y[3 + r] * H[r, k] * y[3 + k]
    bend /= square
    K = gauss_curvature(H, g)
    for r in range(3):
        out[r] = y[3 + r]
        out[3 + r] = -bend * g[r]
    out[6], out[7], out[8], out[9] = y[7], -K * y[6], y[9], -K * y[8]


@body
def _midpoint(kind, size, y, first, step, n, before, here, slope, g, H, out):
    """Fill out (10,): the modified midpoint rule, n substeps over the step."""
    h = step / n
    for r in range(10):
        before[r] = y[r]
        here[r] = y[r] + h * first[r]
    for _ in range(1, n):
        _slope(kind, size, here, g, H, slope)
        for r in range(10):
            there = before[r] + 2.0 * h * slope[r]
            before[r], here[r] = here[r], there
    _slope(kind, size, here, g, H, slope)
    for r in range(10):
        out[r] = 0.5 * (before[r] + here[r] + h * slope[r])


@body
def integrate(kind, size, y, length, accuracy):
    """Move the state y (10,) along its geodesic by a length [m] of either sign.

    A series on ellipsoids; else the extrapolated midpoint rule (Gragg, Bulirsch and Stoer), with as
    many columns and steps as an accuracy, such as `ACCURACY`, needs.
    """
    if kind == ELLIPSOID:
        integrate_on_ellipsoid(size, y, length, accuracy)
        return
    g, H = scratch(3), scratch((3, 3))
    first, slope, before, here = scratch(10), scratch(10), scratch(10), scratch(10)
    table = scratch((COLUMNS, 10))
    if length == 0.0:
        return
    level(kind, size, y, g, H)
    bend = 0.0
    for r in range(3):
        for c in range(3):
            bend += H[r, c] * H[r, c]
    radius = math.sqrt((g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / bend)
    step = math.copysign(min(abs(length), radius), length)
    done, taken = 0.0, 0
    while True:
        rest = length - done
        last = abs(step) >= abs(rest)
        if last:
            step = rest
        taken += 1
        if taken > MOST_STEPS or not math.isfinite(y[0] + y[3] + y[6] + y[8]):
            for r in range(10):
                y[r] = math.nan
            return
        _slope(kind, size, y, g, H, first)
        used = 0
        for k in range(COLUMNS):
            n = 2 * (k + 1)
            _midpoint(kind, size, y, first, step, n, before, here, slope, g, H, table[k])
            error = 0.0
            for j in range(k - 1, -1, -1):
                ratio = n / (2.0 * (j + 1))
                factor = 1.0 / (ratio * ratio - 1.0)
                for r in range(10):
                    change = (table[j + 1, r] - table[j, r]) * factor
                    # table[j] keeps the entry of this row
                    table[j, r] = table[j + 1, r] + change
                    if j == 0:
                        unit = 1.0 + abs(table[0, r])
                        if r < 3 or r == 8:
                            unit = radius + abs(table[0, r])
                        elif r == 7:
                            unit = 1.0 / radius + abs(table[0, r])
                        error = max(error, abs(change) / unit)
                        if not math.isfinite(change):
                            error = math.inf
            if k > 1 and error <= accuracy:
                used = k + 1
                break
        if used == 0:
            step *= 0.5
            continue
        for r in range(10):
            y[r] = table[0, r]
        done += step
        if last:
            return
        if used <= COLUMNS - 3:
            step *= 1.5


@body
def closed_geodesic(kind, x, t, length, y):
    """As `geodesic` on a cylinder or a sphere."""
    y[6], y[7], y[8], y[9] = 1.0, 0.0, length, 1.0
    if kind == CYLINDER:
        # the angle grows evenly, z too
        angle = (x[0] * t[1] - x[1] * t[0]) / (x[0] * x[0] + x[1] * x[1]) * length
        c, s = math.cos(angle), math.sin(angle)
        y[0], y[1], y[2] = c * x[0] - s * x[1], s * x[0] + c * x[1], x[2] + length * t[2]
        y[3], y[4], y[5] = c * t[0] - s * t[1], s * t[0] + c * t[1], t[2]
        return
    radius = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    c, s = math.cos(length / radius), math.sin(length / radius)
    for r in range(3):
        y[r] = c * x[r] + radius * s * t[r]
        y[3 + r] = c * t[r] - s * x[r] / radius
    y[6], y[7], y[8], y[9] = c, -s / radius, radius * s, c


@body
def geodesic(kind, size, x, t, length, accuracy, y):
    """Fill the state y (10,) at the end of the geodesic from x along the unit tangent t.

    The accuracy is that of `integrate`.
    """
    if kind <= SPHERE:
        closed_geodesic(kind, x, t, length, y)
        return
    y[6], y[7], y[8], y[9] = 1.0, 0.0, 0.0, 1.0
    for r in range(3):
        y[r], y[3 + r] = x[r], t[r]
    integrate(kind, size, y, length, accuracy)


@body
def advance(kind, size, y, length):
    """Move the state y (10,) on along its geodesic by a length [m]."""
    if kind > SPHERE:
        integrate(kind, size, y, length, ACCURACY)
        return
    c, dc, d, dd = y[6], y[7], y[8], y[9]
    x, t = scratch(3), scratch(3)
    for r in range(3):
        x[r], t[r] = y[r], y[3 + r]
    geodesic(kind, size, x, t, length, ACCURACY, y)
    # fields of a piece carry those before it on
    a, da, b, db = y[6], y[7], y[8], y[9]
    y[6], y[7] = a * c + b * dc, da * c + db * dc
    y[8], y[9] = a * d + b * dd, da * d + db * dd


@body
def pressed(kind, size, x, t, length, n, y):
    """Least normal curvature h(t, t) [1/m] at n + 1 even points of a geodesic, and least d/s.

    The second one is positive if the start has no conjugate point on it. y (10,) is work space.
    """
    g, H = scratch(3), scratch((3, 3))
    geodesic(kind, size, x, t, 0.0, ACCURACY, y)
    level(kind, size, y, g, H)
    least, conjugate = curvature(H, g, y[3:6], y[3:6]), 1.0
    for k in range(n):
        advance(kind, size, y, length / n)
        level(kind, size, y, g, H)
        least = min(least, curvature(H, g, y[3:6], y[3:6]))
        conjugate = min(conjugate, y[8] * n / ((k + 1) * length))
    return least, conjugate

"""Geodesics whose start and length vary: closed forms, elsewhere integrated, with all derivatives.

A state (6, 6) has the point and the unit tangent, a row of a jet each, in the frame of the surface.
Surfaces are half levels G = F/2 of `fibermsk.kernels.lines.taut.surfaces`, with g = grad G:

    x' = t,   t' = -(t.G'' t / g.g) g

The integration is that of a fixed number of steps, so that its jets are the derivatives of its
values to rounding. Powers of a part without a value vanish from the fourth on, as a jet holds no
higher derivatives.
"""

from __future__ import annotations

import math

from fibermsk._compile import inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.jets import (
    constant,
    cosine_and_sine,
    minus,
    over,
    plus,
    root,
    scaled,
    times,
)
from fibermsk.kernels.lines.material.vectors import get, product, put
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, ELLIPSOID, SPHERE, TORUS

LONGEST = 0.5
"""Longest step, in radii of curvature."""
REACH = (0.0, 0.0, 0.06, 0.25)
"""Steps, in radii of curvature, up to which 3 and 4 columns of the extrapolation are enough."""
COLUMNS = 5
"""Columns of the extrapolation over the longest step: error about 1e-11 of the radius."""


@inner_body
def fill_slope(kind, size, x, g):
    """Fill g (3, 6) with grad G at a point x (3, 6); returns G."""
    if kind == ELLIPSOID:
        total = constant(-0.5)
        for r in range(3):
            c = 1.0 / (size[r] * size[r])
            put(g, r, scaled(c, get(x, r)))
            total = plus(total, scaled(0.5, times(get(g, r), get(x, r))))
        return total
    if kind == TORUS:
        rho = root(plus(times(get(x, 0), get(x, 0)), times(get(x, 1), get(x, 1))))
        away = minus(rho, constant(size[1]))
        share, z = over(away, rho), get(x, 2)
        put(g, 0, times(share, get(x, 0)))
        put(g, 1, times(share, get(x, 1)))
        put(g, 2, z)
        square = plus(times(away, away), times(z, z))
        return scaled(0.5, minus(square, constant(size[0] * size[0])))
    square = constant(-size[0] * size[0])
    for r in range(3):
        flat = kind == CYLINDER and r == 2
        put(g, r, constant(0.0) if flat else get(x, r))
        square = plus(square, times(get(g, r), get(g, r)))
    return scaled(0.5, square)


@inner_body
def bend_of(kind, size, x, t):
    """t.G'' t at a point x and a direction t (3, 6)."""
    if kind == ELLIPSOID:
        total = constant(0.0)
        for r in range(3):
            total = plus(total, scaled(1.0 / (size[r] * size[r]), times(get(t, r), get(t, r))))
        return total
    flat = plus(times(get(t, 0), get(t, 0)), times(get(t, 1), get(t, 1)))
    if kind == CYLINDER:
        return flat
    up = times(get(t, 2), get(t, 2))
    if kind == TORUS:
        square = plus(times(get(x, 0), get(x, 0)), times(get(x, 1), get(x, 1)))
        along = plus(times(get(x, 0), get(t, 0)), times(get(x, 1), get(t, 1)))
        ratio = scaled(size[1], over(constant(1.0), root(square)))
        out = over(times(along, along), square)
        flat = plus(flat, times(ratio, minus(out, flat)))
    return plus(flat, up)


@inner_body
def angle_of(kind, size, x, t, length):
    """Angle by which an arc turns at its start: normal curvature times length [rad].

    Around a cylinder it is that about the axis.
    """
    if kind == CYLINDER:
        return scaled(1.0 / size[0], times(length, root(bend_of(kind, size, x, t))))
    g = scratch((3, 6))
    fill_slope(kind, size, x, g)
    return times(length, over(bend_of(kind, size, x, t), root(product(g, g))))


@inner_body
def settle_state(kind, size, y):
    """Move a state (6, 6) onto the surface: its point along g, its tangent by projection.

    Exact if the value is on the surface, and the error of the derivatives is of second order.
    """
    g, x, t = scratch((3, 6)), y[:3], y[3:]
    step = over(fill_slope(kind, size, x, g), product(g, g))
    for r in range(3):
        put(x, r, minus(get(x, r), times(step, get(g, r))))
    fill_slope(kind, size, x, g)
    part = over(product(t, g), product(g, g))
    for r in range(3):
        put(t, r, minus(get(t, r), times(part, get(g, r))))
    norm = root(product(t, t))
    for r in range(3):
        put(t, r, over(get(t, r), norm))


@inner_body
def _fill_change(kind, size, y, out):
    """Fill out (6, 6) with dy/ds."""
    g = out[3:]
    fill_slope(kind, size, y[:3], g)
    ratio = over(scaled(-1.0, bend_of(kind, size, y[:3], y[3:])), product(g, g))
    for r in range(3):
        put(g, r, times(ratio, get(g, r)))
        for d in range(6):
            out[r, d] = y[3 + r, d]


@inner_body
def _add_midpoint(kind, size, y, first, h, n, weight, before, here, change, out):
    """Add weight times the result of the modified midpoint rule, n substeps of h, to out (6, 6)."""
    for r in range(6):
        for d in range(6):
            before[r, d] = y[r, d]
            here[r, d] = y[r, d] + h * first[r, d]
    for _ in range(1, n):
        _fill_change(kind, size, here, change)
        for r in range(6):
            for d in range(6):
                there = before[r, d] + 2.0 * h * change[r, d]
                before[r, d], here[r, d] = here[r, d], there
    _fill_change(kind, size, here, change)
    for r in range(6):
        for d in range(6):
            last = before[r, d] + here[r, d] + h * change[r, d]
            out[r, d] += 0.5 * weight * last


@inner_body
def _step(kind, size, y, h, columns):
    """Move a state by a step, extrapolated from 2, 4, 6 .. substeps (Gragg)."""
    first, change, before = scratch((6, 6)), scratch((6, 6)), scratch((6, 6))
    here, out = scratch((6, 6)), scratch((6, 6))
    _fill_change(kind, size, y, first)
    for r in range(6):
        for d in range(6):
            out[r, d] = 0.0
    for k in range(columns):
        n, weight = 2.0 * (k + 1), 1.0
        for j in range(columns):
            if j != k:
                other = 2.0 * (j + 1)
                weight *= n * n / (n * n - other * other)
        _add_midpoint(
            kind, size, y, first, h / n, 2 * (k + 1), weight, before, here, change, out
        )  # fmt: skip
    for r in range(6):
        for d in range(6):
            y[r, d] = out[r, d]


@inner_body
def _radius(kind, size, y):
    """Least radius of curvature of an ellipsoid or a torus at a state [m], or less."""
    x = scratch(3)
    for r in range(3):
        x[r] = y[r, 0]
    if kind == ELLIPSOID:
        square, bend = 0.0, 0.0
        for r in range(3):
            c = 1.0 / (size[r] * size[r])
            square += c * c * x[r] * x[r]
            bend = max(bend, c)
        return math.sqrt(square) / bend
    return min(size[0], math.sqrt(x[0] * x[0] + x[1] * x[1]))


@inner_body
def advance_state(kind, size, y, length):
    """Move a state on an ellipsoid or a torus along its geodesic by a constant length [m]."""
    done = 0.0
    before = scratch((6, 6))
    while done < length:
        radius = _radius(kind, size, y)
        h = min(length - done, LONGEST * radius)
        last = h >= length - done
        for r in range(6):
            for d in range(6):
                before[r, d] = y[r, d]
        for _ in range(2):
            columns = 3
            while columns < COLUMNS and h > REACH[columns - 1] * radius:
                columns += 1
            _step(kind, size, y, h, columns)
            here = _radius(kind, size, y)
            if not here < 0.7 * radius:
                break
            # it is more curved there
            radius, h, last = here, min(h, LONGEST * here), last and h <= LONGEST * here
            for r in range(6):
                for d in range(6):
                    y[r, d] = before[r, d]
        done = length if last else done + h


@inner_body
def _add(y, factor, change, out):
    """Fill out with y + factor change, for a jet factor."""
    for r in range(6):
        put(out, r, plus(get(y, r), times(factor, get(change, r))))


@inner_body
def _shift(kind, size, y, length):
    """Move a state along its geodesic by a length without a value, a jet.

    Runge and Kutta's rule of fourth order is exact there.
    """
    a, b, total = scratch((6, 6)), scratch((6, 6)), scratch((6, 6))
    _fill_change(kind, size, y, total)
    _add(y, scaled(0.5, length), total, a)
    for k in range(3):
        _fill_change(kind, size, a, b)
        weight = 1.0 if k == 2 else 2.0
        for r in range(6):
            for d in range(6):
                total[r, d] += weight * b[r, d]
        if k < 2:
            _add(y, scaled(0.5 if k == 0 else 1.0, length), b, a)
    _add(y, scaled(1.0 / 6.0, length), total, y)


@inner_body
def _around(kind, size, y, length):
    """Move a state along the helix of a cylinder or the great circle of a sphere."""
    if kind == CYLINDER:
        x, z = get(y, 0), get(y, 1)
        turn = minus(times(x, get(y, 4)), times(z, get(y, 3)))
        square = plus(times(x, x), times(z, z))
        c, s = cosine_and_sine(times(length, over(turn, square)))
        put(y, 2, plus(get(y, 2), times(length, get(y, 5))))
        for r in range(0, 6, 3):
            a, b = get(y, r), get(y, r + 1)
            put(y, r, minus(times(c, a), times(s, b)))
            put(y, r + 1, plus(times(s, a), times(c, b)))
        return
    c, s = cosine_and_sine(scaled(1.0 / size[0], length))
    for r in range(3):
        x, t = get(y, r), get(y, 3 + r)
        put(y, r, plus(times(c, x), scaled(size[0], times(s, t))))
        put(y, 3 + r, minus(times(c, t), scaled(1.0 / size[0], times(s, x))))


@inner_body
def flow(kind, size, y, run, length, out):
    """Fill out with the state at the arc length `length`, a jet, from y at the constant `run`.

    y is moved along, and the constant arc length returned at which it is then.
    """
    first = length[0][0]
    if kind > SPHERE:
        advance_state(kind, size, y, first - run)
        run = first
    for r in range(6):
        for d in range(6):
            out[r, d] = y[r, d]
    rest = minus(length, constant(run))
    if kind > SPHERE:
        _shift(kind, size, out, rest)
    else:
        _around(kind, size, out, rest)
    return run

"""Fast fit of the curves of Millard: quintic Hermite pieces on uniform knots.

A curve is a row of constants: its first argument, the inverse of the distance of knots, and value,
slope and second derivative of the Bezier curve at each knot, in units of that distance. Between
knots it is the polynomial of degree five that has all six; outside of them it is a straight line.
So it is twice continuously differentiable, and no equation must be solved to evaluate it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fibermsk.laws.hill import millard
from fibermsk.laws.hill.bezier import curvature, value_and_slope
from fibermsk.laws.hill.millard import MillardCurves, refused as refused
from fibermsk.laws.hill.row import CURVES

KNOTS = 256
"""Intervals of each curve."""

_SIZE = 2 + 3 * (KNOTS + 1)
_ACTIVE, _VELOCITY, _PASSIVE, _TENDON = (CURVES + k * _SIZE for k in range(4))


@dataclass(frozen=True)
class FittedMillardCurves(MillardCurves):
    """Fast fit of `MillardCurves`, with the same parameters.

    Notes
    -----
    Quintic Hermite polynomials between 257 uniform knots, twice continuously differentiable. The
    largest difference to the default curves, relative to the largest isometric force, is 1e-7 in
    value and 1e-4 in slope.
    """


def constants(values):
    """Constants of the functions below from the values of the fields, real or complex."""
    if any(isinstance(value, complex | np.complexfloating) for value in values):
        return _table(values)
    return _real_table(tuple(map(float, values)))


@lru_cache(maxsize=64)
def _real_table(values):
    return tuple(_table(values))


def _table(values):
    row, found, first = np.array(millard.constants(values)), [], 0
    for n in millard.SECTIONS:
        low, high = row[first], row[first + n]
        h = (high - low) / KNOTS
        found += [low, 1.0 / h]
        for k in range(KNOTS + 1):
            x = low + k * h
            value, slope = value_and_slope(row, first, n, x)
            found += [value, slope * h, curvature(row, first, n, x) * h * h]
        first += millard.size_of(n)
    return found


def _fit(c, first, x):
    """Return a curve and its slope; real or complex."""
    per = c[first + 1]
    s = (x - c[first]) * per
    if s.real <= 0.0:
        slope = c[first + 3]
        return c[first + 2] + slope * s, slope * per + 0.0 * s
    if s.real >= KNOTS:
        slope = c[first + 3 * KNOTS + 3]
        return c[first + 3 * KNOTS + 2] + slope * (s - KNOTS), slope * per + 0.0 * s
    k = int(s.real)
    t, at = s - k, first + 2 + 3 * k
    y0, v0, half = c[at], c[at + 1], 0.5 * c[at + 2]
    # what is left of value, slope and second derivative at the next knot
    dy = c[at + 3] - y0 - v0 - half
    dv = c[at + 4] - v0 - 2.0 * half
    dw = 0.5 * c[at + 5] - half
    a3, a4, a5 = (
        10.0 * dy - 4.0 * dv + dw,
        7.0 * dv - 15.0 * dy - 2.0 * dw,
        6.0 * dy - 3.0 * dv + dw,
    )
    value = y0 + t * (v0 + t * (half + t * (a3 + t * (a4 + t * a5))))
    slope = v0 + t * (2.0 * half + t * (3.0 * a3 + t * (4.0 * a4 + t * 5.0 * a5)))
    return value, slope * per


def active_length(c, length):
    """Factor of the active force at a length, and its slope."""
    return _fit(c, _ACTIVE, length)


def force_velocity_factor(c, velocity, activation):
    """Factor of the active force at a velocity, and its derivatives in velocity and activation."""
    g, dg = _fit(c, _VELOCITY, velocity)
    return g, dg, 0.0 * g


def passive(c, length):
    """Passive force and its derivative."""
    return _fit(c, _PASSIVE, length)


def tendon(c, length):
    """Force of the tendon and its derivative."""
    return _fit(c, _TENDON, length)


def tendon_inverse(c, force):
    """Return NaN: a slack tendon has many lengths."""
    return np.nan * force, np.nan * force, np.nan * force


_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(3)


def _integral(c, first, x):
    """Integral from the first knot, exact: three Gauss points per interval."""
    low, h = c[first], 1.0 / c[first + 1]
    end = low + KNOTS * h
    edges = np.append(np.arange(low, min(x, end), h), min(x, end)) if x > low else np.array([low])
    total = 0.0
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        at = 0.5 * (a + b) + 0.5 * (b - a) * _POINTS
        total += 0.5 * (b - a) * float(_WEIGHTS @ [_fit(c, first, one)[0] for one in at])
    beyond = x - min(max(x, low), end)
    if beyond != 0.0:
        total += beyond * _fit(c, first, x - 0.5 * beyond)[0]
    return total


def stored(c, fiber_length, tendon_length):
    """Integrals of the passive and of the tendon force, from where they begin."""
    return _integral(c, _PASSIVE, fiber_length), _integral(c, _TENDON, tendon_length)

"""Closest point of a cubic centerline element: the real roots of the quintic and the element ends.

Symbols: ``power`` (4, 3) coefficients of the element in powers of xi, ``x`` the query point. The
derivative of half the squared distance is a quintic in xi; Gfrerer and Simeon (2021), eqs. 66-68.
"""

from __future__ import annotations

import math

from fibermsk.kernels._compile import kernel
from fibermsk.kernels.polynomial import WORK_SIZE, _bracketed_root, quintic_roots

__all__ = ["SCRATCH_SIZE", "closest_on_element", "distance_quintic", "nearest"]

# Scratch numbers of `closest_on_element`: quintic, roots, and the root finder's own.
SCRATCH_SIZE = 6 + 6 + WORK_SIZE


@kernel
def distance_quintic(power, x, a):
    """Fill a (6,) with the coefficients of (y - x) . dy/dxi."""
    wv, ww, vv, wu, vu, uu = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    sv, sw, su = 0.0, 0.0, 0.0
    for c in range(3):
        s = power[0, c] - x[c]
        v, w, u = power[1, c], power[2, c], power[3, c]
        sv += s * v
        sw += s * w
        su += s * u
        vv += v * v
        wv += w * v
        ww += w * w
        wu += w * u
        vu += v * u
        uu += u * u
    a[0] = sv
    a[1] = 2.0 * sw + vv
    a[2] = 3.0 * su + 3.0 * wv
    a[3] = 4.0 * vu + 2.0 * ww
    a[4] = 5.0 * wu
    a[5] = 3.0 * uu


@kernel
def _squared_distance(power, x, xi):
    total = 0.0
    for c in range(3):
        y = power[0, c] + xi * (power[1, c] + xi * (power[2, c] + xi * power[3, c])) - x[c]
        total += y * y
    return total


@kernel
def closest_on_element(power, x, scratch):
    """Parameter in [0, 1] of the element's point nearest to x, and the squared distance.

    scratch (SCRATCH_SIZE,). The Bernstein coefficients of the quintic bound its number of roots:
    without a change of sign an end is nearest, and with a single one the only root is bracketed by
    the ends; otherwise all roots are compared.
    """
    a = scratch[:6]
    roots = scratch[6:12]
    distance_quintic(power, x, a)
    b0 = a[0]
    b1 = a[0] + 0.2 * a[1]
    b2 = a[0] + 0.4 * a[1] + 0.1 * a[2]
    b3 = a[0] + 0.6 * a[1] + 0.3 * a[2] + 0.1 * a[3]
    b4 = a[0] + 0.8 * a[1] + 0.6 * a[2] + 0.4 * a[3] + 0.2 * a[4]
    b5 = a[0] + a[1] + a[2] + a[3] + a[4] + a[5]
    if b0 >= 0.0 and b1 >= 0.0 and b2 >= 0.0 and b3 >= 0.0 and b4 >= 0.0 and b5 >= 0.0:
        return 0.0, _squared_distance(power, x, 0.0)
    if b0 <= 0.0 and b1 <= 0.0 and b2 <= 0.0 and b3 <= 0.0 and b4 <= 0.0 and b5 <= 0.0:
        return 1.0, _squared_distance(power, x, 1.0)
    if b0 < 0.0 < b5:
        changes = 0
        positive = False
        for b in (b1, b2, b3, b4, b5):
            if (b > 0.0) != positive:
                positive = b > 0.0
                changes += 1
        if changes == 1:
            xi = _bracketed_root(a, 5, 0.0, 1.0, b0)
            return xi, _squared_distance(power, x, xi)
    best = 0.0
    best_d2 = _squared_distance(power, x, 0.0)
    d2 = _squared_distance(power, x, 1.0)
    if d2 < best_d2:
        best, best_d2 = 1.0, d2
    for m in range(quintic_roots(a, scratch[12:], roots)):
        d2 = _squared_distance(power, x, roots[m])
        if d2 < best_d2:
            best, best_d2 = roots[m], d2
    return best, best_d2


@kernel
def nearest(power, elements, x, scratch):
    """The element of a list that comes nearest to x, the parameter there, and the distance."""
    best, best_xi, best_d2 = -1, 0.0, math.inf
    for e in elements:
        xi, d2 = closest_on_element(power[e], x, scratch)
        if d2 < best_d2:
            best, best_xi, best_d2 = e, xi, d2
    return best, best_xi, math.sqrt(best_d2)

"""Closest point, and least gap, along a chain of elements with a provably unique one.

Symbols: x query point (x, y, z), c the curve of an element, D = (c - x) . c', a quintic in xi with
the coefficients ``a``, Q = |c - x|^2, r_y the partner's radius, R = r_x + r_y; ' is a derivative
in xi.

Along adjacent elements, D changes sign at most once if it increases on every one of them:
D' = |c'|^2 + (c - x) . c'' is positive where |c - x| stays below min |c'|^2 / max |c''|, and D has
the same sign on both sides of a node, where c' keeps its direction. The signs of D at the nodes
then tell on which element the closest point lies. Nothing is cached between
configurations: Newton's method starts at the root of a linear D, so that the result depends on the
configuration alone.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, inlined_body
from fibermsk.kernels.closest.closest_point import distance_quintic, nearest, way_to
from fibermsk.kernels.closest.polynomial import bracketed_root
from fibermsk.kernels.closest.rows import BALL, BEND, CENTER, MONOTONE, SLOWEST, THICK, radius_along

OPEN, CLOSED, UNSETTLED = 0, 1, 2

# The distance of open points may be below the least one by this fraction.
_SLACK = 1e-4

# Halley's method: the final error is of the order of the cube of the last step. Each step must be
# much shorter than the one before; else the initial guess was not close enough.
_FIRST_STEP, _CONTRACTION, _LAST_STEP = 0.25, 0.25, 2e-6
_ITERATIONS = 6


@body
def chain_start(e, first, last, candidates, rows):
    """Initial candidate for the closest points of element e among candidates[first:last].

    Returns the candidate with the nearest center if the candidates are adjacent and D increases
    along all of them for any point of e; else -1.
    """
    if candidates[last - 1] - candidates[first] != last - 1 - first:
        return -1
    best, best_apart = -1, math.inf
    for i in range(first, last):
        b = candidates[i]
        apart = (
            (rows[e, CENTER] - rows[b, CENTER]) ** 2
            + (rows[e, CENTER + 1] - rows[b, CENTER + 1]) ** 2
            + (rows[e, CENTER + 2] - rows[b, CENTER + 2]) ** 2
        )
        room = rows[b, MONOTONE] - rows[e, BALL] - rows[b, BALL]
        if not (room > 0.0 and apart < room * room):
            return -1
        if apart < best_apart:
            best, best_apart = b, apart
    return best


@body
def _sum(a):
    """D at the element's end."""
    return a[0] + a[1] + a[2] + a[3] + a[4] + a[5]


@body
def _locate(start, low, high, x, y, z, power, rows):
    """Element from low to high in which D changes sign, if it does so at most once.

    Begins with `start`. Returns the element; 0 if the sign changes inside it, -1 if its start is
    the closest point, 1 if its end is; its quintic, and the vector to its start.
    """
    e, came = start, 0
    while True:
        a, way = distance_quintic(e, x, y, z, power, rows)
        if a[0] >= 0.0:
            # D is negative up to here: the closest point is the node, to round-off
            if e == low or came > 0:
                return e, -1, a, way
            e, came = e - 1, -1
        elif _sum(a) <= 0.0:
            if e == high or came < 0:
                return e, 1, a, way
            e, came = e + 1, 1
        else:
            return e, 0, a, way


@inlined_body
def _settle(e, a, way, xi, limit, r_x, blended, rows):
    """Closest point or, with `blended` radii, least gap inside of an element.

    Starts at xi, in the basin of the closest point. way: from x to the element's start; limit: the
    distance of open contact, for elements along which D increases. Returns OPEN, a lower bound of
    the distance and its approximate parameter; CLOSED, an unused value and the parameter; or
    UNSETTLED if Halley's method does not converge at once.
    """
    a0, a1, a2, a3, a4, a5 = a
    square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2]
    longest = _FIRST_STEP
    for _ in range(_ITERATIONS):
        D2 = 2.0 * (((10.0 * a5 * xi + 6.0 * a4) * xi + 3.0 * a3) * xi + a2)
        D1 = (((5.0 * a5 * xi + 4.0 * a4) * xi + 3.0 * a3) * xi + 2.0 * a2) * xi + a1
        D = ((((a5 * xi + a4) * xi + a3) * xi + a2) * xi + a1) * xi + a0
        Q = (((a5 / 3.0 * xi + 0.4 * a4) * xi + 0.5 * a3) * xi + a2 / 1.5) * xi + a1
        Q = square + xi * (2.0 * a0 + xi * Q)
        d = math.sqrt(max(Q, 0.0))
        # Q' = 2 D and Q'' = 2 D', with this lower bound along the element
        least = rows[e, SLOWEST] - rows[e, BEND] * (d + 2.0 * rows[e, BALL])
        short = D * D / (least * d)
        if least > 0.0 and d - short >= limit:
            if short <= _SLACK * d:
                return OPEN, d - short, xi
            P, P1, P2 = D, D1, D2
        elif blended:
            # the least gap is a root of P, which has the sign of dg/dxi
            r, r1, r2, r3 = radius_along(e, xi, rows)
            R = r_x + r
            P = D * R - Q * r1
            P1 = D1 * R - D * r1 - Q * r2
            P2 = D2 * R - 3.0 * D * r2 - Q * r3
        else:
            P, P1, P2 = D, D1, D2
        bent = P1 * P1 - P * P2
        if not (P1 > 0.0 and bent > 0.0):
            break
        step = -2.0 * P * P1 / (P1 * P1 + bent)
        xi += step
        if not (abs(step) <= longest and 0.0 < xi < 1.0):
            break
        if abs(step) <= _LAST_STEP:
            return CLOSED, 0.0, xi
        longest = _CONTRACTION * abs(step)
    return UNSETTLED, 0.0, 0.0


@inlined_body
def find_partner(
    x, y, z, r_x, widest, blended, start, first, last, candidates, power, rows
):  # fmt: skip
    """Partner's point for a point with radius r_x among candidates[first:last].

    start: from `chain_start`, or the element found for a nearby point; -1 compares all minima.
    widest: bound of the partner's radius, if its radii are blended. Finds the closest point, or
    with `blended` radii the least gap.

    Returns the status, element, parameter and a distance. OPEN: no contact; a lower bound of the
    distance, and the approximate closest point. CLOSED: the point sought (the caller computes its
    distance). UNSETTLED: the closest point, as initial guess of the least gap.
    """
    if start >= 0:
        low, high = candidates[first], candidates[last - 1]
        e, side, a, way = _locate(start, low, high, x, y, z, power, rows)
        inside = side == 0
        xi = a[0] / (a[0] - _sum(a)) if inside else 0.5 + 0.5 * side
        limit = r_x + (widest if blended else rows[e, THICK])
    else:
        e, xi, d = nearest(first, last, candidates, x, y, z, power, rows)
        a, way = distance_quintic(e, x, y, z, power, rows)
        inside = blended and d < r_x + widest and 0.0 < xi < 1.0
        limit = math.inf
    if inside:
        kind, d, settled = _settle(e, a, way, xi, limit, r_x, blended, rows)
        if kind != UNSETTLED:
            return kind, e, settled, d
        if start >= 0:
            xi = bracketed_root(a, 0.0, 1.0, 0.5)
    m = way_to(e, xi, x, y, z, power)
    d = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
    if blended and d < r_x + widest:
        return UNSETTLED, e, xi, d
    return (OPEN if blended else CLOSED), e, xi, d

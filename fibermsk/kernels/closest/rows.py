"""Precomputed data of every element for the closest point search, once per configuration.

``rows`` (n_elements, N_COLUMNS) holds, in powers of xi or for xi in [0, 1], with ' a derivative in
xi and c the centerline:

========== =====================================================================================
QUINTIC    five: part independent of x of the coefficients 1 to 5 of (c - x) . c'
CENTER     three: center of the Bezier control points
BALL       one: radius of the bounding ball around it, which contains the element
SLOWEST    lower bound of |c'|^2, 0 if the control points give none
BEND       upper bound of |c''|
MONOTONE   SLOWEST / BEND: for any point closer than this, (c - x) . c' increases
THICK      upper bound of the radius of eq. 21 on the element
TANGENT    shorter of the two nodal tangents dx/dtheta
RADIUS     eight: the radius r in pair potentials, see `kernels.contact.potential`
FASTEST    upper bound of |c'|
BROAD      upper bound of r, RADIUS_SLOPE, RADIUS_BEND and RADIUS_TWIST of |r'|, |r''| and |r'''|
========== =====================================================================================

``values`` (n, n_points, 8) of `fibermsk.kernels.contact_arrays.QuadraturePoints` holds x, its
tangent a1 = x,theta, the radius of eq. 21, and |a1|.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import body, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.section import section

QUINTIC, CENTER, BALL, SLOWEST, BEND, MONOTONE = 0, 5, 8, 9, 10, 11
THICK, TANGENT, RADIUS = 12, 13, 14
FASTEST, BROAD, RADIUS_SLOPE, RADIUS_BEND, RADIUS_TWIST, N_COLUMNS = 22, 23, 24, 25, 26, 27


@body
def _largest_quartic(a, e):
    """Largest Bernstein coefficient of a quartic in powers of xi, which bounds it from above."""
    a0, a1, a2, a3, a4 = a[e, 0], a[e, 1], a[e, 2], a[e, 3], a[e, 4]
    largest = max(a0, a0 + a1 / 4.0)
    largest = max(largest, a0 + a1 / 2.0 + a2 / 6.0)
    largest = max(largest, a0 + 0.75 * a1 + a2 / 2.0 + a3 / 4.0)
    return max(largest, a0 + a1 + a2 + a3 + a4)


@body
def fill_row(e, power, shape_of, reference, radius_poly, h, rows):
    """Fill one element's row."""
    own = shape_of[e]
    vv, vw, ww, vu, wu, uu = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    ball, chord_sq, along_0, along_1, along_2 = 0.0, 0.0, 0.0, 0.0, 0.0
    bend_0, bend_1, tangent_0, tangent_1, tangent_m = 0.0, 0.0, 0.0, 0.0, 0.0
    A_0, A_1, A_2 = 0.0, 0.0, 0.0
    for c in range(3):
        p, v, w, u = power[e, 0, c], power[e, 1, c], power[e, 2, c], power[e, 3, c]
        vv += v * v
        vw += v * w
        ww += w * w
        vu += v * u
        wu += w * u
        uu += u * u
        # Bezier control points p, p + v/3, p + (2v + w)/3, p + v + w + u
        chord = v + w + u
        second, third = v / 3.0, (2.0 * v + w) / 3.0
        low = min(min(0.0, chord), min(second, third))
        high = max(max(0.0, chord), max(second, third))
        rows[e, CENTER + c] = p + 0.5 * (low + high)
        # control vectors of c' and of c''
        end = v + 2.0 * w + 3.0 * u
        along_0 += v * chord
        along_1 += (v + w) * chord
        along_2 += end * chord
        chord_sq += chord * chord
        bend_0 += w * w
        bend_1 += (w + 3.0 * u) ** 2
        tangent_0 += v * v
        tangent_m += (v + w) ** 2
        tangent_1 += end * end
        V, W, U = reference[own, 1, c], reference[own, 2, c], reference[own, 3, c]
        A_0 += V * V
        A_1 += (V + W) ** 2
        A_2 += (V + 2.0 * W + 3.0 * U) ** 2
    distance_0, distance_1, distance_2, distance_3 = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        v, w, u = power[e, 1, c], power[e, 2, c], power[e, 3, c]
        start = power[e, 0, c] - rows[e, CENTER + c]
        distance_0 += start**2
        distance_1 += (start + v / 3.0) ** 2
        distance_2 += (start + (2.0 * v + w) / 3.0) ** 2
        distance_3 += (start + v + w + u) ** 2
    ball = math.sqrt(max(max(distance_0, distance_1), max(distance_2, distance_3)))
    rows[e, QUINTIC] = vv
    rows[e, QUINTIC + 1] = 3.0 * vw
    rows[e, QUINTIC + 2] = 4.0 * vu + 2.0 * ww
    rows[e, QUINTIC + 3] = 5.0 * wu
    rows[e, QUINTIC + 4] = 3.0 * uu
    rows[e, BALL] = ball
    along = min(along_0, min(along_1, along_2))
    slowest = along * along / chord_sq if along > 0.0 else 0.0
    bend = 2.0 * math.sqrt(max(bend_0, bend_1))
    rows[e, SLOWEST] = slowest
    rows[e, BEND] = bend
    rows[e, FASTEST] = math.sqrt(max(tangent_m, max(tangent_0, tangent_1)))
    rows[e, MONOTONE] = slowest / bend if bend > 0.0 else (math.inf if slowest > 0.0 else 0.0)
    largest = math.sqrt(max(A_0, max(A_1, A_2)))
    rows[e, THICK] = (
        _largest_quartic(radius_poly, own) * math.sqrt(largest / math.sqrt(slowest))
        if slowest > 0.0
        else math.inf
    )
    rows[e, TANGENT] = math.sqrt(min(tangent_0, tangent_1)) / h[e]
    # radius r0 (s_a + (s_b - s_a)(3 xi^2 - 2 xi^3))
    s_a = math.sqrt(math.sqrt(A_0 / tangent_0))
    s_b = math.sqrt(math.sqrt(A_2 / tangent_1))
    for n in range(8):
        value = radius_poly[own, n] * s_a if n < 5 else 0.0
        if 2 <= n < 7:
            value += 3.0 * (s_b - s_a) * radius_poly[own, n - 2]
        if n >= 3:
            value -= 2.0 * (s_b - s_a) * radius_poly[own, n - 3]
        rows[e, RADIUS + n] = value
    _bound_radius(e, rows)


@body
def _bound_radius(e, rows):
    """Fill bounds of the radius and of its slopes: sums of the terms about the middle."""
    terms = scratch(8)
    for n in range(8):
        terms[n] = rows[e, RADIUS + n]
    # Horner's scheme for successive derivatives
    for n in range(7):
        for k in range(6, n - 1, -1):
            terms[k] += 0.5 * terms[k + 1]
    broad, slope, bend, twist, part = 0.0, 0.0, 0.0, 0.0, 1.0
    for n in range(8):
        size = part * abs(terms[n])
        broad += size
        slope += 2.0 * n * size
        bend += 4.0 * n * (n - 1) * size
        twist += 8.0 * n * (n - 1) * (n - 2) * size
        part *= 0.5
    rows[e, BROAD], rows[e, RADIUS_SLOPE] = broad, slope
    rows[e, RADIUS_BEND], rows[e, RADIUS_TWIST] = bend, twist


@body
def radius_along(e, xi, rows):
    """Partner's radius on an element with its first three derivatives in xi."""
    r, r1, r2, r3 = rows[e, RADIUS + 7], 0.0, 0.0, 0.0
    for n in range(6, -1, -1):
        r3 = r3 * xi + r2
        r2 = r2 * xi + r1
        r1 = r1 * xi + r
        r = r * xi + rows[e, RADIUS + n]
    return r, r1, 2.0 * r2, 6.0 * r3


@parallel("rows", least=1024)
def fill_rows(power, shape_of, reference, radius_poly, h, rows):
    """Fill all rows."""
    for e in prange(power.shape[0]):
        fill_row(e, power, shape_of, reference, radius_poly, h, rows)


@body
def fill_quadrature(i, fibers, laws, quadrature):
    """Fill the quadrature points of one element and law."""
    power, reference, radius_poly = fibers.power, fibers.reference, fibers.radius_poly
    e, law, values = quadrature.element[i], quadrature.law[i], quadrature.values
    own = fibers.shape_of[e]
    for k in range(laws.n_points[law]):
        point = values[i, k]
        point[6], point[7] = section(
            power[e], reference[own], radius_poly[own], fibers.h[e], laws.xi[law, k], point[:3],
            point[3:6],
        )  # fmt: skip

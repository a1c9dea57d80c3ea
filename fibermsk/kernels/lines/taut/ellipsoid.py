"""Geodesics of ellipsoids with their Jacobi fields, by power series.

With A the diagonal matrix of 1/size^2 and S = x.A^2 x, the curve, of unit tangent t, and the fields
solve

    x'' = -(t.A t / S) A x,    a'' = -K a,    K = det A / S^2.

The product of t.A t and S is constant along a geodesic (Joachimsthal), so that all five are of one
form, z'' = -w P z with constants w and P = S^-2. The series of P follows from that of S by the
recurrence of powers of a series, and all from the ones before: no order needs more than sums of
products. Source of the recurrences: Jorba and Zou, Experimental Mathematics 14 (2005), 99-117.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, part
from fibermsk.kernels._scratch import scratch

TERMS = 21
"""Most terms of the series: the cost of a step grows with their square, its length with less."""
STRIDE, GROWTH = 1.5, 1.5
"""First step to try, in least radii of curvature; factor after a step that could be longer."""
MOST_STEPS = 2000
"""Most steps along one geodesic; the state becomes NaN after."""


@part
def _last(z, k, step, radius):
    """Largest term of power k in slopes, relative to 1, and to 1 / radius for the first field."""
    most = max(abs(z[0, k]), max(abs(z[1, k]), abs(z[2, k])))
    return k * max(most, max(abs(z[4, k]), radius * abs(z[3, k]))) / abs(step)


@part
def _power(S, P, k):
    """Term k of P = S^-2; S (TERMS,), and P (TERMS,) in reverse."""
    even, odd, weight, at = 0.0, 0.0, float(k), TERMS - 1 - k
    for i in range(1, k, 2):
        even += (weight + i) * S[i] * P[at + i]
        odd += (weight + i + 1) * S[i + 1] * P[at + i + 1]
    if k % 2 == 1:
        even += 2.0 * weight * S[k] * P[at + k]
    return -(even + odd) / (weight * S[0])


@body
def _fill_series(a, y, step, radius, accuracy, z, S, P):
    """Fill z (5, TERMS): series of x and the two fields in the part of a step [m] from y.

    a (3,): diagonal of A; radius: least radius of curvature [m]; accuracy: largest last two terms
    that are left in, see `_last`; S, P (TERMS,): work space. Returns the number of terms, and the
    part of the step for which they have the accuracy.
    """
    along, square = 0.0, 0.0
    for r in range(3):
        along += a[r] * y[3 + r] * y[3 + r]
        square += (a[r] * y[r]) ** 2
        z[r, 0], z[r, 1] = y[r], step * y[3 + r]
    z[3, 0], z[3, 1], z[4, 0], z[4, 1] = y[6], step * y[7], y[8], step * y[9]
    on_curve, on_field = step * step * along * square, step * step * a[0] * a[1] * a[2]
    calm, error = 0, 0.0
    S[0], P[TERMS - 1] = square, 1.0 / (square * square)
    for k in range(TERMS - 2):
        at = TERMS - 1 - k
        if k > 0:
            # twice the products of different terms, and the square of the middle one
            x0, x1, x2 = 0.0, 0.0, 0.0
            for i in range((k + 1) // 2):
                x0 += z[0, i] * z[0, k - i]
                x1 += z[1, i] * z[1, k - i]
                x2 += z[2, i] * z[2, k - i]
            if k % 2 == 0:
                i = k // 2
                x0 += 0.5 * z[0, i] * z[0, i]
                x1 += 0.5 * z[1, i] * z[1, i]
                x2 += 0.5 * z[2, i] * z[2, i]
            S[k] = 2.0 * (a[0] * a[0] * x0 + a[1] * a[1] * x1 + a[2] * a[2] * x2)
            P[at] = _power(S, P, k)
        x0, x1, x2, c, d = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(k + 1):
            x0 += P[at + i] * z[0, i]
            x1 += P[at + i] * z[1, i]
            x2 += P[at + i] * z[2, i]
            c += P[at + i] * z[3, i]
            d += P[at + i] * z[4, i]
        twice = -1.0 / ((k + 1) * (k + 2))  # of two integrations
        z[0, k + 2] = twice * on_curve * a[0] * x0
        z[1, k + 2] = twice * on_curve * a[1] * x1
        z[2, k + 2] = twice * on_curve * a[2] * x2
        z[3, k + 2], z[4, k + 2] = twice * on_field * c, twice * on_field * d
        error = _last(z, k + 2, step, radius)
        calm = calm + 1 if error <= accuracy else 0
        if calm == 2:
            return k + 3, 1.0
    error = max(error, _last(z, TERMS - 2, step, radius))
    return TERMS, min(1.0, (accuracy / error) ** (1.0 / (TERMS - 3)))


@body
def integrate_on_ellipsoid(size, y, length, accuracy):
    """Move the state y (10,) along its geodesic by a length [m] of either sign.

    The state is that of `fibermsk.kernels.lines.taut.geodesic`, on the surface, and the accuracy
    that of a step. The state becomes NaN if the geodesic needs too many steps.
    """
    z, S, P, a = scratch((5, TERMS)), scratch(TERMS), scratch(TERMS), scratch(3)
    flat = 0.0
    for r in range(3):
        a[r] = 1.0 / (size[r] * size[r])
        flat = max(flat, a[r])
    rest, longest = length, 0.0
    for _ in range(MOST_STEPS):
        if rest == 0.0:
            return
        radius = math.sqrt((a[0] * y[0]) ** 2 + (a[1] * y[1]) ** 2 + (a[2] * y[2]) ** 2) / flat
        if longest == 0.0:
            longest = STRIDE * radius
        step = rest if abs(rest) <= longest else math.copysign(longest, length)
        n, share = _fill_series(a, y, step, radius, accuracy, z, S, P)
        if not math.isfinite(z[0, n - 1] + z[3, n - 1] + z[4, n - 1] + share):
            break
        for r in range(5):
            value, slope = z[r, n - 1], 0.0
            for k in range(n - 2, -1, -1):
                slope = slope * share + value
                value = value * share + z[r, k]
            # x and its slope t, then each field and its slope
            at, by = (r, 3 + r) if r < 3 else (2 * r, 2 * r + 1)
            y[at], y[by] = value, slope / step
        rest = 0.0 if share == 1.0 and step == rest else rest - share * step
        longest = abs(share * step) if share < 1.0 else GROWTH * abs(step)
    for r in range(10):
        y[r] = math.nan

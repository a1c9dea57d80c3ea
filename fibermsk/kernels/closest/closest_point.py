"""Closest point of a cubic centerline element, and of the candidate elements of a run.

Symbols: ``power`` (4, 3) coefficients of an element in powers of xi, (x, y, z) the query point, c
the element's curve. The derivative of half the squared distance, D = (c - x) . c', is a quintic in
xi; Gfrerer and Simeon (2021), eqs. 66-68. ``a`` its six coefficients; ``rows`` see
`fibermsk.kernels.closest.rows`.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels.closest.polynomial import lowest_point
from fibermsk.kernels.closest.rows import BALL, CENTER, QUINTIC


@body
def distance_quintic(e, x, y, z, power, rows):
    """Coefficients of (c - x) . c' in powers of xi, and the vector from x to the start."""
    p, q, r = power[e, 0, 0] - x, power[e, 0, 1] - y, power[e, 0, 2] - z
    a = (
        p * power[e, 1, 0] + q * power[e, 1, 1] + r * power[e, 1, 2],
        2.0 * (p * power[e, 2, 0] + q * power[e, 2, 1] + r * power[e, 2, 2]) + rows[e, QUINTIC],
        3.0 * (p * power[e, 3, 0] + q * power[e, 3, 1] + r * power[e, 3, 2]) + rows[e, QUINTIC + 1],
        rows[e, QUINTIC + 2],
        rows[e, QUINTIC + 3],
        rows[e, QUINTIC + 4],
    )
    return a, (p, q, r)


@body
def way_to(e, xi, x, y, z, power):
    """Vector from x to the element's point at xi."""
    return (
        power[e, 0, 0] - x
        + xi * (power[e, 1, 0] + xi * (power[e, 2, 0] + xi * power[e, 3, 0])),
        power[e, 0, 1] - y
        + xi * (power[e, 1, 1] + xi * (power[e, 2, 1] + xi * power[e, 3, 1])),
        power[e, 0, 2] - z
        + xi * (power[e, 1, 2] + xi * (power[e, 2, 2] + xi * power[e, 3, 2])),
    )  # fmt: skip


@body
def nearest_on_element(e, x, y, z, power, rows):
    """Parameter in [0, 1] of the element's point nearest to x, and the squared distance."""
    a, _ = distance_quintic(e, x, y, z, power, rows)
    xi = lowest_point(a)
    m = way_to(e, xi, x, y, z, power)
    return xi, m[0] * m[0] + m[1] * m[1] + m[2] * m[2]


@body
def nearest(first, last, candidates, x, y, z, power, rows):
    """Closest element of candidates[first:last], with parameter and distance.

    The distance is infinite if all are NaN.
    """
    best, best_xi, best_d2 = candidates[first], 0.0, math.inf
    for i in range(first, last):
        e = candidates[i]
        # no point of the element is nearer than its bounding ball
        apart = (
            (rows[e, CENTER] - x) ** 2
            + (rows[e, CENTER + 1] - y) ** 2
            + (rows[e, CENTER + 2] - z) ** 2
        )
        if math.sqrt(apart) - rows[e, BALL] > math.sqrt(best_d2):
            continue
        xi, d2 = nearest_on_element(e, x, y, z, power, rows)
        if d2 < best_d2:
            best, best_xi, best_d2 = e, xi, d2
    return best, best_xi, math.sqrt(best_d2)

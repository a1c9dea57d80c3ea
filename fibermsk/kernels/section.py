"""Sections of a fiber: position, tangent and radius at a point of an element."""

from __future__ import annotations

import math

from fibermsk._compile import body, loop_body


@body
def reference_radius(radius_poly, xi):
    """Reference radius from its coefficients in powers of xi."""
    return radius_poly[0] + xi * (
        radius_poly[1] + xi * (radius_poly[2] + xi * (radius_poly[3] + xi * radius_poly[4]))
    )


@loop_body
def section(power, reference, radius_poly, h, xi, x, a1):
    """Fill position and theta-derivative of a centerline point; returns r and |a1|.

    r = r0 sqrt(|A1|/|a1|), eq. 21, with r0 a quartic in xi (radius_poly) and A1 from the reference.
    """
    aa, AA = 0.0, 0.0
    for c in range(3):
        x[c] = power[0, c] + xi * (power[1, c] + xi * (power[2, c] + xi * power[3, c]))
        a1[c] = (power[1, c] + xi * (2.0 * power[2, c] + 3.0 * xi * power[3, c])) / h
        A = (reference[1, c] + xi * (2.0 * reference[2, c] + 3.0 * xi * reference[3, c])) / h
        aa += a1[c] * a1[c]
        AA += A * A
    r0 = reference_radius(radius_poly, xi)
    return r0 * math.sqrt(math.sqrt(AA / aa)), math.sqrt(aa)

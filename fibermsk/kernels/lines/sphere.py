"""Section around a sphere, or past it, in closed form.

The path lies in the plane of the center, o and i, with the unit normal m. ``theta`` angle between
o and i, ``alpha, beta`` angles from each end to its tangent point, ``phi = theta - alpha - beta``
that of the arc: the path touches the sphere if phi > 0. With the free lengths a and b:

    L = a + r phi + b,   dL/do = -t_P,   dL/di = t_Q,
    d2L/do2 = n_P n_P^T / a + (a + r cot theta) / d_o^2 m m^T,   the same in i with Q and b,
    d2L/do di = -r / (d_o d_i sin theta) m m^T.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import (
    ARC,
    DELTA,
    DIRECTION_P,
    FINE,
    INSIDE,
    OPPOSITE,
    PHI,
    POINT_P,
)

_LEAST_SINE = 1e-9
"""Sine of the angle between o and i below which the plane of a wrapped path is unknown."""


@body
def _normal(o, i, m):
    """Fill m (3,) with o x i; returns its norm."""
    m[0] = o[1] * i[2] - o[2] * i[1]
    m[1] = o[2] * i[0] - o[0] * i[2]
    m[2] = o[0] * i[1] - o[1] * i[0]
    return math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])


@body
def sphere_angle(o, i, r, found):
    """Fill phi and delta (theta) of `found`, sphere frame; returns the state."""
    m = scratch(3)
    d_o = math.sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2])
    d_i = math.sqrt(i[0] * i[0] + i[1] * i[1] + i[2] * i[2])
    if not (d_o > r and d_i > r):
        return INSIDE
    size, along = _normal(o, i, m), o[0] * i[0] + o[1] * i[1] + o[2] * i[2]
    theta = math.atan2(size, along)
    found[PHI], found[DELTA] = theta - math.acos(r / d_o) - math.acos(r / d_i), theta
    if along < 0.0 and size < _LEAST_SINE * d_o * d_i:
        return OPPOSITE
    return FINE


@body
def around_sphere(o, i, r, second, g, H, found):
    """Length around a sphere; `found` has phi. Fills g[:6], H[:6, :6] and `found`.

    All in the frame of the sphere.
    """
    m, n, t = scratch(3), scratch((2, 3)), scratch((2, 3))
    size = _normal(o, i, m)
    d_o = math.sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2])
    d_i = math.sqrt(i[0] * i[0] + i[1] * i[1] + i[2] * i[2])
    for k in range(3):
        m[k] /= size
    for k in range(2):
        x, d, way = (o, d_o, 1.0) if k == 0 else (i, d_i, -1.0)
        c, s = r / d, way * math.sqrt((d - r) * (d + r)) / d
        for j in range(3):
            u, v = (j + 1) % 3, (j + 2) % 3
            across = m[u] * x[v] - m[v] * x[u]
            n[k, j] = (c * x[j] + s * across) / d
            t[k, j] = (c * across - s * x[j]) / d
            g[3 * k + j] = -way * t[k, j]
            found[POINT_P + 3 * k + j] = r * n[k, j]
            found[DIRECTION_P + 3 * k + j] = t[k, j]
    a, b = math.sqrt((d_o - r) * (d_o + r)), math.sqrt((d_i - r) * (d_i + r))
    found[ARC] = r * found[PHI]
    if second:
        along = (o[0] * i[0] + o[1] * i[1] + o[2] * i[2]) / (d_o * d_i)
        sine = size / (d_o * d_i)
        out_o, out_i = (a + r * along / sine) / (d_o * d_o), (b + r * along / sine) / (d_i * d_i)
        mixed = -r / (d_o * d_i * sine)
        for j in range(3):
            for k in range(3):
                plane = m[j] * m[k]
                H[j, k] = n[0, j] * n[0, k] / a + out_o * plane
                H[3 + j, 3 + k] = n[1, j] * n[1, k] / b + out_i * plane
                H[j, 3 + k], H[3 + j, k] = mixed * plane, mixed * plane
    return a + found[ARC] + b

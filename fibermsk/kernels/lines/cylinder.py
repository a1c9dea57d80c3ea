"""Section around a cylinder, or past it, in closed form.

In the frame of the cylinder with axis z: ``delta`` angle about the axis from o to i along the path,
any real number; its sign is the side sigma on which the path passes. ``alpha, beta`` angles from
each end to its tangent point, ``phi = |delta| - alpha - beta`` angle of the arc: the path touches
the cylinder if phi > 0. ``a, b`` free lengths in the plane, Lambda = a + r phi + b, h = i_z - o_z:

    L = sqrt(Lambda^2 + h^2),   dLambda/do = -t_P,   dLambda/di = t_Q,
    d2Lambda/do2 = n_P n_P^T / a,   d2Lambda/di2 = n_Q n_Q^T / b.

A path that unwinds past delta = 0 wraps on the other side. A cylinder of finite length is touched
as an infinite one or, see `beyond_ends`, not at all.
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
    PHI,
    POINT_P,
    POINT_Q,
)


@body
def winding(o, i, reference):
    """Angle about the axis from o to i nearest to a reference angle, surface frame."""
    delta = math.atan2(o[0] * i[1] - o[1] * i[0], o[0] * i[0] + o[1] * i[1])
    return delta + 2.0 * math.pi * math.floor((reference - delta) / (2.0 * math.pi) + 0.5)


@body
def cylinder_angle(o, i, r, reference, found):
    """Fill phi and delta of `found`; returns the state."""
    square_o, square_i = o[0] * o[0] + o[1] * o[1], i[0] * i[0] + i[1] * i[1]
    if not (square_o > r * r and square_i > r * r):
        return INSIDE
    delta = winding(o, i, reference)
    alpha, beta = math.acos(r / math.sqrt(square_o)), math.acos(r / math.sqrt(square_i))
    found[PHI], found[DELTA] = abs(delta) - alpha - beta, delta
    return FINE


@body
def beyond_ends(o, i, r, half, found):
    """Whether a path with the angles `found` would touch a cylinder beyond its ends only.

    That is OpenSim's rule, of which lengths depend by millimeters: the heights looked at are not
    those of the tangent points, but of the lines through these along the axis, where they meet the
    plane through o, i and the point of the axis at the height of the line from o to i, divided as
    the distances from the axis; or of o and i, where these are nearer to the other end.
    """
    d_o, d_i = math.sqrt(o[0] * o[0] + o[1] * o[1]), math.sqrt(i[0] * i[0] + i[1] * i[1])
    sigma = 1.0 if found[DELTA] >= 0.0 else -1.0
    rise, turn = i[2] - o[2], o[0] * i[1] - o[1] * i[0]
    middle = o[2] + d_o / (d_o + d_i) * rise
    if not abs(turn) > 1e-12 * d_o * d_i:
        return abs(o[2]) > half and abs(i[2]) > half
    # z = middle + a x + b y
    a = ((o[2] - middle) * i[1] - (i[2] - middle) * o[1]) / turn
    b = ((i[2] - middle) * o[0] - (o[2] - middle) * i[0]) / turn
    outside = True
    for k in range(2):
        x, y, d, end = o[0], o[1], d_o, o[2]
        if k == 1:
            x, y, d, end = i[0], i[1], d_i, i[2]
        c, s = r / d, math.sqrt((d - r) * (d + r)) / d
        s = sigma * s if k == 0 else -sigma * s
        z = middle + r / d * (a * (x * c - y * s) + b * (y * c + x * s))
        other = i[2] if k == 0 else o[2]
        if not abs(z - other) < abs(rise):
            z = end
        outside = outside and abs(z) > half
    return outside


@body
def around_cylinder(o, i, r, second, g, H, found):
    """Length around a cylinder; `found` has phi and delta. Fills g[:6], H[:6, :6] and `found`.

    All in the frame of the cylinder.
    """
    phi, sigma = found[PHI], 1.0 if found[DELTA] >= 0.0 else -1.0
    d_o, d_i = math.sqrt(o[0] * o[0] + o[1] * o[1]), math.sqrt(i[0] * i[0] + i[1] * i[1])
    a, b = math.sqrt((d_o - r) * (d_o + r)), math.sqrt((d_i - r) * (d_i + r))
    Lambda, h = a + r * phi + b, i[2] - o[2]
    L = math.sqrt(Lambda * Lambda + h * h)
    n, t = scratch((2, 3)), scratch((2, 3))
    # the normal at P is that of o turned by sigma alpha, at Q that of i turned back
    c, s = r / d_o, sigma * a / d_o
    n[0, 0], n[0, 1] = (o[0] * c - o[1] * s) / d_o, (o[1] * c + o[0] * s) / d_o
    c, s = r / d_i, -sigma * b / d_i
    n[1, 0], n[1, 1] = (i[0] * c - i[1] * s) / d_i, (i[1] * c + i[0] * s) / d_i
    slope, up = Lambda / L, h / L
    for k in range(2):
        t[k, 0], t[k, 1] = -sigma * n[k, 1], sigma * n[k, 0]
        way = -1.0 if k == 0 else 1.0
        g[3 * k], g[3 * k + 1], g[3 * k + 2] = (
            way * slope * t[k, 0], way * slope * t[k, 1], way * up,
        )  # fmt: skip
        point, direction = POINT_P + 3 * k, DIRECTION_P + 3 * k
        found[point], found[point + 1] = r * n[k, 0], r * n[k, 1]
        found[direction], found[direction + 1] = slope * t[k, 0], slope * t[k, 1]
        found[direction + 2] = up
    found[POINT_P + 2], found[POINT_Q + 2] = o[2] + h * a / Lambda, i[2] - h * b / Lambda
    found[ARC] = r * phi * L / Lambda
    if second:
        # H = (gLambda gLambda^T + Lambda HLambda + gh gh^T - g g^T) / L
        q = scratch((2, 6))
        for k in range(6):
            q[0, k], q[1, k] = 0.0, 0.0
        for r_ in range(2):
            q[0, r_], q[0, 3 + r_] = -t[0, r_], t[1, r_]
        q[1, 2], q[1, 5] = -1.0, 1.0
        for j in range(6):
            for k in range(6):
                H[j, k] = (q[0, j] * q[0, k] + q[1, j] * q[1, k] - g[j] * g[k]) / L
        for j in range(2):
            for k in range(2):
                H[j, k] += slope * n[0, j] * n[0, k] / a
                H[3 + j, 3 + k] += slope * n[1, j] * n[1, k] / b
    return L

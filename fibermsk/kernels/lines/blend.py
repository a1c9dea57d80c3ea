"""Length of a section that is a mean of wrapped and straight while it turns by a small angle.

    L = L_straight + w (L_wrapped - L_straight),  w = 6 u^5 - 15 u^4 + 10 u^3,  u = phi / width

With the planar length Lambda = a + b + r phi of a wrapped section and its free lengths a and b, the
wrap angle phi has the derivatives of (Lambda - a - b) / r.
"""

from __future__ import annotations

import math

from fibermsk._compile import part
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.path_arrays import CYLINDER
from fibermsk.kernels.lines.section import straight


@part
def _take_free(kind, r, x, first, second, g, H):
    """Subtract the free length from point x, of entries `first` on, from g (6,) and H (6, 6)."""
    e, n = scratch(3), 2 if kind == CYLINDER else 3
    square = 0.0
    for k in range(n):
        square += x[k] * x[k]
    d, a = math.sqrt(square), math.sqrt(square - r * r)
    for k in range(n):
        e[k] = x[k] / d
        g[first + k] -= e[k] * d / a
    for k in range(n if second else 0):
        H[first + k, first + k] -= 1.0 / a
        for c in range(n):
            H[first + k, first + c] += (r * r / (a * a * a) + 1.0 / a) * e[k] * e[c]


@part
def _fill_angle(kind, r, o, i, second, L, g, H, p, P):
    """Fill p (6,) and P (6, 6) with derivatives of phi, from those of the wrapped length."""
    h = i[2] - o[2] if kind == CYLINDER else 0.0
    Lambda = math.sqrt(L * L - h * h)
    for k in range(6):
        rise = 0.0 if k % 3 < 2 else h if k == 5 else -h
        p[k] = (L * g[k] - rise) / Lambda if kind == CYLINDER else g[k]
    for k in range(6 if second else 0):
        for c in range(6):
            P[k, c] = H[k, c]
            if kind == CYLINDER:
                both = 0.0 if k % 3 < 2 or c % 3 < 2 else 1.0 if k == c else -1.0
                P[k, c] = (g[k] * g[c] + L * H[k, c] - both - p[k] * p[c]) / Lambda
    _take_free(kind, r, o, 0, second, p, P)
    _take_free(kind, r, i, 3, second, p, P)
    for k in range(6):
        p[k] /= r
        for c in range(6 if second else 0):
            P[k, c] /= r


@part
def blend(kind, r, width, phi, o, i, second, L, g, H):
    """Length of the mean; g[:6] and, if `second`, H[:6, :6] become its derivatives.

    o, i, g and H are in the frame of the surface, and those of the wrapped section of length L.
    """
    if not phi < width or width == 0.0:
        return L
    p, P, q, Q = scratch(6), scratch((6, 6)), scratch(12), scratch((12, 12))
    _fill_angle(kind, r, o, i, second, L, g, H, p, P)
    flat = straight(o, i, second, q, Q)
    u, more = phi / width, L - flat
    w = u * u * u * (10.0 + u * (6.0 * u - 15.0))
    dw = 30.0 * u * u * (1.0 + u * (u - 2.0)) / width
    ddw = 60.0 * u * (1.0 + u * (2.0 * u - 3.0)) / (width * width)
    for k in range(6 if second else 0):
        for c in range(6):
            H[k, c] = Q[k, c] + w * (H[k, c] - Q[k, c])
            H[k, c] += dw * (p[k] * (g[c] - q[c]) + p[c] * (g[k] - q[k]))
            H[k, c] += more * (ddw * p[k] * p[c] + dw * P[k, c])
    for k in range(6):
        g[k] = q[k] + w * (g[k] - q[k]) + dw * more * p[k]
    return flat + w * more

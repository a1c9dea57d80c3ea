"""One section of a path between two points, straight or around a surface that it does not touch.

Symbols: ``o, i`` ends of a section, ground frame; ``z = (o, i, xi)`` (12,) with the twist
xi = (v, w) of the surface, which moves its points by exp(xi): dx = v + w x x to first order.
``g`` gradient and ``H`` Hessian of the length L in z; those in (o, i) alone are ``g[:6]`` and
``H[:6, :6]``.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch

FINE, INSIDE, OPPOSITE, COINCIDENT = 0, 1, 2, 3
"""State of a section: solved; an end inside a surface; ends on opposite sides of a sphere's center;
ends at the same place."""
CHAIN = -2
"""In the place of a surface: the section is solved by `fibermsk.kernels.lines.chained`."""
NETWORK = -3
"""In the place of a surface: solved by `fibermsk.kernels.lines.material.network_paths`."""
UNSOLVED = -1
"""In the place of whether a surface is touched: not solved yet."""

FOUND = 16
"""Columns of what is known of a wrap: angle phi, winding angle delta, tangent points P and Q and
directions t_P and t_Q (ground frame), length of the arc, state."""
PHI, DELTA, POINT_P, POINT_Q, DIRECTION_P, DIRECTION_Q, ARC, STATE = 0, 1, 2, 5, 8, 11, 14, 15


@body
def straight(o, i, second, g, H):
    """Length of a straight line; fills g (12,) and, if `second`, H (12, 12)."""
    g[:] = 0.0
    if second:
        H[:] = 0.0
    x, y, z = i[0] - o[0], i[1] - o[1], i[2] - o[2]
    L = math.sqrt(x * x + y * y + z * z)
    if L == 0.0:
        return L
    e = scratch(3)
    e[0], e[1], e[2] = x / L, y / L, z / L
    for r in range(3):
        g[r], g[3 + r] = -e[r], e[r]
        if second:
            for c in range(3):
                value = ((1.0 if r == c else 0.0) - e[r] * e[c]) / L
                H[r, c], H[3 + r, 3 + c] = value, value
                H[r, 3 + c], H[3 + r, c] = -value, -value
    return L


@body
def turn_derivatives(R, second, g, H):
    """Turn g[:6] and, if `second`, H[:6, :6] from the frame of a surface to the ground."""
    a, B = scratch(3), scratch((3, 3))
    for p in range(2):
        for r in range(3):
            a[r] = R[r, 0] * g[3 * p] + R[r, 1] * g[3 * p + 1] + R[r, 2] * g[3 * p + 2]
        for r in range(3):
            g[3 * p + r] = a[r]
        for q in range(2 if second else 0):
            for r in range(3):
                for c in range(3):
                    B[r, c] = 0.0
                    for s in range(3):
                        B[r, c] += R[r, s] * H[3 * p + s, 3 * q + c]
            for r in range(3):
                for c in range(3):
                    total = 0.0
                    for s in range(3):
                        total += B[r, s] * R[c, s]
                    H[3 * p + r, 3 * q + c] = total


@body
def add_twist(o, i, second, g, H):
    """Fill the part of g (12,) and, if `second`, of H (12, 12) of the twist of the surface.

    A length in the frame of a surface depends on exp(-xi) o and exp(-xi) i, with
    exp(-xi) x = x - (v + w x x) + 1/2 w x (v + w x x) to second order.
    """
    for r in range(3):
        u, v = (r + 1) % 3, (r + 2) % 3
        g[6 + r] = -g[r] - g[3 + r]
        # g.(-w x x) = w.(g x x)
        g[9 + r] = g[u] * o[v] - g[v] * o[u] + g[3 + u] * i[v] - g[3 + v] * i[u]
    if not second:
        return
    x, D = scratch(3), scratch((6, 6))
    for p in range(2):
        for r in range(3):
            x[r] = o[r] if p == 0 else i[r]
            for c in range(6):
                D[3 * p + r, c] = 0.0
            D[3 * p + r, r] = -1.0
        # -(w x x) = x x w
        D[3 * p, 4], D[3 * p, 5] = -x[2], x[1]
        D[3 * p + 1, 3], D[3 * p + 1, 5] = x[2], -x[0]
        D[3 * p + 2, 3], D[3 * p + 2, 4] = -x[1], x[0]
    for r in range(6):
        for k in range(6):
            total = 0.0
            for s in range(6):
                total += H[r, s] * D[s, k]
            H[r, 6 + k] = total
    for k in range(6):
        for j in range(6):
            total = 0.0
            for r in range(6):
                total += D[r, k] * H[r, 6 + j]
            H[6 + k, 6 + j] = total
    for p in range(2):
        a = g[3 * p : 3 * p + 3]
        for r in range(3):
            x[r] = o[r] if p == 0 else i[r]
        # of g.(exp(-xi) x): -g.(w x dx) = -dx.(g x w), and 1/2 g.(w x (v + w x x))
        H[3 * p, 10] += a[2]
        H[3 * p, 11] -= a[1]
        H[3 * p + 1, 9] -= a[2]
        H[3 * p + 1, 11] += a[0]
        H[3 * p + 2, 9] += a[1]
        H[3 * p + 2, 10] -= a[0]
        # 1/2 g.(w x v) = 1/2 v.(g x w)
        for r in range(3):
            u, w = (r + 1) % 3, (r + 2) % 3
            H[6 + r, 9 + w] += 0.5 * a[u]
            H[9 + w, 6 + r] += 0.5 * a[u]
            H[6 + r, 9 + u] -= 0.5 * a[w]
            H[9 + u, 6 + r] -= 0.5 * a[w]
        # 1/2 g.(w x (w x x)) = 1/2 ((g.w)(w.x) - (g.x) |w|^2)
        along = a[0] * x[0] + a[1] * x[1] + a[2] * x[2]
        for r in range(3):
            for c in range(3):
                H[9 + r, 9 + c] += 0.5 * (a[r] * x[c] + a[c] * x[r])
            H[9 + r, 9 + r] -= along
    for r in range(6):
        for k in range(6):
            H[6 + k, r] = H[r, 6 + k]


@body
def to_local(R, p, x, out):
    """Fill out (3,) with R^T (x - p)."""
    for r in range(3):
        out[r] = 0.0
        for c in range(3):
            out[r] += R[c, r] * (x[c] - p[c])


@body
def to_ground(R, p, x, out):
    """Fill out (3,) with R x + p."""
    for r in range(3):
        out[r] = p[r] + R[r, 0] * x[0] + R[r, 1] * x[1] + R[r, 2] * x[2]

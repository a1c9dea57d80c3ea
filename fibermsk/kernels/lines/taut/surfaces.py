"""Smooth surfaces as level sets F(x) = 0, F < 0 inside, each in its own frame.

``kind`` is one of the constants below and ``size`` (3,) holds the radii [m]. With the gradient g
and the Hessian H of F, the outward normal is n = g/|g|, the normal curvature toward the body
h(u, v) = u.H v/|g|, positive where the surface is convex, and the Gauss curvature
K = g.adj(H) g/|g|^4. Level sets have no poles, unlike charts (u, v).
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch

CYLINDER, SPHERE, ELLIPSOID, TORUS, OWN = 0, 1, 2, 3, 5
"""With size (3,) [m]: cylinder about z and sphere, three times the radius; ellipsoid, half axes;
torus about z, radius of the tube, of its center circle, of the tube; from OWN on, numbers of the
user's surfaces, with what their levels take."""


@body
def own_level(kind, size, x, g, H):
    """Level F of a user's surface; fills its gradient g (3,) and Hessian H (3, 3).

    It is replaced, see `fibermsk.kernels.lines.taut.own_surface`; this one has no surface.
    """
    for r in range(3):
        g[r] = math.nan
        for c in range(3):
            H[r, c] = math.nan
    return math.nan


@body
def level(kind, size, x, g, H):
    """Level F(x); fills its gradient g (3,) and its Hessian H (3, 3)."""
    if kind >= OWN:
        return own_level(kind, size, x, g, H)
    for r in range(3):
        for c in range(3):
            H[r, c] = 0.0
    if kind == ELLIPSOID:
        total = -1.0
        for r in range(3):
            a = 1.0 / (size[r] * size[r])
            g[r], H[r, r] = 2.0 * a * x[r], 2.0 * a
            total += a * x[r] * x[r]
        return total
    if kind == TORUS:
        rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
        # on the axis the level has a cusp; any direction is a slope of it
        ex, ey = (x[0] / rho, x[1] / rho) if rho > 0.0 else (1.0, 0.0)
        away = rho - size[1]
        around = away / rho if rho > 0.0 else 0.0
        g[0], g[1], g[2] = 2.0 * away * ex, 2.0 * away * ey, 2.0 * x[2]
        H[0, 0] = 2.0 * (around * ey * ey + ex * ex)
        H[1, 1] = 2.0 * (around * ex * ex + ey * ey)
        H[0, 1] = 2.0 * (1.0 - around) * ex * ey
        H[1, 0], H[2, 2] = H[0, 1], 2.0
        return away * away + x[2] * x[2] - size[0] * size[0]
    n = 2 if kind == CYLINDER else 3
    total = -size[0] * size[0]
    for r in range(3):
        g[r] = 0.0
    for r in range(n):
        g[r], H[r, r] = 2.0 * x[r], 2.0
        total += x[r] * x[r]
    return total


@body
def curvature(H, g, u, v):
    """Normal curvature h(u, v) = u.H v/|g| [1/m] of two tangent directions."""
    total = 0.0
    for r in range(3):
        for c in range(3):
            total += u[r] * H[r, c] * v[c]
    return total / math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])


@body
def gauss_curvature(H, g):
    """Gauss curvature K [1/m^2]."""
    a = H[1, 1] * H[2, 2] - H[1, 2] * H[1, 2]
    b = H[0, 0] * H[2, 2] - H[0, 2] * H[0, 2]
    c = H[0, 0] * H[1, 1] - H[0, 1] * H[0, 1]
    d = H[0, 2] * H[1, 2] - H[0, 1] * H[2, 2]
    e = H[0, 1] * H[1, 2] - H[0, 2] * H[1, 1]
    f = H[0, 1] * H[0, 2] - H[0, 0] * H[1, 2]
    square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2]
    total = a * g[0] * g[0] + b * g[1] * g[1] + c * g[2] * g[2]
    total += 2.0 * (d * g[0] * g[1] + e * g[0] * g[2] + f * g[1] * g[2])
    return total / (square * square)


@body
def most_curved(kind, size, x, length):
    """Upper bound of the Gauss curvature [1/m^2] within an arc length of x; infinite if unknown.

    K of an ellipsoid is 1/(a b c S)^2, and S = sum of u_r^2/a_r^2 with u_r = x_r/a_r, whose squares
    add up to 1, is least where u lies along the longest axis, of which an arc covers length/c.
    """
    if kind == CYLINDER:
        return 0.0
    if kind == SPHERE:
        return 1.0 / (size[0] * size[0])
    if kind != ELLIPSOID:
        return math.inf
    longest = 0
    for r in range(1, 3):
        if size[r] > size[longest]:
            longest = r
    c, middle = size[longest], 0.0
    for r in range(3):
        if r != longest:
            middle = max(middle, size[r])
    u = min(1.0, (abs(x[longest]) + length) / c)
    S = u * u / (c * c) + (1.0 - u * u) / (middle * middle)
    root = 1.0 / (size[0] * size[1] * size[2] * S)
    return root * root


@body
def reach(kind, size):
    """Largest distance of a surface from its origin [m]; infinite if unknown."""
    if kind == CYLINDER or kind >= OWN:
        return math.inf
    return size[0] + size[1] if kind == TORUS else max(size[0], max(size[1], size[2]))


@body
def _difference_step(g, H):
    """Step [m] of the differences along a unit vector: a thousandth of a radius of curvature."""
    square = bend = 0.0
    for r in range(3):
        square += g[r] * g[r]
        for c in range(3):
            bend += H[r, c] * H[r, c]
    return 1e-3 * math.sqrt(square / bend)


@body
def fill_third(kind, size, x, v, out):
    """Fill out (3,) with D^3 F[v, v, .], the change of H v along v.

    Of a user's surface, which gives no third derivatives, by differences of fourth order of its
    Hessian: relative error about 1e-12.
    """
    out[0] = out[1] = out[2] = 0.0
    if kind == TORUS:
        rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
        ex, ey = x[0] / rho, x[1] / rho
        along, aside = ex * v[0] + ey * v[1], ex * v[1] - ey * v[0]
        weight = 2.0 * size[1] / (rho * rho)
        out[0] = weight * (aside * aside * ex - 2.0 * along * aside * ey)
        out[1] = weight * (aside * aside * ey + 2.0 * along * aside * ex)
    elif kind >= OWN:
        g, H, there = scratch(3), scratch((3, 3)), scratch(3)
        length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if not length > 0.0:
            return
        level(kind, size, x, g, H)
        h = _difference_step(g, H) / length
        for j in (-2, -1, 1, 2):
            weight = (8.0 if abs(j) == 1 else -1.0) * math.copysign(1.0, j) / (12.0 * h)
            for r in range(3):
                there[r] = x[r] + j * h * v[r]
            level(kind, size, there, g, H)
            for r in range(3):
                for c in range(3):
                    out[r] += weight * H[r, c] * v[c]


@body
def gauss_slope(kind, size, x, v):
    """Derivative of the Gauss curvature along a unit tangent v [1/m^3]; see `fill_third`."""
    if kind == ELLIPSOID:
        total, change, product = 0.0, 0.0, 1.0
        for r in range(3):
            square = size[r] * size[r]
            total += x[r] * x[r] / (square * square)
            change += x[r] * v[r] / (square * square)
            product *= square
        return -4.0 * change / (product * total * total * total)
    if kind == TORUS:
        square = x[0] * x[0] + x[1] * x[1]
        along = (x[0] * v[0] + x[1] * v[1]) / math.sqrt(square)
        return size[1] * along / (size[0] * size[0] * square)
    if kind < OWN:
        return 0.0
    g, H, there, slope = scratch(3), scratch((3, 3)), scratch(3), 0.0
    level(kind, size, x, g, H)
    h = _difference_step(g, H)
    for j in (-2, -1, 1, 2):
        weight = (8.0 if abs(j) == 1 else -1.0) * math.copysign(1.0, j) / (12.0 * h)
        for r in range(3):
            there[r] = x[r] + j * h * v[r]
        level(kind, size, there, g, H)
        slope += weight * gauss_curvature(H, g)
    return slope


@body
def settle(kind, size, x, g, H):
    """Move x (3,) onto the surface along the gradient; False if that fails.

    g and H are filled there.
    """
    for _ in range(60):
        F = level(kind, size, x, g, H)
        square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2]
        if not square > 0.0:
            return False
        step = F / square
        for r in range(3):
            x[r] -= step * g[r]
        if abs(step) * math.sqrt(square) <= 1e-15 * (abs(x[0]) + abs(x[1]) + abs(x[2])):
            level(kind, size, x, g, H)
            return True
    return abs(F) <= 1e-12 * square * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) ** 0.5

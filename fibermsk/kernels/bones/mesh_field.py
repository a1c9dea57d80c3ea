"""Signed distance interpolated on a regular grid: value, gradient and Hessian.

Symbols: ``phi`` the field, a sum of tricubic B-splines over a grid of ``spacing`` h, so that it has
continuous second derivatives; ``u`` coordinates in cells, from 0 to the number of cells along each
axis. Evaluation uses the 4 x 4 x 4 coefficients around a point, independent of the number of
triangles.

Beyond the grid, phi is extended by its value at the closest point of the grid's box plus half the
distance to that point: continuous, and never in contact.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch

BEYOND = 0.5
"""Slope of the field outside the grid's box."""


@body
def _locate(x, origin, spacing, size, cell, part, beyond):
    """Fill cell and local coordinates (3,) of the closest point in the box; return its distance.

    origin: node of the first coefficient, one cell before the box.
    """
    off = 0.0
    for c in range(3):
        u = (x[c] - origin[c]) / spacing - 1.0
        last = size[c] - 3.0
        inside = u if u > 0.0 else 0.0  # also if u is NaN
        inside = min(inside, last)
        beyond[c] = (u - inside) * spacing
        off += beyond[c] * beyond[c]
        i = min(math.floor(inside), last - 1.0)
        cell[c] = i
        part[c] = inside - i
    return math.sqrt(off)


@body
def _weights(t):
    """Cubic B-splines of the four coefficients around a point in a cell."""
    s = 1.0 - t
    return (
        s * s * s / 6.0,
        (4.0 + 3.0 * t * t * (t - 2.0)) / 6.0,
        (4.0 + 3.0 * s * s * (s - 2.0)) / 6.0,
        t * t * t / 6.0,
    )


@body
def _fill_weights(t, w):
    """Weights w (3, 4) of the value and of its first two derivatives in cells."""
    s = 1.0 - t
    w[0, 0], w[0, 1], w[0, 2], w[0, 3] = _weights(t)
    w[1, 0], w[1, 3] = -0.5 * s * s, 0.5 * t * t
    w[1, 1], w[1, 2] = t * (1.5 * t - 2.0), -s * (1.5 * s - 2.0)
    w[2, 0], w[2, 1], w[2, 2], w[2, 3] = s, 3.0 * t - 2.0, 3.0 * s - 2.0, t


@body
def field_value(x, origin, spacing, size, at, coefficients):
    """Value of phi at a point (3,) of the grid's frame; its coefficients begin at `at`."""
    cell, part, beyond = scratch(3), scratch(3), scratch(3)
    off = _locate(x, origin, spacing, size, cell, part, beyond)
    wx, wy, wz = _weights(part[0]), _weights(part[1]), _weights(part[2])
    ny, nz = size[1], size[2]
    base = at + (int(cell[0]) * ny + int(cell[1])) * nz + int(cell[2])
    total = 0.0
    for i in range(4):
        plane = 0.0
        for j in range(4):
            k = base + (i * ny + j) * nz
            plane += wy[j] * (
                wz[0] * coefficients[k]
                + wz[1] * coefficients[k + 1]
                + wz[2] * coefficients[k + 2]
                + wz[3] * coefficients[k + 3]
            )
        total += wx[i] * plane
    return total + BEYOND * off


@body
def _contract(base, ny, nz, w, coefficients, sums):
    """Fill sums (10,): value, gradient and Hessian (xx, yy, zz, xy, xz, yz) in cells."""
    for m in range(10):
        sums[m] = 0.0
    for i in range(4):
        s00, s10, s20, s01, s11, s02 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(4):
            k = base + (i * ny + j) * nz
            a, b, c, d = (
                coefficients[k], coefficients[k + 1], coefficients[k + 2], coefficients[k + 3],
            )  # fmt: skip
            z0 = w[2, 0, 0] * a + w[2, 0, 1] * b + w[2, 0, 2] * c + w[2, 0, 3] * d
            z1 = w[2, 1, 0] * a + w[2, 1, 1] * b + w[2, 1, 2] * c + w[2, 1, 3] * d
            z2 = w[2, 2, 0] * a + w[2, 2, 1] * b + w[2, 2, 2] * c + w[2, 2, 3] * d
            s00 += w[1, 0, j] * z0
            s10 += w[1, 1, j] * z0
            s20 += w[1, 2, j] * z0
            s01 += w[1, 0, j] * z1
            s11 += w[1, 1, j] * z1
            s02 += w[1, 0, j] * z2
        v, p, q = w[0, 0, i], w[0, 1, i], w[0, 2, i]
        sums[0] += v * s00
        sums[1] += p * s00
        sums[2] += v * s10
        sums[3] += v * s01
        sums[4] += q * s00
        sums[5] += v * s20
        sums[6] += v * s02
        sums[7] += p * s10
        sums[8] += p * s01
        sums[9] += v * s11


@body
def field_slopes(x, origin, spacing, size, at, coefficients, gradient, hessian):
    """Value of phi as `field_value`; fills its gradient (3,) and Hessian (3, 3)."""
    cell, part, beyond = scratch(3), scratch(3), scratch(3)
    w, sums = scratch((3, 3, 4)), scratch(10)
    off = _locate(x, origin, spacing, size, cell, part, beyond)
    for c in range(3):
        _fill_weights(part[c], w[c])
    ny, nz = size[1], size[2]
    base = at + (int(cell[0]) * ny + int(cell[1])) * nz + int(cell[2])
    _contract(base, ny, nz, w, coefficients, sums)
    inverse = 1.0 / spacing
    for c in range(3):
        # constant along an axis on which the point lies beyond the box
        first = 0.0 if beyond[c] != 0.0 else inverse
        gradient[c] = sums[1 + c] * first
        hessian[c, c] = sums[4 + c] * first * inverse
        for k in range(c):
            second = 0.0 if beyond[k] != 0.0 else first
            hessian[c, k] = hessian[k, c] = sums[6 + c + k] * second * inverse
    if off > 0.0:
        for c in range(3):
            n = beyond[c] / off
            gradient[c] += BEYOND * n
            for k in range(3):
                if beyond[c] != 0.0 and beyond[k] != 0.0:
                    turn = -n * beyond[k] / off
                    if c == k:
                        turn += 1.0
                    hessian[c, k] += BEYOND * turn / off
    return sums[0] + BEYOND * off

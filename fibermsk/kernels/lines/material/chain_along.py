"""Points along a taut chain with first and second derivatives along a motion.

Symbols as in `fibermsk.kernels.lines.taut.chain`; the rates
u = (alpha, beta, theta, delta) of the unknowns of a surface change at the rates ``change``. In its
frame, the geodesic at the arc length sigma from the foot, with y = c beta + d theta, moves by

    x_dot = U t + Y b,   U = alpha + sigma_dot,   Y = y,   t_dot.b = y'.

y'' + K y = 0 holds at every time, so that at fixed sigma y changes by c beta_dot + d theta_dot + z,

    z'' + K z = -K_dot y,   K_dot = alpha K' + y K_b,   z = z' = 0 at the foot:
    z = alpha (y' - theta c + K_0 beta d) + w,   w'' + K w = -K_b y^2,

with w from c, d and integrals. The matrix of the tangent points, the same for rates and their
changes, is that of `fibermsk.kernels.lines.taut.newton`.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.lines.material.relative import (
    into_surface,
    norm,
    out_of_surface,
    store,
    triple,
)
from fibermsk.kernels.lines.material.triples import constant, minus, over, plus, times
from fibermsk.kernels.lines.taut.chain import (
    _dot,
    eliminate,
    fill_frames,
    fill_lines,
    fill_moves,
    fill_swings,
    fill_system,
)
from fibermsk.kernels.lines.taut.geodesic import ACCURACY, advance, geodesic
from fibermsk.kernels.lines.taut.surfaces import (
    SPHERE,
    fill_third,
    gauss_curvature,
    gauss_slope,
    level,
)
from fibermsk.kernels.skeleton.rigid import add_cross, cross, matvec

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@kernel
def _second_field(kind, size, foot, length, beta, theta):
    """w and w' at an arc length, by Gauss points on pieces of a radius of curvature."""
    y, g, H = np.empty(10), np.empty(3), np.empty((3, 3))
    n, b = np.empty(3), np.empty(3)
    geodesic(kind, size, foot[:3], foot[3:6], 0.0, ACCURACY, y)
    by_c, by_d, done = 0.0, 0.0, 0.0
    while done < length:
        level(kind, size, y, g, H)
        piece = min(length - done, math.sqrt(_dot(g, g) / (H * H).sum()))
        at = 0.0
        for k in range(_POINTS.size):
            here = 0.5 * (1.0 + _POINTS[k]) * piece
            advance(kind, size, y, here - at)
            at = here
            level(kind, size, y, g, H)
            for r in range(3):
                n[r] = g[r] / math.sqrt(_dot(g, g))
            cross(n, y[3:6], b)
            aside = beta * y[6] + theta * y[8]
            weight = 0.5 * piece * _WEIGHTS[k] * gauss_slope(kind, size, y[:3], b) * aside * aside
            by_c += weight * y[6]
            by_d += weight * y[8]
        advance(kind, size, y, piece - at)
        done += piece
        if not math.isfinite(y[0]):
            break
    return y[6] * by_d - y[8] * by_c, y[7] * by_d - y[9] * by_c


@kernel
def _fill_tip(kind, size, foot, u, change, sigma, x, n, b):
    """Fill triples (3, 3) of point, normal and b at the arc length sigma (a jet), surface frame."""
    y, g, H = np.empty(10), np.empty(3), np.empty((3, 3))
    alpha, beta, theta = u[0], u[1], u[2]
    level(kind, size, foot, g, H)
    K_0 = gauss_curvature(H, g)
    geodesic(kind, size, foot[:3], foot[3:6], sigma[0], ACCURACY, y)
    level(kind, size, y, g, H)
    K, size_g = gauss_curvature(H, g), math.sqrt(_dot(g, g))
    w, dw = 0.0, 0.0
    if kind > SPHERE:
        w, dw = _second_field(kind, size, foot, sigma[0], beta, theta)
    aside, turn = beta * y[6] + theta * y[8], beta * y[7] + theta * y[9]
    along, along_rate = alpha + sigma[1], change[0] + sigma[2]
    first, second = alpha * theta, alpha * beta * K_0
    aside_rate = alpha * turn - first * y[6] + second * y[8] + w
    aside_rate += change[1] * y[6] + change[2] * y[8] + sigma[1] * turn
    turn_rate = -alpha * K * aside - first * y[7] + second * y[9] + dw
    turn_rate += change[1] * y[7] + change[2] * y[9] - sigma[1] * K * aside
    t, t1, t2, v = y[3:6], np.empty(3), np.empty(3), np.empty(3)
    g1, g2, n0, n1, n2 = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    b0, b1, b2, third = np.empty(3), np.zeros(3), np.zeros(3), np.empty(3)
    for r in range(3):
        n0[r] = g[r] / size_g
    cross(n0, t, b0)
    for r in range(3):
        v[r] = along * t[r] + aside * b0[r]
    # the normal g/|g|, by the derivatives of g and |g|
    matvec(H, v, g1)
    norm1 = _dot(n0, g1)
    for r in range(3):
        n1[r] = (g1[r] - norm1 * n0[r]) / size_g
    fall = _dot(n1, t)
    for r in range(3):
        t1[r] = turn * b0[r] - fall * n0[r]
    add_cross(1.0, n1, t, b1)
    add_cross(1.0, n0, t1, b1)
    for r in range(3):
        x[r, 0], x[r, 1] = y[r], v[r]
        x[r, 2] = along_rate * t[r] + along * t1[r] + aside_rate * b0[r] + aside * b1[r]
    matvec(H, x[:, 2].copy(), g2)
    fill_third(kind, size, y[:3], v, third)
    for r in range(3):
        g2[r] += third[r]
    norm2 = _dot(n0, g2) + _dot(n1, g1)
    for r in range(3):
        n2[r] = (g2[r] - norm2 * n0[r] - 2.0 * norm1 * n1[r]) / size_g
    fall_rate = _dot(n2, t) + _dot(n1, t1)
    for r in range(3):
        t2[r] = turn_rate * b0[r] + turn * b1[r] - fall_rate * n0[r] - fall * n1[r]
    add_cross(1.0, n2, t, b2)
    add_cross(2.0, n1, t1, b2)
    add_cross(1.0, n0, t2, b2)
    for r in range(3):
        n[r, 0], n[r, 1], n[r, 2] = n0[r], n1[r], n2[r]
        b[r, 0], b[r, 1], b[r, 2] = b0[r], b1[r], b2[r]


@kernel
def _arc(foot, u, change):
    """Triple of the length of an arc."""
    return (foot[6], u[3] - u[0], change[3] - change[0])


@kernel
def _difference(a, b, out):
    """Fill out (3, 3) with b - a."""
    for r in range(3):
        for k in range(3):
            out[r, k] = b[r, k] - a[r, k]


@kernel
def _product(a, b):
    """Triple of the inner product of two vectors (3, 3)."""
    total = constant(0.0)
    for r in range(3):
        total = plus(total, times(triple(a, r), triple(b, r)))
    return total


@kernel
def _fill_ends(kind, size, R, p, V, A, foot, u, change, ends, residual):
    """Fill triples of P and Q of all surfaces, ends[1:-1] (2 m, 3, 3), ground frame.

    residual (4 m,) becomes its second derivative; value and first derivative are zero.
    """
    m = kind.size
    tip = np.empty((m, 2, 3, 3, 3))  # point, n, b
    other, line = np.empty((3, 3)), np.empty((3, 3))
    for k in range(m):
        for j in range(2):
            sigma = constant(0.0) if j == 0 else _arc(foot[k], u[k], change[k])
            x, n, b = tip[k, j, 0], tip[k, j, 1], tip[k, j, 2]
            _fill_tip(kind[k], size[k], foot[k], u[k], change[k], sigma, x, n, b)
            out_of_surface(R[k], p[k], V[k], A[k], x, ends[2 * k + 1 + j])
    for k in range(m):
        for j in range(2):
            x, n, b = tip[k, j, 0], tip[k, j, 1], tip[k, j, 2]
            into_surface(R[k], p[k], V[k], A[k], ends[2 * k + 3 * j], other)
            _difference(x, other, line)
            length = math.sqrt(_product(line, line)[0])
            sign = 2.0 * j - 1.0
            residual[4 * k + 2 * j] = sign * _product(n, line)[2] / length
            residual[4 * k + 2 * j + 1] = sign * _product(b, line)[2] / length


@kernel
def fill_motion(kind, size, R, p, V, A, foot, u, change, ends):
    """Fill rates u (m, 4), their changes (m, 4) and the tangent points; the jet of the length.

    V, A (m, 6): twist and spatial acceleration of the surfaces, angular part first; ends
    (2 m + 2, 3, 3): jets of o, P_1, Q_1 .. i, of which those of o and i are given, ground frame.
    NaN if the chain is at a branch point.
    """
    m = kind.size
    width = 10 * m + 6
    frame, bend, field = np.empty((m, 2, 4, 3)), np.empty((m, 2, 3)), np.empty((m, 4))
    line, residual = np.empty((m + 1, 4)), np.empty(4 * m)
    move, swing = np.empty((m, 2, 4, 10, 3)), np.empty((m + 1, width, 3))
    E, system = np.empty((4 * m, width)), np.empty((4 * m, 4 * m + 1))
    fill_frames(kind, size, R, p, foot, ACCURACY, frame, bend, field)
    fill_lines(ends[0, :, 0], ends[2 * m + 1, :, 0], frame, line)
    fill_moves(frame, bend, field, move)
    fill_swings(line, move, swing)
    fill_system(frame, line, move, swing, E)
    for order in range(2 if m else 0):
        for row in range(4 * m):
            for column in range(4 * m):
                system[row, column] = E[row, column]
            value = 0.0
            if order == 0:
                for r in range(3):
                    value += E[row, 4 * m + r] * ends[0, r, 1]
                    value += E[row, 4 * m + 3 + r] * ends[2 * m + 1, r, 1]
                for k in range(m):
                    for r in range(3):
                        value += E[row, 4 * m + 6 + 6 * k + r] * V[k, 3 + r]
                        value += E[row, 4 * m + 9 + 6 * k + r] * V[k, r]
            else:
                value = residual[row]
            system[row, 4 * m] = -value
        solved = eliminate(system, 4 * m)
        for k in range(m):
            for j in range(4):
                value = system[4 * k + j, 4 * m] if solved else math.nan
                if order == 0:
                    u[k, j], change[k, j] = value, 0.0
                else:
                    change[k, j] = value
        _fill_ends(kind, size, R, p, V, A, foot, u, change, ends, residual)
    total, step = constant(0.0), np.empty((3, 3))
    for k in range(m + 1):
        _difference(ends[2 * k], ends[2 * k + 1], step)
        total = plus(total, norm(triple(step, 0), triple(step, 1), triple(step, 2)))
        if k < m:
            total = plus(total, _arc(foot[k], u[k], change[k]))
    return total


@kernel
def fill_moved(kind, size, R, p, V, A, foot, u, change, ends, run, out):
    """Fill out (n, 3, 3) with the points at the arc lengths run (n, 3), jets from o on.

    u, change and ends are those of `fill_motion`. At a tangent point the derivatives are those
    before it.
    """
    m = kind.size
    x, n, b = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    step = np.empty((3, 3))
    for at in range(run.shape[0]):
        rest = triple(run, at)
        for k in range(m + 1):
            _difference(ends[2 * k], ends[2 * k + 1], step)
            length = norm(triple(step, 0), triple(step, 1), triple(step, 2))
            if k == m or rest[0] <= length[0]:
                share = over(rest, length)
                for r in range(3):
                    moved = plus(triple(ends[2 * k], r), times(share, triple(step, r)))
                    store(out[at], r, moved)
                break
            rest = minus(rest, length)
            arc = _arc(foot[k], u[k], change[k])
            if rest[0] <= arc[0]:
                _fill_tip(kind[k], size[k], foot[k], u[k], change[k], rest, x, n, b)
                out_of_surface(R[k], p[k], V[k], A[k], x, out[at])
                break
            rest = minus(rest, arc)

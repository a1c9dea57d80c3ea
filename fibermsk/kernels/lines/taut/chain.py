"""Taut chain over several surfaces: tangent points, length, gradient and Hessian.

A section runs from o over m surfaces to i, all given in the ground frame:

    o = B_0 -line 0- P_1 ~arc~ Q_1 -line 1- P_2 ~arc~ Q_2 ... Q_m -line m- i

Line k has the direction e_k and the length l_k. A tangent point has the frame t (along the path), n
(outward), b = n x t. The unknowns of a surface are its foot point P, the direction t there and the
arc length s, stored as ``foot`` (7,) in its frame; they change by u = (alpha, beta, theta, delta):
P by alpha t + beta b, the direction by theta, Q by delta t + (c beta + d theta) b, with the Jacobi
fields c and d. The residual of a surface, in and out being the lines before and after, is

    (n_P.e_in, b_P.e_in, n_Q.e_out, b_Q.e_out) = 0

(section 3 of Munoz-Pepi et al. 2023, made square). A chain couples neighbors only: the matrix is
block-tridiagonal. The same matrix gives the derivatives in z = (o, i, xi_1 .. xi_m), where the
twist xi = (v, w) moves a surface by dx = v + w x x. The arc length may be negative: the solution
continues smoothly through lift-off, at s = 0.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.taut.geodesic import geodesic
from fibermsk.kernels.lines.taut.surfaces import curvature, level, settle
from fibermsk.kernels.skeleton.rigid import cross, matvec

UNKNOWNS, LOCAL = 4, 10
"""Columns that move a tangent point: unknowns of its surface, and with the twist of that."""


@body
def _fill_frame(kind, size, R, p, x, t, frame, bend):
    """Fill frame (4, 3): point, t, n, b in the ground; bend (3,): h_tt, h_tb, h_bb.

    x and t are in the frame of the surface.
    """
    g, H, n, b = scratch(3), scratch((3, 3)), scratch(3), scratch(3)
    level(kind, size, x, g, H)
    norm = math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    for r in range(3):
        n[r] = g[r] / norm
    cross(n, t, b)
    bend[0], bend[1], bend[2] = (
        curvature(H, g, t, t), curvature(H, g, t, b), curvature(H, g, b, b),
    )  # fmt: skip
    matvec(R, x, frame[0])
    for r in range(3):
        frame[0, r] += p[r]
    matvec(R, t, frame[1])
    matvec(R, n, frame[2])
    matvec(R, b, frame[3])


@body
def fill_frames(kind, size, R, p, foot, accuracy, frame, bend, field):
    """Fill frames and curvatures of the tangent points of all surfaces.

    frame (m, 2, 4, 3): of P and Q; bend (m, 2, 3); field (m, 4): c, c', d, d' at Q. The accuracy is
    that of `fibermsk.kernels.lines.taut.geodesic.integrate`.
    """
    y = scratch(10)
    for k in range(kind.size):
        x, t = foot[k, :3], foot[k, 3:6]
        _fill_frame(kind[k], size[k], R[k], p[k], x, t, frame[k, 0], bend[k, 0])
        geodesic(kind[k], size[k], x, t, foot[k, 6], accuracy, y)
        _fill_frame(kind[k], size[k], R[k], p[k], y[:3], y[3:6], frame[k, 1], bend[k, 1])
        for j in range(4):
            field[k, j] = y[6 + j]


@body
def fill_lines(o, i, frame, line):
    """Fill line (m + 1, 4): directions and lengths of the free lines."""
    m = frame.shape[0]
    for k in range(m + 1):
        total = 0.0
        for r in range(3):
            start = o[r] if k == 0 else frame[k - 1, 1, 0, r]
            end = i[r] if k == m else frame[k, 0, 0, r]
            line[k, r] = end - start
            total += line[k, r] * line[k, r]
        line[k, 3] = math.sqrt(total)
        for r in range(3):
            line[k, r] /= line[k, 3]


@body
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_body
def fill_residual(frame, line, residual):
    """Fill residual (4 m,); returns its norm, infinite if not finite or if a line runs back."""
    total = 0.0
    for k in range(frame.shape[0]):
        for j in range(2):
            e = line[k + j, :3]
            residual[4 * k + 2 * j] = _dot(frame[k, j, 2], e)
            residual[4 * k + 2 * j + 1] = _dot(frame[k, j, 3], e)
            if not _dot(frame[k, j, 1], e) > 0.0:
                total = math.inf
    for j in range(residual.size):
        total += residual[j] * residual[j]
    return math.sqrt(total) if math.isfinite(total) else math.inf


@body
def fill_moves(frame, bend, field, move):
    """Fill move (m, 2, 4, LOCAL, 3): changes of point, t, n, b at P and Q by the local columns.

    With UNKNOWNS in the place of LOCAL, by the unknowns alone.
    """
    axis = scratch(3)
    for k in range(frame.shape[0]):
        for j in range(2):
            point, t, n, b = frame[k, j, 0], frame[k, j, 1], frame[k, j, 2], frame[k, j, 3]
            tt, tb, bb = bend[k, j, 0], bend[k, j, 1], bend[k, j, 2]
            for column in range(4):
                along, aside, turn = 0.0, 0.0, 0.0
                if j == 0:
                    along = 1.0 if column == 0 else 0.0
                    aside = 1.0 if column == 1 else 0.0
                    turn = 1.0 if column == 2 else 0.0
                else:
                    along = 1.0 if column == 3 else 0.0
                    if column == 1:
                        aside, turn = field[k, 0], field[k, 1]
                    elif column == 2:
                        aside, turn = field[k, 2], field[k, 3]
                fall, roll = along * tt + aside * tb, along * tb + aside * bb
                for r in range(3):
                    move[k, j, 0, column, r] = along * t[r] + aside * b[r]
                    move[k, j, 1, column, r] = turn * b[r] - fall * n[r]
                    move[k, j, 2, column, r] = fall * t[r] + roll * b[r]
                    move[k, j, 3, column, r] = -turn * t[r] - roll * n[r]
            for column in range(3 if move.shape[3] == LOCAL else 0):
                for r in range(3):
                    axis[r] = 1.0 if r == column else 0.0
                    move[k, j, 0, 4 + column, r] = axis[r]
                    for q in range(1, 4):
                        move[k, j, q, 4 + column, r] = 0.0
                cross(axis, point, move[k, j, 0, 7 + column])
                cross(axis, t, move[k, j, 1, 7 + column])
                cross(axis, n, move[k, j, 2, 7 + column])
                cross(axis, b, move[k, j, 3, 7 + column])


@body
def _column(m, k, j):
    """Column of the whole system of the local column j of surface k."""
    return 4 * k + j if j < 4 else 4 * m + 6 + 6 * k + j - 4


@inner_body
def fill_swings(line, move, swing):
    """Fill swing (m + 1, 10 m + 6, 3): changes of the directions e_k by all columns.

    The columns are the unknowns (4 m), o, i, and the twists (6 m); or, where swing is
    (m + 1, 4 m, 3), the unknowns alone.
    """
    m, change = move.shape[0], scratch(3)
    for k in range(m + 1):
        for column in range(swing.shape[1]):
            for r in range(3):
                swing[k, column, r] = 0.0
    for k in range(m + 1):
        e, length = line[k, :3], line[k, 3]
        for end in range(2):
            owner = k - 1 + end  # surface of this end
            sign = -1.0 if end == 0 else 1.0
            fixed = owner < 0 or owner >= m
            if fixed and swing.shape[1] == 4 * m:
                continue
            for j in range(3 if fixed else move.shape[3]):
                for r in range(3):
                    if fixed:
                        change[r] = sign if r == j else 0.0
                    else:
                        change[r] = sign * move[owner, 1 - end, 0, j, r]
                column = 4 * m + 3 * end + j if fixed else _column(m, owner, j)
                part = _dot(e, change)
                for r in range(3):
                    swing[k, column, r] += (change[r] - part * e[r]) / length


@inner_body
def fill_system(frame, line, move, swing, E):
    """Fill E (4 m, 10 m + 6): derivatives of the residual by the columns of `fill_swings`."""
    m = frame.shape[0]
    for k in range(m):
        for j in range(2):
            e = line[k + j, :3]
            for q in range(2):  # n, b
                row = 4 * k + 2 * j + q
                for column in range(E.shape[1]):
                    E[row, column] = _dot(frame[k, j, 2 + q], swing[k + j, column])
                for column in range(move.shape[3]):
                    E[row, _column(m, k, column)] += _dot(move[k, j, 2 + q, column], e)


@body
def eliminate(E, n):
    """Solve in place: columns from n on of E (n, ...) become A^-1 times themselves, A = E[:, :n].

    Gauss elimination with row exchange inside the band of a block-tridiagonal matrix of blocks 4.
    Returns False if A is singular.
    """
    width = E.shape[1]
    for k in range(n):
        last = min(n, 4 * (k // 4) + 8)
        best = k
        for row in range(k + 1, last):
            if abs(E[row, k]) > abs(E[best, k]):
                best = row
        if not abs(E[best, k]) > 0.0:
            return False
        if best != k:
            for column in range(k, width):
                E[k, column], E[best, column] = E[best, column], E[k, column]
        for row in range(k + 1, last):
            factor = E[row, k] / E[k, k]
            if factor != 0.0:
                for column in range(k + 1, width):
                    E[row, column] -= factor * E[k, column]
    for k in range(n - 1, -1, -1):
        for column in range(n, width):
            total = E[k, column]
            for j in range(k + 1, n):
                total -= E[k, j] * E[j, column]
            E[k, column] = total / E[k, k]
    return True


@inner_body
def move_foot(kind, size, foot, alpha, beta, theta, delta):
    """Change a foot (7,) by its unknowns; False if it leaves the surface's neighborhood."""
    g, H, n, b = scratch(3), scratch((3, 3)), scratch(3), scratch(3)
    level(kind, size, foot, g, H)
    norm = math.sqrt(_dot(g, g))
    for r in range(3):
        n[r] = g[r] / norm
    cross(n, foot[3:6], b)
    c, s = math.cos(theta), math.sin(theta)
    for r in range(3):
        t = foot[3 + r]
        foot[r] += alpha * t + beta * b[r]
        foot[3 + r] = c * t + s * b[r]
    foot[6] += delta - alpha
    if not settle(kind, size, foot[:3], g, H):
        return False
    # the direction is carried over: made tangent to the surface at the new point
    norm = math.sqrt(_dot(g, g))
    part = _dot(g, foot[3:6]) / (norm * norm)
    total = 0.0
    for r in range(3):
        foot[3 + r] -= part * g[r]
        total += foot[3 + r] * foot[3 + r]
    total = math.sqrt(total)
    for r in range(3):
        foot[3 + r] /= total
    return total > 1e-3

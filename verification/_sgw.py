"""Smooth Geodesic Wrapping of Munoz-Pepi and others (2023): Broyden's method on their equations.

Section III-C, equation 12: the unknowns x = (u, v, u', v', s) are chart coordinates of the first
tangent point, direction and length of the geodesic, and f(x) = (l_1 - T_P, l_2 - T_Q) are six
equations for these five, solved in the sense of least squares. Broyden's matrix starts with
differences; the line search is that of Li and Fukushima, Optimization Methods and Software 13
(2000), 181-201. Geodesics are the package's.
"""

import math

import numpy as np
from numba import njit

from fibermsk.kernels.lines.taut.geodesic import ACCURACY, geodesic
from fibermsk.kernels.lines.taut.newton import newton
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, TORUS

MOST = 200
"""Most steps."""
CLOSE = 1e-10
"""Norm of f that is a solution."""
SHRINK, SIGMA, RHO = 0.5, 1e-3, 0.9


@njit
def chart(kind, size, u, v, out):
    """Fill out (3, 3): the point, and its derivatives in u and v."""
    cu, su, cv, sv = math.cos(u), math.sin(u), math.cos(v), math.sin(v)
    if kind == CYLINDER:
        r = size[0]
        out[0] = np.array([r * cu, r * su, v])
        out[1], out[2] = np.array([-r * su, r * cu, 0.0]), np.array([0.0, 0.0, 1.0])
    elif kind == TORUS:
        r, rho = size[0], size[1] + size[0] * cv
        out[0] = np.array([rho * cu, rho * su, r * sv])
        out[1] = np.array([-rho * su, rho * cu, 0.0])
        out[2] = np.array([-r * sv * cu, -r * sv * su, r * cv])
    else:
        a, b, c = size
        out[0] = np.array([a * cu * cv, b * su * cv, c * sv])
        out[1] = np.array([-a * su * cv, b * cu * cv, 0.0])
        out[2] = np.array([-a * cu * sv, -b * su * sv, c * cv])


@njit
def unknowns(kind, size, foot):
    """x of a first tangent point, direction and length (7,)."""
    x, y, z = foot[:3]
    if kind == CYLINDER:
        u, v = math.atan2(y, x), z
    elif kind == TORUS:
        u, v = math.atan2(y, x), math.atan2(z, math.hypot(x, y) - size[1])
    else:
        u = math.atan2(y / size[1], x / size[0])
        v = math.asin(min(1.0, max(-1.0, z / size[2])))
    place = np.empty((3, 3))
    chart(kind, size, u, v, place)
    a, b, c = place[1] @ place[1], place[1] @ place[2], place[2] @ place[2]
    p, q = place[1] @ foot[3:6], place[2] @ foot[3:6]
    D = a * c - b * b
    return np.array([u, v, (c * p - b * q) / D, (a * q - b * p) / D, foot[6]])


@njit
def residual(kind, size, o, i, x):
    """f (6,) of x (5,)."""
    place, y, f = np.empty((3, 3)), np.empty(10), np.empty(6)
    chart(kind, size, x[0], x[1], place)
    T = place[1] * x[2] + place[2] * x[3]
    speed = math.sqrt(T @ T)
    geodesic(kind, size, place[0], T / speed, speed * x[4], ACCURACY, y)
    before, after = place[0] - o, i - y[:3]
    f[:3] = before / math.sqrt(before @ before) - T
    f[3:] = after / math.sqrt(after @ after) - speed * y[3:6]
    return f


@njit
def _least_squares(B, f):
    """-B^+ f."""
    return -np.linalg.solve(B.T @ B, B.T @ f)


@njit
def sgw(kind, size, o, i, foot):
    """Length of the path from a start (7,), NaN without a solution, and number of geodesics."""
    x = unknowns(kind, size, foot)
    f = residual(kind, size, o, i, x)
    B, number = np.empty((6, 5)), 6
    for k in range(5):
        moved = x.copy()
        moved[k] += 1e-7
        B[:, k] = (residual(kind, size, o, i, moved) - f) / 1e-7
    norm = math.sqrt(f @ f)
    for step in range(MOST):
        if norm < CLOSE:
            break
        if not np.isfinite(B).all() or abs(np.linalg.det(B.T @ B)) < 1e-300:
            return math.nan, number
        d = _least_squares(B, f)
        way = d @ d
        share = 1.0
        new = residual(kind, size, o, i, x + d)
        number += 1
        size_new = math.sqrt(new @ new)
        if not size_new <= RHO * norm - SIGMA * way:
            allowed = 1.0 / (step + 1.0) ** 2
            while not size_new <= norm - SIGMA * share * share * way + allowed * norm:
                share *= SHRINK
                if share < 1e-10:
                    return math.nan, number
                new = residual(kind, size, o, i, x + share * d)
                number += 1
                size_new = math.sqrt(new @ new)
        s = share * d
        B += np.outer(new - f - B @ s, s) / (s @ s)
        x, f, norm = x + s, new, size_new
    if not norm < CLOSE or not x[4] > 0.0:
        return math.nan, number
    chart_at, y = np.empty((3, 3)), np.empty(10)
    chart(kind, size, x[0], x[1], chart_at)
    T = chart_at[1] * x[2] + chart_at[2] * x[3]
    geodesic(kind, size, chart_at[0], T / math.sqrt(T @ T), x[4], ACCURACY, y)
    before, after = chart_at[0] - o, i - y[:3]
    return math.sqrt(before @ before) + x[4] + math.sqrt(after @ after), number


@njit
def ours(kind, size, o, i, foot):
    """Length of the path from a start (7,) by Newton's method, NaN without a solution."""
    kinds, sizes, R, p = (
        np.array([kind]),
        size.reshape(1, 3).copy(),
        np.zeros((1, 3, 3)),
        np.zeros(3),
    )
    for r in range(3):
        R[0, r, r] = 1.0
    feet, frame = foot.reshape(1, 7).copy(), np.empty((1, 2, 4, 3))
    bend, field, line = np.empty((1, 2, 3)), np.empty((1, 4)), np.empty((2, 4))
    places = p.reshape(1, 3)
    if not newton(kinds, sizes, R, places, o, i, feet, frame, bend, field, line) < CLOSE:
        return math.nan
    if not feet[0, 6] > 0.0:
        return math.nan
    return line[0, 3] + feet[0, 6] + line[1, 3]

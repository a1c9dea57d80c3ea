"""Map from the generalized coordinates to the joint axes: values and exact derivatives.

A map is a list of rows, each an offset plus a sum of functions of earlier rows; the first n rows
are the state q itself, the last ones the axes of the joints. Functions are piecewise polynomials,
each piece with a sine added: entry e adds f(x[source[e]]) to row[e]. Entries are in increasing
order of their rows.

Symbols: ``x, x_dot, x_ddot`` values of all rows and their rates; ``J`` (n_rows, n) dx/dq; ``V`` the
derivative of x_dot in q at constant p = q_dot, and ``W`` that of x_ddot at constant p and p_dot.
The derivative of x_dot in p is J; those of x_ddot are 2 V in p and J in p_dot. ``H`` are the second
derivatives d2x/dq2.

A quaternion (w, x, y, z) of any length r turns three axes: they are the angles a, b, c of
R = R_0 R_x(a) R_y(b) R_z(c) around the present orientation R_0, so that they are zero, always
regular, and have the derivatives of a series to third order in u = vec(conj(q_0) q) / scalar:
a = 2 u_1 - 2 u_2 u_3 - 2/3 u_1^3 + 2 u_1 u_2^2 - 2 u_1 u_3^2 and so on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch

FARTHEST_TURN = 0.2
"""Largest update of a quaternion over its length for which `bound_excess` holds."""


class MapArrays(NamedTuple):
    """Rows as functions of a state.

    Attributes
    ----------
    offset : (n_rows,) float array
        Added to each row.
    row, source : (n_entries,) int array
        Row that each function is added to, and row of its argument.
    piece_start : (n_entries + 1,) int array
        First piece of each function.
    begin, origin : (n_pieces,) float array
        Start of each piece, minus infinity for the first of a function, and its origin.
    coefficients : (n_pieces, n_powers) float array
        In powers of x - origin.
    waves : (n_pieces, 3) float array
        Amplitude, rate and phase of the sine of x - origin that is added to each piece.
    support : (n_rows, m) int array
        Entries of the state that each row depends on, padded with -1.
    place : (n_entries, m) int array
        Position of the entries of the source among those of the row.
    states : (n_turns, 4) int array
        Entries of each quaternion in the state, which are the support of its rows.
    turn_row : (n_turns,) int array
        First of the three rows of each quaternion.
    """

    offset: Array
    row: Index
    source: Index
    piece_start: Index
    begin: Array
    origin: Array
    coefficients: Array
    waves: Array
    support: Index
    place: Index
    states: Index
    turn_row: Index


class Rows(NamedTuple):
    """All rows of a map at one state; see the module.

    Attributes
    ----------
    x, x_dot, x_ddot : (n_rows,) float array
        Values and rates.
    J : (n_rows, n) float array
        dx/dq.
    V, W : (n_rows, n) float array
        Derivatives of x_dot and x_ddot in q; zero rows unless requested.
    H : (n_rows, m, m) float array
        Second derivatives in the states that each row depends on; empty like V and W.
    turns : (n_turns, 3, 3) float array
        Rotation matrices of the quaternions.
    """

    x: Array
    x_dot: Array
    x_ddot: Array
    J: Array
    V: Array
    W: Array
    H: Array
    turns: Array


@kernel
def derivatives(x, e, arrays, out):
    """Fill out (4,) with function e and its first three derivatives."""
    begin, coefficients = arrays.begin, arrays.coefficients
    low, high = arrays.piece_start[e], arrays.piece_start[e + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if begin[middle] <= x:
            low = middle
        else:
            high = middle
    s = x - arrays.origin[low]
    f, df, ddf, dddf = 0.0, 0.0, 0.0, 0.0
    for power in range(coefficients.shape[1] - 1, -1, -1):
        dddf = dddf * s + 3.0 * ddf
        ddf = ddf * s + 2.0 * df
        df = df * s + f
        f = f * s + coefficients[low, power]
    amplitude, rate = arrays.waves[low, 0], arrays.waves[low, 1]
    if amplitude != 0.0:
        along = amplitude * math.sin(rate * s + arrays.waves[low, 2])
        across = amplitude * math.cos(rate * s + arrays.waves[low, 2])
        f += along
        df += rate * across
        ddf -= rate * rate * along
        dddf -= rate * rate * rate * across
    out[0], out[1], out[2], out[3] = f, df, ddf, dddf


@body
def fill_rows(arrays, rows):
    """Fill the rows after the first n, which the caller has filled, and the turns.

    V, W and H are filled unless they are empty. Rows of J, V, W and H without entries are
    unchanged.
    """
    x, x_dot, x_ddot, J, V, W, H, _ = rows
    support, place = arrays.support, arrays.place
    slopes = scratch(4)
    for i in range(J.shape[1], x.size):
        x[i], x_dot[i], x_ddot[i] = arrays.offset[i], 0.0, 0.0
    for e in range(arrays.row.size):
        i, a = arrays.row[e], arrays.source[e]
        derivatives(x[a], e, arrays, slopes)
        f, df, ddf, dddf = slopes
        rate, change = x_dot[a], x_ddot[a]
        x[i] += f
        x_dot[i] += df * rate
        x_ddot[i] += df * change + ddf * rate * rate
        for b in range(support.shape[1]):
            j = support[a, b]
            if j < 0:
                break
            J[i, j] += df * J[a, j]
            if not H.shape[0]:
                continue
            V[i, j] += df * V[a, j] + ddf * rate * J[a, j]
            W[i, j] += df * W[a, j] + 2.0 * ddf * rate * V[a, j]
            W[i, j] += (ddf * change + dddf * rate * rate) * J[a, j]
            for c in range(support.shape[1]):
                k = support[a, c]
                if k < 0:
                    break
                value = df * H[a, b, c] + ddf * J[a, j] * J[a, k]
                H[i, place[e, b], place[e, c]] += value
    fill_turns(arrays, rows)


@kernel
def add_curvature(first, support, weight, H, out):
    """Add the sum of weight_i d2x_i/dq2 over the rows from the first on to out (n, n)."""
    for i in range(first, support.shape[0]):
        w = weight[i - first]
        if w == 0.0:
            continue
        for b in range(support.shape[1]):
            if support[i, b] < 0:
                break
            for c in range(support.shape[1]):
                if support[i, c] < 0:
                    break
                out[support[i, b], support[i, c]] += w * H[i, b, c]


@kernel
def add_columns(first, support, J, columns, out):
    """Add columns (k, m) of the m rows from the first on, times J, to out (k, n)."""
    for a in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            value = columns[a, i]
            if value == 0.0:
                continue
            for u in range(support.shape[1]):
                b = support[first + i, u]
                if b < 0:
                    break
                out[a, b] += value * J[first + i, b]


@kernel
def congruence(first, support, J, M, out):
    """Add J^T M J to out (n, n), with M (m, m) of the rows from the first on."""
    width = support.shape[1]
    for i in range(M.shape[0]):
        for j in range(M.shape[0]):
            value = M[i, j]
            if value == 0.0:
                continue
            for u in range(width):
                b = support[first + i, u]
                if b < 0:
                    break
                for v in range(width):
                    c = support[first + j, v]
                    if c < 0:
                        break
                    out[b, c] += J[first + i, b] * value * J[first + j, c]


@kernel
def _turn_basis(q, E):
    """Fill E (3, 4), vec(conj(q / r) dq) = E dq; returns r."""
    r = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    w, x, y, z = q[0] / r, q[1] / r, q[2] / r, q[3] / r
    E[0, 0], E[0, 1], E[0, 2], E[0, 3] = -x, w, z, -y
    E[1, 0], E[1, 1], E[1, 2], E[1, 3] = -y, -z, w, x
    E[2, 0], E[2, 1], E[2, 2], E[2, 3] = -z, y, -x, w
    return r


@kernel
def _third(i, j):
    """Third derivative of angle i, once in u_i and twice in u_j."""
    return 4.0 if j == 1 and i != 1 else -4.0


@body
def fill_turns(arrays, rows):
    """Fill the three rows of every quaternion, and its rotation matrix."""
    x, x_dot, x_ddot, J, V, W, H, turns = rows
    states, first_row = arrays.states, arrays.turn_row
    E, q, p, a, n = scratch((3, 4)), scratch(4), scratch(4), scratch(4), scratch(4)
    Ep, Ea, u, du = scratch(3), scratch(3), scratch(3), scratch(3)
    for s in range(first_row.size):
        for k in range(4):
            q[k], p[k], a[k] = x[states[s, k]], x_dot[states[s, k]], x_ddot[states[s, k]]
        r = _turn_basis(q, E)
        along, change = 0.0, 0.0
        for k in range(4):
            n[k] = q[k] / r
            along += n[k] * p[k]
            change += n[k] * a[k]
        w, X, Y, Z = n[0], n[1], n[2], n[3]
        B = turns[s]
        B[0, 0], B[1, 1] = w * w + X * X - Y * Y - Z * Z, w * w - X * X + Y * Y - Z * Z
        B[2, 2] = w * w - X * X - Y * Y + Z * Z
        B[0, 1], B[1, 0] = 2.0 * (X * Y - w * Z), 2.0 * (X * Y + w * Z)
        B[0, 2], B[2, 0] = 2.0 * (X * Z + w * Y), 2.0 * (X * Z - w * Y)
        B[1, 2], B[2, 1] = 2.0 * (Y * Z - w * X), 2.0 * (Y * Z + w * X)
        for i in range(3):
            Ep[i], Ea[i] = 0.0, 0.0
            for k in range(4):
                Ep[i] += E[i, k] * p[k]
                Ea[i] += E[i, k] * a[k]
            u[i] = Ep[i] / r
            du[i] = Ea[i] / r - 2.0 * Ep[i] * along / (r * r)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            sign = 2.0 if i == 1 else -2.0
            row = first_row[s] + i
            x[row] = 0.0
            x_dot[row] = 2.0 * u[i]
            x_ddot[row] = 2.0 * du[i] + 2.0 * sign * u[j] * u[k]
            for b in range(4):
                J[row, states[s, b]] = 2.0 * E[i, b] / r
            if not H.shape[0]:
                continue
            # second derivative with u_dot; second with u_ddot plus third with u_dot twice
            Hj, Hk = sign * u[k], sign * u[j]
            Gi = -4.0 * u[i] * u[i] + _third(i, j) * u[j] * u[j] + _third(i, k) * u[k] * u[k]
            Gj = sign * du[k] + 2.0 * _third(i, j) * u[i] * u[j]
            Gk = sign * du[j] + 2.0 * _third(i, k) * u[i] * u[k]
            for b in range(4):
                Vi = -(Ep[i] * n[b] + E[i, b] * along) / (r * r)
                Vj = -(Ep[j] * n[b] + E[j, b] * along) / (r * r)
                Vk = -(Ep[k] * n[b] + E[k, b] * along) / (r * r)
                Wi = -(Ea[i] * n[b] + E[i, b] * change) / (r * r)
                Wi += 2.0 * along * (2.0 * Ep[i] * n[b] + E[i, b] * along) / (r * r * r)
                V[row, states[s, b]] = 2.0 * Vi + (Hj * E[j, b] + Hk * E[k, b]) / r
                value = 2.0 * Wi + (Gi * E[i, b] + Gj * E[j, b] + Gk * E[k, b]) / r
                W[row, states[s, b]] = value + 2.0 * (Hj * Vj + Hk * Vk)
                for c in range(4):
                    value = -2.0 * (E[i, b] * n[c] + E[i, c] * n[b])
                    value += sign * (E[j, b] * E[k, c] + E[k, b] * E[j, c])
                    H[row, b, c] = value / (r * r)


@kernel
def _slope_and_bend(low, s, far, coefficients, waves):
    """Slope of a piece at s, and a bound of its second derivative up to `far` from its origin."""
    df, bend = 0.0, 0.0
    for power in range(coefficients.shape[1] - 1, 0, -1):
        df = df * s + power * coefficients[low, power]
        if power > 1:
            bend = bend * far + power * (power - 1) * abs(coefficients[low, power])
    amplitude, rate = waves[low, 0], waves[low, 1]
    df += amplitude * rate * math.cos(rate * s + waves[low, 2])
    return df, bend + abs(amplitude) * rate * rate


@kernel
def bound_excess(arrays, x, update, out):
    """Fill out (n_rows,) with a bound of the nonlinear part of each row during an update of q.

    x, update (n,): the state and its update, which must be at most `FARTHEST_TURN` of the length of
    any quaternion. A row's change differs from its slope times the change of its source by at most
    that change times the variation of the slope. A quaternion's angles are 2 u up to
    second and third order terms, |u| <= e / (1 - e) with e the update over the length.
    """
    begin, origin, coefficients = arrays.begin, arrays.origin, arrays.coefficients
    states, first_row = arrays.states, arrays.turn_row
    value, way, four = np.zeros(out.size), np.zeros(out.size), scratch(4)
    for i in range(out.size):
        value[i], way[i], out[i] = arrays.offset[i], 0.0, 0.0
    for i in range(x.size):
        value[i], way[i] = x[i], abs(update[i])
    for e in range(arrays.row.size):
        i, a = arrays.row[e], arrays.source[e]
        first, last = arrays.piece_start[e], arrays.piece_start[e + 1]
        derivatives(value[a], e, arrays, four)
        low, high, spread = value[a] - way[a], value[a] + way[a], 0.0
        for piece in range(first, last):
            end = begin[piece + 1] if piece + 1 < last else math.inf
            if begin[piece] > high or end < low:
                continue
            left, right = max(low, begin[piece]), min(high, end)
            far = max(abs(left - origin[piece]), abs(right - origin[piece]))
            s = left - origin[piece]
            df, bend = _slope_and_bend(piece, s, far, coefficients, arrays.waves)
            spread = max(spread, abs(df - four[1]) + bend * (right - left))
        value[i] += four[0]
        out[i] += abs(four[1]) * out[a] + spread * way[a]
        way[i] += (abs(four[1]) + spread) * way[a]
    for s in range(first_row.size):
        square, size = 0.0, 0.0
        for k in range(4):
            square += x[states[s, k]] ** 2
            size += update[states[s, k]] ** 2
        e = math.sqrt(size / square)
        u = e / (1.0 - e)
        for i in range(3):
            out[first_row[s] + i] = 2.0 * e * u + 4.0 * u * u

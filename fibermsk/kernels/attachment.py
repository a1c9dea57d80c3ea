"""Elimination of the fiber ends that are attached to bodies: x_D = c(q), v_D = C(q) p.

The reduced matrix is N^T K N with the null-space matrix N(q) of Gfrerer and Simeon (2021), eq. 58.
Attached rows and columns leave the sparse part, where identity rows stay behind, for the border of
the joint coordinates. Matrix layout and border names as in `fibermsk.kernels.scatter`.
"""

from __future__ import annotations

import numpy as np

from fibermsk.kernels._compile import kernel
from fibermsk.kernels.cable import element_tangent
from fibermsk.kernels.rigid import cross

__all__ = ["acceleration_slope", "eliminate_attached", "end_rate_blocks", "velocity_slope"]


@kernel
def velocity_slope(C, hess_index, hess, p, out):
    """Fill out (n_points, 3, n): how v_D = C(q) p varies with q at constant p."""
    out[:] = 0.0
    for e in range(hess_index.shape[0]):
        m, j, k = hess_index[e, 0], hess_index[e, 1], hess_index[e, 2]
        for r in range(3):
            out[m, r, k] += hess[e, r] * p[j]


@kernel
def acceleration_slope(S, moves, link, C, hess_index, hess, p, p_dot, dp_dq, out):
    """Fill out (n_points, 3, n): how C p_dot + (dC/dq p) p varies with q, where dp = dp_dq dq.

    But for its part C dp_dot. S, moves, link as in `fibermsk.kernels.rigid`; coordinates are
    numbered from the root outwards, so that with u <= v <= w on the chain the third derivative of a
    point is d3c/dq_u dq_v dq_w = w_u x (w_v x V_w(c)).
    """
    out[:] = 0.0
    for e in range(hess_index.shape[0]):
        m, j, k = hess_index[e, 0], hess_index[e, 1], hess_index[e, 2]
        for r in range(3):
            out[m, r, k] += hess[e, r] * (p_dot[j] + 2.0 * dp_dq * p[j])
    inner, outer = np.empty(3), np.empty(3)
    n = S.shape[0]
    for m in range(link.size):
        if link[m] < 0:
            continue
        for u in range(n):
            if not moves[link[m], u]:
                continue
            for v in range(u, n):
                if not moves[link[m], v]:
                    continue
                for w in range(v, n):
                    if not moves[link[m], w]:
                        continue
                    cross(S[v, :3], C[m, :, w], inner)
                    cross(S[u, :3], inner, outer)
                    # each takes the part of q once, and the other two those of p in either order
                    for r in range(3):
                        out[m, r, u] += (1.0 if v == w else 2.0) * outer[r] * p[v] * p[w]
                        if v != u:
                            out[m, r, v] += (1.0 if u == w else 2.0) * outer[r] * p[u] * p[w]
                        if w != v:
                            out[m, r, w] += (1.0 if u == v else 2.0) * outer[r] * p[u] * p[v]


@kernel
def end_rate_blocks(
    nodes, velocity, elements, h, xi, weight, area, G0, law, activation, mass, end_element,
    end_side, velocity_rate, acceleration_rate, block,
):  # fmt: skip
    """Fill block (n_points, 12, n): how the end element's residual varies with the coordinates.

    Through the end's velocity and acceleration alone, which vary as velocity_rate and
    acceleration_rate (n_points, 3, n). end_element, end_side (n_points,): the element that carries
    the attached node, as its node 0 or 1.
    """
    force = np.empty((4, 3))
    K = np.empty((12, 12))
    for m in range(end_element.size):
        e, side = end_element[m], end_side[m]
        element_tangent(
            nodes, velocity, elements[e, 0], elements[e, 1], h[e], xi, weight[e], area[e], G0[e],
            law[e], activation[e], 0.0, 1.0, force, K,
        )  # fmt: skip
        for a in range(4):
            for r in range(3):
                for j in range(block.shape[2]):
                    value = mass[e, a, 2 * side] * acceleration_rate[m, r, j]
                    for c in range(3):
                        value += K[3 * a + r, 6 * side + c] * velocity_rate[m, c, j]
                    block[m, 3 * a + r, j] = value


@kernel
def eliminate_attached(
    elements, end_element, end_side, C, hess_index, hess, rate_block, pattern_row, pattern_column,
    pattern_base, pattern_stride, row_start, row_entries, column_start,
    column_entries, tangent, residual, residual_q, data, B, R, D, reaction,
):  # fmt: skip
    """Reduce residual and matrix to the independent unknowns, in place.

    C (n_points, 3, n); hess, hess_index: the entries of dC/dq; rate_block: see `end_rate_blocks`.
    row_entries, column_entries: the pattern entries in each attached node's
    row and column. reaction (n_points, 3) receives the force of the attachment on the fiber, eq.
    62.
    """
    n_q = residual_q.size
    for m in range(end_element.size):
        node = elements[end_element[m], end_side[m]]
        for r in range(3):
            reaction[m, r] = residual[node, r]
            residual[node, r] = 0.0
            for j in range(n_q):
                residual_q[j] += C[m, r, j] * reaction[m, r]
    if not tangent:
        return
    # columns K[:, D] C, the bone contact's rows R[:, D] C, and the velocity part
    for m in range(end_element.size):
        e = end_element[m]
        node = elements[e, end_side[m]]
        for i in range(column_start[m], column_start[m + 1]):
            p = column_entries[i]
            row, base, stride = pattern_row[p], pattern_base[p], pattern_stride[p]
            for c in range(3):
                for r in range(6):
                    value = data[base + c * stride + r]
                    data[base + c * stride + r] = 0.0
                    for j in range(n_q):
                        B[6 * row + r, j] += value * C[m, c, j]
        for r in range(3):
            for i in range(n_q):
                value = R[i, 6 * node + r]
                R[i, 6 * node + r] = 0.0
                for j in range(n_q):
                    D[i, j] += value * C[m, r, j]
        for a in range(12):
            row = 6 * elements[e, a // 6] + a % 6
            for j in range(n_q):
                B[row, j] += rate_block[m, a, j]
    # rows C^T K[D, :], which now include the attached rows of B
    for m in range(end_element.size):
        node = elements[end_element[m], end_side[m]]
        for i in range(row_start[m], row_start[m + 1]):
            p = row_entries[i]
            column, base, stride = pattern_column[p], pattern_base[p], pattern_stride[p]
            for c in range(6):
                for r in range(3):
                    value = data[base + c * stride + r]
                    data[base + c * stride + r] = 0.0
                    for j in range(n_q):
                        R[j, 6 * column + c] += C[m, r, j] * value
            if column == node:
                for r in range(3):
                    data[base + r * stride + r] = 1.0
        for r in range(3):
            for j in range(n_q):
                value = B[6 * node + r, j]
                B[6 * node + r, j] = 0.0
                for i in range(n_q):
                    D[i, j] += C[m, r, i] * value
    for i in range(hess_index.shape[0]):
        m, j, k = hess_index[i, 0], hess_index[i, 1], hess_index[i, 2]
        for r in range(3):
            D[j, k] += hess[i, r] * reaction[m, r]

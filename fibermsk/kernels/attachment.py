"""Elimination of the fiber ends that are attached to bodies: x_D = c(q), v_D = C(q) p.

The reduced matrix is N^T K N with the null-space matrix N(q) of Gfrerer and Simeon (2021), eq. 58.
Attached rows and columns leave the sparse part, where identity rows stay behind, for the border of
the joint coordinates. Matrix layout and border names as in `fibermsk.kernels.scatter`.
"""

from __future__ import annotations

import numpy as np

from fibermsk.kernels._compile import kernel
from fibermsk.kernels.cable import element_tangent

__all__ = ["eliminate_attached", "end_velocity_blocks"]


@kernel
def end_velocity_blocks(
    nodes, velocity, elements, h, xi, weight, area, G0, law, activation, mass, end_element,
    end_side, dacceleration_dvelocity, block,
):  # fmt: skip
    """Fill block (n_points, 12, 3): how the end element's residual varies with the end's velocity.

    end_element, end_side (n_points,): the element that carries the attached node, as its node 0 or
    1.
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
                for c in range(3):
                    block[m, 3 * a + r, c] = K[3 * a + r, 6 * side + c]
                block[m, 3 * a + r, r] += dacceleration_dvelocity * mass[e, a, 2 * side]


@kernel
def eliminate_attached(
    elements, end_element, end_side, C, C_rate, hess_index, hess, velocity_block, pattern_row,
    pattern_column, pattern_base, pattern_stride, row_start, row_entries, column_start,
    column_entries, tangent, residual, residual_q, data, B, R, D, reaction,
):  # fmt: skip
    """Reduce residual and matrix to the independent unknowns, in place.

    C (n_points, 3, n) and its rate of change along the motion C_rate = (dC/dq) p; hess, hess_index:
    the entries of dC/dq. row_entries, column_entries: the pattern entries in each attached node's
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
            for c in range(3):
                for j in range(n_q):
                    B[row, j] += velocity_block[m, a, c] * C_rate[m, c, j]
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

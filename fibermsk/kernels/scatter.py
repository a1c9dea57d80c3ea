"""From contact slots to residual and matrix entries.

The matrix is kept column after column in 6 x 6 node blocks: entry (r, c) of a block lies at
``base + c * stride + r`` of ``data``. The residual is minus the force. Coordinates of the rigid
bodies border the matrix: ``B`` (6 n_nodes, n) the columns, ``R`` (n, 6 n_nodes) the rows, ``D`` (n,
n) the corner.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from fibermsk._compile import kernel, parallel
from fibermsk.kernels.pairs import is_closed, pair_of
from fibermsk.kernels.rigid import bracket, cross
from fibermsk.kernels.shape import shape, shape_d1

__all__ = ["fill_half_passes", "scatter_bones"]


@kernel
def _add_blocks(rows, weight, jac_value, jac_slope, values, slopes, base, stride, data):
    """Subtract weight rows_a (values_b jac_value + slopes_b jac_slope) in 2 x 2 node blocks."""
    for a in range(4):
        wa = weight * rows[a]
        for b in range(4):
            start = base[a // 2, b // 2] + 3 * (a % 2)
            step = stride[a // 2, b // 2]
            for c in range(3):
                column = start + (3 * (b % 2) + c) * step
                for r in range(3):
                    data[column + r] -= wa * (
                        values[b] * jac_value[r, c] + slopes[b] * jac_slope[r, c]
                    )


@kernel
def _add_derivative(rows, weight, jac_value, jac_slope, values, slopes, block):
    """Subtract weight rows_a (values_b jac_value + slopes_b jac_slope) from a (12, 12) block."""
    for a in range(4):
        wa = weight * rows[a]
        for r in range(3):
            for b in range(4):
                for c in range(3):
                    block[3 * a + r, 3 * b + c] -= wa * (
                        values[b] * jac_value[r, c] + slopes[b] * jac_slope[r, c]
                    )


@parallel("run_element", least=4096)
def fill_half_passes(
    h, run_element, run_law, law_points, law_xi, law_weight, slot_start, slot_element, slot_xi,
    state, force, jacobian, run_pairs, pair_column, tangent, gradient, own, cross,
):  # fmt: skip
    """Fill the pairs of fiber-fiber half passes: minus the force on the integrated fiber alone.

    gradient (n_pairs, 24), own, cross (n_pairs, 12, 12), see `fibermsk.kernels.pairs`; the blocks
    only where `tangent` is set.
    """
    for run in prange(run_element.size):
        e = run_element[run]
        law = run_law[run]
        for p in range(run_pairs[run], run_pairs[run + 1]):
            gradient[p] = 0.0
            if tangent:
                own[p], cross[p] = 0.0, 0.0
        if run_pairs[run] == run_pairs[run + 1]:
            continue
        for k in range(law_points[law]):
            s = slot_start[run] + k
            if not is_closed(state, s):
                continue
            p = pair_of(slot_element, s, pair_column, run_pairs[run])
            w = law_weight[law, k] * h[e]
            n = shape(law_xi[law, k], h[e])
            for a in range(4):
                for r in range(3):
                    gradient[p, 3 * a + r] -= w * n[a] * force[s, r]
            if not tangent:
                continue
            d1 = shape_d1(law_xi[law, k], h[e])
            _add_derivative(n, w, jacobian[s, 0], jacobian[s, 1], n, d1, own[p])
            partner = slot_element[s]
            ny, dy = shape(slot_xi[s], h[partner]), shape_d1(slot_xi[s], h[partner])
            _add_derivative(n, w, jacobian[s, 2], jacobian[s, 3], ny, dy, cross[p])


@kernel
def scatter_bones(
    elements, h, run_element, run_shape, run_law, law_points, law_xi, law_weight, slot_start,
    slot_point, state, force, jacobian, shape_link, moves, S, self_base, self_stride, tangent,
    residual, residual_q, data, B, R, D,
):  # fmt: skip
    """Add the fiber-bone contact of all closed slots, its reaction on the coordinates included.

    The bone receives -T at x, hence the generalized force -T . V_k(x). When coordinate k moves the
    bone, T turns with it: dT/dq_k = w_k x T - (dT/dx) V_k(x).
    """
    n_q = residual_q.size
    V = np.empty((n_q, 3))
    dT = np.empty(3)
    t = np.empty(3)
    tw = np.empty(6)
    for run in range(run_element.size):
        e = run_element[run]
        law = run_law[run]
        link = shape_link[run_shape[run]]
        for k in range(law_points[law]):
            s = slot_start[run] + k
            if state[s, 0] >= state[s, 1] + state[s, 2]:
                continue
            w = law_weight[law, k] * h[e]
            T, x = force[s], slot_point[s]
            Tx, Ta = jacobian[s, 0], jacobian[s, 1]
            n = shape(law_xi[law, k], h[e])
            for a in range(4):
                for r in range(3):
                    residual[elements[e, a // 2], 3 * (a % 2) + r] -= w * n[a] * T[r]
            if link >= 0:
                for j in range(n_q):
                    if moves[link, j]:
                        cross(S[j, :3], x, V[j])
                        for r in range(3):
                            V[j, r] += S[j, 3 + r]
                            residual_q[j] += w * T[r] * V[j, r]
            if not tangent:
                continue
            d1 = shape_d1(law_xi[law, k], h[e])
            _add_blocks(n, w, Tx, Ta, n, d1, self_base[e], self_stride[e], data)
            if link < 0:
                continue
            for j in range(n_q):
                if not moves[link, j]:
                    continue
                cross(S[j, :3], T, dT)
                for r in range(3):
                    for c in range(3):
                        dT[r] -= Tx[r, c] * V[j, c]
                cross(T, S[j, :3], t)
                for a in range(4):
                    row = 6 * elements[e, a // 2] + 3 * (a % 2)
                    for r in range(3):
                        B[row + r, j] -= w * n[a] * dT[r]
                        value = t[r] * n[a]
                        for c in range(3):
                            value += V[j, c] * (n[a] * Tx[c, r] + d1[a] * Ta[c, r])
                        R[j, row + r] += w * value
                for i in range(n_q):
                    if not moves[link, i]:
                        continue
                    for r in range(3):
                        D[i, j] += w * V[i, r] * dT[r]
                    if i != j and moves[i, j]:
                        bracket(S[j], S[i], tw)
                        cross(tw[:3], x, t)
                        for r in range(3):
                            D[i, j] += w * T[r] * (t[r] + tw[3 + r])

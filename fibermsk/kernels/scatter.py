"""From contact slots to residual and matrix entries.

The matrix is kept column after column in 6 x 6 node blocks: entry (r, c) of a block lies at
``base + c * stride + r`` of ``data``. The residual is minus the force. Coordinates of the rigid
bodies border the matrix: ``B`` (6 n_nodes, n) the columns, ``R`` (n, 6 n_nodes) the rows, ``D`` (n,
n) the corner.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from fibermsk._compile import PARTS, body, kernel, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.pairs import block_of, is_closed
from fibermsk.kernels.rigid import bracket, cross
from fibermsk.kernels.shape import shape, shape_d1

__all__ = ["add_half_passes", "pair_half_passes", "scatter_bones"]


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


@body
def _add_element(block, node, lines):
    """Add a (12, 12) block (column, row) of an element to the lines (n_nodes, 3, 6, 6)."""
    for c in range(6):
        for r in range(6):
            lines[node, 0, c, r] += block[c, r]
            lines[node, 1, c, r] += block[6 + c, r]
            lines[node, 2, c, r] += block[c, 6 + r]
            lines[node + 1, 0, c, r] += block[6 + c, 6 + r]


@body
def _fill_derivative(rows, weight, jac_value, jac_slope, values, slopes, block):
    """Fill minus weight rows (values jac_value + slopes jac_slope), (12, 12) in (column, row)."""
    for b in range(4):
        for c in range(3):
            for a in range(4):
                for r in range(3):
                    block[3 * b + c, 3 * a + r] = (
                        -weight
                        * rows[a]
                        * (values[b] * jac_value[r, c] + slopes[b] * jac_slope[r, c])
                    )


@body
def pair_half_passes(
    pair, h, elements, fiber, run_element, run_law, law_points, law_xi, law_weight, slot_start,
    slot_element, slot_xi, state, force, jacobian, run_start, runs, first, row_start, row_node,
    column, block_start, tangent, residual, lines, upper, lower,
):  # fmt: skip
    """Add the half passes of one pair: minus the force on the integrated fiber alone."""
    block = scratch((12, 12))
    for m in range(run_start[pair], run_start[pair + 1]):
        run = runs[m]
        e, law = run_element[run], run_law[run]
        node, straight = elements[e, 0], fiber[e] == first[pair]
        for q in range(law_points[law]):
            s = slot_start[run] + q
            if not is_closed(state, s):
                continue
            w, xi = law_weight[law, q] * h[e], law_xi[law, q]
            n = shape(xi, h[e])
            for a in range(4):
                for r in range(3):
                    residual[node + a // 2, 3 * (a % 2) + r] -= w * n[a] * force[s, r]
            if not tangent:
                continue
            _fill_derivative(n, w, jacobian[s, 0], jacobian[s, 1], n, shape_d1(xi, h[e]), block)
            _add_element(block, node, lines)
            f = slot_element[s]
            ny, dy = shape(slot_xi[s], h[f]), shape_d1(slot_xi[s], h[f])
            _fill_derivative(n, w, jacobian[s, 2], jacobian[s, 3], ny, dy, block)
            for a in range(2):
                for b in range(2):
                    i, j = node + a, elements[f, b]
                    if not straight:
                        i, j = j, i
                    at = block_of(pair, i, j, row_start, row_node, column, block_start)
                    for c in range(6):
                        for r in range(6):
                            value = block[6 * b + c, 6 * a + r]
                            if straight:
                                upper[at, c, r] += value
                            else:
                                lower[at, c, r] += value


@body
def _some_half_passes(
    begin, end, order, h, elements, fiber, run_element, run_law, law_points, law_xi, law_weight,
    slot_start, slot_element, slot_xi, state, force, jacobian, run_start, runs, first, row_start,
    row_node, column, block_start, tangent, residual, lines, upper, lower,
):  # fmt: skip
    for k in range(begin, end):
        pair_half_passes(
            order[k], h, elements, fiber, run_element, run_law, law_points, law_xi, law_weight,
            slot_start, slot_element, slot_xi, state, force, jacobian, run_start, runs, first,
            row_start, row_node, column, block_start, tangent, residual, lines, upper, lower,
        )  # fmt: skip


@parallel("runs", least=2048)
def add_half_passes(
    order, group_start, h, elements, fiber, run_element, run_law, law_points, law_xi, law_weight,
    slot_start, slot_element, slot_xi, state, force, jacobian, run_start, runs, first, row_start,
    row_node, column, block_start, tangent, residual, lines, upper, lower,
):  # fmt: skip
    """Add all half passes of fibers to the residual and, where `tangent` is set, to the matrix.

    Arrays as in `fibermsk.kernels.pair_potential.fill_tangents`.
    """
    for group in range(group_start.size - 1):
        begin, n = group_start[group], group_start[group + 1] - group_start[group]
        for part in prange(PARTS):
            _some_half_passes(
                begin + part * n // PARTS, begin + (part + 1) * n // PARTS, order, h, elements,
                fiber, run_element, run_law, law_points, law_xi, law_weight, slot_start,
                slot_element, slot_xi, state, force, jacobian, run_start, runs, first, row_start,
                row_node, column, block_start, tangent, residual, lines, upper, lower,
            )  # fmt: skip


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

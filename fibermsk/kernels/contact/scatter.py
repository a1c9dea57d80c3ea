"""Half passes of fibers, from contact slots to residual and matrix: minus the force."""

from __future__ import annotations

from numba import prange

from fibermsk._compile import PARTS, body, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.pairs import block_of, is_closed
from fibermsk.kernels.fibers.shape import shape, shape_d1

__all__ = ["add_half_passes", "pair_half_passes"]


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

    Arrays as in `fibermsk.kernels.contact.pair_potential.fill_tangents`.
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

"""Half passes of fibers, from contact points to residual and matrix: minus the force."""

from __future__ import annotations

from numba import prange

from fibermsk._compile import PARTS, body, loop_body, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.pairs import block_of, is_closed
from fibermsk.kernels.fibers.shape import shape, shape_d1


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
    pair, fibers, runs, laws, points, jacobian, of_pairs, rows, tangent, residual, lines, blocks
):
    """Add the half passes of one pair: minus the force on the integrated fiber alone."""
    block = scratch((12, 12))
    h, state, force, elements = fibers.h, points.state, points.force, fibers.elements
    for m in range(of_pairs.start[pair], of_pairs.start[pair + 1]):
        run = of_pairs.runs[m]
        e, law = runs.element[run], runs.law[run]
        node, straight = elements[e, 0], fibers.fiber[e] == rows.first[pair]
        for q in range(laws.n_points[law]):
            s = runs.point_start[run] + q
            if not is_closed(state, s, laws.constants[law, 1]):
                continue
            w, xi = laws.weight[law, q] * h[e], laws.xi[law, q]
            n = shape(xi, h[e])
            for a in range(4):
                for r in range(3):
                    residual[node + a // 2, 3 * (a % 2) + r] -= w * n[a] * force[s, r]
            if not tangent:
                continue
            _fill_derivative(n, w, jacobian[s, 0], jacobian[s, 1], n, shape_d1(xi, h[e]), block)
            _add_element(block, node, lines)
            f, eta = points.element[s], points.xi[s]
            ny, dy = shape(eta, h[f]), shape_d1(eta, h[f])
            _fill_derivative(n, w, jacobian[s, 2], jacobian[s, 3], ny, dy, block)
            for a in range(2):
                for b in range(2):
                    i, j = node + a, elements[f, b]
                    if not straight:
                        i, j = j, i
                    at = block_of(pair, i, j, rows)
                    for c in range(6):
                        for r in range(6):
                            value = block[6 * b + c, 6 * a + r]
                            if straight:
                                blocks[0][at, c, r] += value
                            else:
                                blocks[1][at, c, r] += value


@loop_body
def _some_half_passes(
    pairs, fibers, runs, laws, points, jacobian, of_pairs, rows, tangent, residual, lines, blocks
):
    for k in range(pairs.size):
        pair_half_passes(
            pairs[k], fibers, runs, laws, points, jacobian, of_pairs, rows, tangent, residual,
            lines, blocks,
        )  # fmt: skip


@parallel("runs.law", least=2048)
def add_half_passes(
    groups, fibers, runs, laws, points, jacobian, of_pairs, rows, tangent, residual, lines, blocks
):
    """Add all half passes of fibers to the residual and, where `tangent` is set, to the matrix.

    Arrays as in `fibermsk.kernels.contact.pair_potential.fill_tangents`; blocks: upper and lower.
    """
    for group in range(groups.start.size - 1):
        begin, n = groups.start[group], groups.start[group + 1] - groups.start[group]
        for part in prange(PARTS):
            own = groups.order[begin + part * n // PARTS : begin + (part + 1) * n // PARTS]
            _some_half_passes(
                own, fibers, runs, laws, points, jacobian, of_pairs, rows, tangent, residual,
                lines, blocks,
            )  # fmt: skip

"""Half passes of fibers, from contact slots to pairs: the residual is minus the force."""

from __future__ import annotations

from numba import prange

from fibermsk._compile import kernel, parallel
from fibermsk.kernels.pairs import is_closed, pair_of
from fibermsk.kernels.shape import shape, shape_d1

__all__ = ["fill_half_passes"]


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

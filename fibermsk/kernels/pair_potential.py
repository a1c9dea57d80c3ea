"""Gradient and second derivative of the pair potentials, pair by pair of elements.

The energy of a contact point is share * Psi(g) * |a1|; see `fibermsk.kernels.potential`. Its second
derivative in the 24 nodal numbers of both elements has few parts: products of four vectors,

- ``dn``: derivative of the distance d, n times the shape functions,
- ``dR``: derivative of the sum of the radii,
- ``dj``: derivative of |a1|,
- ``slide``: derivative of dg/deta, for the motion of the least gap along the partner,

and 3 x 3 matrices times shape functions: the turning of n, of a1 and of the partner's nodal
tangents.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import body, kernel, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact import section
from fibermsk.kernels.pairs import is_closed, pair_of
from fibermsk.kernels.potential import _gap_along, partner_curve
from fibermsk.kernels.shape import shape, shape_d1
from fibermsk.laws.penalty import line_energy, line_force

__all__ = ["fill_gradients", "fill_tangents", "reference_radius", "run_gradients", "run_tangents"]

_line_force = kernel(line_force)
_line_energy = kernel(line_energy)


@body
def reference_radius(radius_poly, xi):
    """Reference radius from its coefficients in powers of xi: the share of the energy."""
    return radius_poly[0] + xi * (
        radius_poly[1] + xi * (radius_poly[2] + xi * (radius_poly[3] + xi * radius_poly[4]))
    )


@body
def _first_derivatives(
    e, partner, xi, eta, power, reference, radius_poly, h, x, a1, curve, ends, V
):  # fmt: skip
    """Fill rows 0 to 2 of V (4, 24): dn, dR, dj; returns numbers that the rest is made of."""
    r_x, _, j = section(power[e], reference[e], radius_poly[e], h[e], xi, x, a1, curve[2])
    along = partner_curve(
        power[partner], reference[partner], radius_poly[partner], h[partner], eta, curve, ends
    )
    r_y, _, _, r0, _, sa, sb, w, _ = along
    nx, dx, ny = shape(xi, h[e]), shape_d1(xi, h[e]), shape(eta, h[partner])
    d = 0.0
    for c in range(3):
        d += (curve[0, c] - x[c]) ** 2
    d = math.sqrt(d)
    V[:] = 0.0
    aa, tt0, tt1 = j * j, 0.0, 0.0
    for c in range(3):
        tt0 += ends[0, c] * ends[0, c]
        tt1 += ends[1, c] * ends[1, c]
    for c in range(3):
        n = (curve[0, c] - x[c]) / d
        for a in range(4):
            V[0, 3 * a + c] = -nx[a] * n
            V[0, 12 + 3 * a + c] = ny[a] * n
            V[1, 3 * a + c] = -0.5 * r_x / aa * dx[a] * a1[c]
            V[2, 3 * a + c] = dx[a] * a1[c] / j
        V[1, 15 + c] = -0.5 * r0 * (1.0 - w) * sa / tt0 * ends[0, c]
        V[1, 21 + c] = -0.5 * r0 * w * sb / tt1 * ends[1, c]
    return d, r_x, r_y, j, nx, dx, ny, along, tt0, tt1


@body
def _add_gradient(weight, psi, pull, d, R, V, gradient):
    """Add the gradient: weight (Psi dj - pull dg), where pull = F |a1|."""
    for i in range(24):
        gradient[i] += weight * (psi * V[2, i] - pull * (V[0, i] - d / R * V[1, i]) / R)


@body
def _fill_slide(d, R, along, nx, ny, dy, x, curve, ends, tt0, tt1, V):
    """Fill row 3 of V: the derivative of dg/deta, g_eta,z and the slope of g_z along eta."""
    _, dr, _, r0, dr0, sa, sb, w, dw = along
    d_eta = 0.0
    for c in range(3):
        d_eta += (curve[0, c] - x[c]) / d * curve[1, c]
    by_dn, by_dR = -dr / (R * R), (2.0 * d * dr / R - d_eta) / (R * R)
    turn0 = 0.5 * d / (R * R) * (dr0 * (1.0 - w) - r0 * dw) * sa / tt0
    turn1 = 0.5 * d / (R * R) * (dr0 * w + r0 * dw) * sb / tt1
    for c in range(3):
        n = (curve[0, c] - x[c]) / d
        turn = (curve[1, c] - n * d_eta) / (d * R)
        for a in range(4):
            V[3, 3 * a + c] = -nx[a] * turn
            V[3, 12 + 3 * a + c] = ny[a] * turn + dy[a] * n / R
        V[3, 15 + c] += turn0 * ends[0, c]
        V[3, 21 + c] += turn1 * ends[1, c]
    for i in range(24):
        V[3, i] += by_dn * V[0, i] + by_dR * V[1, i]


@body
def _multiply_products(M, V, T):
    """Fill T (4, 24) with M V, M symmetric and its zeros known."""
    for i in range(24):
        v0, v1, v2 = V[0, i], V[1, i], V[2, i]
        T[0, i] = M[0] * v0 + M[1] * v1 + M[2] * v2
        T[1, i] = M[1] * v0 + M[3] * v1 + M[4] * v2
        T[2, i] = M[2] * v0 + M[4] * v1
        T[3, i] = M[5] * V[3, i]


@body
def _add_products(V, T, rows, columns, block):
    """Add V^T T of 12 rows and 12 columns to a block."""
    for i in range(12):
        v0, v1, v2, v3 = V[0, rows + i], V[1, rows + i], V[2, rows + i], V[3, rows + i]
        for k in range(12):
            block[i, k] += (
                v0 * T[0, columns + k]
                + v1 * T[1, columns + k]
                + v2 * T[2, columns + k]
                + v3 * T[3, columns + k]
            )


@body
def _add_turns(n, scale, rows, columns, block):
    """Add scale (I - n n) times the products of two elements' shape functions."""
    for r in range(3):
        for c in range(3):
            turn = -scale * n[r] * n[c]
            if r == c:
                turn += scale
            for a in range(4):
                for b in range(4):
                    block[3 * a + r, 3 * b + c] += turn * rows[a] * columns[b]


@body
def _add_tangent_turn(t, tt, by_identity, by_product, rows, block):
    """Add (by_identity I + by_product t t / |t|^2) times products of the tangent's functions."""
    for r in range(3):
        for c in range(3):
            turn = by_product * t[r] * t[c] / tt
            if r == c:
                turn += by_identity
            for a in range(4):
                for b in range(4):
                    block[3 * a + r, 3 * b + c] += turn * rows[a] * rows[b]


@body
def _unit(which):
    return (0.0, 1.0, 0.0, 0.0) if which == 0 else (0.0, 0.0, 0.0, 1.0)


@body
def run_gradients(
    run, power, reference, radius_poly, h, run_element, run_law, law_constants, law_points, law_xi,
    law_weight, slot_start, slot_element, slot_xi, state, run_pairs, pair_column, gradient,
):  # fmt: skip
    """Fill the gradients of one run's pairs; see `fill_gradients`."""
    e, law = run_element[run], run_law[run]
    x, a1 = scratch(3), scratch(3)
    curve, ends = scratch((3, 3)), scratch((2, 3))
    V = scratch((4, 24))
    for p in range(run_pairs[run], run_pairs[run + 1]):
        gradient[p] = 0.0
    for q in range(law_points[law]):
        s = slot_start[run] + q
        if not is_closed(state, s):
            continue
        p = pair_of(slot_element, s, pair_column, run_pairs[run])
        d, r_x, r_y, j, _, _, _, _, _, _ = _first_derivatives(
            e, slot_element[s], law_xi[law, q], slot_xi[s], power, reference, radius_poly, h, x,
            a1, curve, ends, V,
        )  # fmt: skip
        R = r_x + r_y
        kappa, gamma = law_constants[law, 0], law_constants[law, 1]
        F, _ = _line_force(d / R - 1.0, kappa, gamma)
        psi = _line_energy(d / R - 1.0, kappa, gamma)
        weight = law_weight[law, q] * h[e] * reference_radius(radius_poly[e], law_xi[law, q])
        _add_gradient(weight, psi, F * j, d, R, V, gradient[p])


@body
def run_tangents(
    run, power, reference, radius_poly, h, run_element, run_law, law_constants, law_points, law_xi,
    law_weight, slot_start, slot_element, slot_xi, slot_held, state, run_pairs, pair_column,
    gradient, own, cross, partner,
):  # fmt: skip
    """Fill gradients and second derivatives of one run's pairs; see `fill_tangents`."""
    e, law = run_element[run], run_law[run]
    x, a1, n = scratch(3), scratch(3), scratch(3)
    curve, ends = scratch((3, 3)), scratch((2, 3))
    V, T = scratch((4, 24)), scratch((4, 24))
    kappa, gamma = law_constants[law, 0], law_constants[law, 1]
    for p in range(run_pairs[run], run_pairs[run + 1]):
        gradient[p] = 0.0
        own[p], cross[p], partner[p] = 0.0, 0.0, 0.0
    for q in range(law_points[law]):
        s = slot_start[run] + q
        if not is_closed(state, s):
            continue
        p = pair_of(slot_element, s, pair_column, run_pairs[run])
        f = slot_element[s]
        d, r_x, r_y, j, nx, dx, ny, along, tt0, tt1 = _first_derivatives(
            e, f, law_xi[law, q], slot_xi[s], power, reference, radius_poly, h, x, a1, curve,
            ends, V,
        )  # fmt: skip
        _, dr, ddr, r0, _, sa, sb, w, _ = along
        R = r_x + r_y
        F, dF = _line_force(d / R - 1.0, kappa, gamma)
        psi = _line_energy(d / R - 1.0, kappa, gamma)
        weight = law_weight[law, q] * h[e] * reference_radius(radius_poly[e], law_xi[law, q])
        _add_gradient(weight, psi, F * j, d, R, V, gradient[p])
        _, _, g_etaeta = _gap_along(x, r_x, curve, r_y, dr, ddr)
        pull, stiff = weight * F * j, -weight * j * dF
        slides = not slot_held[s] and g_etaeta > 0.0
        if slides:
            dy = shape_d1(slot_xi[s], h[f])
            _fill_slide(d, R, along, nx, ny, dy, x, curve, ends, tt0, tt1, V)
        # dg = by_n dn + by_R dR; products of dn with dn, dR and dj, of dR with dR and dj, and the
        # slide with itself
        by_n, by_R = 1.0 / R, -d / (R * R)
        M = (
            stiff * by_n * by_n,
            stiff * by_n * by_R + pull / (R * R),
            -weight * F * by_n,
            stiff * by_R * by_R - 2.0 * pull * d / (R * R * R),
            -weight * F * by_R,
            pull / g_etaeta if slides else 0.0,
        )
        _multiply_products(M, V, T)
        _add_products(V, T, 0, 0, own[p])
        _add_products(V, T, 0, 12, cross[p])
        _add_products(V, T, 12, 12, partner[p])
        for c in range(3):
            n[c] = (curve[0, c] - x[c]) / d
        turn = -pull / (d * R)
        _add_turns(n, turn, nx, nx, own[p])
        _add_turns(n, -turn, nx, ny, cross[p])
        _add_turns(n, turn, ny, ny, partner[p])
        # |a1| in the length element, and the radii, which go with |t|^(-1/2)
        curved = 0.5 * pull * d / (R * R)
        radius = curved * r_x / (j * j)
        length = weight * psi / j
        _add_tangent_turn(a1, j * j, length - radius, 2.5 * radius - length, dx, own[p])
        radius = curved * r0 * (1.0 - w) * sa / tt0
        _add_tangent_turn(ends[0], tt0, -radius, 2.5 * radius, _unit(0), partner[p])
        radius = curved * r0 * w * sb / tt1
        _add_tangent_turn(ends[1], tt1, -radius, 2.5 * radius, _unit(1), partner[p])


@parallel("run_element", least=4096)
def fill_gradients(
    power, reference, radius_poly, h, run_element, run_law, law_constants, law_points, law_xi,
    law_weight, slot_start, slot_element, slot_xi, state, run_pairs, pair_column, gradient,
):  # fmt: skip
    """Fill the gradient (n_pairs, 24) of every pair's energy."""
    for run in prange(run_element.size):
        if run_pairs[run] < run_pairs[run + 1]:
            run_gradients(
                run, power, reference, radius_poly, h, run_element, run_law, law_constants,
                law_points, law_xi, law_weight, slot_start, slot_element, slot_xi, state,
                run_pairs, pair_column, gradient,
            )  # fmt: skip


@parallel("run_element", least=4096)
def fill_tangents(
    power, reference, radius_poly, h, run_element, run_law, law_constants, law_points, law_xi,
    law_weight, slot_start, slot_element, slot_xi, slot_held, state, run_pairs, pair_column,
    gradient, own, cross, partner,
):  # fmt: skip
    """Fill gradients and second derivatives of every pair; see `fibermsk.kernels.pairs`."""
    for run in prange(run_element.size):
        if run_pairs[run] < run_pairs[run + 1]:
            run_tangents(
                run, power, reference, radius_poly, h, run_element, run_law, law_constants,
                law_points, law_xi, law_weight, slot_start, slot_element, slot_xi, slot_held,
                state, run_pairs, pair_column, gradient, own, cross,
                partner,
            )  # fmt: skip

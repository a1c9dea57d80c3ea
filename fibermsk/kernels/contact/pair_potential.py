"""Gradient and second derivative of the pair potentials, pair by pair of fibers.

The energy of a contact point is share * Psi(g) * |a1|; see `fibermsk.kernels.contact.potential`. It
depends on the 24 nodal numbers of both elements through four vectors of them,

- ``dn``: derivative of the distance d, n times the shape functions,
- ``dR``: derivative of the sum of the radii,
- ``dj``: derivative of |a1|,
- ``slide``: derivative of dg/deta, for the motion of the least gap along the partner,

and the rotation of n, of a1 and of the partner's nodal tangents. The part of
the integrated element is accumulated first: see `fibermsk.kernels.contact.shares`.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import PARTS, body, loop_body, parallel
from fibermsk._vectors import add_four, add_three, fill_three, fill_two
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.pairs import block_of, is_closed
from fibermsk.kernels.contact.potential import _gap_along, partner_curve
from fibermsk.kernels.contact.shares import add_to_share, share_gradient, share_tangent
from fibermsk.kernels.contact_law import law_energy, law_force
from fibermsk.kernels.fibers.shape import shape, shape_d1
from fibermsk.kernels.section import reference_radius


@body
def _fill_partner(f, eta, point, fibers, curve, ends, n, p):
    """Fill the direction n (3,) to the partner's point and p (2, 3), dR in its nodal tangents.

    Returns the distance and the results of `partner_curve`.
    """
    own = fibers.shape_of[f]
    along = partner_curve(
        fibers.power[f],
        fibers.reference[own],
        fibers.radius_poly[own],
        fibers.h[f],
        eta,
        curve,
        ends,
    )
    _, _, _, r0, _, sa, sb, w, _ = along
    d0, d1, d2 = curve[0, 0] - point[0], curve[0, 1] - point[1], curve[0, 2] - point[2]
    d = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    n[0], n[1], n[2] = d0 / d, d1 / d, d2 / d
    for end in range(2):
        tt = ends[end, 0] ** 2 + ends[end, 1] ** 2 + ends[end, 2] ** 2
        part = -0.5 * r0 * ((1.0 - w) * sa if end == 0 else w * sb) / tt
        for c in range(3):
            p[end, c] = part * ends[end, c]
    return d, along


@body
def _add_gradient(weight, law, d, point, along, n, p, ny, node, law_constants, share, residual):
    """Add the gradient of one contact point, weight (Psi dj - F |a1| dg).

    Returns weight Psi, weight F |a1| and weight dF/dg.
    """
    r_x, j = point[6], point[7]
    R = r_x + along[0]
    F, dF = law_force(d / R - 1.0, law_constants, law)
    psi, pull = weight * law_energy(d / R - 1.0, law_constants, law), weight * F * j
    push, grow = pull / R, pull * d / (R * R)
    for c in range(3):
        share[c] += push * n[c]
        for b in range(4):
            residual[node + b // 2, 3 * (b % 2) + c] -= push * ny[b] * n[c]
        residual[node, 3 + c] += grow * p[0, c]
        residual[node + 1, 3 + c] += grow * p[1, c]
    share[3] += psi / j - 0.5 * grow * r_x / (j * j)
    return psi, pull, weight * dF


@body
def _fill_slide(d, R, along, ny, dy, n, p, curve, ends, u, slide):
    """Fill u (3,) and the partner's side of `slide` (12,); returns the part of dR in it."""
    _, dr, _, r0, dr0, sa, sb, w, dw = along
    d_eta = n[0] * curve[1, 0] + n[1] * curve[1, 1] + n[2] * curve[1, 2]
    by_dn, by_dR = -dr / (R * R), (2.0 * d * dr / R - d_eta) / (R * R)
    for c in range(3):
        u[c] = (curve[1, c] - n[c] * d_eta) / (d * R) + by_dn * n[c]
        for b in range(4):
            slide[3 * b + c] = ny[b] * u[c] + dy[b] * n[c] / R
    for end in range(2):
        tt = ends[end, 0] ** 2 + ends[end, 1] ** 2 + ends[end, 2] ** 2
        bent = (dr0 * (1.0 - w) - r0 * dw) * sa if end == 0 else (dr0 * w + r0 * dw) * sb
        turn = 0.5 * d / (R * R) * bent / tt
        for c in range(3):
            slide[3 + 6 * end + c] += turn * ends[end, c] + by_dR * p[end, c]
    return by_dR


@body
def _add_partner(ny, Q, dR, U, slide, T, node, lines):
    """Add the symmetric (12, 12) block ny Q + dR U + slide T of the partner to the lines."""
    for i in range(12):
        n, c = ny[i // 3], i % 3
        own, other = (0, 2) if i < 6 else (1, 0)
        line = node if i < 6 else node + 1
        add_three(lines[node, own, i % 6], n, Q[c, :6], dR[i], U[:6], slide[i], T[:6])
        add_three(lines[line, other, i % 6], n, Q[c, 6:], dR[i], U[6:], slide[i], T[6:])


@body
def _add_tangent_turn(t, tt, by_identity, by_product, node, lines):
    """Add by_identity I + by_product t t / |t|^2 for the tangent of one node."""
    for c in range(3):
        for r in range(3):
            lines[node, 0, 3 + c, 3 + r] += by_product * t[r] * t[c] / tt
        lines[node, 0, 3 + c, 3 + c] += by_identity


@body
def _add_cross_columns(nx, dx, point, Q, u, T, T1, blocks, upper):
    """Add the derivative of the own element's rows by the partner's numbers to four blocks.

    blocks: those of the own element's first node and the partner's both, then of the second; the
    own element has their columns.
    """
    for i in range(12):
        n, c = nx[i // 3], i % 3
        along = dx[i // 3] * point[3 + c]
        for end in range(2):
            b, half = blocks[2 * (i // 6) + end], slice(6 * end, 6 * end + 6)
            add_three(upper[b, i % 6], along, T1[half], -n, Q[c, half], -n * u[c], T[half])


@body
def _add_cross_rows(nx, dx, point, Q, u, T, T1, blocks, upper):
    """Add the same where the own element has the rows of the blocks."""
    along, first, second, third = scratch((2, 6)), scratch((2, 6)), scratch((2, 6)), scratch((2, 6))
    for a in range(4):
        at = 3 * (a % 2)
        for c in range(3):
            along[a // 2, at + c] = dx[a] * point[3 + c]
            first[a // 2, at + c] = -nx[a] if c == 0 else 0.0
            second[a // 2, at + c] = -nx[a] if c == 1 else 0.0
            third[a // 2, at + c] = -nx[a] if c == 2 else 0.0
    for k in range(12):
        q0, q1, q2 = Q[0, k] + u[0] * T[k], Q[1, k] + u[1] * T[k], Q[2, k] + u[2] * T[k]
        for own in range(2):
            y = upper[blocks[2 * own + k // 6], k % 6]
            add_four(y, T1[k], along[own], q0, first[own], q1, second[own], q2, third[own])


@body
def pair_gradients(pair, fibers, runs, laws, quadrature, points, of_pairs, residual):
    """Add the gradient of one pair's energy; see `fill_gradients`."""
    curve, ends, n, p = scratch((3, 3)), scratch((2, 3)), scratch(3), scratch((2, 3))
    h = fibers.h
    for m in range(of_pairs.start[pair], of_pairs.start[pair + 1]):
        run = of_pairs.runs[m]
        e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
        for q in range(laws.n_points[law]):
            s = runs.point_start[run] + q
            if not is_closed(points.state, s, laws.constants[law, 1]):
                continue
            f, eta, point = points.element[s], points.xi[s], quadrature.values[i, q]
            d, along = _fill_partner(f, eta, point, fibers, curve, ends, n, p)
            radius = reference_radius(fibers.radius_poly[fibers.shape_of[e]], laws.xi[law, q])
            weight = laws.weight[law, q] * h[e] * radius
            _add_gradient(
                weight, law, d, point, along, n, p, shape(eta, h[f]), fibers.elements[f, 0],
                laws.constants, quadrature.shares[i, q], residual,
            )  # fmt: skip


@body
def pair_tangents(
    pair, fibers, runs, laws, quadrature, points, held, of_pairs, rows, residual, lines, upper
):
    """Add gradient and second derivative of one pair's energy; see `fill_tangents`."""
    curve, ends, n, p = scratch((3, 3)), scratch((2, 3)), scratch(3), scratch((2, 3))
    u, slide, Q = scratch(3), scratch(12), scratch((3, 12))
    dn, dR, T0, T1 = scratch(12), scratch(12), scratch(12), scratch(12)
    T3, U = scratch(12), scratch(12)
    h = fibers.h
    for m in range(of_pairs.start[pair], of_pairs.start[pair + 1]):
        run = of_pairs.runs[m]
        e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
        straight = fibers.fiber[e] == rows.first[pair]
        for q in range(laws.n_points[law]):
            s = runs.point_start[run] + q
            if not is_closed(points.state, s, laws.constants[law, 1]):
                continue
            f, eta, point = points.element[s], points.xi[s], quadrature.values[i, q]
            xi, share = laws.xi[law, q], quadrature.shares[i, q]
            d, along = _fill_partner(f, eta, point, fibers, curve, ends, n, p)
            radius = reference_radius(fibers.radius_poly[fibers.shape_of[e]], xi)
            weight = laws.weight[law, q] * h[e] * radius
            ny, dy, node = shape(eta, h[f]), shape_d1(eta, h[f]), fibers.elements[f, 0]
            psi, pull, stiffness = _add_gradient(
                weight, law, d, point, along, n, p, ny, node, laws.constants, share, residual
            )
            r_x, j = point[6], point[7]
            r_y, dr, ddr, r0, _, sa, sb, w, _ = along
            R = r_x + r_y
            stiff, by_j = -stiffness * j, -pull / j
            rho, grow = -0.5 * r_x / (j * j), pull * d / (R * R)
            _, _, g_etaeta = _gap_along(point, r_x, curve, r_y, dr, ddr)
            u[0], u[1], u[2], slide[:], by_dR, by_slide = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if not held[s] and g_etaeta > 0.0:
                by_dR = _fill_slide(d, R, along, ny, dy, n, p, curve, ends, u, slide)
                by_slide = pull / g_etaeta
            # dg = by_n dn + by_R dR; products of dn with dn, dR and dj, of dR with dR and dj, and
            # of the slide with itself
            by_n, by_R = 1.0 / R, -d / (R * R)
            M = (
                stiff * by_n * by_n,
                stiff * by_n * by_R + pull / (R * R),
                by_j * by_n,
                stiff * by_R * by_R - 2.0 * pull * d / (R * R * R),
                by_j * by_R,
                by_slide,
            )
            # |a1| in the length element, and the radii, which go with |t|^(-1/2)
            turn, radius, length = -pull / (d * R), 0.5 * grow * r_x / (j * j), psi / j
            add_to_share(
                M, turn, rho, j, by_dR, length - radius, (2.5 * radius - length) / (j * j), n, u,
                share,
            )  # fmt: skip
            for b in range(4):
                for c in range(3):
                    dn[3 * b + c] = ny[b] * n[c]
                    dR[3 * b + c] = p[b // 2, c] if b % 2 == 1 else 0.0
            fill_two(T0, M[0] - turn, dn, M[1], dR)
            fill_two(T3, by_slide, slide, 0.0, slide)
            fill_two(U, M[1], dn, M[3], dR)
            fill_three(T1, rho * M[1] + M[2] / j, dn, rho * M[3] + M[4] / j, dR, rho * by_dR, T3)
            for c in range(3):
                fill_two(Q[c], n[c], T0, 0.0, T0)
                for b in range(4):
                    Q[c, 3 * b + c] += turn * ny[b]
            _add_partner(ny, Q, dR, U, slide, T3, node, lines)
            for end in range(2):
                t = ends[end]
                tt = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
                radius = 0.5 * grow * r0 * ((1.0 - w) * sa if end == 0 else w * sb) / tt
                _add_tangent_turn(t, tt, -radius, 2.5 * radius, node + end, lines)
            own = fibers.elements[e, 0]
            i0, j0 = (own, node) if straight else (node, own)
            one = block_of(pair, i0, j0, rows)
            two = block_of(pair, i0 + 1, j0, rows)
            blocks = (one, one + 1, two, two + 1) if straight else (one, two, one + 1, two + 1)
            nx, dx = shape(xi, h[e]), shape_d1(xi, h[e])
            if straight:
                _add_cross_rows(nx, dx, point, Q, u, T3, T1, blocks, upper)
            else:
                _add_cross_columns(nx, dx, point, Q, u, T3, T1, blocks, upper)


@loop_body
def _some_pair_gradients(
    begin, end, groups, fibers, runs, laws, quadrature, points, of_pairs, residual
):
    for k in range(begin, end):
        pair_gradients(groups.order[k], fibers, runs, laws, quadrature, points, of_pairs, residual)


@parallel("runs.law", least=2048)
def fill_gradients(groups, fibers, runs, laws, quadrature, points, of_pairs, residual):
    """Add the gradient of all pairs' energy to the residual (n_nodes, 6).

    groups: `fibermsk.kernels.contact_arrays.PairGroups`; of_pairs: the runs of each pair,
    `fibermsk.system.contact.fiber_pairs.RunsOfPairs`.
    """
    # inside prange Numba drops assignments to a column of a group, not to a local array
    shares = quadrature.shares
    for i in prange(shares.shape[0]):
        shares[i] = 0.0
    for group in range(groups.start.size - 1):
        begin, n = groups.start[group], groups.start[group + 1] - groups.start[group]
        for part in prange(PARTS):
            _some_pair_gradients(
                begin + part * n // PARTS, begin + (part + 1) * n // PARTS, groups, fibers, runs,
                laws, quadrature, points, of_pairs, residual,
            )  # fmt: skip
    for fiber in prange(quadrature.start.size - 1):
        share_gradient(fiber, fibers, laws, quadrature, residual)


@loop_body
def _some_pair_tangents(
    part, groups, fibers, runs, laws, quadrature, points, held, of_pairs, rows, residual, lines,
    upper,
):  # fmt: skip
    for k in range(part[0], part[1]):
        pair_tangents(
            groups.order[k], fibers, runs, laws, quadrature, points, held, of_pairs, rows, residual,
            lines, upper,
        )  # fmt: skip


@parallel("runs.law", least=2048)
def fill_tangents(
    groups, fibers, runs, laws, quadrature, points, held, of_pairs, rows, residual, lines, upper
):
    """Add gradient and second derivative of all pairs' energy to residual, lines and blocks.

    As `fill_gradients`; held as in `fibermsk.kernels.closest.gaps.find_gaps`; lines and blocks as
    in `fibermsk.linalg.couplings`.
    """
    # inside prange Numba drops assignments to a column of a group, not to a local array
    shares = quadrature.shares
    for i in prange(shares.shape[0]):
        shares[i] = 0.0
    for group in range(groups.start.size - 1):
        begin, n = groups.start[group], groups.start[group + 1] - groups.start[group]
        for part in prange(PARTS):
            ends = begin + part * n // PARTS, begin + (part + 1) * n // PARTS
            _some_pair_tangents(
                ends, groups, fibers, runs, laws, quadrature, points, held, of_pairs, rows,
                residual, lines, upper,
            )  # fmt: skip
    for fiber in prange(quadrature.start.size - 1):
        share_gradient(fiber, fibers, laws, quadrature, residual)
        share_tangent(fiber, fibers, laws, quadrature, lines)

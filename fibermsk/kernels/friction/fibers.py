"""Friction between fibers: forces, power and tangent of the contact points.

Each contact point of `fibermsk.kernels.contact` has a normal force P of its own; friction mu P acts
against the sliding velocity of `fibermsk.kernels.friction.slip`, on both fibers at once. Of half
passes each carries half of its force, since both fibers integrate the same contact. The tangent
includes the change of the normal force, and the motion of the closest point along the partner:
``d_eta`` and ``d_limit`` are the derivatives of its parameter and of mu P in the 24 numbers of both
elements' nodes, those of the integrated element first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import prange

from fibermsk._compile import PARTS, body, kernel, loop_body, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.bone_border import line_block
from fibermsk.kernels.contact.contact import section_on
from fibermsk.kernels.contact.pair_potential import _fill_partner, _fill_slide
from fibermsk.kernels.contact.pairs import block_of, is_closed
from fibermsk.kernels.contact.potential import _gap_along
from fibermsk.kernels.contact_law import law_force
from fibermsk.kernels.fibers.shape import shape, shape_d1, shape_d2
from fibermsk.kernels.friction.slip import slip_force
from fibermsk.kernels.section import reference_radius


class FrictionOf(NamedTuple):
    """Friction of the contact points of one formulation.

    Attributes
    ----------
    constants : (n_laws, 2) float array
        Coefficient and regularization speed [m/s] of each contact law.
    potential : bool
        Pair potentials, or half passes.
    held : (n_points,) bool array
        Points fixed along the partner, of potentials.
    velocity : (n_nodes, 6) float array
        Rates of the nodes.
    rate : float
        Derivative of the rates in the unknowns.
    end_of_node : (n_nodes,) int array
        Attached end of each node, or -1.
    end_rates : (n_ends, 3, n) float array
        Derivatives of the velocities of attached ends in the coordinates.
    """

    constants: Any
    potential: Any
    held: Any
    velocity: Any
    rate: Any
    end_of_node: Any
    end_rates: Any


@body
def _fill_rate(node, values, velocity, out):
    """Fill out (3,) with shape values times the nodal rates of an element from a node on."""
    for c in range(3):
        out[c] = 0.0
        for a in range(4):
            out[c] += values[a] * velocity[node + a // 2, 3 * (a % 2) + c]


@body
def _limit(
    run, q, s, fibers, runs, laws, quadrature, points, of, n, curve, ends, p, d_eta, d_limit
):
    """Friction limit mu P of a closed contact point [N], its derivative and that of eta.

    Also fills the direction n to the partner and its curve (3, 3).
    """
    e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
    f, eta, point = points.element[s], points.xi[s], quadrature.values[i, q]
    h, xi = fibers.h, laws.xi[law, q]
    d, along = _fill_partner(f, eta, point, fibers, curve, ends, n, p)
    r_x, j = point[6], point[7]
    r_y, dr, ddr = along[0], along[1], along[2]
    nx, dx = shape(xi, h[e]), shape_d1(xi, h[e])
    ny, dy = shape(eta, h[f]), shape_d1(eta, h[f])
    weight = of.constants[law, 0] * laws.weight[law, q] * h[e]
    rho = -0.5 * r_x / (j * j)  # of the radius in a1, over a1
    y1 = curve[1]
    d_eta[:] = 0.0
    if of.potential:
        R = r_x + r_y
        u, slide = scratch(3), scratch(12)
        _, _, g_etaeta = _gap_along(point, r_x, curve, r_y, dr, ddr)
        if not of.held[s] and g_etaeta > 0.0:
            by_dR = _fill_slide(d, R, along, ny, dy, n, p, curve, ends, u, slide)
            for a in range(4):
                for c in range(3):
                    own = by_dR * rho * point[3 + c] * dx[a] - u[c] * nx[a]
                    d_eta[3 * a + c] = -own / g_etaeta
                    d_eta[12 + 3 * a + c] = -slide[3 * a + c] / g_etaeta
        share = reference_radius(fibers.radius_poly[fibers.shape_of[e]], xi) / R
        by_R = -share / R
    else:
        _, _, r_y, dr, _ = section_on(f, eta, fibers)
        R = r_x + r_y
        share, by_R = 0.5, 0.0
        H = 0.0
        for c in range(3):
            H += y1[c] * y1[c] + d * n[c] * curve[2, c]
        flag = fibers.end_flag[f]
        held = (eta <= 0.0 and flag % 2 == 1) or (eta >= 1.0 and flag >= 2)
        if not (held or points.frozen[s]) and H != 0.0:
            for a in range(4):
                for c in range(3):
                    d_eta[3 * a + c] = y1[c] * nx[a] / H
                    d_eta[12 + 3 * a + c] = -(y1[c] * ny[a] + d * n[c] * dy[a]) / H
    F, dF = law_force(d / R - 1.0, laws.constants, law)
    y_sq, y_n = 0.0, 0.0
    for c in range(3):
        y_sq += y1[c] * y1[c]
        y_n += y1[c] * n[c]
    by_d, by_j = weight * share * dF * j / R, weight * share * F
    by_radii = weight * j * (by_R * F - share * dF * d / (R * R))
    for a in range(4):
        for c in range(3):
            own, other = 3 * a + c, 12 + 3 * a + c
            stretch = point[3 + c] * dx[a]
            d_limit[own] = -by_d * n[c] * nx[a] + (by_radii * rho + by_j / j) * stretch
            if of.potential:
                radius = p[a // 2, c] if a % 2 == 1 else 0.0
            else:
                radius = -0.5 * r_y / y_sq * y1[c] * dy[a]
            d_limit[other] = by_d * n[c] * ny[a] + by_radii * radius
    slope = by_d * y_n + by_radii * dr
    for k in range(24):
        d_limit[k] += slope * d_eta[k]
    return weight * share * F * j, d


@body
def _fill_nodal(nx, dx, ny, dy, ddy, force, by_place, by_rate, by_eta, limit, rate, d_eta, d_limit,
                block):  # fmt: skip
    """Fill block (24, 24) in (column, row): derivative of minus the nodal forces of a point."""
    T = scratch(9)
    for a in range(8):
        for c in range(3):
            col = 3 * a + c
            for k in range(9):
                T[k] = by_eta[k] * d_eta[col] + force[k] / limit * d_limit[col]
                if a < 4:
                    T[k] += dx[a] * (by_place[k, 3 + c] + rate * by_rate[k, 3 + c])
                    T[k] -= nx[a] * (by_place[k, c] - rate * by_rate[k, c])
                else:
                    T[k] += dy[a - 4] * (by_place[k, 6 + c] + rate * by_rate[k, 6 + c])
                    T[k] += ny[a - 4] * (by_place[k, c] - rate * by_rate[k, c])
            for b in range(4):
                for r in range(3):
                    block[col, 3 * b + r] = -nx[b] * T[r] - dx[b] * T[3 + r]
                    block[col, 12 + 3 * b + r] = (
                        ny[b] * T[r] - dy[b] * T[6 + r]
                        + (dy[b] * force[r] - ddy[b] * force[6 + r]) * d_eta[col]
                    )  # fmt: skip


@body
def _add_block(block, column, row, node, lines):
    """Add the (12, 12) part of a block from a column and row on to the lines of an element."""
    for b in range(2):
        for a in range(2):
            at, kind = line_block(node, a, b)
            for c in range(6):
                for r in range(6):
                    lines[at, kind, c, r] += block[column + 6 * b + c, row + 6 * a + r]


@body
def _add_coupling(block, own, other, pair, rows, straight, upper, lower):
    """Add the parts of a block that couple an element of node `own` with one of node `other`."""
    for a in range(2):
        for b in range(2):
            i, j = (own + a, other + b) if straight else (other + b, own + a)
            at = block_of(pair, i, j, rows)
            for c in range(6):
                for r in range(6):
                    by_other = block[12 + 6 * b + c, 6 * a + r]
                    by_own = block[6 * a + c, 12 + 6 * b + r]
                    if straight:
                        upper[at, c, r] += by_other
                        lower[at, c, r] += by_own
                    else:
                        lower[at, c, r] += by_other
                        upper[at, c, r] += by_own


@body
def _add_end_rates(node, other, nx, dx, ny, dy, by_rate, of, columns):
    """Add the derivatives in the coordinates through the rates of attached ends."""
    rate, T = scratch(9), scratch(9)
    n0, n1 = of.end_of_node[node], of.end_of_node[node + 1]
    m0, m1 = of.end_of_node[other], of.end_of_node[other + 1]
    if max(max(n0, n1), max(m0, m1)) < 0:
        return
    for j in range(columns.shape[1]):
        rate[:] = 0.0
        for b in range(2):
            own, partner = (n0, m0) if b == 0 else (n1, m1)
            for c in range(3):
                if own >= 0:
                    rate[c] += nx[2 * b] * of.end_rates[own, c, j]
                    rate[3 + c] += dx[2 * b] * of.end_rates[own, c, j]
                if partner >= 0:
                    rate[c] -= ny[2 * b] * of.end_rates[partner, c, j]
                    rate[6 + c] += dy[2 * b] * of.end_rates[partner, c, j]
        for k in range(9):
            T[k] = 0.0
            for p in range(9):
                T[k] += by_rate[k, p] * rate[p]
        for b in range(4):
            for r in range(3):
                at = 3 * (b % 2) + r
                columns[6 * (node + b // 2) + at, j] -= nx[b] * T[r] + dx[b] * T[3 + r]
                columns[6 * (other + b // 2) + at, j] += ny[b] * T[r] - dy[b] * T[6 + r]


@body
def _pair_friction(
    pair, fibers, runs, laws, quadrature, points, of, of_pairs, rows, tangent, residual, lines,
    upper, lower, columns,
):  # fmt: skip
    """Add the friction of all closed contact points of one pair."""
    n, curve, ends, p = scratch(3), scratch((3, 3)), scratch((2, 3)), scratch((2, 3))
    d_eta, d_limit, m, u, v = scratch(24), scratch(24), scratch(3), scratch(3), scratch(3)
    a_dot, b_dot, b_bent = scratch(3), scratch(3), scratch(3)
    force, by_eta = scratch(9), scratch(9)
    by_place, by_rate, block = scratch((9, 9)), scratch((9, 9)), scratch((24, 24))
    h = fibers.h
    for k in range(of_pairs.start[pair], of_pairs.start[pair + 1]):
        run = of_pairs.runs[k]
        e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
        if of.constants[law, 0] == 0.0:
            continue
        straight = fibers.fiber[e] == rows.first[pair]
        for q in range(laws.n_points[law]):
            s = runs.point_start[run] + q
            if not is_closed(points.state, s, laws.constants[law, 1]):
                continue
            limit, d = _limit(
                run, q, s, fibers, runs, laws, quadrature, points, of, n, curve, ends, p, d_eta,
                d_limit,
            )  # fmt: skip
            f, eta, xi = points.element[s], points.xi[s], laws.xi[law, q]
            node, other = fibers.elements[e, 0], fibers.elements[f, 0]
            nx, dx = shape(xi, h[e]), shape_d1(xi, h[e])
            ny, dy, ddy = shape(eta, h[f]), shape_d1(eta, h[f]), shape_d2(eta, h[f])
            _fill_rate(node, nx, of.velocity, u)
            _fill_rate(node, dx, of.velocity, a_dot)
            _fill_rate(other, ny, of.velocity, v)
            _fill_rate(other, dy, of.velocity, b_dot)
            for c in range(3):
                m[c] = d * n[c]
                u[c] -= v[c]
            a1 = quadrature.values[i, q, 3:6]
            slip_force(
                limit, of.constants[law, 1], a1, a_dot, curve[1], b_dot, m, u, tangent, force,
                by_place, by_rate,
            )  # fmt: skip
            for a in range(4):
                for r in range(3):
                    at = 3 * (a % 2) + r
                    residual[node + a // 2, at] -= nx[a] * force[r] + dx[a] * force[3 + r]
                    residual[other + a // 2, at] += ny[a] * force[r] - dy[a] * force[6 + r]
            if not tangent or limit == 0.0:
                continue
            _fill_rate(other, ddy, of.velocity, b_bent)
            for g in range(9):
                by_eta[g] = 0.0
                for c in range(3):
                    by_eta[g] += by_place[g, c] * curve[1, c] + by_place[g, 6 + c] * curve[2, c]
                    by_eta[g] += by_rate[g, 6 + c] * b_bent[c] - by_rate[g, c] * b_dot[c]
            _fill_nodal(
                nx, dx, ny, dy, ddy, force, by_place, by_rate, by_eta, limit, of.rate, d_eta,
                d_limit, block,
            )  # fmt: skip
            _add_block(block, 0, 0, node, lines)
            _add_block(block, 12, 12, other, lines)
            _add_coupling(block, node, other, pair, rows, straight, upper, lower)
            _add_end_rates(node, other, nx, dx, ny, dy, by_rate, of, columns)


@loop_body
def _some_friction(
    pairs, fibers, runs, laws, quadrature, points, of, of_pairs, rows, tangent, residual, lines,
    upper, lower, columns,
):  # fmt: skip
    for k in range(pairs.size):
        _pair_friction(
            pairs[k], fibers, runs, laws, quadrature, points, of, of_pairs, rows, tangent, residual,
            lines, upper, lower, columns,
        )  # fmt: skip


@parallel("runs.law", least=2048)
def add_fiber_friction(
    groups, fibers, runs, laws, quadrature, points, of, of_pairs, rows, tangent, residual, lines,
    upper, lower, columns,
):  # fmt: skip
    """Add the friction of all pairs of fibers to the residual and, with `tangent`, to the matrix.

    Groups, pairs and blocks as in `fibermsk.kernels.contact.scatter.add_half_passes`; columns
    (n_x, n) receives the derivatives through the rates of attached ends.
    """
    for group in range(groups.start.size - 1):
        begin, n = groups.start[group], groups.start[group + 1] - groups.start[group]
        for part in prange(PARTS):
            own = groups.order[begin + part * n // PARTS : begin + (part + 1) * n // PARTS]
            _some_friction(
                own, fibers, runs, laws, quadrature, points, of, of_pairs, rows, tangent, residual,
                lines, upper, lower, columns,
            )  # fmt: skip


@kernel
def fiber_friction_loads(fibers, runs, laws, quadrature, points, of, force):
    """Fill the friction on the integrated fiber (n_points, 3) [N]; returns the dissipated power."""
    n, curve, ends, p = scratch(3), scratch((3, 3)), scratch((2, 3)), scratch((2, 3))
    d_eta, d_limit, m, u, v = scratch(24), scratch(24), scratch(3), scratch(3), scratch(3)
    a_dot, b_dot, own = scratch(3), scratch(3), scratch(9)
    by_place, by_rate = scratch((9, 9)), scratch((9, 9))
    h, power = fibers.h, 0.0
    for run in range(runs.law.size):
        e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
        for q in range(laws.n_points[law]):
            s = runs.point_start[run] + q
            force[s, :] = 0.0
            rubs = of.constants[law, 0] != 0.0
            if not (rubs and is_closed(points.state, s, laws.constants[law, 1])):
                continue
            limit, d = _limit(
                run, q, s, fibers, runs, laws, quadrature, points, of, n, curve, ends, p, d_eta,
                d_limit,
            )  # fmt: skip
            f, eta, xi = points.element[s], points.xi[s], laws.xi[law, q]
            node, other = fibers.elements[e, 0], fibers.elements[f, 0]
            _fill_rate(node, shape(xi, h[e]), of.velocity, u)
            _fill_rate(node, shape_d1(xi, h[e]), of.velocity, a_dot)
            _fill_rate(other, shape(eta, h[f]), of.velocity, v)
            _fill_rate(other, shape_d1(eta, h[f]), of.velocity, b_dot)
            for c in range(3):
                m[c] = d * n[c]
                u[c] -= v[c]
            power += slip_force(
                limit, of.constants[law, 1], quadrature.values[i, q, 3:6], a_dot, curve[1], b_dot,
                m, u, False, own, by_place, by_rate,
            )  # fmt: skip
            for c in range(3):
                force[s, c] = own[c]
    return power

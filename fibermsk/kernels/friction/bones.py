"""Friction of fibers on bones: forces, power and tangent of the contact points.

A contact point at x of a fiber has the normal force T = P grad d. The force mu |T| acts against the
part of u = v_x - v_bone(x) across grad d, on the fiber at x, and its reaction on the bone at the
same point: sum and moment of both vanish, and the power is that of the sliding. Symbols and border
of the matrix as in `fibermsk.kernels.contact.bone_passes`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.bone_shape import distance_slopes
from fibermsk.kernels.contact.bone_border import (
    add_moment,
    add_to_corner,
    crossed,
    line_block,
    moves_bone,
    velocity_field,
)
from fibermsk.kernels.contact_law import law_force
from fibermsk.kernels.fibers.shape import shape, shape_d1
from fibermsk.kernels.section import reference_radius, section


class RubbedBones(NamedTuple):
    """Motion of the bones, and derivatives of the rates.

    Attributes
    ----------
    constants, potential, velocity, rate, end_of_node, end_rates
        As in `fibermsk.kernels.friction.fibers.FrictionOf`.
    twist : (n_links, 6) float array
        Of the links; angular part first.
    speed : (n_axes,) float array
        Of the joint axes.
    """

    constants: Any
    potential: Any
    velocity: Any
    rate: Any
    end_of_node: Any
    end_rates: Any
    twist: Any
    speed: Any


class RubbedSums(NamedTuple):
    """Residual and matrix that friction on bones adds to.

    Attributes
    ----------
    residual, lines, B, R
        As in `fibermsk.kernels.contact_arrays.BoneSums`.
    force : (1, n_axes) float array
        Residual of the joint axes.
    by_place, by_speed : (1, n_axes, n_axes) float array
        Its derivatives in the axes and their speeds.
    speeds : (n_x, n_axes) float array
        Derivatives of the nodes' residual in the speeds of the axes.
    columns, corner : (n_x, n) and (n_axes, n) float array
        Derivatives of both through the rates of attached ends.
    """

    residual: Any
    lines: Any
    B: Any
    R: Any
    force: Any
    by_place: Any
    by_speed: Any
    speeds: Any
    columns: Any
    corner: Any


@body
def bone_friction(limit, by_x, by_a, speed, slope, curvature, u, tangent, force, fx, fa, fu):
    """Friction on a fiber's point against the velocity u relative to the bone.

    limit: mu P, with its derivatives by_x and by_a (3,); slope, curvature: of the distance. Fills
    force (3,), with `tangent` also its derivatives (3, 3) in x, a1 and u; returns the power [W].
    """
    n, across = scratch(3), scratch(3)
    size = math.sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2])
    nu, squared = 0.0, 0.0
    for c in range(3):
        n[c] = slope[c] / size
        nu += n[c] * u[c]
    for c in range(3):
        across[c] = u[c] - nu * n[c]
        squared += across[c] * across[c]
    e = math.sqrt(squared + speed * speed)
    for c in range(3):
        force[c] = -limit * size * across[c] / e
    if tangent:
        for c in range(3):
            # of the unit normal, and of the size of the slope
            grow, turn_u, turn_across = 0.0, 0.0, 0.0
            for k in range(3):
                grow += n[k] * curvature[k, c]
            for k in range(3):
                turn = (curvature[k, c] - n[k] * grow) / size
                turn_u += turn * u[k]
                turn_across += turn * across[k]
            de = -nu * turn_across / (e * e)
            for r in range(3):
                turn = (curvature[r, c] - n[r] * grow) / size
                change = -nu * turn - n[r] * turn_u - across[r] * de
                fx[r, c] = -(limit * grow + by_x[c] * size) * across[r] / e
                fx[r, c] -= limit * size * change / e
                fa[r, c] = -by_a[c] * size * across[r] / e
                one = 1.0 if r == c else 0.0
                value = one - n[r] * n[c] - across[r] * across[c] / (e * e)
                fu[r, c] = -limit * size * value / e
    return limit * size * squared / e


@body
def _fill_limit(e, law, xi, weight, j, r_x, radius, d, a1, slope, fibers, laws, of, by_x, by_a):
    """Friction limit mu P of a closed point [N] and its derivatives in x and a1."""
    R = r_x + radius
    F, dF = law_force(d / R - 1.0, laws.constants, law)
    share, by_R = 1.0, 0.0
    if of.potential:
        share = (reference_radius(fibers.radius_poly[fibers.shape_of[e]], xi) + radius) / R
        by_R = -share / R
    by_radii = weight * j * (by_R * F - share * dF * d / (R * R))
    for c in range(3):
        by_x[c] = weight * share * dF * j / R * slope[c]
        by_a[c] = (weight * share * F - 0.5 * by_radii * r_x / j) * a1[c] / j
    return weight * share * F * j


@body
def _turning_field(link, j, x, speed, S, moves, out):
    """Fill out (3,) with the derivative in axis j of the bone's velocity at x, at fixed speeds."""
    out[:] = 0.0
    for i in range(speed.size):
        if i == j or not moves[link, i] or not moves[i, j]:
            continue
        # the field of axis i turns with j: that of the bracket [S_j, S_i]
        a, b = S[j], S[i]
        first, second = crossed(a, b[3:]), crossed(a[3:], b)
        t = crossed(crossed(a, b), x)
        for r in range(3):
            out[r] += speed[i] * (t[r] + first[r] + second[r])


@body
def _follow_field(link, twist, fx, fu, moved):
    """Fill moved (3, 3) with the derivative in x at fixed rates: the bone's velocity changes."""
    for r in range(3):
        for c in range(3):
            moved[r, c] = fx[r, c]
        if link >= 0:
            turn = crossed(fu[r], twist[link])  # row r of fu times the matrix of w x
            for c in range(3):
                moved[r, c] -= turn[c]


@body
def _add_axes(link, node, n, d1, x, u, force, fx, fa, fu, moved, axes, of, sums):
    """Add rows and columns of the axes that move the bone of a contact point."""
    change, turned, by_speed = scratch(3), scratch(3), scratch(3)
    S, moves = axes.S, axes.moves
    for j in range(of.speed.size):
        if not moves_bone(link, j, moves):
            continue
        V, t = velocity_field(S, j, x), crossed(force, S[j])
        w_f, w_u = crossed(S[j], force), crossed(S[j], u)
        _turning_field(link, j, x, of.speed, S, moves, turned)
        for r in range(3):
            change[r], by_speed[r] = w_f[r], 0.0
            for c in range(3):
                change[r] -= fx[r, c] * V[c] + fu[r, c] * (w_u[c] + turned[c])
                by_speed[r] -= fu[r, c] * V[c]
        for a in range(4):
            row = 6 * (node + a // 2) + 3 * (a % 2)
            for r in range(3):
                sums.B[row + r, j] -= n[a] * change[r]
                sums.speeds[row + r, j] -= n[a] * by_speed[r]
                value = n[a] * t[r]
                for c in range(3):
                    value += V[c] * (n[a] * (moved[c, r] + of.rate * fu[c, r]) + d1[a] * fa[c, r])
                sums.R[j, row + r] += value
        add_to_corner(0, link, j, x, force, change, S, moves, sums.by_place)
        for i in range(of.speed.size):
            if moves_bone(link, i, moves):
                V = velocity_field(S, i, x)
                for r in range(3):
                    sums.by_speed[0, i, j] += V[r] * by_speed[r]


@body
def _add_end_rates(link, node, n, x, fu, axes, of, sums):
    """Add the derivatives in the coordinates through the rates of attached ends."""
    change = scratch(3)
    for b in range(2):
        end = of.end_of_node[node + b]
        if end < 0:
            continue
        for j in range(sums.columns.shape[1]):
            for r in range(3):
                change[r] = 0.0
                for c in range(3):
                    change[r] += fu[r, c] * n[2 * b] * of.end_rates[end, c, j]
            for a in range(4):
                for r in range(3):
                    sums.columns[6 * (node + a // 2) + 3 * (a % 2) + r, j] -= n[a] * change[r]
            for i in range(of.speed.size):
                if moves_bone(link, i, axes.moves):
                    V = velocity_field(axes.S, i, x)
                    for r in range(3):
                        sums.corner[i, j] += V[r] * change[r]


@kernel
def add_bone_friction(fibers, runs, shapes, laws, points, axes, of, tangent, loads, sums):
    """Add the friction on bones of all closed contact points to residual and matrix.

    Fills loads (n_points, 3) with the forces on the fibers [N]; returns the dissipated power [W].
    """
    x, a1, slope, curvature = scratch(3), scratch(3), scratch(3), scratch((3, 3))
    by_x, by_a, u, force = scratch(3), scratch(3), scratch(3), scratch(3)
    fx, fa, fu, moved = scratch((3, 3)), scratch((3, 3)), scratch((3, 3)), scratch((3, 3))
    power = 0.0
    for run in range(runs.element.size):
        e, b, law = runs.element[run], runs.shape[run], runs.law[run]
        node, link, h, radius = fibers.elements[e, 0], axes.link[b], fibers.h[e], shapes.field[b, 0]
        own = fibers.shape_of[e]
        for q in range(laws.n_points[law]):
            s, xi = runs.point_start[run] + q, laws.xi[law, q]
            loads[s, :] = 0.0
            closed = points.state[s, 0] < points.state[s, 1] + points.state[s, 2]
            if of.constants[law, 0] == 0.0 or not closed or points.state[s, 3] <= 0.0:
                continue
            r_x, j = section(
                fibers.power[e], fibers.reference[own], fibers.radius_poly[own], h, xi, x, a1
            )
            d = distance_slopes(x, b, shapes, slope, curvature)
            weight = of.constants[law, 0] * laws.weight[law, q] * h
            limit = _fill_limit(
                e, law, xi, weight, j, r_x, radius, d, a1, slope, fibers, laws, of, by_x, by_a
            )
            n, d1 = shape(xi, h), shape_d1(xi, h)
            for c in range(3):
                u[c] = 0.0
                for a in range(4):
                    u[c] += n[a] * of.velocity[node + a // 2, 3 * (a % 2) + c]
            if link >= 0:
                field = velocity_field(of.twist, link, x)
                for c in range(3):
                    u[c] -= field[c]
            power += bone_friction(
                limit, by_x, by_a, of.constants[law, 1], slope, curvature, u, tangent, force, fx,
                fa, fu,
            )  # fmt: skip
            for r in range(3):
                loads[s, r] = force[r]
                for a in range(4):
                    sums.residual[node + a // 2, 3 * (a % 2) + r] -= n[a] * force[r]
            for i in range(of.speed.size):
                if moves_bone(link, i, axes.moves):
                    add_moment(0, i, x, force, axes.S, sums.force)
            if not tangent:
                continue
            _follow_field(link, of.twist, fx, fu, moved)
            for a in range(4):
                for c in range(4):
                    at, kind = line_block(node, a // 2, c // 2)
                    for col in range(3):
                        for r in range(3):
                            value = n[c] * (moved[r, col] + of.rate * fu[r, col])
                            value += d1[c] * fa[r, col]
                            sums.lines[at, kind, 3 * (c % 2) + col, 3 * (a % 2) + r] -= n[a] * value
            _add_axes(link, node, n, d1, x, u, force, fx, fa, fu, moved, axes, of, sums)
            _add_end_rates(link, node, n, x, fu, axes, of, sums)
    return power

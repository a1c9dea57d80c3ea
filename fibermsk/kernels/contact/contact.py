"""Contact forces of fiber points against other fibers and against bones, with exact derivatives.

Symbols, following Gfrerer and Simeon (2021), sections 2.4, 3.3, 4.3 and A.3-A.4: ``x`` quadrature
point of the integrated fiber with tangent ``a1`` = x,theta; ``y`` closest point of the partner,
``m`` = y - x, ``d`` = |m|, ``n`` = m/d, gap g = d/(r_x + r_y) - 1 with current radii, line force
F(g). The force on x per theta is T = -F(g) |a1| n: repulsive. Its derivatives come as four 3 x 3
matrices, in x, a1, y at fixed parameter, and y,theta, including the motion of the closest point and
the change of both radii and of the length element.

A run is one fiber element against one other fiber (with its candidate elements) or one bone shape.
Each quadrature point of a run is a contact point, with the force T and its derivatives
``jacobian``. Groups of arrays: `fibermsk.kernels.contact_arrays`; runs:
`fibermsk.system.contact.broad_phase`.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import body, inlined_body, kernel, loop_body, parallel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.bone_shape import distance, distance_slopes
from fibermsk.kernels.closest.chain import CLOSED, OPEN, chain_start, find_partner
from fibermsk.kernels.closest.closest_point import way_to
from fibermsk.kernels.closest.gaps import reduce_runs
from fibermsk.kernels.closest.rows import fill_quadrature
from fibermsk.kernels.contact.pairs import is_closed
from fibermsk.kernels.contact_law import law_energy, law_force
from fibermsk.kernels.section import reference_radius, section


@body
def section_on(e, xi, fibers):
    """Tangent, curvature, radius, its slope and |a1| of a point, as of `section`."""
    power, reference, radius_poly = fibers.power, fibers.reference, fibers.radius_poly
    scale, own = 1.0 / fibers.h[e], fibers.shape_of[e]
    v0, v1, v2 = power[e, 1, 0], power[e, 1, 1], power[e, 1, 2]
    w0, w1, w2 = power[e, 2, 0], power[e, 2, 1], power[e, 2, 2]
    u0, u1, u2 = power[e, 3, 0], power[e, 3, 1], power[e, 3, 2]
    a1 = (
        (v0 + xi * (2.0 * w0 + 3.0 * xi * u0)) * scale,
        (v1 + xi * (2.0 * w1 + 3.0 * xi * u1)) * scale,
        (v2 + xi * (2.0 * w2 + 3.0 * xi * u2)) * scale,
    )
    square = scale * scale
    a2 = (
        (2.0 * w0 + 6.0 * xi * u0) * square,
        (2.0 * w1 + 6.0 * xi * u1) * square,
        (2.0 * w2 + 6.0 * xi * u2) * square,
    )
    AA, A_B = 0.0, 0.0
    for c in range(3):
        A = reference[own, 1, c] + xi * (
            2.0 * reference[own, 2, c] + 3.0 * xi * reference[own, 3, c]
        )
        B = 2.0 * reference[own, 2, c] + 6.0 * xi * reference[own, 3, c]
        AA += A * A
        A_B += A * B
    aa = a1[0] * a1[0] + a1[1] * a1[1] + a1[2] * a1[2]
    a_b = a1[0] * a2[0] + a1[1] * a2[1] + a1[2] * a2[2]
    r0, dr0 = radius_poly[own, 4], 0.0
    for m in range(3, -1, -1):
        dr0 = dr0 * xi + r0
        r0 = r0 * xi + radius_poly[own, m]
    change = math.sqrt(math.sqrt(AA * square / aa))
    r = r0 * change
    slope = dr0 * scale * change + 0.5 * r * (A_B / AA * scale - a_b / aa)
    return a1, a2, r, slope, math.sqrt(aa)


@inlined_body
def _radius_on(e, xi, fibers):
    """Radius and |a1| of a point, as `section`."""
    power, reference, radius_poly = fibers.power, fibers.reference, fibers.radius_poly
    aa, AA, own = 0.0, 0.0, fibers.shape_of[e]
    for c in range(3):
        a = power[e, 1, c] + xi * (2.0 * power[e, 2, c] + 3.0 * xi * power[e, 3, c])
        A = reference[own, 1, c] + xi * (
            2.0 * reference[own, 2, c] + 3.0 * xi * reference[own, 3, c]
        )
        aa += a * a
        AA += A * A
    r0 = reference_radius(radius_poly[own], xi)
    return r0 * math.sqrt(math.sqrt(AA / aa)), math.sqrt(aa) / fibers.h[e]


@body
def contact_slopes(a1, length, r_x, m, d, partner, free, law_constants, law, s, jac):
    """Fill jac[s] (4, 3, 3) with the derivatives of one closed contact point's force T.

    partner: as `section_on` returns; free: the closest point moves along the partner (it does not
    at a fiber's end).
    """
    y1, y2, r_y, dr_y, y_length = partner
    n = (m[0] / d, m[1] / d, m[2] / d)
    slope = n[0] * y1[0] + n[1] * y1[1] + n[2] * y1[2]
    y2_m = m[0] * y2[0] + m[1] * y2[1] + m[2] * y2[2]
    y1_sq = y_length * y_length
    R = r_x + r_y
    F, dF = law_force(d / R - 1.0, law_constants, law)
    H = y1_sq + y2_m
    inverse = 1.0 / H if free and H != 0.0 else 0.0
    for part in range(4):  # derivative in x, a1, y, y,theta
        for c in range(3):
            eta, dist, radii = 0.0, 0.0, 0.0
            if part == 0:
                eta = y1[c] * inverse
                dist = slope * eta - n[c]
                radii = dr_y * eta
            elif part == 1:
                radii = -0.5 * r_x * a1[c] / (length * length)
            elif part == 2:
                eta = -y1[c] * inverse
                dist = slope * eta + n[c]
                radii = dr_y * eta
            else:
                eta = -m[c] * inverse
                dist = slope * eta
                radii = dr_y * eta - 0.5 * r_y * y1[c] / y1_sq
            gap = dist / R - d / (R * R) * radii
            for r in range(3):
                move = y1[r] * eta
                if r == c:
                    if part == 0:
                        move -= 1.0
                    elif part == 2:
                        move += 1.0
                turn = (move - n[r] * dist) / d
                value = -dF * length * n[r] * gap - F * length * turn
                if part == 1:
                    value -= F * n[r] * a1[c] / length
                jac[s, part, r, c] = value


@loop_body
def fiber_run(run, fibers, rows, runs, laws, quadrature, points, found):
    """Contact points of one run; see `fiber_runs`."""
    e, law, i = runs.element[run], runs.law[run], quadrature.of_run[run]
    power, values, state, force = fibers.power, quadrature.values, points.state, points.force
    gamma = laws.constants[law, 1]
    candidates, first, last = runs.candidates, runs.start[run], runs.start[run + 1]
    start = chain_start(e, first, last, candidates, rows)
    least = math.inf
    for k in range(laws.n_points[law]):
        s = runs.point_start[run] + k
        x, y, z = values[i, k, 0], values[i, k, 1], values[i, k, 2]
        r_x, length = values[i, k, 6], values[i, k, 7]
        if points.frozen[s]:
            kind, b, xi, d = CLOSED, points.element[s], points.xi[s], 0.0
        else:
            kind, b, xi, d = find_partner(
                x, y, z, r_x, 0.0, False, start, first, last, candidates, power, rows
            )
        if start >= 0:
            start = b
        m = way_to(b, xi, x, y, z, power)
        if kind != OPEN:
            d = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
        r_y, y_length = _radius_on(b, xi, fibers)
        R = r_x + r_y
        gap = d / R - 1.0
        admissibility = 1.0 + gamma * gap
        least = min(least, admissibility)
        points.element[s], points.xi[s] = b, xi
        state[s, 0], state[s, 1], state[s, 2] = d, R, y_length
        pull = 0.0
        if not (d >= R or admissibility <= 0.0):
            F, _ = law_force(gap, laws.constants, law)
            pull = -F * length / d
        force[s, 0], force[s, 1], force[s, 2] = pull * m[0], pull * m[1], pull * m[2]
    found[run, 0], found[run, 1] = least, 0.0


@parallel("found", least=2048)
def fiber_runs(fibers, rows, runs, laws, quadrature, points, found):
    """Closest points and forces of every fiber-fiber run; returns the least 1 + gamma g.

    rows (n_elements, N_COLUMNS): see `fibermsk.kernels.closest.rows`. The quadrature points and
    found (n_runs, 2) are filled as well; an energy of zero is returned, since half passes have no
    potential. Where 1 + gamma g is not positive, the force is zero and the caller must reject the
    configuration. For open contacts the distance is a lower bound within a relative error of 1e-4.
    """
    for i in prange(quadrature.element.size):
        fill_quadrature(i, fibers, laws, quadrature)
    for run in prange(found.shape[0]):
        fiber_run(run, fibers, rows, runs, laws, quadrature, points, found)
    return reduce_runs(found)


@loop_body
def fiber_run_slopes(run, fibers, runs, laws, quadrature, points, jacobian):
    """Derivatives of one run's closed contact points; see `fiber_slopes`."""
    law, i = runs.law[run], quadrature.of_run[run]
    values, state = quadrature.values, points.state
    for k in range(laws.n_points[law]):
        s = runs.point_start[run] + k
        if not is_closed(state, s, laws.constants[law, 1]):
            continue
        r_x, length = values[i, k, 6], values[i, k, 7]
        d, r_y = state[s, 0], state[s, 1] - r_x
        b, xi = points.element[s], points.xi[s]
        m = way_to(b, xi, values[i, k, 0], values[i, k, 1], values[i, k, 2], fibers.power)
        a1 = (values[i, k, 3], values[i, k, 4], values[i, k, 5])
        y1, y2, _, dr_y, y_length = section_on(b, xi, fibers)
        flag = fibers.end_flag[b]
        held = points.frozen[s] or (xi <= 0.0 and flag % 2 == 1) or (xi >= 1.0 and flag >= 2)
        partner = (y1, y2, r_y, dr_y, y_length)
        contact_slopes(a1, length, r_x, m, d, partner, not held, laws.constants, law, s, jacobian)


@parallel("runs.law", least=2048)
def fiber_slopes(fibers, runs, laws, quadrature, points, jacobian):
    """Fill jacobian (n_points, 4, 3, 3) with the derivatives of the forces of `fiber_runs`.

    Only closed contact points are filled.
    """
    for run in prange(runs.law.size):
        fiber_run_slopes(run, fibers, runs, laws, quadrature, points, jacobian)


@body
def _bone_slopes(a1, length, r_x, R, d, gradient, hessian, law_constants, law, s, jac):
    """Fill jac[s] (2, 3, 3) with the derivatives of one closed point's force T in x and a1."""
    radii = r_x + R
    F, dF = law_force(d / radii - 1.0, law_constants, law)
    for c in range(3):
        gap_x = gradient[c] / radii
        gap_a = 0.5 * d * r_x * a1[c] / (radii * radii * length * length)
        for r in range(3):
            jac[s, 0, r, c] = length * (dF * gradient[r] * gap_x + F * hessian[r, c])
            jac[s, 1, r, c] = gradient[r] * (dF * length * gap_a + F * a1[c] / length)


@loop_body
def _bone_run(run, fibers, runs, shapes, laws, points, jacobian):
    """Contact points of one run; returns the least 1 + gamma g and, of a potential, the energy."""
    a1, gradient, hessian = scratch(3), scratch(3), scratch((3, 3))
    state, force = points.state, points.force
    least, energy = math.inf, 0.0
    e, b, law = runs.element[run], runs.shape[run], runs.law[run]
    gamma, R, h = laws.constants[law, 1], shapes.field[b, 0], fibers.h[e]
    own = fibers.shape_of[e]
    for k in range(laws.n_points[law]):
        s = runs.point_start[run] + k
        x, xi = points.x[s], laws.xi[law, k]
        r_x, length = section(
            fibers.power[e], fibers.reference[own], fibers.radius_poly[own], h, xi, x, a1
        )
        d = distance(x, b, shapes)
        admissibility = 1.0 + gamma * (d / (r_x + R) - 1.0)
        least = min(least, admissibility)
        state[s, 0], state[s, 1], state[s, 2] = d, r_x, R
        state[s, 3], state[s, 4], state[s, 5] = admissibility, length, 1.0
        for c in range(3):
            force[s, c] = 0.0
        if d >= r_x + R or admissibility <= 0.0:
            continue
        distance_slopes(x, b, shapes, gradient, hessian)
        gap = d / (r_x + R) - 1.0
        F, _ = law_force(gap, laws.constants, law)
        if jacobian.shape[0] > 0:
            for c in range(3):
                force[s, c] = F * length * gradient[c]
            _bone_slopes(a1, length, r_x, R, d, gradient, hessian, laws.constants, law, s, jacobian)
        else:
            share = reference_radius(fibers.radius_poly[own], xi) + R
            for c in range(3):
                force[s, c] = share * F * length / (r_x + R) * gradient[c]
            density = share * length * law_energy(gap, laws.constants, law)
            energy += laws.weight[law, k] * h * density
    return least, energy


@body
def fill_bone_run(run, fibers, runs, shapes, laws, points, jacobian, found):
    """Fill one run's contact points, and found[run] with its least 1 + gamma g and its energy."""
    found[run, 0], found[run, 1] = _bone_run(run, fibers, runs, shapes, laws, points, jacobian)


@kernel
def bone_runs(fibers, runs, shapes, laws, points, jacobian):
    """Distances and forces of every fiber-bone run; returns the least 1 + gamma g and the energy.

    In half passes, without energy, the force on a fiber per theta is T = F(g) |a1| grad d.
    jacobian (n_points, 2, 3, 3) receives the derivatives in x and a1. The derivatives in the bone's
    pose follow from them, since T depends only on the position of x relative to the bone. An empty
    jacobian makes it the gradient of a potential.
    """
    least, energy = math.inf, 0.0
    for run in range(runs.element.size):
        own, part = _bone_run(run, fibers, runs, shapes, laws, points, jacobian)
        least, energy = min(least, own), energy + part
    return least, energy

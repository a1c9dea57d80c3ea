"""Work of contact points between fibers; see `fibermsk.kernels.virtual_work.curves`.

Half passes and pair potentials as in `fibermsk.kernels.contact.contact` and
`fibermsk.kernels.contact.potential`, friction as in `fibermsk.kernels.friction.fibers`. A contact
point depends on these numbers:

===== =====================================================================================
0     logarithm of the own h
1, 2  own reference radius, and logarithm of the square of the reference's derivative
3     logarithm of the partner's h
4, 5  partner's reference radius and its slope in xi
6, 7  logarithm of the square of the reference's derivative: of half passes at the partner's
      point, of potentials at both of its nodes
8, 9  coefficient of friction, and speed
10 on constants of the law
===== =====================================================================================
"""

from __future__ import annotations

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.contact.pairs import is_closed
from fibermsk.kernels.contact.potential import _gap_along, partner_curve
from fibermsk.kernels.friction.slip import DELTA
from fibermsk.kernels.section import reference_radius
from fibermsk.kernels.virtual_work.curves import (
    STEP,
    add_radius,
    add_reference,
    curve,
    dot,
    law_beside,
    minus,
    own_section,
    reference_square,
    root,
    step,
)

_OF_LAW = 10
"""First number of the law."""


@body
def _slip(a, a_rate, m, n, u):
    """Sliding rate along a fiber of tangent a, its unit tangent t, and n . t."""
    size = root(dot(a, a))
    t = (a[0] / size, a[1] / size, a[2] / size)
    nt = dot(n, t)
    turn = (dot(m, a_rate) - dot(m, t) * dot(t, a_rate)) / size
    return dot(t, u) - nt * dot(n, u) - turn, t, nt


@body
def _friction_work(limit, speed, a, b, m, d, u, rates, w, works):
    """Work of the friction at a contact point; u and w, rates and works: of both tangents."""
    n = (m[0] / d, m[1] / d, m[2] / d)
    s_x, t_x, nx = _slip(a, rates[0], m, n, u)
    s_y, t_y, ny = _slip(b, rates[1], m, n, u)
    w_x, _, _ = _slip(a, works[0], m, n, w)
    w_y, _, _ = _slip(b, works[1], m, n, w)
    xx, xy, yy = 1.0 - nx * nx, dot(t_x, t_y) - nx * ny, 1.0 - ny * ny
    trace, det = xx + yy, xx * yy - xy * xy
    alpha = DELTA * DELTA - det
    bottom = alpha * alpha + trace * trace * DELTA * DELTA
    phi_x = ((alpha * xx + trace * det) * s_x + alpha * xy * s_y) / bottom
    phi_y = (alpha * xy * s_x + (alpha * yy + trace * det) * s_y) / bottom
    e = root(s_x * phi_x + s_y * phi_y + speed * speed)
    return limit / e * (phi_x * w_x + phi_y * w_y)


@body
def _partner_radius(k, f, eta, grow, potential, b, fibers):
    """Radius of a partner and its slope in xi; of potentials also factors s and w."""
    own = fibers.shape_of[f]
    r0 = reference_radius(fibers.radius_poly[own], eta) + step(4, k)
    if not potential:
        square = reference_square(fibers.reference, own, eta) * (1.0 + step(6, k))
        return r0 * root(root(square / dot(b, b))), r0, r0, r0, r0
    poly = fibers.radius_poly[own]
    dr0 = poly[1] + eta * (2.0 * poly[2] + eta * (3.0 * poly[3] + eta * 4.0 * poly[4]))
    dr0 += step(5, k)
    zero = complex(0.0, 0.0)
    _, ta, _ = curve(fibers.power, f, zero, grow)
    _, tb, _ = curve(fibers.power, f, zero + 1.0, grow)
    Ta = reference_square(fibers.reference, own, zero) * (1.0 + step(6, k))
    Tb = reference_square(fibers.reference, own, zero + 1.0) * (1.0 + step(7, k))
    sa, sb = root(root(Ta / dot(ta, ta))), root(root(Tb / dot(tb, tb)))
    w, dw = eta * eta * (3.0 - 2.0 * eta), 6.0 * eta * (1.0 - eta)
    s = sa + (sb - sa) * w
    return r0 * s, dr0 * s + r0 * (sb - sa) * dw, r0, sa, sb


@body
def _radius_work(f, eta, grow, r0, sa, sb, fibers, virtual):
    """Virtual change of the radius of a potential's partner at fixed eta."""
    zero = complex(0.0, 0.0)
    _, ta, _ = curve(fibers.power, f, zero, grow)
    _, tb, _ = curve(fibers.power, f, zero + 1.0, grow)
    _, wa, _ = curve(virtual.work, f, zero, grow)
    _, wb, _ = curve(virtual.work, f, zero + 1.0, grow)
    w = eta * eta * (3.0 - 2.0 * eta)
    by_a, by_b = sa * dot(ta, wa) / dot(ta, ta), sb * dot(tb, wb) / dot(tb, tb)
    return -0.5 * r0 * ((1.0 - w) * by_a + w * by_b)


@body
def _work(k, e, xi, weight, f, eta, H, gap, law, potential, of, fibers, laws, steps, virtual):
    """Work of a contact point with number k changed.

    H: derivative of what vanishes at the partner's point, in its xi; zero if the point is fixed.
    """
    mu, speed = of[law, 0] + step(8, k), of[law, 1] + step(9, k)
    own, grow = step(0, k), step(3, k)
    x, a, wx, wa, J, r0, r_x = own_section(k, e, xi, fibers, virtual)
    y, b, _ = curve(fibers.power, f, eta, grow)
    m = minus(y, x)
    if H != 0.0:
        moved = dot(m, b)
        if potential:
            r_y, dr, _, _, _ = _partner_radius(k, f, eta, grow, potential, b, fibers)
            d, R = root(dot(m, m)), r_x + r_y
            moved = (moved / d - d / R * dr) / R
        eta = complex(eta.real, -moved.imag / H)
        y, b, _ = curve(fibers.power, f, eta, grow)
        m = minus(y, x)
    r_y, _, r0_y, sa, sb = _partner_radius(k, f, eta, grow, potential, b, fibers)
    d, R = root(dot(m, m)), r_x + r_y
    beside = complex(0.0, (d / R).imag)
    F, psi = law_beside(gap, beside, k - _OF_LAW, potential, laws, law, steps)
    if not potential:
        total = weight * F * J / d * dot(m, wx)
    else:
        wy, _, _ = curve(virtual.work, f, eta, grow)
        along = dot(a, wa)
        by_d = dot(m, minus(wy, wx)) / d
        by_R = _radius_work(f, eta, grow, r0_y, sa, sb, fibers, virtual) - 0.5 * r_x * along / (
            J * J
        )
        by_gap = (by_d - d / R * by_R) / R
        total = weight * r0 * (psi * along / J - F * J * by_gap)
    if mu == 0.0:
        return total
    share = r0 / R if potential else complex(0.5, 0.0)
    vx, va, _ = curve(virtual.velocity, e, xi, own)
    vy, vb, _ = curve(virtual.velocity, f, eta, grow)
    wy, wb, _ = curve(virtual.work, f, eta, grow)
    return total + _friction_work(
        mu * weight * share * F * J, speed, a, b, m, d, minus(vx, vy), (va, vb), minus(wx, wy),
        (wa, wb),
    )  # fmt: skip


@body
def _slope_along(e, xi, f, eta, s, r_x, potential, held, points, fibers, room, ends):
    """H of a contact point; see `_work`."""
    xi_c, eta_c, none = complex(xi, 0.0), complex(eta, 0.0), complex(0.0, 0.0)
    x, _, _ = curve(fibers.power, e, xi_c, none)
    flag = fibers.end_flag[f]
    if not potential:
        y, b, bent = curve(fibers.power, f, eta_c, none)
        at_end = (eta <= 0.0 and flag % 2 == 1) or (eta >= 1.0 and flag >= 2)
        free = not (points.frozen[s] or at_end)
        return dot(b, b).real + dot(minus(y, x), bent).real if free else 0.0
    if held[s]:
        return 0.0
    h, of = fibers.h[f], fibers.shape_of[f]
    r, dr, ddr, _, _, _, _, _, _ = partner_curve(
        fibers.power[f], fibers.reference[of], fibers.radius_poly[of], h, eta, room, ends
    )
    point = (x[0].real, x[1].real, x[2].real)
    _, _, bend = _gap_along(point, r_x, room, r, dr, ddr)
    return bend * h * h if bend > 0.0 else 0.0


@body
def _add(value, k, e, xi, f, eta, law, potential, fibers, slopes):
    """Add the derivative of a contact point's work in number k."""
    shape, reference, of = slopes.shape, fibers.reference, fibers.shape_of
    if k == 0:
        shape[e, 0] += value / fibers.h[e]
    elif k == 1:
        add_radius(value, e, xi, shape)
    elif k == 2:
        add_reference(value, e, xi, reference_square(reference, of[e], xi), shape)
    elif k == 3:
        shape[f, 0] += value / fibers.h[f]
    elif k == 4:
        add_radius(value, f, eta, shape)
    elif k == 5:
        for m in range(1, 5):
            shape[f, 1 + m] += m * value
            value *= eta
    elif k <= 7:
        at = eta
        if potential:
            at = 0.0 if k == 6 else 1.0
        add_reference(value, f, at, reference_square(reference, of[f], at), shape)
    elif k < _OF_LAW:
        slopes.friction[law, k - 8] += value
    else:
        slopes.constants[law, k - _OF_LAW] += value


@kernel
def fiber_work(fibers, runs, laws, quadrature, points, held, potential, of, steps, virtual, slopes):
    """Add the derivatives of the work of all closed contact points.

    quadrature, points, held, potential: of one formulation, evaluated; of (n_laws, 2): constants of
    friction; steps, virtual and slopes: see `fibermsk.kernels.virtual_work.curves`.
    """
    room, ends = scratch((3, 3)), scratch((2, 3))
    last = _OF_LAW + steps.weight.shape[0]
    for run in range(runs.element.size):
        e, law = runs.element[run], runs.law[run]
        for q in range(laws.n_points[law]):
            s, xi = runs.point_start[run] + q, laws.xi[law, q]
            if not is_closed(points.state, s, laws.constants[law, 1]):
                continue
            f, eta, weight = points.element[s], points.xi[s], laws.weight[law, q]
            gap = points.state[s, 0] / points.state[s, 1] - 1.0
            r_x = quadrature.values[quadrature.of_run[run], q, 6]
            H = _slope_along(e, xi, f, eta, s, r_x, potential, held, points, fibers, room, ends)
            for k in range(last):
                if not potential and (k == 5 or k == 7):
                    continue
                if of[law, 0] == 0.0 and k == 9:
                    continue
                value = _work(
                    k, e, complex(xi, 0.0), weight, f, complex(eta, 0.0), H, gap, law, potential,
                    of, fibers, laws, steps, virtual,
                )  # fmt: skip
                _add(value.imag / STEP, k, e, xi, f, eta, law, potential, fibers, slopes)

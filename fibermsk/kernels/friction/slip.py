"""Sliding velocity of two fibers at a contact point, and its derivatives.

A cable has no rotation about its own axis. Sliding is measured along each of the two fibers, by a
rate that any common rigid motion leaves at zero:

    s = tau . u - m . t_dot,  tau = t - n (n . t),

with the fiber's unit tangent ``t``, its rate ``t_dot``, the vector ``m`` = d n from the point x of
the integrated fiber to the point y of its partner, and the difference ``u`` of both velocities (x
minus y). The second term is the lever of the distance: fibers that turn about each other do not
slide. The two rates (s_x, s_y) give a sliding velocity in the plane of both tangents by the
pseudo-inverse W of the Gram matrix G of tau_x and tau_y, W = (G^2 + delta^2)^-1 G: both directions
where the fibers cross, the mean along nearly parallel ones. Its square is s . W s. Across nearly
parallel fibers it vanishes, since the rolling of round sections needs no sliding.

Derivatives are with respect to nine entries of place, (m, a, b) with the tangents ``a`` of the
integrated fiber and ``b`` of the partner, and nine of rate, (u, a_dot, b_dot).
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch

DELTA = 0.01
"""Eigenvalue of G, 1 - cos of the crossing angle, below which sliding across is left out."""


@body
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@body
def _slip_along(side, a, a_dot, m, n, d, u, t, by_place, by_rate, mixed):
    """Sliding rate along a fiber, 0 the integrated one and 1 its partner.

    Fills t (3,), and the rows of `side` in by_place, by_rate (2, 9) and mixed (2, 9, 9), the
    derivative of by_rate in place. Returns the rate, n . t and |a|.
    """
    at, length = 3 + 3 * side, math.sqrt(_dot(a, a))
    for c in range(3):
        t[c] = a[c] / length
    nt, nu, t_rate, mt, m_rate = _dot(n, t), _dot(n, u), _dot(t, a_dot), _dot(m, t), _dot(m, a_dot)
    square = length * length
    by_place[side, :], by_rate[side, :], mixed[side, :, :] = 0.0, 0.0, 0.0
    along = _dot(t, u) - nt * nu
    for r in range(3):
        tau, across = t[r] - n[r] * nt, u[r] - n[r] * nu
        by_rate[side, r] = tau
        by_rate[side, at + r] = -(m[r] - t[r] * mt) / length
        by_place[side, r] = -(tau * nu + across * nt) / d - (a_dot[r] - t[r] * t_rate) / length
        by_place[side, at + r] = (across - t[r] * along) / length + (
            m_rate * t[r] + m[r] * t_rate + a_dot[r] * mt - 3.0 * mt * t_rate * t[r]
        ) / square
        for c in range(3):
            one = 1.0 if r == c else 0.0
            tau_c = t[c] - n[c] * nt
            mixed[side, r, c] = -(nt * (one - n[r] * n[c]) + n[r] * tau_c) / d
            mixed[side, r, at + c] = (one - n[r] * n[c] - tau * t[c]) / length
            mixed[side, at + r, c] = -(one - t[r] * t[c]) / length
            mixed[side, at + r, at + c] = (
                m[r] * t[c] + one * mt + t[r] * m[c] - 3.0 * mt * t[r] * t[c]
            ) / square
    return along - (m_rate - mt * t_rate) / length, nt, length


@body
def _fill_gram(n_t, lengths, t, d, by_rate, gram, by_place):
    """Fill G as (xx, xy, yy) and its derivatives in place (3, 9)."""
    for k in range(3):
        i, j = k // 2, (k + 1) // 2  # xx, xy, yy
        value, ti, tj = 0.0, 0.0, 0.0
        for c in range(3):
            value += by_rate[i, c] * by_rate[j, c]
            ti += t[i, c] * by_rate[j, c]
            tj += t[j, c] * by_rate[i, c]
        gram[k] = value
        by_place[k, :] = 0.0
        for c in range(3):
            by_place[k, c] = -(by_rate[i, c] * n_t[j] + by_rate[j, c] * n_t[i]) / d
            by_place[k, 3 + 3 * i + c] += (by_rate[j, c] - t[i, c] * ti) / lengths[i]
            by_place[k, 3 + 3 * j + c] += (by_rate[i, c] - t[j, c] * tj) / lengths[j]


@body
def slip_force(limit, speed, a, a_dot, b, b_dot, m, u, tangent, force, by_place, by_rate):
    """Friction of a contact point that slides: minus limit times d sqrt(s . W s + speed^2)/d(rate).

    limit: friction coefficient times normal force [N]; speed: regularization [m/s]. Fills force
    (9,), conjugate to the rates: the force on x and minus that on y, and those on both tangents;
    with `tangent` also its derivatives in place and rate (9, 9). Returns the dissipated power [W].
    """
    n, t, n_t, lengths = scratch(3), scratch((2, 3)), scratch(2), scratch(2)
    s_place, s_rate, mixed = scratch((2, 9)), scratch((2, 9)), scratch((2, 9, 9))
    s, phi, d_phi, gram, g_place = scratch(2), scratch(2), scratch(2), scratch(3), scratch((3, 9))
    d = math.sqrt(_dot(m, m))
    for c in range(3):
        n[c] = m[c] / d
    s[0], n_t[0], lengths[0] = _slip_along(0, a, a_dot, m, n, d, u, t[0], s_place, s_rate, mixed)
    s[1], n_t[1], lengths[1] = _slip_along(1, b, b_dot, m, n, d, u, t[1], s_place, s_rate, mixed)
    _fill_gram(n_t, lengths, t, d, s_rate, gram, g_place)
    # W = (alpha G + trace det) / bottom
    trace, det = gram[0] + gram[2], gram[0] * gram[2] - gram[1] * gram[1]
    alpha = DELTA * DELTA - det
    bottom = alpha * alpha + trace * trace * DELTA * DELTA
    w_xx = (alpha * gram[0] + trace * det) / bottom
    w_xy = alpha * gram[1] / bottom
    w_yy = (alpha * gram[2] + trace * det) / bottom
    phi[0], phi[1] = w_xx * s[0] + w_xy * s[1], w_xy * s[0] + w_yy * s[1]
    squared = s[0] * phi[0] + s[1] * phi[1]
    e = math.sqrt(squared + speed * speed)
    for k in range(9):
        force[k] = -limit / e * (phi[0] * s_rate[0, k] + phi[1] * s_rate[1, k])
    if not tangent:
        return limit * squared / e
    for p in range(9):
        # of the rates: W does not change
        d_phi[0] = w_xx * s_rate[0, p] + w_xy * s_rate[1, p]
        d_phi[1] = w_xy * s_rate[0, p] + w_yy * s_rate[1, p]
        de = (phi[0] * s_rate[0, p] + phi[1] * s_rate[1, p]) / (e * e)
        for k in range(9):
            value = 0.0
            for i in range(2):
                value += (d_phi[i] - phi[i] * de) * s_rate[i, k]
            by_rate[k, p] = -limit / e * value
        # of place
        d_xx, d_xy, d_yy = g_place[0, p], g_place[1, p], g_place[2, p]
        d_trace = d_xx + d_yy
        d_det = d_xx * gram[2] + gram[0] * d_yy - 2.0 * gram[1] * d_xy
        d_bottom = -2.0 * alpha * d_det + 2.0 * trace * d_trace * DELTA * DELTA
        both = d_trace * det + trace * d_det
        v_xx = (-d_det * gram[0] + alpha * d_xx + both - w_xx * d_bottom) / bottom
        v_xy = (-d_det * gram[1] + alpha * d_xy - w_xy * d_bottom) / bottom
        v_yy = (-d_det * gram[2] + alpha * d_yy + both - w_yy * d_bottom) / bottom
        turned_x, turned_y = v_xx * s[0] + v_xy * s[1], v_xy * s[0] + v_yy * s[1]
        d_phi[0] = w_xx * s_place[0, p] + w_xy * s_place[1, p] + turned_x
        d_phi[1] = w_xy * s_place[0, p] + w_yy * s_place[1, p] + turned_y
        de = phi[0] * s_place[0, p] + phi[1] * s_place[1, p]
        de = (de + 0.5 * (s[0] * turned_x + s[1] * turned_y)) / (e * e)
        for k in range(9):
            value = 0.0
            for i in range(2):
                value += (d_phi[i] - phi[i] * de) * s_rate[i, k] + phi[i] * mixed[i, k, p]
            by_place[k, p] = -limit / e * value
    return limit * squared / e

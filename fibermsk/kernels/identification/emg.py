"""Activation from electromyograms: delay, filter and activation dynamics, with derivatives.

Per sample k of interval h, with the EMG e delayed by t_d:

    u_k = (1 + b_1 + b_2) e(t_k - t_d) - b_1 u_{k-1} - b_2 u_{k-2},

held over the sample, in which the activation of Thelen's law has a closed form: with
k = 1/2 + 3/2 u

    a > u: x = a - u,  x' = -x (k + 3/2 x) / t_de,
    a < u: x = u - a,  x' = -x / (t_act (k - 3/2 x)).

At constant u the activation never crosses u, so that one branch holds for a whole sample.

References
----------
.. [1] Thelen, Journal of Biomechanical Engineering 125 (2003), 70-77.
.. [2] Lloyd and Besier, Journal of Biomechanics 36 (2003), 765-776: the filter.
"""

import numpy as np

from fibermsk._compile import inner, kernel

BETA1, BETA2, DELAY, RISE, FALL = range(5)
"""Columns of the common parameters: b_1, b_2, t_d [s], t_act [s], t_de [s]."""

_NEWTON = 60
"""Bound of Newton's method, which rises monotonically to the root; 8 steps reach rounding."""


@inner
def activation_step(a, u, h, t_act, t_de):
    """Activation after a sample; its derivatives in a, u, t_act and t_de. Real or complex."""
    k = 0.5 + 1.5 * u
    if a.real > u.real:
        x = a - u
        E = np.exp(-k * h / t_de)
        D = k + 1.5 * x * (1.0 - E)
        E_k, E_t = -h / t_de * E, k * h / (t_de * t_de) * E
        new = k * x * E / D
        by_x = k * k * E / (D * D)
        by_k = (x * E + k * x * E_k - new * (1.0 - 1.5 * x * E_k)) / D
        by_t = (k * x * E_t + new * 1.5 * x * E_t) / D
        return u + new, by_x, 1.0 - by_x + 1.5 * by_k, 0.0 * by_t, by_t
    x = u - a
    w = -h / (t_act * (k - 1.5 * x))
    for _ in range(_NEWTON):
        e = np.exp(w)
        step = (k * w - 1.5 * x * (e - 1.0) + h / t_act) / (k - 1.5 * x * e)
        w = w - step
        if abs(step) <= 1e-16 * abs(w):
            break
    e = np.exp(w)
    F_w = k - 1.5 * x * e
    new = x * e
    by_x = e + new * 1.5 * (e - 1.0) / F_w
    by_k = -new * w / F_w
    by_t = new * h / (t_act * t_act) / F_w
    return u - new, by_x, 1.0 - by_x - 1.5 * by_k, -by_t, 0.0 * by_t


@inner
def delayed(e, m, k, d, smooth):
    """Sample k - d of a column, between samples by a cubic or a line, and its derivative in d.

    Before the record it has the first value, after it the last one.
    """
    last = e.shape[0] - 1
    i = int(np.floor(k - d.real))
    s = k - d - i
    e0, e1 = e[min(max(i, 0), last), m], e[min(max(i + 1, 0), last), m]
    if not smooth:
        return e0 + s * (e1 - e0), -(e1 - e0) + 0.0 * s
    before, after = e[min(max(i - 1, 0), last), m], e[min(max(i + 2, 0), last), m]
    # Catmull and Rom: slopes are those of the neighbors
    m0, m1 = 0.5 * (e1 - before), 0.5 * (after - e0)
    c2, c3 = 3.0 * (e1 - e0) - 2.0 * m0 - m1, 2.0 * (e0 - e1) + m0 + m1
    value = e0 + s * (m0 + s * (c2 + s * c3))
    return value, -(m0 + s * (2.0 * c2 + 3.0 * s * c3))


@kernel
def activation_of_emg(e, h, common, smooth, a, by):
    """Fill activations a (k, m) from EMG e (k, m), and their derivatives by (k, m, 5).

    u is kept in [0, 1], and it and a begin at rest. common (5,) real or complex.
    """
    n, muscles = e.shape
    b1, b2, t_act, t_de = common[BETA1], common[BETA2], common[RISE], common[FALL]
    gain, d = 1.0 + b1 + b2, common[DELAY] / h
    zero = 0.0 * gain
    for m in range(muscles):
        u1, u2 = e[0, m] + zero, e[0, m] + zero
        now = u1
        s1_b1, s2_b1, s1_b2, s2_b2, s1_d, s2_d = zero, zero, zero, zero, zero, zero
        a_b1, a_b2, a_d, a_r, a_f = zero, zero, zero, zero, zero
        for k in range(n):
            a[k, m] = now
            by[k, m, 0], by[k, m, 1], by[k, m, 2] = a_b1, a_b2, a_d
            by[k, m, 3], by[k, m, 4] = a_r, a_f
            v, v_d = delayed(e, m, k, d, smooth)
            u = gain * v - b1 * u1 - b2 * u2
            s_b1 = v - u1 - b1 * s1_b1 - b2 * s2_b1
            s_b2 = v - u2 - b1 * s1_b2 - b2 * s2_b2
            s_d = gain * v_d / h - b1 * s1_d - b2 * s2_d
            u2, u1, s2_b1, s1_b1, s2_b2, s1_b2, s2_d, s1_d = (
                u1, u, s1_b1, s_b1, s1_b2, s_b2, s1_d, s_d,
            )  # fmt: skip
            inside, held = 1.0, u
            if u.real < 0.0:
                inside, held = 0.0, zero
            elif u.real > 1.0:
                inside, held = 0.0, zero + 1.0
            now, by_a, by_u, by_r, by_f = activation_step(now, held, h, t_act, t_de)
            by_u = inside * by_u
            a_b1 = by_a * a_b1 + by_u * s_b1
            a_b2 = by_a * a_b2 + by_u * s_b2
            a_d = by_a * a_d + by_u * s_d
            a_r, a_f = by_a * a_r + by_r, by_a * a_f + by_f

"""Forces of Hill muscles along known motions, with derivatives in the numbers of each muscle.

With F_0, l_0, l_ts, p = alpha_0^2 and the largest velocity V [m/s] of a muscle,

    f = F_0 cos(alpha) (a f_L(l / l_0) f_V(l' / V) + f_P(l / l_0) + beta l' / V),
    cos(alpha) = sqrt(1 - (l_0 sin(alpha_0) / l)^2),

where the length l of the fibers is given, or follows from that of the path with a rigid tendon, or
from the balance with an elastic one, f = F_0 f_T((L - l cos(alpha)) / l_ts).

References
----------
.. [1] Millard, Uchida, Seth and Delp, Journal of Biomechanical Engineering 135 (2013), 021005.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import inner, kernel
from fibermsk.kernels.identification.quintic import Tables, table_at

FORCE, OPTIMUM, SLACK, PENNATION, FASTEST = range(5)
"""Columns of the numbers of a muscle; the pennation is p = alpha_0^2 [rad^2]."""

RIGID, FIBER, ELASTIC = range(3)
"""How the length of the fibers follows."""

_SMALL = 1e-3
"""p below which its sine is a series."""

_ITERATIONS, _WIDENED = 80, 12
_SHORTEST = 0.05
"""Least length of fibers along the tendon that the search reaches, over l_0."""


class Muscles(NamedTuple):
    """What is known of m muscles.

    Attributes
    ----------
    kind : (m,) int array
        `RIGID`, `FIBER` or `ELASTIC`.
    damping, least : (m,) float array
        beta, and the least activation in the force.
    table : (m, 4) int array
        Tables of f_L, f_V, f_P and f_T.
    tables : Tables
        The curves.
    """

    kind: NDArray[np.int64]
    damping: Array
    least: Array
    table: NDArray[np.int64]
    tables: Tables


@inner
def height(l0, p):
    """Square of the height l_0 sin(sqrt p), and its derivatives in l_0 and p; real or complex."""
    if p.real < _SMALL:
        sine2 = p * (1.0 - p * (1.0 / 3.0 - p * (2.0 / 45.0 - p / 315.0)))
        slope = 1.0 - p * (2.0 / 3.0 - p * (2.0 / 15.0 - 4.0 / 315.0 * p))
    else:
        angle = np.sqrt(p)
        sine2 = np.sin(angle) ** 2
        slope = np.sin(2.0 * angle) / (2.0 * angle)
    return l0 * l0 * sine2, 2.0 * l0 * sine2, l0 * l0 * slope


@inner
def fiber_pull(muscles, m, x, w, a):
    """P = a f_L f_V + f_P + beta w, and its derivatives in x = l / l_0, w = l' / V and a."""
    tables, own = muscles.tables, muscles.table[m]
    f, df = table_at(tables, own[0], x)
    g, dg = table_at(tables, own[1], w)
    passive, stiffness = table_at(tables, own[2], x)
    used, by_a = a, f * g
    if a.real < muscles.least[m]:
        used, by_a = muscles.least[m] + 0.0 * a, 0.0 * f * g
    P = used * f * g + passive + muscles.damping[m] * w
    return P, used * df * g + stiffness, used * f * dg + muscles.damping[m], by_a


@inner
def rigid_force(muscles, m, c, L, v, a, out):
    """Force with a rigid tendon; fills out (6,) with derivatives in c (5,) and a.

    There is none where the path is shorter than the tendon.
    """
    F, l0, p, V = c[FORCE], c[OPTIMUM], c[PENNATION], c[FASTEST]
    h2, h2_l0, h2_p = height(l0, p)
    u = L - c[SLACK]
    if u.real <= 0.0:
        out[:] = 0.0
        return 0.0 * F * u
    length = np.sqrt(u * u + h2)
    cosine = u / length
    w = v * cosine / V
    P, P_x, P_w, P_a = fiber_pull(muscles, m, length / l0, w, a)
    # through the length along the tendon, and through the height
    l_u, l_h = cosine, 0.5 / length
    cos_u, cos_h = (1.0 - cosine * cosine) / length, -cosine * l_h / length
    f_u = cos_u * P + cosine * (P_x * l_u / l0 + P_w * v / V * cos_u)
    f_h = cos_h * P + cosine * (P_x * l_h / l0 + P_w * v / V * cos_h)
    out[FORCE] = cosine * P
    out[OPTIMUM] = F * (f_h * h2_l0 - cosine * P_x * length / (l0 * l0))
    out[SLACK] = -F * f_u
    out[PENNATION] = F * f_h * h2_p
    out[FASTEST] = -F * cosine * P_w * w / V
    out[5] = F * cosine * P_a
    return F * cosine * P


@inner
def given_force(muscles, m, c, length, rate, a, out):
    """Force of fibers of a given length and rate; fills out (6,) as `rigid_force`."""
    F, l0, p, V = c[FORCE], c[OPTIMUM], c[PENNATION], c[FASTEST]
    h2, h2_l0, h2_p = height(l0, p)
    cosine = np.sqrt(1.0 - h2 / (length * length))
    P, P_x, P_w, P_a = fiber_pull(muscles, m, length / l0, rate / V, a)
    cos_h = -0.5 / (cosine * length * length)
    out[FORCE] = cosine * P
    out[OPTIMUM] = F * (cos_h * h2_l0 * P - cosine * P_x * length / (l0 * l0))
    out[SLACK] = 0.0 * P
    out[PENNATION] = F * cos_h * h2_p * P
    out[FASTEST] = -F * cosine * P_w * rate / (V * V)
    out[5] = F * cosine * P_a
    return F * cosine * P


@inner
def balance(muscles, m, c, L, length, rate, a, by):
    """Balance of fibers and tendon over F_0, and the tendon's force over F_0.

    Fills by (2, 8): their derivatives in c (5,), a, length and rate.
    """
    l0, slack, V = c[OPTIMUM], c[SLACK], c[FASTEST]
    h2, h2_l0, h2_p = height(l0, c[PENNATION])
    along = np.sqrt(length * length - h2)
    cosine = along / length
    P, P_x, P_w, P_a = fiber_pull(muscles, m, length / l0, rate / V, a)
    relative = (L - along) / slack
    T, T_x = table_at(muscles.tables, muscles.table[m, 3], relative)
    stiffness = T_x / slack
    cos_h, cos_l = -0.5 / (along * length), h2 / (along * length * length)
    along_h, along_l = -0.5 / along, length / along
    balance_h, tendon_h = cos_h * P + stiffness * along_h, -stiffness * along_h
    zero = 0.0 * P * T
    by[0, FORCE], by[1, FORCE] = zero, zero
    by[0, OPTIMUM] = balance_h * h2_l0 - cosine * P_x * length / (l0 * l0)
    by[1, OPTIMUM] = tendon_h * h2_l0
    by[0, SLACK], by[1, SLACK] = stiffness * relative, -stiffness * relative
    by[0, PENNATION], by[1, PENNATION] = balance_h * h2_p, tendon_h * h2_p
    by[0, FASTEST], by[1, FASTEST] = -cosine * P_w * rate / (V * V), zero
    by[0, 5], by[1, 5] = cosine * P_a, zero
    by[0, 6] = cos_l * P + cosine * P_x / l0 + stiffness * along_l
    by[1, 6] = -stiffness * along_l
    by[0, 7], by[1, 7] = cosine * P_w / V, zero
    return cosine * P - T, T


@inner
def elastic_forces(muscles, m, c, L, v, a, by_common, h, f, own, common):
    """Fill the forces f (k,) of a muscle with an elastic tendon, and their derivatives (k, 5) each.

    The balance is integrated by BDF2, after a first step by the backward Euler method, from
    fibers that move with the path.
    """
    by = np.empty((2, 8), f.dtype)
    s, s1, s2 = np.zeros((3, 10), f.dtype)
    h2, _, _ = height(c[OPTIMUM], c[PENNATION])
    zero = 0.0 * c[OPTIMUM] * a[0]
    length = c[OPTIMUM] + zero
    l1, l2 = length, length
    for k in range(L.size):
        if k == 0:
            c0, past, w1, w2 = 0.0, v[0] + 0.0 * length, 0.0, 0.0
        elif k == 1:
            c0, past, w1, w2 = 1.0 / h, -l1 / h, -1.0 / h, 0.0
        else:
            c0, past, w1, w2 = 1.5 / h, (0.5 * l2 - 2.0 * l1) / h, -2.0 / h, 0.5 / h
        # with a slack tendon fibers are at their longest
        high = np.sqrt(h2.real + max((L[k] - c[SLACK]).real, 0.0) ** 2)
        low = np.sqrt(h2.real + (_SHORTEST * c[OPTIMUM].real) ** 2)
        high = max(high, 1.05 * low)
        for _ in range(_WIDENED):
            g, T = balance(muscles, m, c, L[k], high + zero, c0 * high + past, a[k], by)
            if g.real >= 0.0:
                break
            high *= 1.3
        found = False
        if not low < length.real < high:
            length = 0.5 * (low + high) + zero
        for _ in range(_ITERATIONS):
            g, T = balance(muscles, m, c, L[k], length, c0 * length + past, a[k], by)
            if found:
                break  # derivatives are those at the root, where a complex part is exact, too
            step = g / (by[0, 6] + c0 * by[0, 7])
            found = abs(step.real) <= 1e-14 * c[OPTIMUM].real
            if g.real > 0.0:
                high = length.real
            else:
                low = length.real
            new = length - step
            length = new if found or low < new.real < high else 0.5 * (low + high) + zero
        if not found:
            f[k:], own[k:], common[k:] = np.nan, np.nan, np.nan
            return
        slope = by[0, 6] + c0 * by[0, 7]
        for j in range(10):
            direct = by[0, j] if j < 5 else by[0, 5] * by_common[k, j - 5]
            s[j] = -(direct + by[0, 7] * (w1 * s1[j] + w2 * s2[j])) / slope
        f[k] = c[FORCE] * T
        for j in range(5):
            own[k, j] = c[FORCE] * (by[1, j] + by[1, 6] * s[j])
            common[k, j] = c[FORCE] * by[1, 6] * s[5 + j]
        own[k, FORCE] += T
        l2, l1 = l1, length
        for j in range(10):
            s2[j], s1[j] = s1[j], s[j]


@kernel
def muscle_forces(muscles, numbers, h, L, v, a, by_common, f, own, common):
    """Fill forces f (k, m) [N] along the tendons, and derivatives own and common (k, m, 5).

    In the numbers (m, 5) of the muscles, and in the common numbers of the activations a (k, m), of
    which by_common (k, m, 5) are the derivatives. L, v (k, m): length and rate of the paths, or of
    the fibers where they are given; h is the interval of the samples.
    """
    out = np.empty(6, f.dtype)
    for m in range(numbers.shape[0]):
        c, kind = numbers[m], muscles.kind[m]
        if kind == ELASTIC:
            elastic_forces(
                muscles, m, c, L[:, m], v[:, m], a[:, m], by_common[:, m], h, f[:, m],
                own[:, m], common[:, m],
            )  # fmt: skip
            continue
        for k in range(L.shape[0]):
            if kind == RIGID:
                f[k, m] = rigid_force(muscles, m, c, L[k, m], v[k, m], a[k, m], out)
            else:
                f[k, m] = given_force(muscles, m, c, L[k, m], v[k, m], a[k, m], out)
            for j in range(5):
                own[k, m, j] = out[j]
                common[k, m, j] = out[5] * by_common[k, m, j]

"""Equations of a Hill muscle with tendon, for curves of any kind.

Symbols: ``L`` length of the path [m] and ``v`` its rate, ``a`` activation, ``x`` the state and
``rate`` its rate, ``c`` the row of constants (`fibermsk.laws.hill.row`); ``w`` velocity of the
fibers over v_max l_0, positive in lengthening; ``u`` = l_M cos(alpha) length of the fibers along
the tendon; ``P`` force of the fibers and ``T`` that which the tendon asks of them, both over F_0.

The fibers have a constant height h = l_0 sin(alpha_0) across the tendon. Force along the fibers and
balance with the tendon, relative to F_0:

    P = active(l_M / l_0, w, a) + f_P(l_M / l_0) + beta w,     P cos(alpha) = f_T(l_T / l_Ts).

Every form returns two rows of six numbers: the force of the tendon [N] and the residual of the
state, each with its derivatives in L, v, a, x and rate. Numbers are real or complex, so that a
complex step gives the derivative in any constant. Sources: [1]_ for the equations, [2]_ for the
bound of the pennation angle.

References
----------
.. [1] Millard, Uchida, Seth and Delp, Journal of Biomechanical Engineering 135 (2013), 021005.
.. [2] OpenSim's MuscleFixedWidthPennationModel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fibermsk.laws.hill.row import (
    DAMPING,
    FASTEST,
    LEAST_COSINE,
    MAX_FORCE,
    MIN_ACTIVATION,
    OPTIMUM,
    PENNATION,
    SLACK,
)

SHORTEST = 0.01
"""Least length of fibers over optimal length; OpenSim's value."""

STOP = 0.01
"""Range above the least length, over l_0, in which the velocity of shortening fades to zero."""

ITERATIONS = 200
"""Bound of the search for the velocity; bisection alone needs about 130."""

NEWTON = 30
"""Iterations after which bisection alone goes on."""


class CurveFunctions(NamedTuple):
    """Functions of one kind of curves, of a row of constants and relative arguments."""

    active: Callable[..., Any]  # of length, velocity, activation: force and three derivatives
    passive: Callable[..., Any]  # of length: force and slope
    tendon: Callable[..., Any]  # of length: force and slope
    # of force: length, slope, and derivative of the slope in the force
    tendon_inverse: Callable[..., Any]


class Equations(NamedTuple):
    """Equations with one kind of curves; those of `FORMS` by the name of the option."""

    pennation: Callable[..., Any]
    fiber_force: Callable[..., Any]
    velocity: Callable[..., Any]
    elastic: Callable[..., Any]
    balance: Callable[..., Any]
    implicit: Callable[..., Any]
    rigid: Callable[..., Any]


FORMS = ("elastic", "balance", "implicit", "rigid")
"""Options of the tendon."""


def plain(function: Any) -> Any:
    """Leave a function as it is."""
    return function


def equations(curves: CurveFunctions, compiled: Callable[[Any], Any] = plain) -> Equations:
    """Equations with the functions of one kind of curves.

    With `compiled`, all functions of the equations are passed through it, and those of the curves
    must be compiled already.
    """
    active, passive, tendon, tendon_inverse = curves

    @compiled
    def pennation(c, length):
        """Return cos(alpha) at a length of the fibers, its derivative, and the least length."""
        h, least = c[OPTIMUM] * np.sin(c[PENNATION]), c[LEAST_COSINE]
        shortest = h / np.sqrt(1.0 - least * least)
        if SHORTEST * c[OPTIMUM].real > shortest.real:
            shortest = SHORTEST * c[OPTIMUM] + 0.0 * shortest
        if length.real <= shortest.real and h.real > 0.0:
            return least + 0.0 * length * h, 0.0 * length * h, shortest + 0.0 * length
        sine = h / length
        cosine = np.sqrt(1.0 - sine * sine)
        return cosine, sine * sine / (length * cosine), shortest + 0.0 * length

    @compiled
    def fiber_force(c, length, w, a):
        """Return P at a length of the fibers, and derivatives in length / l_0, w and a."""
        known = a.real > c[MIN_ACTIVATION].real
        used = a + 0.0 * c[MIN_ACTIVATION] if known else c[MIN_ACTIVATION] + 0.0 * a
        relative = length / c[OPTIMUM]
        f, f_l, f_w, f_a = active(c, relative, w, used)
        p, p_l = passive(c, relative)
        return f + p + c[DAMPING] * w, f_l + p_l, f_w + c[DAMPING], f_a if known else 0.0 * f_a

    @compiled
    def found_velocity(c, length, a, T, guess):
        """Return w with P = T, of real numbers: Newton's method, kept in a bracket by bisection.

        NaN if there is none: without damping and activation no velocity carries the force.
        """
        excess, _, slope, _ = fiber_force(c, length, 0.0, a)
        excess -= T
        if excess == 0.0:
            return 0.0
        # P increases with w: the root is on the side of zero with the missing force
        side = -1.0 if excess > 0.0 else 1.0
        far = 1.0
        while True:
            there = fiber_force(c, length, side * far, a)[0] - T
            if there * side >= 0.0:
                break
            far *= 4.0
            if not far < 1e12:
                return np.nan
        low, high = (-far, 0.0) if side < 0.0 else (0.0, far)
        w = guess if low < guess < high else -excess / slope
        for k in range(ITERATIONS):
            if k >= NEWTON or not low < w < high:
                w = 0.5 * (low + high)
            excess, _, slope, _ = fiber_force(c, length, w, a)
            excess -= T
            if excess > 0.0:
                high = w
            else:
                low = w
            new = w - excess / slope
            if abs(new - w) <= 1e-15 * (1.0 + abs(w)) or high - low <= 1e-15 * (1.0 + abs(w)):
                break
            w = new
        return w

    @compiled
    def velocity(c, length, a, T, guess):
        """Return w with P = T, and derivatives in length, a and T; real or complex."""
        w = found_velocity(c.real, length.real, a.real, T.real, guess.real)
        P, P_l, P_w, P_a = fiber_force(c, length, w + 0.0 * length, a)
        # one step of Newton's method from the real root carries a complex step exactly
        w = w - (P - T) / P_w
        return w, -P_l / (P_w * c[OPTIMUM]), -P_a / P_w, 1.0 / P_w

    @compiled
    def tendon_at(c, L, x):
        """Return f_T at a length of the fibers, its derivatives in L and x, and cos(alpha)."""
        cosine, dcosine, shortest = pennation(c, x)
        f, df = tendon(c, (L - x * cosine) / c[SLACK])
        df = df / c[SLACK]
        return f, df, -df * (cosine + x * dcosine), cosine, dcosine, shortest

    @compiled
    def elastic(c, L, v, a, x, rate):
        """State: length of the fibers [m]; row: its rate minus their velocity."""
        F, fastest = c[MAX_FORCE], c[FASTEST] * c[OPTIMUM]
        f, f_l, f_x, cosine, dcosine, shortest = tendon_at(c, L, x)
        w, w_m, w_a, w_T = velocity(c, x, a, f / cosine, rate / fastest)
        w_l, w_x = w_T * f_l / cosine, w_m + w_T * (f_x - f * dcosine / cosine) / cosine
        # fibers do not become shorter than their least length
        room = (x - shortest) / (STOP * c[OPTIMUM])
        if w.real < 0.0 and room.real < 1.0:
            if room.real > 0.0:
                fade = room * room * (3.0 - 2.0 * room)
                dfade = 6.0 * room * (1.0 - room) / (STOP * c[OPTIMUM])
            else:
                fade, dfade = 0.0 * room, 0.0 * room
            w, w_l, w_a, w_x = fade * w, fade * w_l, fade * w_a, fade * w_x + dfade * w
        zero = 0.0 * w
        return (
            (F * f, F * f_l, zero, zero, F * f_x, zero),
            (rate - fastest * w, -fastest * w_l, zero, -fastest * w_a, -fastest * w_x, zero + 1.0),
        )

    @compiled
    def balance(c, L, v, a, x, rate):
        """State: length of the fibers [m]; row: balance of fibers and tendon over F_0."""
        F, fastest = c[MAX_FORCE], c[FASTEST] * c[OPTIMUM]
        f, f_l, f_x, cosine, dcosine, _ = tendon_at(c, L, x)
        P, P_l, P_w, P_a = fiber_force(c, x, rate / fastest, a)
        zero = 0.0 * P * f
        by_x = P_l / c[OPTIMUM] * cosine + P * dcosine - f_x
        return (
            (F * f, F * f_l, zero, zero, F * f_x, zero),
            (P * cosine - f, zero - f_l, zero, P_a * cosine, by_x, P_w * cosine / fastest),
        )

    @compiled
    def from_along(c, u):
        """Length of the fibers at a length along the tendon, cos(alpha), and whether it is free.

        Along the tendon the fibers stay as long as at their least length.
        """
        h, least = c[OPTIMUM] * np.sin(c[PENNATION]), c[LEAST_COSINE]
        shortest = h * least / np.sqrt(1.0 - least * least)
        if SHORTEST * c[OPTIMUM].real > shortest.real:
            shortest = SHORTEST * c[OPTIMUM] + 0.0 * shortest
        free = u.real > shortest.real
        along = u + 0.0 * shortest if free else shortest + 0.0 * u
        length = np.sqrt(along * along + h * h)
        return length, along / length, 1.0 if free else 0.0

    @compiled
    def implicit(c, L, v, a, x, rate):
        """State: force of the tendon over F_0; row: its rate minus that by the tendon's."""
        F, fastest = c[MAX_FORCE], c[FASTEST] * c[OPTIMUM]
        relative, K, K_x = tendon_inverse(c, x)
        length, cosine, free = from_along(c, L - c[SLACK] * relative)
        w, w_m, w_a, w_T = velocity(c, length, a, x / cosine, 0.0 * x)
        by_u = free * (1.0 - cosine * cosine) / length
        w_u = w_m * free * cosine - w_T * x * by_u / (cosine * cosine)
        u_x = -c[SLACK] / K
        w_x = w_u * u_x + w_T / cosine
        k, V = K / c[SLACK], fastest / cosine
        V_u = -V * by_u / cosine
        slip = v - V * w
        zero = 0.0 * w
        return (
            (F * x + zero, zero, zero, zero, F + zero, zero),
            (
                rate - k * slip,
                k * (V * w_u + V_u * w),
                zero - k,
                k * V * w_a,
                k * (V * w_x + V_u * u_x * w) - K_x / c[SLACK] * slip,
                zero + 1.0,
            ),
        )

    @compiled
    def rigid(c, L, v, a, x, rate):
        """No state; the tendon has its slack length."""
        F, fastest = c[MAX_FORCE], c[FASTEST] * c[OPTIMUM]
        length, cosine, free = from_along(c, L - c[SLACK])
        by_u = free * (1.0 - cosine * cosine) / length
        speed = free * v / fastest
        P, P_l, P_w, P_a = fiber_force(c, length, speed * cosine, a)
        by_l = P * by_u + cosine * (P_l * free * cosine / c[OPTIMUM] + P_w * speed * by_u)
        zero = 0.0 * P
        by_v = P_w * cosine * cosine * free / fastest
        return (
            (F * P * cosine, F * by_l, F * by_v, F * P_a * cosine, zero, zero),
            (zero, zero, zero, zero, zero, zero),
        )

    return Equations(pennation, fiber_force, velocity, elastic, balance, implicit, rigid)

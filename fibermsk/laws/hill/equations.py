"""Equations of a Hill muscle with tendon, for curves of any kind.

Symbols: ``L`` length of the path [m] and ``v`` its rate, ``a`` activation, ``x`` the state and
``rate`` its rate, ``c`` the row of constants (`fibermsk.laws.hill.row`); ``w`` velocity of the
fibers over v_max l_0, positive in lengthening; ``u`` = l_M cos(alpha) length of the fibers along
the tendon; ``P`` force of the fibers and ``T`` that which the tendon asks of them, both over F_0.

The fibers have a constant height h = l_0 sin(alpha_0) across the tendon. Force along the fibers and
balance with the tendon, relative to F_0:

    P = a f_L(l_M / l_0) f_V(w, a) + f_P(l_M / l_0) + beta w,     P cos(alpha) = f_T(l_T / l_Ts).

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
    PULL_ONLY,
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

REST = 1e-12
"""Largest w of fibers at rest, but for round-off: on one side of a kink there, for all that is
computed of them."""


class CurveFunctions(NamedTuple):
    """Functions of one kind of curves, of a row of constants and relative arguments."""

    active_length: Callable[..., Any]  # of length: factor and slope
    # of velocity and activation: factor, and its derivatives in both
    force_velocity_factor: Callable[..., Any]
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
    elastic_outputs: Callable[..., Any]
    balance_outputs: Callable[..., Any]
    implicit_outputs: Callable[..., Any]
    rigid_outputs: Callable[..., Any]


FORMS = ("elastic", "balance", "implicit", "rigid")
"""Options of the tendon."""


OUTPUTS = {
    "activation": "", "fiber_length": "m", "normalized_fiber_length": "",
    "fiber_length_along_tendon": "m", "pennation_angle": "rad", "tendon_length": "m",
    "tendon_strain": "", "fiber_velocity": "m/s", "normalized_fiber_velocity": "",
    "fiber_velocity_along_tendon": "m/s", "pennation_angular_velocity": "rad/s",
    "tendon_velocity": "m/s", "active_force_length_multiplier": "",
    "force_velocity_multiplier": "", "passive_force_multiplier": "", "active_fiber_force": "N",
    "passive_fiber_elastic_force": "N", "passive_fiber_damping_force": "N",
    "passive_fiber_force": "N", "total_fiber_force": "N", "fiber_force_along_tendon": "N",
    "tendon_force": "N", "tendon_slack": "",
}  # fmt: skip
"""Outputs of a muscle by OpenSim's names, with units; "tendon_slack" is 1 where the tendon is
shorter than its slack length or pushes, else 0."""


def plain(function: Any) -> Any:
    """Leave a function as it is."""
    return function


def equations(curves: CurveFunctions, compiled: Callable[[Any], Any] = plain) -> Equations:
    """Equations with the functions of one kind of curves.

    With `compiled`, all functions of the equations are passed through it, and those of the curves
    must be compiled already.
    """
    active_length, force_velocity_factor, passive, tendon, tendon_inverse = curves

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
        # at the least activation the derivative is that of larger ones
        known = a.real >= c[MIN_ACTIVATION].real
        used = a + 0.0 * c[MIN_ACTIVATION] if known else c[MIN_ACTIVATION] + 0.0 * a
        relative = length / c[OPTIMUM]
        f, df = active_length(c, relative)
        g, g_w, g_a = force_velocity_factor(c, w, used)
        p, dp = passive(c, relative)
        by_a = f * (g + used * g_a)
        return (
            used * f * g + p + c[DAMPING] * w,
            used * df * g + dp,
            used * f * g_w + c[DAMPING],
            by_a if known else 0.0 * by_a,
        )

    @compiled
    def found_velocity(c, most, a, short):
        """Return w with most g(w, a) + beta w = short, of real numbers.

        By Newton's method, kept in a bracket by bisection. NaN if there is none: without damping
        and activation no velocity carries the force.
        """
        # the force increases with w: first out to a bracket, then in
        low, high, inside = -1.0, 1.0, False
        w, far, side, start, step = 0.0, 0.5, 1.0, 0.0, 0.0
        for k in range(ITERATIONS):
            g, slope, _ = force_velocity_factor(c, w, a)
            slope = most * slope + c[DAMPING]
            excess = most * g + c[DAMPING] * w - short
            if not inside:
                if k == 0 and excess == 0.0:
                    return 0.0
                if k == 0:
                    side = -1.0 if excess > 0.0 else 1.0
                    start, step = 0.0, -excess / slope
                elif excess * side >= 0.0:
                    inside = True
                    low, high = (w, start) if side < 0.0 else (start, w)
                else:
                    start, step = w, -excess / slope
                if not inside:
                    # a Newton step if it is of reasonable size, and always outwards
                    far *= 4.0
                    if not far < 1e12:
                        return np.nan
                    w = start + side * min(max(1.1 * abs(step), 1e-9), far)
                    continue
            if excess > 0.0:
                high = w
            else:
                low = w
            new = w - excess / slope
            if abs(new - w) <= 1e-15 * (1.0 + abs(w)) or high - low <= 1e-15 * (1.0 + abs(w)):
                return w
            w = new if k < NEWTON and low < new < high else 0.5 * (low + high)
        return w

    @compiled
    def velocity(c, length, a, T):
        """Return w with P = T, and derivatives in length, a and T; real or complex."""
        used = max(a.real, c[MIN_ACTIVATION].real)
        relative = length.real / c[OPTIMUM].real
        f, p = active_length(c, relative)[0].real, passive(c, relative)[0].real
        w = found_velocity(c.real, used * f, used, T.real - p)
        if abs(w) < REST:
            w = 0.0
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
        w, w_m, w_a, w_T = velocity(c, x, a, f / cosine)
        w_l, w_x = w_T * f_l / cosine, w_m + w_T * (f_x - f * dcosine / cosine) / cosine
        # fibers do not become shorter than their least length
        room = (x - shortest) / (STOP * c[OPTIMUM])
        if w.real < -REST and room.real < 1.0:
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
        w, w_m, w_a, w_T = velocity(c, length, a, x / cosine)
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
        if P.real < 0.0 and c[PULL_ONLY].real != 0.0:
            none = (zero, zero, zero, zero, zero, zero)
            return none, none
        by_v = P_w * cosine * cosine * free / fastest
        return (
            (F * P * cosine, F * by_l, F * by_v, F * P_a * cosine, zero, zero),
            (zero, zero, zero, zero, zero, zero),
        )

    @compiled
    def outputs(c, L, v, a, length, w, stiff):
        """Values of `OUTPUTS` at a length and a relative velocity of the fibers."""
        F, fastest = c[MAX_FORCE], c[FASTEST] * c[OPTIMUM]
        cosine, _, _ = pennation(c, length)
        used = max(a, c[MIN_ACTIVATION])
        f, _ = active_length(c, length / c[OPTIMUM])
        g, _, _ = force_velocity_factor(c, w, used)
        p, _ = passive(c, length / c[OPTIMUM])
        muscle = F * used * f * g, F * p, F * c[DAMPING] * w
        if stiff and c[PULL_ONLY] != 0.0 and muscle[0] + muscle[1] + muscle[2] < 0.0:
            # the damping balances the rest, as in OpenSim
            muscle = muscle[0], muscle[1], -muscle[0] - muscle[1]
        total = muscle[0] + muscle[1] + muscle[2]
        speed, along = fastest * w, length * cosine
        tendon_length = L - along
        strain = tendon_length / c[SLACK] - 1.0 if c[SLACK] > 0.0 else 0.0
        in_tendon = total * cosine if stiff else F * tendon(c, 1.0 + strain)[0]
        sine = np.sqrt(1.0 - cosine * cosine)
        turn = -speed * sine / (length * cosine)
        return (
            used, length, length / c[OPTIMUM], along, np.arctan2(sine, cosine), tendon_length,
            strain, speed, w, speed / cosine, turn, v - speed / cosine, f, g, p, muscle[0],
            muscle[1], muscle[2], muscle[1] + muscle[2], total, total * cosine, in_tendon,
            1.0 if strain < -1e-12 or in_tendon < 0.0 else 0.0,
        )  # fmt: skip

    @compiled
    def elastic_outputs(c, L, v, a, x, rate):
        """Outputs with the velocity that balances the tendon."""
        _, row = elastic(c, L, v, a, x, 0.0)
        return outputs(c, L, v, a, x, -row[0] / (c[FASTEST] * c[OPTIMUM]), False)

    @compiled
    def balance_outputs(c, L, v, a, x, rate):
        """Outputs with the rate of the state as velocity."""
        return outputs(c, L, v, a, x, rate / (c[FASTEST] * c[OPTIMUM]), False)

    @compiled
    def implicit_outputs(c, L, v, a, x, rate):
        """Outputs with the velocity that balances the force of the tendon."""
        relative, _, _ = tendon_inverse(c, x)
        length, cosine, _ = from_along(c, L - c[SLACK] * relative)
        w, _, _, _ = velocity(c, length, a, x / cosine)
        return outputs(c, L, v, a, length, w, False)

    @compiled
    def rigid_outputs(c, L, v, a, x, rate):
        """Outputs with a tendon of its slack length."""
        length, cosine, free = from_along(c, L - c[SLACK])
        return outputs(c, L, v, a, length, free * v * cosine / (c[FASTEST] * c[OPTIMUM]), True)

    return Equations(
        pennation, fiber_force, velocity, elastic, balance, implicit, rigid,
        elastic_outputs, balance_outputs, implicit_outputs, rigid_outputs,
    )  # fmt: skip

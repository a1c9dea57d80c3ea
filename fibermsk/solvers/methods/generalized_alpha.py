"""The generalized-alpha method in first-order form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.protocol import System
from fibermsk.solvers.initial import begin_from
from fibermsk.solvers.newton.newton import Newton
from fibermsk.solvers.newton.stage import State, Step, predict, solve_stage
from fibermsk.solvers.orders import first_order


class Memory(NamedTuple):
    """The present state with the rates of v; and the auxiliary rates of the method."""

    state: State
    v_dot: Array
    y_rate: Array  # auxiliary rates (n,) of y and v
    v_rate: Array
    y_slope: Array  # their slopes (n,) in time over the last step; v_slope is zero before the first
    v_slope: Array
    delay: float  # time between the auxiliary rates and the state [s]
    started: bool  # whether a step has been made
    t_before: float  # time of the last stage [s]
    v_dot_before: Array  # rates of v that satisfy the equations of motion there
    state_rates_before: Array  # rates (n_states,) of first-order states there


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Second order with chosen dissipation of the highest frequencies; one solve per step.

    Jansen, Whiting and Hulbert, Computer Methods in Applied Mechanics and Engineering 190 (2000),
    305-319, applied to y' = v, to the momentum balance and to states of first order alike. The
    auxiliary rates r_n are at t_n - (alpha_m - alpha_f) h: the momentum balance at t_n + alpha_f h
    interpolates them at alpha_m. Here both weights follow from those times, so that the order is
    two at variable steps and from the first step on, where r_0 is the rate at t_0; at equal steps
    they are the standard ones.

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, in [0, 1]: 1 is without dissipation, 0 removes the
        highest frequencies in one step.
    """

    rho_inf: float = 0.8

    name = "generalized_alpha"
    order = 2
    error_order = 3
    most_growth = 5.0
    one_step = False

    @property
    def nodes(self) -> tuple[float, ...]:
        """Times of the balance and of the new state, over the step."""
        return 1.0 / (1.0 + self.rho_inf), 1.0

    def __post_init__(self) -> None:
        _check.fraction("GeneralizedAlpha", "rho_inf", self.rho_inf)

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start, with consistent accelerations."""
        state, v_dot = begin_from(system, state)
        v, rest, own = state.v, np.zeros_like(v_dot), first_order(system)
        return Memory(state, v_dot, v, v_dot, v_dot, rest, 0.0, False, state.t, v_dot, v[own])

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]."""
        (t, y, v), _, y_rate, v_rate, y_slope, v_slope, delay, started, *before = memory
        t_before, v_dot_before, state_rates_before = before
        if not started:
            t_before = t
        states = first_order(system)
        alpha_f = 1.0 / (1.0 + self.rho_inf)
        # alpha_m - alpha_f = (1 - rho) / (1 + rho) / 2 at equal steps
        new_delay = 0.5 * (1.0 - self.rho_inf) / (1.0 + self.rho_inf) * h
        span = h - new_delay + delay
        alpha_m = (alpha_f * h + delay) / span
        gamma = (0.5 * h + delay) / span
        # rate at alpha_m = (value at alpha_f - old value) / c + (1 - alpha_m / gamma) old rate
        c = gamma * alpha_f / alpha_m * h
        kept = c * (1.0 - alpha_m / gamma)
        t_stage = t + alpha_f * h
        start = predict(system, newton, t_stage, y, alpha_f * h * (v + 0.5 * alpha_f * h * v_rate))
        stage = solve_stage(
            system, newton, t_stage, start, y - kept * y_rate, v - kept * v_rate, c, rates=True
        )
        if not stage.report.converged:
            return Step(memory, (stage.report,), None)
        y_new = system.retract(t + h, y, (stage.y - y) / alpha_f)
        since, rest_of_step = t_stage - t_before, (1.0 - alpha_f) * h
        v_new = v + (stage.v - v) / alpha_f
        bend = (stage.v[states] - state_rates_before) / since
        v_new[states] = stage.v[states] + rest_of_step * bend
        v_new = system.enforce(y_new, v_new, t + h)
        new_y_rate = y_rate + ((y_new - y) / h - y_rate) / gamma
        new_v_rate = v_rate + ((v_new - v) / h - v_rate) / gamma
        new_v_rate[states] = bend
        new_y_slope, new_v_slope = (new_y_rate - y_rate) / span, (new_v_rate - v_rate) / span
        # along the line through the rates in the stages, which satisfy the equations of motion
        v_dot = stage.v_dot + rest_of_step / since * (stage.v_dot - v_dot_before)
        v_dot[states] = bend
        v_dot = system.enforce_rate(y_new, v_new, v_dot, t + h)
        evaluation = system.evaluate(t + h, y_new, v_new, v_dot, tangent=False)
        # The predictor extrapolates the rates along their last slope. Its error is 5/12 h^3 y''',
        # that of the method 1/12 h^3 y''' with the opposite sign (rho_inf = 1).
        ahead = h * (0.5 * h + delay)
        share = 1.0 / 6.0 if started else 0.5
        return Step(
            Memory(
                State(t + h, y_new, v_new),
                v_dot,
                new_y_rate,
                new_v_rate,
                new_y_slope,
                new_v_slope,
                new_delay,
                True,
                t_stage,
                stage.v_dot,
                stage.v[states],
            ),
            (stage.report,),
            evaluation,
            (y + h * y_rate + ahead * y_slope - y_new) / 6.0,
            share * (v + h * v_rate + ahead * v_slope - v_new),
        )

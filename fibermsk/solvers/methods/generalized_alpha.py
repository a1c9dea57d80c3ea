"""The generalized-alpha method in first-order form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.laws import _check
from fibermsk.protocol import System
from fibermsk.solvers.initial import accelerations
from fibermsk.solvers.newton import Newton
from fibermsk.solvers.stage import State, Step, predict, solve_stage

__all__ = ["GeneralizedAlpha"]

Array = NDArray[np.float64]


class Memory(NamedTuple):
    """The present state, the method's rates of y and v, and how long before it they hold."""

    state: State
    y_rate: Array
    v_rate: Array
    delay: float


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Second order with chosen dissipation of the highest frequencies; one solve a step.

    Jansen, Whiting and Hulbert, Computer Methods in Applied Mechanics and Engineering 190 (2000),
    305-319, applied to y' = v and to the momentum balance alike. The method's rates r_n hold at
    t_n - (alpha_m - alpha_f) h: the momentum balance at t_n + alpha_f h interpolates them at
    alpha_m. Here both weights follow from those times, so that the order is two at variable steps
    and from the first step on, where r_0 holds at t_0; at equal steps they are the known ones.

    Parameters
    ----------
    rho_inf : float
        What a step leaves of the highest frequencies, in [0, 1]: 1 keeps all, 0 removes them in one
        step.

    Raises
    ------
    ModelError
        If rho_inf lies outside [0, 1].
    """

    rho_inf: float = 0.8

    name = "generalized_alpha"
    order = 2
    error_order = 3
    most_growth = 5.0

    def __post_init__(self) -> None:
        """Check rho_inf."""
        _check.fraction("GeneralizedAlpha", "rho_inf", self.rho_inf)

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start, with the accelerations that the forces there give."""
        return Memory(state, state.v, accelerations(system, *state), 0.0)

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]."""
        (t, y, v), y_rate, v_rate, delay = memory
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
        stage = solve_stage(system, newton, t_stage, start, y - kept * y_rate, v - kept * v_rate, c)
        if not stage.report.converged:
            return Step(memory, (stage.report,), None)
        y_new = system.retract(t + h, y, (stage.y - y) / alpha_f)
        v_new = system.enforce(y_new, v + (stage.v - v) / alpha_f)
        new_y_rate = y_rate + ((y_new - y) / h - y_rate) / gamma
        new_v_rate = v_rate + ((v_new - v) / h - v_rate) / gamma
        evaluation = system.evaluate(t + h, y_new, v_new, new_v_rate, tangent=False)
        # what the change of acceleration over the step leaves of y + h v + h^2/2 v'
        error = (h * h / 6.0) * (new_v_rate - v_rate)
        return Step(
            Memory(State(t + h, y_new, v_new), new_y_rate, new_v_rate, new_delay),
            (stage.report,),
            evaluation,
            error,
        )

"""The two-stage singly diagonally implicit Runge-Kutta method of second order."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fibermsk.protocol import System
from fibermsk.solvers.initial import begin_from
from fibermsk.solvers.methods.backward_euler import Memory
from fibermsk.solvers.newton.newton import Newton
from fibermsk.solvers.newton.stage import State, Step, predict, solve_stage

_GAMMA = 1.0 - 1.0 / math.sqrt(2.0)


@dataclass(frozen=True)
class SDIRK2:
    """Second order, L-stable and stiffly accurate; two solves per step.

    Alexander, SIAM Journal on Numerical Analysis 14 (1977), 1006-1021: both stages have the
    diagonal entry g = 1 - 1/sqrt(2), and the second one is the new state.

    The error estimate is 2/3 h (f_1 - (1 - g) f_0 - g f_2) with the rates f at the start and in
    the stages: the difference to another second-order formula, scaled so that it is the error
    itself where the rates are linear in the state.
    """

    name = "sdirk2"
    order = 2
    error_order = 3
    most_growth = 5.0
    nodes = (1.0 - 0.5**0.5, 1.0)
    one_step = True

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start."""
        return Memory(*begin_from(system, state))

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]."""
        (t, y, v), v_dot = memory
        c = _GAMMA * h
        start = predict(system, newton, t + c, y, c * (v + 0.5 * c * v_dot))
        first = solve_stage(system, newton, t + c, start, y, v, c, rates=True)
        if not first.report.converged:
            return Step(memory, (first.report,), None)
        first.report.solve = None  # release its factors
        y_hat = y + (h - c) * first.v
        v_hat = v + (h - c) * first.v_dot
        increment = (h - c) * (first.v + 0.5 * (h - c) * first.v_dot)
        start = predict(system, newton, t + h, first.y, increment)
        second = solve_stage(system, newton, t + h, start, y_hat, v_hat, c, rates=True)
        scale = -2.0 / 3.0 * h
        return Step(
            Memory(State(t + h, second.y, second.v), second.v_dot),
            (first.report, second.report),
            second.report.final,
            scale * ((1.0 - _GAMMA) * v - first.v + _GAMMA * second.v),
            scale * ((1.0 - _GAMMA) * v_dot - first.v_dot + _GAMMA * second.v_dot),
        )

"""The two-stage singly diagonally implicit Runge-Kutta method of second order."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fibermsk.protocol import System
from fibermsk.solvers.methods.backward_euler import Memory
from fibermsk.solvers.newton import Newton
from fibermsk.solvers.stage import State, Step, predict, solve_stage

__all__ = ["SDIRK2"]

_GAMMA = 1.0 - 1.0 / math.sqrt(2.0)


@dataclass(frozen=True)
class SDIRK2:
    """Second order, L-stable and stiffly accurate; two solves a step, no memory.

    Alexander, SIAM Journal on Numerical Analysis 14 (1977), 1006-1021: both stages have the
    diagonal entry gamma = 1 - 1/sqrt(2), and the second one is the new state.
    """

    name = "sdirk2"
    order = 2
    error_order = 2
    most_growth = 5.0

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start."""
        return Memory(state)

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]; the error is that of an embedded first-order method."""
        t, y, v = memory.state
        c = _GAMMA * h
        start = predict(system, newton, t + c, y, c * v)
        first = solve_stage(system, newton, t + c, start, y, v, c)
        if not first.report.converged:
            return Step(memory, (first.report,), None)
        y_hat = y + (h - c) * first.v
        v_hat = v + (h - c) * first.v_dot
        increment = (h - c) * (first.v + 0.5 * (h - c) * first.v_dot)
        start = predict(system, newton, t + h, first.y, increment)
        second = solve_stage(system, newton, t + h, start, y_hat, v_hat, c)
        # against y + h v_1, the weights (1, 0) on the stages: of first order
        error = c * (second.v - first.v)
        return Step(
            Memory(State(t + h, second.y, second.v)),
            (first.report, second.report),
            second.report.final,
            error,
        )

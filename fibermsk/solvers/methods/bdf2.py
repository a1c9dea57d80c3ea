"""The two-step backward differentiation formula with variable steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fibermsk.protocol import System
from fibermsk.solvers.newton import Newton
from fibermsk.solvers.stage import State, Step, predict, solve_stage

__all__ = ["BDF2"]


class Memory(NamedTuple):
    """The present state and the one before; both the same before the first step."""

    state: State
    before: State


@dataclass(frozen=True)
class BDF2:
    """Second order, L-stable at constant steps; one solve a step.

    With the step ratio w = h / h_before, y' = ((1 + w)^2 y - w^2 y_before) / (1 + 2 w) + c v' and
    the same for v, where c = h (1 + w) / (1 + 2 w); Hairer, Norsett and Wanner, Solving Ordinary
    Differential Equations I, sec. III.5. Zero-stable for w below 2.41. The first step is a backward
    Euler step.
    """

    name = "bdf2"
    order = 2
    error_order = 3
    most_growth = 2.0

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start."""
        return Memory(state, state)

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]."""
        (t, y, v), (t_before, y_before, v_before) = memory
        first = t_before >= t
        w = 0.0 if first else h / (t - t_before)
        c = h * (1.0 + w) / (1.0 + 2.0 * w)
        a, b = (1.0 + w) ** 2 / (1.0 + 2.0 * w), w * w / (1.0 + 2.0 * w)
        # predictor: the parabola through the two known points with the present velocity
        increment = h * v
        if not first:
            increment = h * v + w * w * (y_before - y + (t - t_before) * v)
        start = predict(system, newton, t + h, y, increment)
        new = solve_stage(
            system, newton, t + h, start, a * y - b * y_before, a * v - b * v_before, c
        )
        error = 0.5 * (y + h * v - new.y)
        if not first:
            # errors of the corrector, -(1 + w)^2 / (6 w (1 + 2 w)) h^3 y''', and of the predictor,
            # (1 + w) / (6 w) h^3 y''', are in the ratio of -(1 + w) : (1 + 2 w)
            error = (1.0 + w) / (2.0 + 3.0 * w) * (y + increment - new.y)
        return Step(
            Memory(State(t + h, new.y, new.v), memory.state),
            (new.report,),
            new.report.final,
            error,
        )

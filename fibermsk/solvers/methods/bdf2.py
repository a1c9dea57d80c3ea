"""The two-step backward differentiation formula with variable steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import System
from fibermsk.solvers.initial import begin_from
from fibermsk.solvers.methods.backward_euler import Memory as OneStepMemory
from fibermsk.solvers.methods.sdirk2 import SDIRK2
from fibermsk.solvers.newton.newton import Newton
from fibermsk.solvers.newton.stage import State, Step, predict, solve_stage


class Memory(NamedTuple):
    """The present and previous state, equal before the first step, and present rates of v."""

    state: State
    before: State
    v_dot: NDArray[np.float64]


@dataclass(frozen=True)
class BDF2:
    """Second order, L-stable at constant steps; one solve per step.

    With the step ratio w = h / h_before, y' = ((1 + w)^2 y - w^2 y_before) / (1 + 2 w) + c v' and
    the same for v, where c = h (1 + w) / (1 + 2 w); Hairer, Norsett and Wanner, Solving Ordinary
    Differential Equations I, sec. III.5. Zero-stable for w below 2.41. The first step uses
    `SDIRK2`, so that its error is of the same order.
    """

    name = "bdf2"
    order = 2
    error_order = 3
    most_growth = 2.0
    nodes = SDIRK2.nodes
    one_step = False

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start."""
        state, v_dot = begin_from(system, state)
        return Memory(state, state, v_dot)

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]."""
        (t, y, v), (t_before, y_before, v_before), v_dot = memory
        if t_before >= t:
            step = SDIRK2().step(system, newton, OneStepMemory(memory.state, v_dot), h)
            return step._replace(memory=Memory(step.memory.state, memory.state, step.memory.v_dot))
        w = h / (t - t_before)
        c = h * (1.0 + w) / (1.0 + 2.0 * w)
        a, b = (1.0 + w) ** 2 / (1.0 + 2.0 * w), w * w / (1.0 + 2.0 * w)
        # predictors: parabolas through the two known points with the present rates
        y_ahead = y + h * v + w * w * (y_before - y + (t - t_before) * v)
        v_ahead = v + h * v_dot + w * w * (v_before - v + (t - t_before) * v_dot)
        start = predict(system, newton, t + h, y, y_ahead - y)
        new = solve_stage(
            system, newton, t + h, start, a * y - b * y_before, a * v - b * v_before, c
        )
        # errors of the corrector, -(1 + w)^2 / (6 w (1 + 2 w)) h^3 y''', and of the predictor,
        # (1 + w) / (6 w) h^3 y''', are in the ratio of -(1 + w) : (1 + 2 w)
        share = (1.0 + w) / (2.0 + 3.0 * w)
        return Step(
            Memory(State(t + h, new.y, new.v), memory.state, new.v_dot),
            (new.report,),
            new.report.final,
            share * (y_ahead - new.y),
            share * (v_ahead - new.v),
        )

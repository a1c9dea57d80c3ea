"""The backward Euler method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import System
from fibermsk.solvers.initial import begin_from
from fibermsk.solvers.newton.newton import Newton
from fibermsk.solvers.newton.stage import State, Step, predict, solve_stage


class Memory(NamedTuple):
    """The present state and the rates of v, needed only for the error estimate."""

    state: State
    v_dot: NDArray[np.float64]


@dataclass(frozen=True)
class BackwardEuler:
    """First order, L-stable: y' = y + h v', F(t', y', v', (v' - v) / h) = 0.

    Eq. 64 of [1]_; velocities of attached nodes are C(q') p'. An end whose prescribed motion gives
    no velocities has (y' - y) / h, so that only its positions at the steps are needed. The method
    is dissipative.

    References
    ----------
    .. [1] Gfrerer and Simeon, Multibody System Dynamics 52 (2021), 1-30.
    """

    name = "backward_euler"
    order = 1
    error_order = 2
    most_growth = 5.0
    nodes = (1.0,)
    one_step = True

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start."""
        return Memory(*begin_from(system, state, derive=False))

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]; the error is that of the explicit predictor, halved."""
        (t, y, v), v_dot = memory
        start = predict(system, newton, t + h, y, h * v)
        new = solve_stage(system, newton, t + h, start, y, v, h, derive=False)
        # y(t + h) - y' = -h^2/2 y'' and y + h v is off by +h^2/2 y''; likewise v
        return Step(
            Memory(State(t + h, new.y, new.v), new.v_dot),
            (new.report,),
            new.report.final,
            0.5 * (y + h * v - new.y),
            0.5 * (v + h * v_dot - new.v),
        )

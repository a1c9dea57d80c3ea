"""The five-stage singly diagonally implicit Runge-Kutta method of fourth order."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk._arrays import Array
from fibermsk.protocol import System
from fibermsk.solvers.initial import begin_from
from fibermsk.solvers.methods.backward_euler import Memory
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import Stage, State, Step, predict, solve_stage

_GAMMA = 0.25
_NODES = (1 / 4, 3 / 4, 11 / 20, 1 / 2, 1.0)
_BEFORE = (
    (),
    (1 / 2,),
    (17 / 50, -1 / 25),
    (371 / 1360, -137 / 2720, 15 / 544),
    (25 / 24, -49 / 48, 125 / 16, -85 / 12),
)
"""Weights of the stages before each one; the last row are those of the step."""
_OFF = (25 / 24 - 59 / 48, -49 / 48 + 17 / 96, 125 / 16 - 225 / 32, 0.0, 1 / 4)
"""Weights of the step minus those of an embedded formula of third order."""


@dataclass(frozen=True)
class SDIRK4:
    """Fourth order, L-stable and stiffly accurate; five solves per step.

    Hairer and Wanner, Solving Ordinary Differential Equations II (1996), table IV.6.5. For smooth
    motions that have to be accurate, such as those of bodies and line muscles; contacts that open
    and close, and fast vibrations, reduce its order. The error estimate is the difference to the
    embedded formula of third order.
    """

    name = "sdirk4"
    order = 4
    error_order = 4
    most_growth = 5.0
    nodes = _NODES
    one_step = True

    def start(self, system: System, state: State) -> Memory:
        """Memory at the start."""
        return Memory(*begin_from(system, state))

    def step(self, system: System, newton: Newton, memory: Memory, h: float) -> Step:
        """One step of length h [s]."""
        (t, y, v), v_dot = memory
        c, stages, reports = _GAMMA * h, list[Stage](), list[NewtonReport]()
        near_t, near = t, Stage(y, v, v_dot, NewtonReport())
        for node, weights in zip(_NODES, _BEFORE, strict=True):
            y_hat, v_hat = y.copy(), v.copy()
            for weight, stage in zip(weights, stages, strict=True):
                y_hat += h * weight * stage.v
                v_hat += h * weight * stage.v_dot
            at = t + node * h
            ahead = at - near_t
            increment = ahead * (near.v + 0.5 * ahead * near.v_dot)
            start = predict(system, newton, at, near.y, increment)
            stage = solve_stage(system, newton, at, start, y_hat, v_hat, c, rates=True)
            reports.append(stage.report)
            if not stage.report.converged:
                return Step(memory, tuple(reports), None)
            if len(reports) < len(_NODES):
                stage.report.solve = None  # release its factors
            stages.append(stage)
            near_t, near = at, stage
        return Step(
            Memory(State(t + h, near.y, near.v), near.v_dot),
            tuple(reports),
            near.report.final,
            _difference(h, [stage.v for stage in stages]),
            _difference(h, [stage.v_dot for stage in stages]),
        )


def _difference(h: float, rates: list[Array]) -> Array:
    """Difference of both formulas, from the rates in the stages."""
    total = h * _OFF[0] * rates[0]
    for off, rate in zip(_OFF[1:], rates[1:], strict=True):
        total = total + h * off * rate
    return total

"""How long the steps are: fixed, halved where they fail, or chosen by an error tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from fibermsk.laws import _check
from fibermsk.protocol import Evaluation, System
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.stage import Method, State

__all__ = ["AdaptiveSteps", "Control", "Counters", "FixedSteps", "StepFailure"]

_MAX_HALVINGS = 12
"""A fixed step that still fails at 1/4096 of its length ends the run."""


@dataclass
class Counters:
    """What a run has cost so far."""

    newton_iterations: int = 0
    substeps: int = 0
    failed_steps: int = 0
    rejected_steps: int = 0
    largest_residual: float = 0.0


class StepFailure(Exception):
    """A step that fails even at its smallest length."""

    def __init__(self, state: State, h: float, report: NewtonReport) -> None:
        super().__init__(report.reason)
        self.state, self.h, self.report = state, h, report


class Advanced(NamedTuple):
    """Memories at the output time, the evaluation there, and the length of the last step."""

    memory: Any
    control: Any
    evaluation: Evaluation
    h: float


class Control(Protocol):
    """A rule for the length of steps: a value whose memory goes in and comes out."""

    def start(self, dt: float) -> Any:
        """Memory at the start of a run with outputs every dt [s]."""
        ...

    def advance(
        self,
        system: System,
        method: Method,
        newton: Newton,
        memory: Any,
        control: Any,
        t_new: float,
        counters: Counters,
    ) -> Advanced:
        """Go on to the output time t_new in one step or more; raises `StepFailure`."""
        ...


@dataclass(frozen=True)
class FixedSteps:
    """One step from output to output; a step that fails is halved, again and again if need be."""

    def start(self, dt: float) -> None:
        """No memory."""

    def advance(
        self,
        system: System,
        method: Method,
        newton: Newton,
        memory: Any,
        control: None,
        t_new: float,
        counters: Counters,
    ) -> Advanced:
        """Go on to the output time."""
        parts = [(t_new, 0)]
        h, evaluation = 0.0, None
        while parts:
            target, halvings = parts[-1]
            h = target - memory.state.t
            memory_new, evaluation_new, report, _ = _try(
                system, method, newton, memory, target, counters
            )
            if evaluation_new is not None:
                parts.pop()
                memory, evaluation = memory_new, evaluation_new
                continue
            if halvings == _MAX_HALVINGS:
                raise StepFailure(memory.state, h, report)
            parts[-1] = (target, halvings + 1)
            parts.append((memory.state.t + 0.5 * h, halvings + 1))
        assert evaluation is not None
        return Advanced(memory, None, evaluation, h)


class _Pace(NamedTuple):
    """Length of the next step, and the scaled error of the last."""

    h: float
    error: float


@dataclass(frozen=True)
class AdaptiveSteps:
    """Steps as long as the error tolerance allows, ending on outputs and corners of the signals.

    The method's own estimate of a step's error in the positions, over its tolerance, is kept below
    one; a proportional-integral controller proposes the next step (Hairer and Wanner, Solving
    Ordinary Differential Equations II, sec. IV.2). A step in which Newton's method or the safeguard
    fails is halved.

    Parameters
    ----------
    relative : float
        Tolerance relative to each unknown's scale: fiber lengths, and 1 rad; positive.
    length, angle : float
        Absolute tolerances added to it, for fiber positions [m] and coordinates [rad or m].
    shortest : float
        A shorter step ends the run [s].
    longest : float
        No step is longer [s].

    Raises
    ------
    ModelError
        If a number is out of range.
    """

    relative: float = 1e-4
    length: float = 0.0
    angle: float = 0.0
    shortest: float = 1e-10
    longest: float = np.inf

    def __post_init__(self) -> None:
        """Check the numbers."""
        owner = "AdaptiveSteps"
        _check.positive(owner, "relative", self.relative)
        _check.non_negative(owner, "length", self.length, "m")
        _check.non_negative(owner, "angle", self.angle, "rad")
        _check.positive(owner, "shortest", self.shortest, "s")
        if not self.longest > self.shortest:
            _check.refuse(owner, "longest", self.longest, "be longer than shortest", unit="s")

    def start(self, dt: float) -> _Pace:
        """Begin with a hundredth of the output interval."""
        return _Pace(min(0.01 * dt, self.longest), 1.0)

    def advance(
        self,
        system: System,
        method: Method,
        newton: Newton,
        memory: Any,
        control: _Pace,
        t_new: float,
        counters: Counters,
    ) -> Advanced:
        """Go on to the output time."""
        pace, evaluation, h = control, None, 0.0
        absolute = np.where(system.is_coordinate, self.angle, self.length)
        tolerance = absolute + self.relative * system.scale
        order = method.error_order
        while memory.state.t < t_new:
            t = memory.state.t
            landing = system.next_breakpoint(t, t_new)
            left = landing - t
            # no sliver at the end: two equal steps rather than a long and a short one
            h = left if left <= 1.01 * pace.h else min(pace.h, 0.5 * left)
            target = landing if h == left else t + h
            new, new_evaluation, report, error = _try(
                system, method, newton, memory, target, counters
            )
            if new_evaluation is None:
                pace = _Pace(0.5 * h, 1.0)
            else:
                size = max(float(np.abs(error / tolerance).max()), 1e-10)
                if size <= 1.0:
                    memory, evaluation = new, new_evaluation
                    factor = 0.9 * size ** (-0.7 / order) * pace.error ** (0.4 / order)
                    longer = h * min(max(factor, 0.2), method.most_growth)
                    # a step cut short by a landing says nothing against the longer one before
                    if h < pace.h:
                        longer = max(longer, pace.h)
                    pace = _Pace(min(longer, self.longest), size)
                    continue
                counters.rejected_steps += 1
                pace = _Pace(h * max(0.9 * size ** (-1.0 / order), 0.1), 1.0)
            if pace.h < self.shortest:
                raise StepFailure(memory.state, h, report)
        assert evaluation is not None
        return Advanced(memory, pace, evaluation, h)


def _try(
    system: System, method: Method, newton: Newton, memory: Any, target: float, counters: Counters
) -> tuple[Any, Evaluation | None, NewtonReport, Any]:
    """One step to the time `target`: memory, evaluation (None if it failed), report, error."""
    step = method.step(system, newton, memory, target - memory.state.t)
    report = step.reports[-1]
    counters.newton_iterations += sum(len(part.history) for part in step.reports)
    evaluation = step.evaluation
    if not report.converged or evaluation is None or not evaluation.admissibility > 0.0:
        counters.failed_steps += 1
        return memory, None, report, None
    counters.substeps += 1
    counters.largest_residual = max(counters.largest_residual, report.residuals[-1])
    # the time is the target itself, free of the round-off of adding steps
    new = step.memory._replace(state=step.memory.state._replace(t=target))
    return new, evaluation, report, step.error

"""Step size control: the interface, and fixed steps that are halved on failure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ConstraintError, ModelError
from fibermsk.protocol import Evaluation, System
from fibermsk.solvers.newton.collisions import judge
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import Method, State, Step, projected

_MAX_HALVINGS = 12
"""Maximum halvings of a fixed step; failure at 1/4096 of its length ends the run."""


@dataclass
class Counters:
    """Cost of a run so far."""

    newton_iterations: int = 0  # over all attempted steps
    substeps: int = 0  # accepted steps
    # failures of Newton's method or the safeguard; repeated with a shorter step
    failed_steps: int = 0
    # too large an estimated error, or an earlier end asked for by an observer
    rejected_steps: int = 0
    largest_residual: float = 0.0  # over the solutions of accepted steps [N, N m]
    frozen_steps: int = 0  # accepted steps with contact points that did not follow the closest one
    # changes of touched surfaces at which the inertia jumps, and those that motions did not pass
    refractions: int = 0
    reflections: int = 0
    # names of the first pair with such a point, in bytes
    first_frozen: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))

    def accept(self, step: Step) -> None:
        """Count an accepted step."""
        self.substeps += 1
        if frozen := [name for report in step.reports for name in report.frozen]:
            self.frozen_steps += 1
            if not self.first_frozen.size:
                self.first_frozen = np.frombuffer(frozen[0].encode(), np.uint8)
        residual = max(report.residuals[-1] for report in step.reports)
        self.largest_residual = max(self.largest_residual, residual)


class StepFailure(Exception):
    """Failure of a step at its smallest length.

    Attributes
    ----------
    state, h : State, float
        Start of the step, and its length [s].
    report : NewtonReport
        Report of the failed solve.
    counters : Counters or None
        Cost of the run, including all attempts.
    refused : bool
        Whether an input, such as an activation, was invalid, so that no shorter step was tried.
    """

    def __init__(
        self, state: State, h: float, report: NewtonReport, *, refused: bool = False
    ) -> None:
        super().__init__(report.reason)
        self.state, self.h, self.report, self.refused = state, h, report, refused
        self.counters: Counters | None = None


class Advanced(NamedTuple):
    """An accepted step, the memory of the step control after it, and its length [s]."""

    step: Step
    control: Any
    h: float
    obstacle: NewtonReport | None = None  # why a longer step was not made

    @property
    def memory(self) -> Any:
        """Memory of the method after the step."""
        return self.step.memory

    @property
    def evaluation(self) -> Evaluation:
        """At the new state."""
        assert self.step.evaluation is not None
        return self.step.evaluation


class Control(Protocol):
    """Step size control: an immutable object; its memory is passed in and returned."""

    @property
    def landing(self) -> bool:
        """Whether steps end on every output time; otherwise frames are interpolated."""
        ...

    @property
    def meets_corners(self) -> bool:
        """Whether steps end on the corners of signals; otherwise steps may cross them."""
        ...

    def start(self, system: System, method: Method, memory: Any, dt: float) -> Any:
        """Memory at the start, a NamedTuple of arrays and numbers, with outputs every dt [s]."""
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
        """Make one accepted step that ends at the time t_new [s] at the latest.

        `memory` and `control` are those of the method and of the step size control; the cost of the
        step is added to `counters`.

        Raises
        ------
        StepFailure
            If the shortest step fails.
        """
        ...


class _Parts(NamedTuple):
    """Remaining parts of the present interval."""

    done: NDArray[np.int64]  # () steps of the interval completed or begun
    # ends (n,) of the remaining parts of a halved step [s], the next one last
    ends: NDArray[np.float64]
    halvings: NDArray[np.int64]  # number (n,) of halvings of each part


@dataclass(frozen=True)
class FixedSteps:
    """Equal steps; a failed step is halved, repeatedly if necessary.

    Steps stay equal at corners of signals; a corner inside a step causes an error of second order,
    a jump in the input of a first-order state one of first order. After each corner the method is
    restarted.

    Attributes
    ----------
    steps_per_frame : int
        Number of steps between outputs.
    """

    steps_per_frame: int = 1

    landing = True
    meets_corners = False

    def __post_init__(self) -> None:
        count = _check.count("FixedSteps", "steps_per_frame", self.steps_per_frame)
        _check.store(self, steps_per_frame=count)

    def start(self, system: System, method: Method, memory: Any, dt: float) -> _Parts:
        """Memory without a begun interval."""
        return _Parts(np.array(0), np.zeros(0), np.zeros(0, np.int64))

    def advance(
        self,
        system: System,
        method: Method,
        newton: Newton,
        memory: Any,
        control: _Parts,
        t_new: float,
        counters: Counters,
    ) -> Advanced:
        """Make one accepted step; see `Control`."""
        done = int(control.done)
        parts = list(zip(control.ends, control.halvings, strict=True))
        if not parts:
            t, left = memory.state.t, self.steps_per_frame - done
            parts = [(t_new if left == 1 else t + (t_new - t) / left, 0)]
            done = (done + 1) % self.steps_per_frame
        obstacle: NewtonReport | None = None
        while True:
            target, halvings = float(parts[-1][0]), int(parts[-1][1])
            t = memory.state.t
            h = target - t
            step = attempt(system, method, newton, memory, target, counters)
            if step.evaluation is not None:
                counters.accept(step)
                left = parts[:-1]
                ends = np.array([end for end, _ in left], float)
                halved = np.array([times for _, times in left], np.int64)
                control = _Parts(np.array(done), ends, halved)
                return Advanced(step, control, h, obstacle)
            obstacle = step.reports[-1]
            if halvings == _MAX_HALVINGS:
                raise StepFailure(memory.state, h, obstacle)
            parts[-1] = (target, halvings + 1)
            parts.append((t + 0.5 * h, halvings + 1))


def attempt(
    system: System, method: Method, newton: Newton, memory: Any, target: float, counters: Counters
) -> Step:
    """Attempt one step to the time `target` [s]; its evaluation is None if it failed.

    A step with a collision has failed. If contact points are added, the step is repeated. An input
    that is invalid within the step, such as an activation, is a `StepFailure`.
    """
    h = target - memory.state.t
    while True:
        try:
            step = method.step(system, newton, memory, h)
            evaluation = step.evaluation
            if step.reports[-1].converged and evaluation is not None:
                # the time is the target itself, free of the round-off of adding steps
                state = projected(system, step.memory.state._replace(t=target))
                step = step._replace(memory=step.memory._replace(state=state))
        except ConstraintError as error:
            counters.failed_steps += 1
            return Step(memory, (NewtonReport(reason=str(error)),), None)
        except ModelError as error:
            counters.failed_steps += 1
            report = NewtonReport(reason=str(error))
            raise StepFailure(memory.state, h, report, refused=True) from error
        counters.newton_iterations += sum(len(report.history) for report in step.reports)
        if not step.reports[-1].converged or evaluation is None:
            counters.failed_steps += 1
            return step._replace(evaluation=None)
        if not evaluation.admissibility > 0.0:
            return _refused(step, "a contact is too deep where the step ends", counters)
        verdict = judge(system, memory.state, step.memory.state)
        if verdict.refined:
            counters.failed_steps += 1
            continue
        if verdict.reason:
            return _refused(step, verdict.reason, counters)
        least = min(evaluation.admissibility, verdict.admissibility)
        return step._replace(evaluation=evaluation._replace(admissibility=least))


def _refused(step: Step, reason: str, counters: Counters) -> Step:
    """The same step, marked as failed for a reason outside its solves."""
    counters.failed_steps += 1
    return step._replace(evaluation=None, reports=(*step.reports, NewtonReport(reason=reason)))

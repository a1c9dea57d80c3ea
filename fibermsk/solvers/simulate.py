"""Run a system through time."""

from __future__ import annotations

import math
import time as clock
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check, _plausible
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.guard import Guard, guarded
from fibermsk.protocol import System
from fibermsk.results import Progress, Result, Slack, Snapshot
from fibermsk.solvers.adaptive import AdaptiveSteps
from fibermsk.solvers.collisions import begin
from fibermsk.solvers.control import Control, Counters, FixedSteps, StepFailure
from fibermsk.solvers.failure import explain
from fibermsk.solvers.march import Point, march
from fibermsk.solvers.methods import SDIRK2
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.record import Frame, Record
from fibermsk.solvers.restart import Checkpoints, identify, resume
from fibermsk.solvers.slack import SlackLog
from fibermsk.solvers.stage import Method, State, require_method
from fibermsk.solvers.time_error import TimeError
from fibermsk.solvers.vectors import require_state, require_system

__all__ = ["simulate"]

Array = NDArray[np.float64]

_MOST_TOLD = 5
"""Slack fibers named in a warning."""

_MAX_STEPS = 10_000_000
_SHORTEST_STEP = 1e-12
"""Limits that only a slip of the keyboard passes [s]."""


@guarded
def simulate(
    system: System,
    start: tuple[Array, Array] | None = None,
    *,
    t_end: float,
    dt: float,
    method: Method | None = None,
    newton: Newton | None = None,
    control: Control | None = None,
    progress: Callable[[Progress], None] | None = None,
    throw: bool = True,
    time_error: bool = True,
    checkpoint: Callable[[Snapshot], object] | None = None,
    checkpoint_every: float = 60.0,
    resume_from: Snapshot | None = None,
) -> Result:
    """Integrate from t = 0 to t_end with frames at equal intervals.

    By default the method is of second order, and a tolerance sets the length of the steps between
    the frames. With `FixedSteps` each interval is one step, or some equal ones, which are halved
    where Newton's method fails, again and again if need be.

    Parameters
    ----------
    system : System
        From `fibermsk.build`.
    start : pair of (n,) float arrays, optional
        Positions and velocities, such as `equilibrium` gives; the system's initial state if left
        out.
    t_end : float
        End of the simulated time [s]; positive.
    dt : float
        Time between frames [s]; positive. It is adjusted so that a whole number ends at t_end.
    method : Method, optional
        Time integrator: `SDIRK2()` if left out, `BackwardEuler()`, `BDF2()` or
        `GeneralizedAlpha(rho_inf)`.
    newton : Newton, optional
        Nonlinear solver and its tolerance.
    control : Control, optional
        `AdaptiveSteps(relative)`, which is the default, or `FixedSteps(steps_per_frame)`.
    progress : callable, optional
        Called with a `Progress` after each step. It may use the system; the run is not affected.
        What it raises ends the run.
    throw : bool
        Raise `ConvergenceError` if the run fails; otherwise return what there is, with the status
        "failed".
    time_error : bool
        Estimate the error in time; a step then costs two residuals and two linear solutions more.
    checkpoint : callable, optional
        Called with a `Snapshot` now and then, and once more if the run fails or is interrupted;
        `fibermsk.save_checkpoint` writes one to a file.
    checkpoint_every : float
        Wall time between two of these calls [s]; zero means after every step.
    resume_from : Snapshot, optional
        Go on from there instead of the start, with the same system and settings; the result is the
        same to the bit as that of a run in one go, on the same machine and with as many threads.

    Returns
    -------
    result : Result
        With status "success", or "interrupted" after Ctrl-C, or "failed". Its
        ``stats["time_error"]`` estimates the largest error that the steps have left: of the
        ``"coordinates"`` [rad, m for sliders], and of the ``"fibers"``, the root mean square of a
        fiber's positions over its length; None where it is not known.

    Raises
    ------
    ModelError
        If t_end or dt is not positive, an activation leaves [0, 1], the snapshot is of another run
        or another thread uses the system, before anything is computed.
    ConvergenceError
        If a step fails at its smallest length; holds the partial result.

    Warns
    -----
    ModelWarning
        If fibers were compressed; `Result.slack` says which, when and where. If t_end or dt are
        hardly meant, such as in ms.
    """
    require_system("simulate", system)
    t_end, dt = (
        _check.number(
            "simulate", name, value, "s", accept=lambda x: x > 0.0, must="be positive and finite"
        )
        for name, value in (("t_end", t_end), ("dt", dt))
    )
    n_steps = _count_steps(t_end, dt)
    _plausible.warn_of("simulate", "t_end", "duration", t_end, stacklevel=3)
    if n_steps > 1:
        _plausible.warn_of("simulate", "dt", "time step", dt, stacklevel=3)
    method = SDIRK2() if method is None else method
    newton = Newton() if newton is None else newton
    require_method("simulate", method)
    _check.instance("simulate", "newton", newton, Newton, "a Newton()")
    control = AdaptiveSteps() if control is None else control
    rules = (FixedSteps, AdaptiveSteps)
    _check.instance("simulate", "control", control, rules, "FixedSteps() or AdaptiveSteps()")
    if isinstance(control, FixedSteps):
        _count_steps(t_end, dt / control.steps_per_frame)
    _check.instance("simulate", "time_error", time_error, bool, "True or False")
    _check.non_negative("simulate", "checkpoint_every", checkpoint_every, "s")
    _check.flag("simulate", "throw", throw)
    for field, value in (("progress", progress), ("checkpoint", checkpoint)):
        _check.function("simulate", field, value)
    if resume_from is not None:
        _check.instance("simulate", "resume_from", resume_from, Snapshot, "a Snapshot")
        if start is not None:
            remedy = "the run goes on from the snapshot"
            _check.refuse("simulate", "start", start, "be left out", remedy=remedy)
    times = np.linspace(0.0, t_end, n_steps + 1)
    system.check_inputs(times)
    began = clock.perf_counter()

    record = Record(system)
    at = first = _begin(system, method, control, start, t_end / n_steps, record)
    if not time_error:
        at = first = at._replace(error=TimeError.unknown())
    identity = {}
    if checkpoint is not None or resume_from is not None:
        identity = identify(system, method, newton, control, times, time_error)
    if resume_from is not None:
        at, seconds = resume(system, first, record, resume_from, identity)
        first, began = at, began - seconds
    checkpoints = Checkpoints(system, checkpoint, checkpoint_every, times, record, identity, began)
    counters = at.counters
    status, message, failure = "success", "", None
    try:
        # each point replaces the one before in one go: Ctrl-C may come at any time
        for at in march(system, method, newton, control, times, record, first):
            counters = at.counters
            before = _uses(system)
            checkpoints.when_due(at)
            if progress is not None:
                t = at.memory.state.t
                progress(Progress(t, t_end, counters.substeps, counters.newton_iterations))
            if _uses(system) != before:
                # who was called used the system: what it remembers goes back to where it was
                system.restore(at.system)
        record.keep(at.n_frames)
        _confirm(system, times, at)
        frames = record.frames()
        observed = system.observe(frames)
    except (KeyboardInterrupt, StepFailure) as error:
        t = at.memory.state.t
        if isinstance(error, StepFailure):
            counters = error.counters or counters
            failure = explain(system, error, at.n_frames)
            status, message = "failed", str(failure)
        else:
            status, message = "interrupted", f"interrupted at t = {t:.6g} s of {t_end:g} s"
        checkpoints.now(at)
        record.keep(at.n_frames)
        if t > record.last_time:
            # the run ended between two frames: what was accepted is kept as one more
            spent = at.counters.newton_iterations - at.iterations
            record.add(Frame(at.memory.state, at.evaluation, at.h, spent))
        frames = record.frames()
        observed = system.observe(frames)
    drifts = np.array([system.drift(*one) for one in zip(*frames[:3], strict=True)])
    position_drift, velocity_drift = drifts.max(axis=0)
    result = replace(
        observed,
        method=method.name,
        status=status,
        message=message,
        slack=at.slack.intervals(system.fiber_names),
        stats={
            "steps": len(record) - 1,
            "substeps": counters.substeps,
            "failed_steps": counters.failed_steps,
            "rejected_steps": counters.rejected_steps,
            "newton_iterations": counters.newton_iterations,
            "newton_tolerance": newton.tolerance,
            "largest_residual": counters.largest_residual,
            "position_drift": float(position_drift),
            "velocity_drift": float(velocity_drift),
            "time_error": at.error.summary,
            "wall_seconds": clock.perf_counter() - began,
        },
    )
    if result.slack:
        warnings.warn(_tell(result.slack), stacklevel=3)
    if failure is not None and throw:
        failure.result = result
        raise failure
    return result


def _uses(system: System) -> int:
    """How often a system has been used, if it counts that."""
    guard: Guard | None = getattr(system, "guard", None)
    return guard.uses if guard is not None else 0


def _tell(slack: tuple[Slack, ...]) -> ModelWarning:
    """Which fibers were compressed, the worst first."""
    worst = sorted(slack, key=lambda interval: interval.force)[:_MOST_TOLD]
    more = f" and {len(slack) - len(worst)} more times" if len(slack) > len(worst) else ""
    text = (
        f"compressed fibers: {'; '.join(map(str, worst))}{more}. A fiber without bending stiffness "
        "has no definite shape there (Tissue(bending=1.0) gives it one), the less so the finer the "
        "mesh"
    )
    return ModelWarning(text, kind="compression", fiber=worst[0].fiber, time=worst[0].start)


def _confirm(system: System, times: Array, at: Point) -> None:
    """Fail a run whose inputs are no longer what they were at its start."""
    try:
        system.check_inputs(times)
    except ModelError as error:
        report = NewtonReport(reason=str(error))
        raise StepFailure(at.memory.state, at.h, report, refused=True) from error


def _begin(
    system: System,
    method: Method,
    control: Control,
    start: tuple[Array, Array] | None,
    dt: float,
    record: Record,
) -> Point:
    """Start of a run, with its frame."""
    y, v = require_state("simulate", system, system.initial_state() if start is None else start)
    begin(system, State(0.0, y, v))
    memory = method.start(system, State(0.0, y, system.enforce(y, v)))
    state = memory.state
    evaluation = system.evaluate(state.t, state.y, state.v, memory.v_dot, tangent=False)
    record.add(Frame(state, evaluation, 0.0, 0))
    pace = control.start(system, method, memory, dt)
    force, theta = system.least_tension(state.t, state.y, state.v)
    slack = SlackLog.empty(force.size).add(0.0, force, theta)
    error = TimeError.none(state.y)
    return Point(memory, pace, evaluation, 0.0, Counters(), 0, 1, system.memory(), slack, error)


def _count_steps(t_end: float, dt: float) -> int:
    """Number of equal steps to t_end, of dt or a little less."""
    if min(t_end, dt) < _SHORTEST_STEP or t_end / dt > _MAX_STEPS:
        raise ModelError(
            f"simulate: t_end = {t_end:g} s in steps of dt = {dt:g} s; must take at most "
            f"{_MAX_STEPS:g} steps of at least {_SHORTEST_STEP:g} s; are both in seconds?"
        )
    n_steps = max(1, round(t_end / dt))
    if not math.isclose(n_steps * dt, t_end, rel_tol=1e-6):
        n_steps = math.ceil(t_end / dt)
    return n_steps

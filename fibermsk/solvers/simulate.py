"""Time integration of a system."""

from __future__ import annotations

import math
import time as clock
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check, _plausible
from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError, ModelError, ModelWarning
from fibermsk.guard import guarded
from fibermsk.protocol import System
from fibermsk.results import Progress, Result, Slack, Snapshot
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.compiled.base import CompiledMethod
from fibermsk.solvers.compiled.run import march_compiled, refuse_other_settings
from fibermsk.solvers.failure import explain
from fibermsk.solvers.march import March, advance, first, key, uses
from fibermsk.solvers.methods import SDIRK2
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import Method
from fibermsk.solvers.observers import (
    Accepted,
    FrameKeeper,
    Observer,
    SlackWatcher,
    TimeErrorEstimator,
    require_observers,
)
from fibermsk.solvers.past import shortest_delay
from fibermsk.solvers.restart import Checkpoints, identify, resume
from fibermsk.solvers.steps.adaptive import AdaptiveSteps
from fibermsk.solvers.steps.control import Control, Counters, FixedSteps, StepFailure
from fibermsk.solvers.steps.corners import Corners
from fibermsk.solvers.vectors import require_state, require_system

_MOST_TOLD = 5
"""Maximum number of slack fibers named in a warning."""

_OWN = FrameKeeper(), SlackWatcher()

_ROUND_OFF = 1e-9
"""Relative excess of a step over a delay that counts as round-off."""

_MANY_STEPS = 50_000
"""Number of steps above which the delay that causes them is named."""

_MAX_STEPS = 10_000_000
_SHORTEST_STEP = 1e-12
"""Limits beyond which the input is a likely mistake [s]."""


@guarded
def simulate(
    system: System,
    start: tuple[Array, Array] | None = None,
    *,
    t_end: float,
    dt: float,
    method: Method | CompiledMethod | None = None,
    newton: Newton | None = None,
    control: Control | None = None,
    progress: Callable[[Progress], None] | None = None,
    throw: bool = True,
    time_error: bool = True,
    checkpoint: Callable[[Snapshot], object] | None = None,
    checkpoint_every: float = 60.0,
    resume_from: Snapshot | None = None,
    observers: Sequence[Observer] = (),
    trajectory: Trajectory | None = None,
) -> Result:
    """Integrate from t = 0 to t_end with frames at equal intervals.

    By default the method is of second order with adaptive steps between frames. With `FixedSteps`
    each interval is divided into equal steps, which are halved, repeatedly if necessary, where
    Newton's method fails.

    Parameters
    ----------
    system : System
        From `fibermsk.build`; `fibermsk.simulate` also takes a `Model`, and builds it.
    start : pair of (n,) float arrays, optional
        Positions and velocities, such as from `equilibrium`; default: the initial state of the
        system.
    t_end : float
        End of the simulated time [s]; positive.
    dt : float
        Time between frames [s]; positive. Adjusted so that t_end is a multiple.
    method : Method, optional
        Time integrator: `SDIRK2()` (default), `BackwardEuler()`, `BDF2()`,
        `GeneralizedAlpha(rho_inf)` or `SDIRK4()`; or `NDF(tolerance)` or `Explicit(tolerance)`, for
        bodies with line muscles alone, which take no other settings but progress.
    newton : Newton, optional
        Nonlinear solver and its tolerance.
    control : Control, optional
        `AdaptiveSteps(relative)` (default) or `FixedSteps(steps_per_frame)`.
    progress : callable, optional
        Called with a `Progress` after each step. It may use the system without affecting the
        run. An exception ends the run.
    throw : bool
        Raise `ConvergenceError` if the run fails; otherwise return the partial result, with the
        status "failed".
    time_error : bool
        Estimate the error in time; costs two more residuals and linear solutions per step.
    checkpoint : callable, optional
        Called with a `Snapshot` at intervals, and if the run fails or is interrupted;
        `fibermsk.save_checkpoint` writes it to a file.
    checkpoint_every : float
        Wall time between snapshots [s]; zero means after every step.
    resume_from : Snapshot, optional
        Continue from there, with the same system and settings; the result is bitwise identical to
        that of an uninterrupted run on the same machine with the same number of threads.
    observers : sequence of Observer, optional
        Called after every accepted step, such as `StopWhen`, which ends the run. An exception ends
        the run.
    trajectory : Trajectory, optional
        Keeps the steps for derivatives of the run, see `fibermsk.gradient`; not with checkpoints.

    Returns
    -------
    result : Result
        With status "success", "stopped" by an observer, "interrupted" after Ctrl-C, or "failed".
        Its ``stats["time_error"]`` estimates the largest error in time: of the
        ``"coordinates"`` [rad, m for sliders], and of the ``"fibers"``, the root mean square of a
        fiber's positions over its length; None if unknown.

    Raises
    ------
    ModelError
        If t_end or dt is not positive, an activation leaves [0, 1], an observer is invalid, the
        snapshot belongs to another run, or another thread uses the system.
    ConvergenceError
        If a step fails at its smallest length; holds the partial result.

    Warns
    -----
    ModelWarning
        If fibers were compressed; `Result.slack` lists fibers, times and places. If fibers soften
        as they stretch; see `Result.softening`. If t_end or dt is implausible, such as in ms.
    """
    require_system("simulate", system)
    if isinstance(method, CompiledMethod):
        refuse_other_settings(
            method, newton=newton, control=control, checkpoint=checkpoint, resume_from=resume_from,
            observers=tuple(observers),
        )  # fmt: skip
        _check.function("simulate", "progress", progress)
        times, began = _output_times(t_end, dt), clock.perf_counter()
        system.check_inputs(times)
        state = require_state("simulate", system, start or system.initial_state())
        return march_compiled(system, method, times, *state, progress, throw, began)
    _check.instance(
        "simulate", "trajectory", trajectory, (Trajectory, type(None)), "a Trajectory()"
    )
    march = March(
        system,
        SDIRK2() if method is None else method,
        Newton() if newton is None else newton,
        AdaptiveSteps() if control is None else control,
        _output_times(t_end, dt),
        (
            TimeErrorEstimator(_check.flag("simulate", "time_error", time_error)),
            *_OWN,
            *([] if trajectory is None else [trajectory]),
        ),
        require_observers("simulate", observers),
    )
    _check_settings(march)
    _check.flag("simulate", "throw", throw)
    _check.non_negative("simulate", "checkpoint_every", checkpoint_every, "s")
    for field, value in (("progress", progress), ("checkpoint", checkpoint)):
        _check.function("simulate", field, value)
    if resume_from is not None:
        _check.instance("simulate", "resume_from", resume_from, Snapshot, "a Snapshot")
        if start is not None:
            remedy = "the run resumes from the snapshot"
            _check.refuse("simulate", "start", start, "be left out", remedy=remedy)
    if trajectory is not None:
        if checkpoint is not None or resume_from is not None:
            _check.refuse("simulate", "trajectory", trajectory, "be left out with checkpoints")
        trajectory.method = march.method
        trajectory.near = Corners.of_run(system, march.times).near
    system.check_inputs(march.times)
    began = clock.perf_counter()
    state = system.initial_state() if start is None else start
    now = first(march, *require_state("simulate", system, state))
    identity = {}
    if checkpoint is not None or resume_from is not None:
        identity = identify(march, time_error)
    if resume_from is not None:
        now, seconds = resume(now, resume_from, identity)
        began -= seconds
    checkpoints = Checkpoints(checkpoint, checkpoint_every, march.times[-1], identity, began)
    end = _march(march, now, checkpoints, progress)
    result = _result(march, end, began)
    if result.slack:
        warnings.warn(_tell(result.slack), stacklevel=3)
    if end.counters.frozen_steps:
        warnings.warn(_tell_frozen(end.counters), stacklevel=3)
    if end.failure is not None and throw:
        end.failure.result = result
        raise end.failure
    return result


def _output_times(t_end: float, dt: float) -> Array:
    """Times of the frames [s]."""
    t_end, dt = (
        _check.number(
            "simulate", name, value, "s", accept=lambda x: x > 0.0, must="be positive and finite"
        )
        for name, value in (("t_end", t_end), ("dt", dt))
    )
    n_steps = count_steps(t_end, dt)
    _plausible.warn_of("simulate", "t_end", "duration", t_end, stacklevel=4)
    if n_steps > 1:
        _plausible.warn_of("simulate", "dt", "time step", dt, stacklevel=4)
    return np.linspace(0.0, t_end, n_steps + 1)


def _check_settings(march: March) -> None:
    """Check the types of method, Newton solver and step size control."""
    _check.method("simulate", march.method)
    _check.instance("simulate", "newton", march.newton, Newton, "a Newton()")
    control, rules = march.control, (FixedSteps, AdaptiveSteps)
    _check.instance("simulate", "control", control, rules, "FixedSteps() or AdaptiveSteps()")
    if isinstance(control, FixedSteps):
        t_end, n_steps = float(march.times[-1]), march.times.size - 1
        count_steps(t_end, t_end / n_steps / control.steps_per_frame)
        _check_delay(march.system, t_end / n_steps / control.steps_per_frame)
    else:
        _warn_of_delay(march.system, float(march.times[-1]))


def _check_delay(system: System, h: float) -> None:
    """Refuse fixed steps of a length h [s] that are longer than a delay."""
    delay, name = shortest_delay(system)
    if h > delay * (1.0 + _ROUND_OFF):
        must = f"be at most the delay {delay:g} s of {name}"
        remedy = "use FixedSteps with more steps per frame, or AdaptiveSteps"
        _check.refuse("simulate", "step", h, must, unit="s", remedy=remedy)


def _warn_of_delay(system: System, t_end: float) -> None:
    """Warn of a delay so short that a run of a length t_end [s] takes very many steps."""
    delay, name = shortest_delay(system)
    if t_end > _MANY_STEPS * delay:
        text = (
            f"no step is longer than the delay {delay:g} s of {name}: a run of {t_end:g} s takes "
            f"{t_end / delay:.2g} steps or more. Unless it is meant so short, set a longer one [s]"
        )
        warnings.warn(ModelWarning(text, kind="plausibility"), stacklevel=5)


class _End(NamedTuple):
    """End of a run: state, cost, results of its own observers, and reason."""

    now: Accepted
    counters: Counters
    told: dict[str, Any]
    observed: Result
    status: str
    message: str
    failure: ConvergenceError | None


def _march(
    march: March,
    start: Accepted,
    checkpoints: Checkpoints,
    progress: Callable[[Progress], None] | None,
) -> _End:
    """Advance until the run is complete, stopped, interrupted, or fails."""
    system, counters, failure, now = march.system, start.counters, None, start
    try:
        # each point replaces the one before atomically: Ctrl-C may come at any time
        for now in advance(march, start):
            counters, before = now.counters, uses(system)
            checkpoints.step(now)
            if progress is not None:
                t_end = float(march.times[-1])
                progress(Progress(now.t, t_end, counters.substeps, counters.newton_iterations))
            if uses(system) != before:
                system.restore(now.left)
        _confirm(march, now)
        told = _told(march, now)
        observed = system.observe(told["frames"])
        status, message = "success", ""
        if now.ending:
            status, message = "stopped", f"stopped at t = {now.t:.6g} s: {now.ending}"
    except (KeyboardInterrupt, StepFailure) as error:
        if isinstance(error, StepFailure):
            counters = error.counters or counters
            failure = explain(system, error, now.n_frames)
            status, message = "failed", str(failure)
        else:
            status = "interrupted"
            message = f"interrupted at t = {now.t:.6g} s of {march.times[-1]:g} s"
        checkpoints.take(now)
        told = _told(march, now)
        observed = system.observe(told["frames"])
    except Exception as error:
        # what an observer or a callback raises is told as it is, after all know of the end
        try:
            _finish(march, now)
        except Exception as other:
            error.add_note(f"an observer's finish then raised {other!r}")
        raise
    _finish(march, now)
    return _End(now, counters, told, observed, status, message, failure)


def _finish(march: March, now: Accepted) -> None:
    """Tell every observer of the user that the run has ended, even if one of them raises."""
    with ExitStack() as calls:
        for one in reversed(march.users):
            calls.callback(one.finish, now.memories[key(one)], now)


def _told(march: March, now: Accepted) -> dict[str, Any]:
    """Results of the run's own observers, by name."""
    return {one.name: one.finish(now.memories[one.name], now) for one in march.own}


def _result(march: March, end: _End, began: float) -> Result:
    """Result of a run that began at `began` of `time.perf_counter`."""
    counters, frames = end.counters, end.told["frames"]
    drifts = np.array([march.system.drift(*one) for one in zip(*frames[:3], strict=True)])
    position_drift, velocity_drift = drifts.max(axis=0)
    return replace(
        end.observed,
        method=march.method.name,
        status=end.status,
        message=end.message,
        slack=end.told["slack"],
        stats={
            "steps": frames.t.size - 1,
            "substeps": counters.substeps,
            "failed_steps": counters.failed_steps,
            "rejected_steps": counters.rejected_steps,
            "frozen_steps": counters.frozen_steps,
            "refractions": counters.refractions,
            "reflections": counters.reflections,
            "newton_iterations": counters.newton_iterations,
            "newton_tolerance": march.newton.tolerance,
            "largest_residual": counters.largest_residual,
            "position_drift": float(position_drift),
            "velocity_drift": float(velocity_drift),
            "time_error": end.told["error"],
            "wall_seconds": clock.perf_counter() - began,
        },
    )


def _tell(slack: tuple[Slack, ...]) -> ModelWarning:
    """Warning that names the compressed fibers, the worst first."""
    worst = sorted(slack, key=lambda interval: interval.force)[:_MOST_TOLD]
    more = f" and {len(slack) - len(worst)} more times" if len(slack) > len(worst) else ""
    text = (
        f"compressed fibers: {'; '.join(map(str, worst))}{more}. Without bending stiffness the "
        "shape of a compressed fiber is not determined and does not converge with the mesh; use "
        "Tissue(bending=1.0)"
    )
    return ModelWarning(text, kind="compression", fiber=worst[0].fiber, time=worst[0].start)


def _tell_frozen(counters: Counters) -> ModelWarning:
    """Warning of contact points that were not the closest ones."""
    names = counters.first_frozen.tobytes().decode()
    return ModelWarning(
        f"in {counters.frozen_steps} of {counters.substeps} steps, contact points stayed at their "
        f"places on a fiber, since the closest point jumps, first between {names}: a fiber bends "
        "more narrowly than both are thick. Forces there act at a point of nearly the same "
        "distance; use thinner fibers, or give their tissue bending",
        kind="contact_points",
    )


def _confirm(march: March, now: Accepted) -> None:
    """Fail a run whose inputs have changed since its start."""
    try:
        march.system.check_inputs(march.times)
    except ModelError as error:
        report = NewtonReport(reason=str(error))
        raise StepFailure(now.memory.state, now.h, report, refused=True) from error


def count_steps(t_end: float, dt: float) -> int:
    """Number of equal steps to t_end, of length dt or slightly less."""
    if min(t_end, dt) < _SHORTEST_STEP or t_end / dt > _MAX_STEPS:
        raise ModelError(
            f"simulate: t_end = {t_end:g} s in steps of dt = {dt:g} s; must take at most "
            f"{_MAX_STEPS:g} steps of at least {_SHORTEST_STEP:g} s; check that both are in seconds"
        )
    n_steps = max(1, round(t_end / dt))
    if not math.isclose(n_steps * dt, t_end, rel_tol=1e-6):
        n_steps = math.ceil(t_end / dt)
    return n_steps

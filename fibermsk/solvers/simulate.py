"""Time integration of a system."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from fibermsk import _check, _plausible
from fibermsk._arrays import Array
from fibermsk._first_use import working_time
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.guard import guarded
from fibermsk.protocol import System
from fibermsk.results import Progress, Result, Snapshot
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.compiled.base import CompiledMethod
from fibermsk.solvers.compiled.run import march_compiled, refuse_other_settings
from fibermsk.solvers.ending import (
    End,
    observed_of,
    result_of,
    tell_frozen,
    tell_slack,
    written,
)
from fibermsk.solvers.failure import explain
from fibermsk.solvers.march import March, advance, first, key, uses
from fibermsk.solvers.methods import SDIRK2
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import Method
from fibermsk.solvers.observers import (
    Accepted,
    FrameKeeper,
    FrameSpooler,
    Observer,
    SlackWatcher,
    TimeErrorEstimator,
    require_observers,
)
from fibermsk.solvers.past import shortest_delay
from fibermsk.solvers.restart import Checkpoints, identify, resume
from fibermsk.solvers.steps.adaptive import AdaptiveSteps
from fibermsk.solvers.steps.control import Control, FixedSteps, StepFailure
from fibermsk.solvers.steps.corners import Corners
from fibermsk.solvers.streaming import Sink, folder_of
from fibermsk.solvers.vectors import require_state, require_system

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
    save: Sink | None = None,
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
        Wall time between snapshots [s]; zero means after every step. From a second on it is longer
        where taking them would need more than 5 % of the time.
    resume_from : Snapshot, optional
        Continue from there, with the same system and settings; the result is bitwise identical to
        that of an uninterrupted run on the same machine with the same number of threads.
    observers : sequence of Observer, optional
        Called after every accepted step, such as `StopWhen`, which ends the run. An exception ends
        the run.
    trajectory : Trajectory, optional
        Keeps the steps for derivatives of the run, see `fibermsk.gradient`; not with checkpoints.
    save : ResultFile, optional
        File of the result. Frames then wait in a temporary file in its folder, and the result is
        written part by part at the end of the run, complete or not: memory holds no history. It is
        returned as by ``fm.load(path, lazy=True)``.

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
    WriteError
        If the result cannot be written to the file of `save`.

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
            observers=tuple(observers), save=save,
        )  # fmt: skip
        _check.function("simulate", "progress", progress)
        times, began = _output_times(t_end, dt), working_time()
        system.check_inputs(times)
        state = require_state("simulate", system, start or system.initial_state())
        return march_compiled(system, method, times, *state, progress, throw, began)
    _check.instance(
        "simulate", "trajectory", trajectory, (Trajectory, type(None)), "a Trajectory()"
    )
    keeper = FrameKeeper() if save is None else FrameSpooler(folder_of(system, save))
    march = March(
        system,
        SDIRK2() if method is None else method,
        Newton() if newton is None else newton,
        AdaptiveSteps() if control is None else control,
        _output_times(t_end, dt),
        (
            TimeErrorEstimator(_check.flag("simulate", "time_error", time_error)),
            keeper,
            SlackWatcher(),
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
    began = working_time()
    state = system.initial_state() if start is None else start
    now = first(march, *require_state("simulate", system, state))
    del state, start  # the run goes on without them
    identity = {}
    if checkpoint is not None or resume_from is not None:
        identity = identify(march, time_error)
    if resume_from is not None:
        now, seconds = resume(now, resume_from, identity)
        began -= seconds
    checkpoints = Checkpoints(checkpoint, checkpoint_every, march.times[-1], identity, began)
    starts = [now]
    del now
    end = _march(march, starts, checkpoints, progress)
    result = result_of(march, end, began) if save is None else written(march, end, began, save)
    if result.slack:
        warn(tell_slack(result.slack))
    if end.counters.frozen_steps:
        warn(tell_frozen(end.counters))
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
    _plausible.warn_of("simulate", "t_end", "duration", t_end)
    if n_steps > 1:
        _plausible.warn_of("simulate", "dt", "time step", dt)
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
        warn(ModelWarning(text, kind="plausibility"))


def _march(
    march: March,
    starts: list[Accepted],
    checkpoints: Checkpoints,
    progress: Callable[[Progress], None] | None,
) -> End:
    """Advance until the run is complete, stopped, interrupted, or fails.

    `starts` holds the start alone, which is taken out: memory holds no state but the present one.
    """
    system, failure, now = march.system, None, starts.pop()
    counters, steps = now.counters, advance(march, now)
    try:
        # each point replaces the one before atomically: Ctrl-C may come at any time
        for now in steps:
            counters, before = now.counters, uses(system)
            checkpoints.step(now)
            if progress is not None:
                counts = counters.substeps, counters.newton_iterations
                how = {"step_size": now.h, "obstacle": now.obstacle}
                progress(Progress(now.t, float(march.times[-1]), *counts, **how))
            if uses(system) != before:
                system.restore(now.left)
        _confirm(march, now)
        told = _told(march, now)
        observed = observed_of(system, told["frames"])
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
        observed = observed_of(system, told["frames"])
    except Exception as error:
        # what an observer or a callback raises is told as it is, after all know of the end
        try:
            _finish(march, now)
        except Exception as other:
            error.add_note(f"an observer's finish then raised {other!r}")
        raise
    _finish(march, now)
    return End(now, counters, told, observed, status, message, failure)


def _finish(march: March, now: Accepted) -> None:
    """Tell every observer of the user that the run has ended, even if one of them raises."""
    with ExitStack() as calls:
        for one in reversed(march.users):
            calls.callback(one.finish, now.memories[key(one)], now)


def _told(march: March, now: Accepted) -> dict[str, Any]:
    """Results of the run's own observers, by name."""
    return {one.name: one.finish(now.memories[one.name], now) for one in march.own}


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

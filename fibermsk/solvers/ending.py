"""The end of a run: its result, whole or part by part, and what it is warned of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from fibermsk._arrays import Array
from fibermsk._first_use import working_time
from fibermsk._warn import warn
from fibermsk.errors import ConvergenceError, ModelWarning, WriteError
from fibermsk.protocol import Frames, System
from fibermsk.results import Result, Slack
from fibermsk.solvers.march import March
from fibermsk.solvers.observers import Accepted, SpooledFrames
from fibermsk.solvers.steps.control import Counters
from fibermsk.solvers.streaming import Sink, StreamedRun, largest_drift

_MOST_TOLD = 5
"""Maximum number of slack fibers named in a warning."""


class End(NamedTuple):
    """End of a run: state, cost, results of its own observers, and reason."""

    now: Accepted
    counters: Counters
    told: dict[str, Any]
    observed: Result | None  # None if it is written part by part
    status: str
    message: str
    failure: ConvergenceError | None


def observed_of(system: System, frames: Frames | SpooledFrames) -> Result | None:
    """Result of frames in memory."""
    return system.observe(frames) if isinstance(frames, Frames) else None


def result_of(march: March, end: End, began: float) -> Result:
    """Result of a run that began at `began` of `working_time`."""
    assert end.observed is not None
    frames = end.told["frames"]
    drift = largest_drift(march.system, frames)
    return replace(end.observed, **_about(march, end, began, frames.t.size, drift))


def written(march: March, end: End, began: float, save: Sink) -> Result:
    """Result of a run that was written part by part."""
    frames: SpooledFrames = end.told["frames"]
    run = StreamedRun(
        march.system,
        frames,
        end.status,
        lambda drift: _about(march, end, began, frames.count, drift),
    )
    try:
        result = save.write(run)
    except WriteError as error:
        raise error from end.failure
    for one in run.remarks():
        warn(one)
    return result


def _about(march: March, end: End, began: float, n_frames: int, drift: Array) -> dict[str, Any]:
    """Fields of a result that are not histories."""
    counters, (position_drift, velocity_drift) = end.counters, drift
    return {
        "method": march.method.name,
        "status": end.status,
        "message": end.message,
        "slack": end.told["slack"],
        "stats": {
            "steps": n_frames - 1,
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
            "wall_seconds": working_time() - began,
        },
    }


def tell_slack(slack: tuple[Slack, ...]) -> ModelWarning:
    """Warning that names the compressed fibers, the worst first."""
    worst = sorted(slack, key=lambda interval: interval.force)[:_MOST_TOLD]
    more = f" and {len(slack) - len(worst)} more times" if len(slack) > len(worst) else ""
    text = (
        f"compressed fibers: {'; '.join(map(str, worst))}{more}. Without bending stiffness the "
        "shape of a compressed fiber is not determined and does not converge with the mesh; use "
        "Tissue(bending=1.0)"
    )
    return ModelWarning(text, kind="compression", fiber=worst[0].fiber, time=worst[0].start)


def tell_frozen(counters: Counters) -> ModelWarning:
    """Warning of contact points that were not the closest ones."""
    names = counters.first_frozen.tobytes().decode()
    return ModelWarning(
        f"in {counters.frozen_steps} of {counters.substeps} steps, contact points stayed at their "
        f"places on a fiber, since the closest point jumps, first between {names}: a fiber bends "
        "more narrowly than both are thick. Forces there act at a point of nearly the same "
        "distance; use thinner fibers, or give their tissue bending",
        kind="contact_points",
    )

"""Runs of systems that can march without Python: `Explicit` and `NDF`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._first_use import working_time
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.protocol import Frames, Marches, System, offers
from fibermsk.results import Progress, Result
from fibermsk.solvers.compiled.base import CompiledMethod

_AT_ONCE = 1000
"""Accepted steps between two calls of Python: for progress and Ctrl-C."""

_REASONS = {
    1: "a muscle has no path",
    2: "a coordinate moves no mass",
    3: "NaN or infinity in the rates",
    4: "the step became too short",
}


def march_compiled(
    system: System,
    method: CompiledMethod,
    times: Array,
    y: Array,
    v: Array,
    progress: Callable[[Progress], None] | None,
    throw: bool,
    began: float,
) -> Result:
    """Result of a run over output times from positions and velocities.

    Raises
    ------
    ModelError
        If the system has something that the loop does not have.
    """
    if not offers(system, Marches):
        _check.refuse(
            "simulate", "method", method, "be another one for this system", remedy="use SDIRK2()"
        )
    loop = method.start(system.marching(), (method.tolerance, method.longest, times, y, v))
    status, message, failed = "success", "", False
    try:
        while not loop.done:
            loop.advance(_AT_ONCE)
            if loop.status:
                failed = True
                break
            if progress is not None:
                progress(Progress(loop.time, float(times[-1]), loop.steps, 0))
    except KeyboardInterrupt:
        status = "interrupted"
        message = f"interrupted at t = {loop.time:.6g} s of {times[-1]:g} s"
    if failed:
        status, message = "failed", f"at t = {loop.time:.6g} s: {_REASONS[loop.status]}"
    seconds = working_time() - began
    loop.end()
    t, (y_at, v_at), h = loop.frames()
    n = t.size
    none = np.zeros(n)
    frames = Frames(
        t, y_at, v_at, np.zeros((n, 0, 3)), np.zeros((n, 0)), h, none.astype(np.int64), none + 1.0
    )
    result = replace(
        cast("System", system).observe(frames),
        method=method.name,
        status=status,
        message=message,
        slack=(),
        stats={
            "steps": n - 1,
            "substeps": loop.steps,
            "failed_steps": 0,
            "rejected_steps": loop.rejected,
            "frozen_steps": 0,
            "refractions": 0,
            "reflections": 0,
            "newton_iterations": 0,
            "newton_tolerance": 0.0,
            "largest_residual": 0.0,
            "position_drift": 0.0,
            "velocity_drift": 0.0,
            "evaluations": loop.evaluations,
            "time_error": {"coordinates": None, "fibers": None},
            "march_seconds": seconds,
            "wall_seconds": working_time() - began,
        },
    )
    if failed and throw:
        failure = ConvergenceError(f"simulate: {message}", time=loop.time)
        failure.result = result
        raise failure
    return result


def refuse_other_settings(method: CompiledMethod, **given: Any) -> None:
    """Refuse arguments of `simulate` that a compiled march does not use."""
    for name, value in given.items():
        if value is not None and value != ():
            raise ModelError(
                f"simulate: {name} = {value!r} with {type(method).__name__}(); must be left out; "
                "use another method, such as SDIRK2(), with it"
            )

"""From accepted step to accepted step, with a frame at every output time passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError
from fibermsk.protocol import Evaluation, System
from fibermsk.solvers.collisions import judge, refine_along
from fibermsk.solvers.control import Advanced, Control, Counters, StepFailure
from fibermsk.solvers.corners import Corners
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.record import Frame, Record
from fibermsk.solvers.slack import SlackLog
from fibermsk.solvers.stage import Method, State
from fibermsk.solvers.time_error import TimeError

__all__ = ["Point", "interpolate", "march"]

Array = NDArray[np.float64]


class Point(NamedTuple):
    """Where a run stands after an accepted step; nothing in it is changed any more.

    Attributes
    ----------
    memory, control : NamedTuple
        Memories of the method and of the step control.
    evaluation : Evaluation
        At the present state.
    h : float
        Length of the last step [s].
    counters : Counters
        Up to here.
    iterations : int
        Newton iterations up to the last frame.
    n_frames : int
        Frames made.
    system : dict of arrays
        What the system remembers of the way here.
    slack : SlackLog
        Fibers that were compressed.
    error : TimeError
        What the steps are estimated to have left.
    """

    memory: Any
    control: Any
    evaluation: Evaluation
    h: float
    counters: Counters
    iterations: int
    n_frames: int
    system: dict[str, Array]
    slack: SlackLog
    error: TimeError


def march(
    system: System,
    method: Method,
    newton: Newton,
    control: Control,
    times: Array,
    record: Record,
    at: Point,
) -> Iterator[Point]:
    """Points after one accepted step after the other, up to the last of the times.

    Parameters
    ----------
    system, method, newton, control
        What is solved, and how.
    times : (n_frames,) float array
        Output times [s].
    record : Record
        Frames are added to it; those of a step that is not completed are more than the `n_frames`
        of the last point.
    at : Point
        Where to go on.

    Raises
    ------
    StepFailure
        If a step fails at its smallest length; has `counters` with what that cost.
    """
    corners = Corners.of_run(system, times)
    while at.n_frames < times.size:
        counters = replace(at.counters)
        try:
            memory = at.memory
            if corners.passed(memory.state.t, at.h):
                memory = corners.restart(method, memory)
            new, frames = _advance(
                corners, method, newton, control, times[at.n_frames :], at, memory, counters
            )
        except StepFailure as failure:
            failure.counters = counters
            raise
        error = at.error.after(system, new.step, new.h)
        iterations = at.iterations
        for state, evaluation in frames:
            spent = counters.newton_iterations - iterations
            record.add(Frame(state, evaluation, new.h, spent))
            iterations = counters.newton_iterations
        refine_along(system, new.memory.state)
        at = Point(
            memory=new.memory,
            control=new.control,
            evaluation=new.evaluation,
            h=new.h,
            counters=counters,
            iterations=iterations,
            n_frames=at.n_frames + len(frames),
            system=system.memory(),
            slack=at.slack.add(new.memory.state.t, *system.least_tension(*new.memory.state)),
            error=error,
        )
        yield at


def _advance(
    corners: Corners,
    method: Method,
    newton: Newton,
    control: Control,
    times: Array,
    at: Point,
    memory: Any,
    counters: Counters,
) -> tuple[Advanced, list[tuple[State, Evaluation]]]:
    """Next accepted step, and the states and evaluations at the output times that it reached.

    It starts from a memory of the method at the point, that of the point itself or a new one.
    """
    system = corners.system
    target = float(times[0] if control.landing else times[-1])
    if control.meets_corners:
        target = corners.landing(memory.state.t, target)
    while True:
        new = control.advance(system, method, newton, memory, at.control, target, counters)
        frames = []
        last = at.memory.state
        for t in map(float, times[times <= new.memory.state.t]):
            state, evaluation = new.memory.state, new.evaluation
            if t < state.t:
                try:
                    state, v_dot = interpolate(system, memory, new.memory, t)
                    evaluation = system.evaluate(*state, v_dot, tangent=False)
                except ModelError as error:  # an input makes no sense there
                    report = NewtonReport(reason=str(error))
                    raise StepFailure(at.memory.state, new.h, report, refused=True) from error
            if not (evaluation.admissibility > 0.0 and _is_free(system, new, last, state)):
                # something is too deep in between: a step that ends there takes its place
                target = t if t < new.memory.state.t else last.t
                counters.substeps -= 1
                counters.rejected_steps += 1
                break
            frames.append((state, evaluation))
            last = state
        else:
            return new, frames


def _is_free(system: System, step: Advanced, last: State, state: State) -> bool:
    """Whether nothing passes through anything on the way from one state to a frame in a step.

    A whole step was judged when it was accepted.
    """
    if state is step.memory.state and state.t - last.t == step.h:
        return True
    verdict = judge(system, last, state)
    return not (verdict.reason or verdict.refined)


def interpolate(system: System, before: Any, after: Any, t: float) -> tuple[State, Array]:
    """State and rates of v within a step.

    Cubic Hermite polynomials through y and v with the slopes v and v_dot at both ends, of fourth
    order in the step; what depends on the coordinates is then set from them.

    Parameters
    ----------
    system : System
        Keeps the dependent entries.
    before, after : NamedTuple
        The method's memories at both ends of the step.
    t : float
        Time within [s].

    Returns
    -------
    state : State
        Positions and velocities at t.
    v_dot : (n,) float array
        Slope of the velocities' polynomial.
    """
    (t0, y0, v0), a0 = before.state, before.v_dot
    (t1, y1, v1), a1 = after.state, after.v_dot
    h = t1 - t0
    s = (t - t0) / h
    late, early = s * s * (3.0 - 2.0 * s), (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s)
    first, second = h * s * (1.0 - s) ** 2, h * s * s * (s - 1.0)
    y = early * y0 + late * y1 + first * v0 + second * v1
    v = early * v0 + late * v1 + first * a0 + second * a1
    v_dot = 6.0 * s * (1.0 - s) / h * (v1 - v0)
    v_dot += (1.0 - s) * (1.0 - 3.0 * s) * a0 + s * (3.0 * s - 2.0) * a1
    y = system.retract(t, y, np.zeros_like(y))
    v = system.enforce(y, v, t)
    return State(t, y, v), system.enforce_rate(y, v, v_dot, t)

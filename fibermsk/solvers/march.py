"""Time marching over accepted steps, with frames at output times and observers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.guard import Guard
from fibermsk.protocol import Evaluation, Switches, System, offers
from fibermsk.solvers.crossings import cross, land, sides_of
from fibermsk.solvers.failure import explain_solve
from fibermsk.solvers.newton.collisions import begin, judge, refine_along
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import Method, State, projected
from fibermsk.solvers.observers import Accepted, Lands, Observer, Stop, require_memory
from fibermsk.solvers.observers.frames import frame_of
from fibermsk.solvers.past import hold, record, shortest_delay
from fibermsk.solvers.steps.control import Advanced, Control, Counters, FixedSteps, StepFailure
from fibermsk.solvers.steps.corners import Corners
from fibermsk.solvers.vectors import largest

_OPENING = 1e-3
"""Change of the start velocities, over their size and 1, that constraints may ask for."""


_BACK = 1e-9
"""Share of a step by which one that is reflected ends before its end beyond the jump."""


class March(NamedTuple):
    """Settings of a run: system, method, step size control and observers."""

    system: System
    method: Method
    newton: Newton
    control: Control
    times: Array  # output times (n_frames,) [s]
    # observers of `simulate` itself, called within a step; they may evaluate the system
    own: tuple[Observer, ...]
    # observers of the user, called after a step; their memories are "observers." plus name
    users: tuple[Observer, ...]


def first(march: March, y: Array, v: Array) -> Accepted:
    """Start a run from positions and velocities; return its first frame and memories.

    Raises
    ------
    ModelError
        If the start is not admissible, or checkpoints cannot store the memory of an observer.
    """
    system, times = march.system, march.times
    begin(system, State(0.0, y, v))
    v = system.enforce(y, v)
    at = projected(system, State(0.0, y, v))
    opening = float(abs(at.v - v).max()) if v.size else 0.0
    if opening > _OPENING * (1.0 + largest(v)):
        raise ModelError(
            "simulate: start velocities violate the constraints, by changes of up to "
            f"{opening:.4g}; must be velocities that a closed mechanism can have, such as those of "
            "FiberSystem.project"
        )
    hold(system, at)
    memory = march.method.start(system, at)
    state = memory.state
    evaluation = system.evaluate(state.t, state.y, state.v, memory.v_dot, tangent=False)
    now = Accepted(
        system=system,
        before=None,
        memory=memory,
        control=march.control.start(system, march.method, memory, float(times[1])),
        evaluation=evaluation,
        step=None,
        h=0.0,
        counters=Counters(),
        n_frames=1,
        iterations=0,
        frames=(frame_of(system, state, evaluation, 0.0, 0),),
        left={},
        memories={},
    )
    now = replace(now, memories={one.name: one.start(now) for one in march.own})
    now = replace(now, left=system.memory())
    memories, before = dict(now.memories), uses(system)
    for one in march.users:
        with _named(one, now):
            memories[key(one)] = require_memory(one.name, one.start(now))
    if uses(system) != before:
        system.restore(now.left)
    return replace(now, memories=memories)


def advance(march: March, now: Accepted) -> Iterator[Accepted]:
    """Yield accepted steps up to the last output time, or until an observer stops the run.

    Raises
    ------
    StepFailure
        If a step fails at its smallest length; its `counters` include the failed attempts.
    """
    corners = Corners.of_run(march.system, march.times)
    if not any(getattr(one, "uses_factors", False) for one in march.own):
        march = march._replace(newton=march.newton.without_factors())
    while now.n_frames < march.times.size and not now.ending:
        now = _observed(march, corners, now)
        # all have seen the step: release what the next one does not need
        seen = now.evaluation._replace(residual=now.evaluation.residual[:0].copy())
        now = replace(now, before=None, step=None, evaluation=seen)
        yield now


def key(observer: Observer) -> str:
    """Key of a user's observer among the memories of a run."""
    return f"observers.{observer.name}"


def uses(system: System) -> int:
    """Number of uses of a system, if it has a `guard`."""
    guard: Guard | None = getattr(system, "guard", None)
    return guard.uses if guard is not None else 0


@contextmanager
def _named(observer: Observer, now: Accepted) -> Iterator[None]:
    """Add the observer and the time to errors that it raises."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, StepFailure):
            error.add_note(f"raised in the observer {observer.name!r} at t = {now.t:.6g} s")
        raise


def _observed(march: March, corners: Corners, at: Accepted) -> Accepted:
    """Next accepted step, with the memories of all observers."""
    now = _crossed(march, corners, at, at.counters)
    if not march.users:
        return now

    system, used = march.system, uses(march.system)

    def redo(end: float) -> Accepted:
        nonlocal now
        system.restore(at.left)
        now = _crossed(march, corners, at, _rejected(now), end)
        return now

    for one in march.users:
        if isinstance(one, Lands):
            with _named(one, now):
                now = one.land(at.memories[key(one)], now, redo)
    memories, ending = dict(now.memories), ""
    for one in march.users:
        with _named(one, now):
            before = at.memories[key(one)]
            memory = one.step(before, now)
            if isinstance(memory, Stop):
                owner = f"observer {one.name!r}"
                _check.instance(owner, "Stop.message", memory.message, str, "a text")
                ending, memory = ending or memory.message, memory.memory
            memories[key(one)] = require_memory(one.name, memory, before)
    if uses(system) != used:
        # an observer used the system: restore its memory
        system.restore(now.left)
    return replace(now, memories=memories, ending=ending)


def _rejected(now: Accepted) -> Counters:
    """Cost of a run whose last step is repeated."""
    spent = replace(now.counters)
    spent.substeps -= 1
    spent.rejected_steps += 1
    return spent


def _crossed(
    march: March, corners: Corners, at: Accepted, spent: Counters, end: float | None = None
) -> Accepted:
    """Next accepted step as `_step`, which ends where the inertia jumps, with what follows."""
    system, now = march.system, _step(march, corners, at, spent, end)
    if not (offers(system, Switches) and system.n_switches):
        return now

    def redo(to: float) -> Accepted:
        nonlocal now
        march.system.restore(at.left)
        now = _step(march, corners, at, _rejected(now), to)
        return now

    old, landed = sides_of(system, at.memory.state), land(system, at, now, redo)
    new = sides_of(system, landed.memory.state)
    if (old == new).all():
        return landed
    after, passed = cross(system, march.method, landed, old, new)
    if passed:
        return after
    # reflected where the path has not changed yet
    width, back = landed.t - at.t, _BACK
    while back < 1.0:
        before = redo(landed.t - back * width)
        if (sides_of(system, before.memory.state) == old).all():
            return cross(system, march.method, before, old, new)[0]
        back *= 8.0
    return after


@contextmanager
def _held(system: System, state: State) -> Iterator[None]:
    """Context in which the sides of `Switches` are those of a state."""
    if not (offers(system, Switches) and system.n_switches):
        yield
        return
    system.hold_sides(sides_of(system, state))
    try:
        yield
    finally:
        system.hold_sides(None)


def _step(
    march: March, corners: Corners, at: Accepted, spent: Counters, end: float | None = None
) -> Accepted:
    """Next step that the control accepts, or one that ends at a time [s] at the latest.

    `spent` is the cost of the run so far.
    """
    system, counters = march.system, replace(spent)
    try:
        memory = at.memory
        if corners.passed(memory.state.t, at.h):
            memory = corners.restart(march.method, memory)
        with _held(system, memory.state):
            new, reached = _advance(march, corners, at, memory, counters, end)
    except StepFailure as failure:
        failure.counters = counters
        raise
    frames, iterations = [], at.iterations
    for state, evaluation in reached:
        more = counters.newton_iterations - iterations
        frames.append(frame_of(system, state, evaluation, new.h, more))
        iterations = counters.newton_iterations
    left: dict[str, Array] = {}
    memories: dict[str, Any] = {}
    now = Accepted(
        system=system,
        before=memory,
        memory=new.memory,
        control=new.control if end is None else at.control,
        evaluation=new.evaluation,
        step=new.step,
        h=new.h,
        obstacle="" if new.obstacle is None else explain_solve(system, new.obstacle),
        counters=counters,
        n_frames=at.n_frames + len(frames),
        iterations=iterations,
        frames=tuple(frames),
        left=left,
        memories=memories,
    )
    for one in march.own:
        memories[one.name] = one.step(at.memories[one.name], now)
    for report in new.step.reports:
        report.solve = None  # release the factors
    refine_along(system, new.memory.state)
    record(system, new.memory.state)
    left |= system.memory()
    return now


def _advance(
    march: March,
    corners: Corners,
    at: Accepted,
    memory: Any,
    counters: Counters,
    end: float | None,
) -> tuple[Advanced, list[tuple[State, Evaluation]]]:
    """Next accepted step, with states and evaluations at the output times that it reached.

    It starts from a memory of the method at the point, its own or a restarted one. With an `end` it
    is one step to that time, halved on failure.
    """
    system, control, paced = march.system, march.control, at.control
    times = march.times[at.n_frames :]
    target = float(times[0] if control.landing else times[-1])
    longest, _ = shortest_delay(system)
    if control.meets_corners:
        target = min(target, memory.state.t + longest)
        target = corners.landing(memory.state.t, target)
    if end is not None:
        target, control = end, FixedSteps()
        paced = control.start(system, march.method, memory, end)
    while True:
        new = control.advance(system, march.method, march.newton, memory, paced, target, counters)
        frames = []
        last = at.memory.state
        for t in map(float, times[times <= new.memory.state.t]):
            state, evaluation = new.memory.state, new.evaluation
            if t < state.t:
                try:
                    state, v_dot = interpolate(system, memory, new.memory, t)
                    evaluation = system.evaluate(*state, v_dot, tangent=False)
                except ModelError as error:  # an invalid input there
                    report = NewtonReport(reason=str(error))
                    raise StepFailure(at.memory.state, new.h, report, refused=True) from error
            if not (evaluation.admissibility > 0.0 and _is_free(system, new, last, state)):
                # penetration too deep in between: replace by a step that ends there
                target = t if t < new.memory.state.t else last.t
                counters.substeps -= 1
                counters.rejected_steps += 1
                break
            frames.append((state, evaluation))
            last = state
        else:
            return new, frames


def _is_free(system: System, step: Advanced, last: State, state: State) -> bool:
    """Whether the motion from a state to a frame within a step is free of collisions.

    Whole steps were checked when accepted.
    """
    if state is step.memory.state and state.t - last.t == step.h:
        return True
    verdict = judge(system, last, state)
    return not (verdict.reason or verdict.refined)


def interpolate(system: System, before: Any, after: Any, t: float) -> tuple[State, Array]:
    """State and rates of v at a time within a step, from the method's memories at both ends.

    Cubic Hermite polynomials through y and v with the slopes v and v_dot at both ends, of fourth
    order in the step; dependent entries are then set from the coordinates.
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
    _, y, v = projected(system, State(t, y, v))
    return State(t, y, v), system.enforce_rate(y, v, v_dot, t)

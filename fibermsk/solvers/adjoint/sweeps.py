"""Sweeps over the steps of a run: back with cotangents, or ahead with tangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.protocol import Differentiable
from fibermsk.solvers.adjoint.form import Form, value_of
from fibermsk.solvers.adjoint.operations import Rested
from fibermsk.solvers.adjoint.replay import Replay
from fibermsk.solvers.adjoint.trajectory import KeptStep, Trajectory
from fibermsk.solvers.adjoint.variation import Change, Varied
from fibermsk.solvers.newton.stage import State

At = Mapping[int, tuple[Array, Array]]
"""Vectors of positions and velocities, two (n,), by number of a frame."""


def pull(
    system: Differentiable,
    run: Trajectory,
    cotangents: At,
    changes: Sequence[Change],
    n_parameters: int,
    *,
    at_rest: bool = False,
    names: Sequence[str] = (),
    tell: Callable[[float], None] | None = None,
) -> tuple[Array, Array, Array]:
    """Derivatives of a sum over frames: in the start, two (n,), and in parameters (n_parameters,).

    A run that starts `at_rest` starts in its static equilibrium, which follows the parameters; else
    in the initial state of the system.

    `cotangents` are its derivatives in the states at the frames. The cost is one solution of a
    transposed stage, two to four more tangents, and what the changes ask for. `names` are those of
    the parameters in errors; `tell` is called with the time [s] that the sweep has come back to.
    """
    _refuse(system, run)
    varied = Varied.of(changes, np.zeros(n_parameters), names)

    def unknown(number: int) -> str:
        return f"in {system.describe(number)}"

    def parameter(number: int) -> str:
        return f"in {varied.name(number)}"

    found = _zeros(run.steps[-1].after if run.steps else run.first)
    for k in range(len(run.steps) - 1, -1, -1):
        kept = run.steps[k]
        found[:2] = _plus(found[:2], [cotangents[f] for f in kept.frames if f in cotangents])
        system.restore(kept.memory)
        replay = Replay(system, list(kept.solutions), None)
        memory = _mapped(kept.before, replay.source)
        after = _step(run, kept)(replay, memory)
        found = _back(replay, _leaves(memory), _leaves(after), found, varied)
        _check_finite(run, k, found[:2], unknown)
        _check_finite(run, k, [varied.gradient], parameter)
        before = run.steps[k - 1].after if k else run.first
        if kept.before is not before:
            found = _restarted(system, run, kept.before, before, found, varied)
        if tell is not None:
            tell(before.state.t)
    start = run.first.state
    system.restore(run.memory)
    found[:2] = _plus(found[:2], [cotangents[0]] if 0 in cotangents else [])
    y_bar, v_bar = _start_pulled(system, run, run.first, start, found, varied)
    y_bar, v_bar = _back(*_given_start(system, start, at_rest), (y_bar, v_bar), varied)
    if at_rest:
        Rested(system, start.t, start.y).pull(y_bar, varied)
    else:
        varied.add_start(y_bar, v_bar)
    _check_finite(run, None, [y_bar, v_bar], unknown)
    _check_finite(run, None, [varied.gradient], parameter)
    return y_bar, v_bar, varied.gradient


def push(
    system: Differentiable,
    run: Trajectory,
    start: tuple[Array, Array],
    direction: Array,
    changes: Sequence[Change],
    *,
    at_rest: bool = False,
    names: Sequence[str] = (),
) -> dict[int, tuple[Array, Array]]:
    """Derivatives of positions and velocities at all frames along a direction.

    `start` are increments of the start, without what parameters change in it, and `direction`
    (n_parameters,) those of the parameters, whose `names` are told in errors.
    """
    _refuse(system, run)
    varied = Varied.of(changes, np.asarray(direction, float), names)

    def unknown(number: int) -> str:
        return f"of {system.describe(number)} in {varied.varied_names}"

    system.restore(run.memory)
    if at_rest:
        dy, dv = start[0] + Rested(system, 0.0, run.first.state.y).push(varied), start[1]
    else:
        dy, dv = (given + own for given, own in zip(start, varied.start_along(), strict=True))
    dy, dv = _ahead(*_given_start(system, run.first.state, at_rest), (dy, dv), varied)
    found = _start_pushed(system, run, run.first, 0.0, (dy, dv), varied)
    _check_finite(run, None, found[:2], unknown)
    frames = {0: (found[0], found[1])}
    before = run.first
    for k, kept in enumerate(run.steps):
        system.restore(kept.memory)
        if kept.before is not before:
            found = _start_pushed(system, run, kept.before, run.near, found[:2], varied)
        replay = Replay(system, list(kept.solutions), None)
        memory = _mapped(kept.before, replay.source)
        after = _step(run, kept)(replay, memory)
        found = _ahead(replay, _leaves(memory), _leaves(after), found, varied)
        _check_finite(run, k, found[:2], unknown)
        frames |= dict.fromkeys(kept.frames, (found[0], found[1]))
        before = kept.after
    return frames


def _refuse(system: Differentiable, run: Trajectory) -> None:
    """Refuse runs that have no derivative."""
    reason = system.not_differentiable()
    if reason:
        raise ModelError(f"gradient: the system has {reason}; must be without to be differentiated")
    for kept in run.steps:
        t = kept.after.state.t
        if kept.frozen:
            raise ModelError(
                f"gradient: contact points were frozen in the step to t = {t:g} s, where forces "
                "jump; must be a run without: use thinner or more elements, or more points"
            )
        if len(kept.frames) > 1:
            raise ModelError(
                f"gradient: the step to t = {t:g} s passes {len(kept.frames)} frames; must land "
                "on each: use FixedSteps, or AdaptiveSteps with landing"
            )


def _check_finite(
    run: Trajectory, k: int | None, vectors: Sequence[Array], describe: Callable[[int], str]
) -> None:
    """Refuse derivatives that overflow after step `k`, or in the start, and describe the first."""
    for vector in vectors:
        bad = np.flatnonzero(~np.isfinite(vector))
        if bad.size:
            where, time = "the start", None
            if k is not None:
                time = run.steps[k].after.state.t
                where = f"the step to t = {time:g} s, {k + 1} of {len(run.steps)}"
            raise not_finite(describe(int(bad[0])), where, time)


def not_finite(derivative: str, where: str, time: float | None) -> ConvergenceError:
    """Error of a derivative that overflows, at a time [s]."""
    return ConvergenceError(
        f"gradient: the derivative {derivative} is not finite in {where}; must be finite: "
        "shorten the run, or add damping where small changes grow without bound",
        time=time,
    )


def _step(run: Trajectory, kept: KeptStep) -> Callable[[Replay, Any], Any]:
    """Function that repeats a step with forms and returns the memory after it."""

    def again(replay: Replay, memory: Any) -> Any:
        try:
            new = run.method.step(replay, replay, memory, kept.h).memory
            y, v = replay.project(kept.after.state.t, new.state.y, new.state.v)
            return new._replace(state=new.state._replace(y=y, v=v))
        except TypeError as error:
            raise ModelError(
                f"gradient: method {run.method.name!r}: {error}; must write its steps in them"
            ) from error

    return again


def _leaves(memory: Any) -> list[Any]:
    """Vectors of a method's memory, positions and velocities first."""
    found: list[Any] = []
    for one in memory:
        if isinstance(one, tuple):
            found += _leaves(one)
        elif isinstance(one, Form | np.ndarray) and value_of(one).ndim == 1:
            found.append(one)
    return found


def _mapped(memory: Any, make: Callable[[Array], Form]) -> Any:
    """A method's memory with forms in place of its vectors."""
    parts = [
        _mapped(one, make) if isinstance(one, tuple)
        else make(one) if isinstance(one, np.ndarray) and one.ndim == 1
        else one
        for one in memory
    ]  # fmt: skip
    return type(memory)(*parts)


def _zeros(memory: Any) -> list[Array]:
    return [np.zeros(one.size) for one in _leaves(memory)]


def _plus(pair: list[Array], more: list[tuple[Array, Array]]) -> list[Array]:
    for y, v in more:
        pair = [pair[0] + y, pair[1] + v]
    return pair


def _back(
    replay: Replay,
    before: Sequence[Form],
    after: Sequence[Any],
    cotangents: Sequence[Array],
    varied: Varied,
) -> list[Array]:
    """Cotangents of the forms before what was repeated, from those of the forms after it."""
    slots = replay.slots()
    for leaf, cotangent in zip(after, cotangents, strict=True):
        slots.spread(leaf, cotangent)
    replay.pull(slots, varied)
    found = [slots.get(leaf.terms[0].source) for leaf in before]
    return [
        np.zeros(leaf.size) if one is None else one for leaf, one in zip(before, found, strict=True)
    ]


def _ahead(
    replay: Replay,
    before: Sequence[Form],
    after: Sequence[Any],
    tangents: Sequence[Array],
    varied: Varied,
) -> list[Array]:
    """Tangents of the forms after what was repeated, from those of the forms before it."""
    slots = replay.slots()
    for leaf, tangent in zip(before, tangents, strict=True):
        slots.set(leaf.terms[0].source, tangent)
    replay.push(slots, varied)
    return [slots.gather(leaf) for leaf in after]


def _beginning(
    system: Differentiable, run: Trajectory, memory: Any, state: State
) -> tuple[Replay, Form, Form, Any]:
    """The start of a method from a state, repeated: forms of the state, and its memory."""
    replay = Replay(system, [], (memory.state.v, memory.v_dot))
    y, v = replay.source(state.y), replay.source(state.v)
    with_forms: Any = state._replace(y=y, v=v)
    return replay, y, v, run.method.start(replay, with_forms)


def _given_start(system: Differentiable, start: State, at_rest: bool) -> tuple[Replay, Any, Any]:
    """The start of a run where constraints hold, repeated: its forms before and after."""
    replay = Replay(system, [], None)
    given = (start.y, start.v) if at_rest else system.initial_state()
    before = [replay.source(one) for one in given]
    return replay, before, replay.project(start.t, *before)


def _start_pulled(
    system: Differentiable,
    run: Trajectory,
    memory: Any,
    state: State,
    cotangents: list[Array],
    varied: Varied,
) -> tuple[Array, Array]:
    """Cotangents of the state that a method started from."""
    replay, y, v, after = _beginning(system, run, memory, state)
    y_bar, v_bar = _back(replay, (y, v), _leaves(after), cotangents, varied)
    return y_bar, v_bar


def _restarted(
    system: Differentiable,
    run: Trajectory,
    memory: Any,
    before: Any,
    cotangents: list[Array],
    varied: Varied,
) -> list[Array]:
    """Cotangents of the memory before a corner, from those of the restarted one."""
    state = before.state._replace(t=before.state.t + run.near)
    found = _zeros(before)
    found[:2] = _start_pulled(system, run, memory, state, cotangents, varied)
    return found


def _start_pushed(
    system: Differentiable,
    run: Trajectory,
    memory: Any,
    near: float,
    tangents: Sequence[Array],
    varied: Varied,
) -> list[Array]:
    """Tangents of the memory of a method that starts from a state."""
    state = memory.state._replace(t=memory.state.t + near)
    replay, y, v, after = _beginning(system, run, memory, state)
    return _ahead(replay, (y, v), _leaves(after), tangents, varied)

"""Numbers in which a run has no derivative: times of corners, and activations that rest at one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ModelWarning
from fibermsk.gradients.changes.entries import Entry, values_with
from fibermsk.gradients.changes.owners import signal_weight
from fibermsk.gradients.simulation import Simulation
from fibermsk.laws.activation import PiecewiseActivation
from fibermsk.model import (
    ActivationDynamics,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Ramp,
    Reflex,
    SimmSpline,
    SmoothStep,
    Table,
)
from fibermsk.parameters.lookup import find
from fibermsk.solvers import SDIRK2, AdaptiveSteps, FixedSteps
from fibermsk.solvers.simulate import count_steps
from fibermsk.system import FiberSystem

_WITH_MEMORY = "bdf2", "generalized_alpha"
"""Methods that start again at corners of signals."""

_FROM_RATES = "generalized_alpha"
"""The one that begins with the rates at the start."""

_TIMES = {
    Table: ("times",), Ramp: ("start", "end"), PiecewiseConstant: ("x",), PiecewiseLinear: ("x",),
    NaturalSpline: ("x",), SimmSpline: ("x",), SmoothStep: ("start", "end"),
}  # fmt: skip
"""Fields of functions of time that hold times; x may also be a coordinate."""

_SMOOTH = NaturalSpline, SimmSpline, SmoothStep
"""Those that are smooth at their points, though methods with a memory start again there."""

_KNOTS = "knots"
"""Path of the values of a table."""

_NEAR = 1e-6
"""Share of a frame within which times coincide, and the change of one that makes it another."""

_EQUAL, _SAMPLES = 1e-9, 4
"""Difference of excitation and activation at rest, and how often a frame is looked at."""


def check_corners(simulation: Simulation, system: FiberSystem, entries: Sequence[Entry]) -> None:
    """Warn of numbers in which a run has only one-sided derivatives; refuse those without any.

    Raises
    ------
    ModelError
        If a number is a time at which a force jumps.
    """
    _check_times(simulation, system, entries)
    _warn_of_new_corners(simulation, system, entries)
    _warn_of_rest(simulation, system, entries)


def _check_times(simulation: Simulation, system: FiberSystem, entries: Iterable[Entry]) -> None:
    """Times of corners at which steps end."""
    end, found = simulation.t_end, list[Entry]()
    near, adaptive = _NEAR * simulation.dt, isinstance(simulation.control, AdaptiveSteps)
    for one in entries:
        place = find(system.model, one.path)[0]
        if place.field not in _TIMES.get(type(place.holder), ()):
            continue
        if isinstance(place.holder, PiecewiseConstant):
            must = "be no point in time of a PiecewiseConstant, in which a run has no derivative"
            remedy = "name its values y alone, or use fm.PiecewiseLinear with short slopes"
            _check.refuse("gradient", "parameter", one.name, must, remedy=remedy)
        smooth = isinstance(place.holder, _SMOOTH) and _name(simulation) not in _WITH_MEMORY
        met = adaptive or _evaluated(simulation, one.value, near)
        inside = -near <= one.value <= end + near
        if inside and met and not smooth and _is_corner(system, one, near):
            found.append(one)
    if found:
        more = f" and {len(found) - 1} more times" if len(found) > 1 else ""
        what = "at which steps end" if adaptive else "at which a step ends or evaluates forces"
        text = (
            f"gradient: {found[0].name!r} = {found[0].value:g} s{more}: a corner {what}, so that "
            "the run is not differentiable in it; the derivative is one-sided at best, or a mean"
        )
        warn(ModelWarning(text, time=found[0].value))


def _evaluated(simulation: Simulation, time: float, near: float) -> bool:
    """Whether fixed steps end or evaluate forces at a time."""
    control = FixedSteps() if simulation.control is None else simulation.control
    frames = count_steps(simulation.t_end, simulation.dt)
    h = simulation.t_end / (frames * control.steps_per_frame)
    within = time - h * np.floor(time / h)
    nodes = (0.0, 1.0, *getattr(simulation.method or SDIRK2(), "nodes", ()))
    return bool((np.abs(within - h * np.array(nodes)) < near).any())


def _is_corner(system: FiberSystem, entry: Entry, near: float) -> bool:
    """Whether a time, or coordinate, is one at which steps end."""
    if not np.any(np.abs(system.breakpoints - entry.value) <= near):
        return False
    values = values_with(system, [entry], np.array([entry.value + 0.1 * near]))
    return not np.array_equal(system.with_parameters(values).breakpoints, system.breakpoints)


def _name(simulation: Simulation) -> str:
    return getattr(simulation.method, "name", "")


def _warn_of_new_corners(
    simulation: Simulation, system: FiberSystem, entries: Iterable[Entry]
) -> None:
    """Warn of tables with points that are no corners, which any change makes to some.

    Methods with a memory start again at corners, so that a run jumps.
    """
    method = _name(simulation)
    if method not in _WITH_MEMORY:
        return
    for path in dict.fromkeys(one.path for one in entries if one.path.endswith(f"/{_KNOTS}")):
        table: Table = find(system.model, path)[0].holder
        inside = np.asarray(table.times)[1:-1]
        smooth = inside[(inside < simulation.t_end) & ~np.isin(inside, table.breakpoints)]
        if smooth.size:
            text = (
                f"gradient: {path!r} has no corner at t = {smooth[0]:g} s, and any change of its "
                f"values makes one, where {method} starts again: the run jumps "
                "there, by about the error of a step, and its derivative is that without the "
                "jump; start from values with corners, or use a method of one step, such as sdirk2"
            )
            warn(ModelWarning(text, time=float(smooth[0])))
            return


def _warn_of_rest(simulation: Simulation, system: FiberSystem, entries: Iterable[Entry]) -> None:
    """Warn of numbers that move activations away from rest, where a law has a corner."""
    model = system.model
    for muscle in (*model.fibers, *model.muscles):
        dynamics = muscle.activation
        if not isinstance(dynamics, ActivationDynamics) or isinstance(dynamics.excitation, Reflex):
            continue
        own = [one for one in entries if one.path.startswith(f"{muscle.name}/activation/")]
        if not own or not isinstance(dynamics.law, PiecewiseActivation):
            continue
        times = _rest(simulation, dynamics)
        for one in own:
            if times.size and _leaves_rest(simulation, system, one, times):
                text = (
                    f"gradient: {one.name!r} = {one.value:g}: the activation of {muscle.name!r} "
                    f"rests at its excitation up to t = {times[-1]:g} s, where the rate of "
                    "PiecewiseActivation has a corner: the derivative is that to one side, in "
                    "general of an excitation above the activation; use fm.SmoothActivation, which "
                    "has none, or another start"
                )
                warn(ModelWarning(text, time=float(times[-1])))
                return


def _rest(simulation: Simulation, dynamics: ActivationDynamics) -> Array:
    """Times from the start on at which the activation rests at its excitation."""
    times = np.linspace(
        0.0, simulation.t_end, 1 + _SAMPLES * max(round(simulation.t_end / simulation.dt), 1)
    )
    excitation = np.array([dynamics.excitation_at(float(t)) for t in times])
    at_rest = simulation.start == "equilibrium"
    start = float(excitation[0]) if at_rest else dynamics.start
    moving = np.flatnonzero(np.abs(excitation - start) > _EQUAL)
    return times[: moving[0]] if moving.size else times


def _leaves_rest(simulation: Simulation, system: FiberSystem, entry: Entry, times: Array) -> bool:
    """Whether a number changes activation and excitation differently while they are at rest."""
    weight: Any = signal_weight(system, entry.path, entry.place)
    at_rest = simulation.start == "equilibrium"
    if weight is None:
        starts = entry.path.endswith("/start") and not at_rest
        excitation, start = np.zeros(times.size), 1.0 if starts else 0.0
    else:
        if entry.value <= entry.bounds[0]:
            return False  # it can but rise, and the derivative is that of rise
        excitation = np.array([weight(float(t)) for t in times])
        start = excitation[0] if at_rest else 0.0
    apart = np.abs(excitation - start) > _EQUAL
    # at the start alone, nothing but a rate there sees the corner
    return bool(apart[0 if _name(simulation) == _FROM_RATES else 1 :].any())

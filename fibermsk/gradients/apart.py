"""Systems in which the activation of every muscle that is varied is its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelWarning
from fibermsk.gradients.entries import Entry, entries_of
from fibermsk.gradients.simulation import Simulation
from fibermsk.model import ActivationDynamics, Table
from fibermsk.system import FiberSystem, build
from fibermsk.system.own_forces import OwnForces

_WITH_MEMORY = "bdf2", "generalized_alpha"
"""Methods that start again at corners of signals."""

_KNOTS = "knots"
"""Path of the values of a table."""

_TIMES, _NEAR = "times", 1e-6
"""Field of the times of a table, and the share of a frame within which they coincide with one."""


def prepared(
    simulation: Simulation, parameters: str | Iterable[str]
) -> tuple[FiberSystem, tuple[Entry, ...]]:
    """System of a run, and its parameters.

    Muscles with equal activation dynamics share a state; those with a parameter in theirs get one
    of their own, named after them.

    Raises
    ------
    ModelError
        If a parameter is refused, or such dynamics have a name already.
    """
    system = simulation.system()
    entries = entries_of(system, parameters)
    _warn_of_corners(simulation, entries)
    _warn_of_new_corners(simulation, system, entries)
    own = OwnForces(system)
    shared = {own.names[k] for k in own.shared}
    varied = {
        one.path.split("/")[0] for one in entries if one.path.split("/")[1:2] == ["activation"]
    }
    model, changed = system.model, {}
    for muscle in (*model.fibers, *model.muscles):
        dynamics = muscle.activation
        if muscle.name in shared & varied and isinstance(dynamics, ActivationDynamics):
            if dynamics.name:
                field = f"activation dynamics of {muscle.name!r}"
                must = "be of one muscle, or without a name: their parameters are varied apart"
                _check.refuse("gradient", field, dynamics.name, must)
            changed[muscle] = {"activation": replace(dynamics, name=muscle.name)}
    if not changed:
        return system, entries
    return build(model.edit(changed)), entries


def _warn_of_corners(simulation: Simulation, entries: Iterable[Entry]) -> None:
    """Warn of times of tables that coincide with frames, in which a run is not differentiable."""
    dt, near = simulation.dt, _NEAR * simulation.dt
    ends = [
        one for one in entries
        if f"/{_TIMES}" in one.path and -near <= one.value <= simulation.t_end + near
        and abs(one.value - dt * round(one.value / dt)) < near
    ]  # fmt: skip
    if ends:
        more = f" and {len(ends) - 1} more times" if len(ends) > 1 else ""
        text = (
            f"gradient: {ends[0].name!r} = {ends[0].value:g} s{more} coincide with frames: steps "
            "end there, so that the run is not differentiable in them; their derivatives are "
            "one-sided at best"
        )
        warnings.warn(ModelWarning(text, time=ends[0].value), stacklevel=3)


def _warn_of_new_corners(
    simulation: Simulation, system: FiberSystem, entries: Iterable[Entry]
) -> None:
    """Warn of tables with points that are no corners, which any change makes to some.

    Methods with a memory start again at corners, so that a run jumps.
    """
    method = getattr(simulation.method, "name", "")
    if method not in _WITH_MEMORY:
        return
    for path in dict.fromkeys(one.path for one in entries if one.path.endswith(f"/{_KNOTS}")):
        times = system.parameters[f"{path.removesuffix(_KNOTS)}{_TIMES}"].value
        table = Table(times, system.parameters[path].value)
        inside = np.asarray(times)[1:-1]
        smooth = inside[(inside < simulation.t_end) & ~np.isin(inside, table.breakpoints)]
        if smooth.size:
            text = (
                f"gradient: {path!r} has no corner at t = {smooth[0]:g} s, and any change of its "
                f"values makes one, where {method} starts again: the run jumps "
                "there, by about the error of a step, and its derivative is that without the "
                "jump; start from values with corners, or use a method of one step, such as sdirk2"
            )
            warnings.warn(ModelWarning(text, time=float(smooth[0])), stacklevel=3)
            return

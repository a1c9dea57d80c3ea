"""Systems in which the activation of every muscle that is varied is its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fibermsk import _check
from fibermsk.gradients.changes.entries import Entry, entries_of
from fibermsk.gradients.corners import check_corners
from fibermsk.gradients.simulation import Simulation
from fibermsk.model import ActivationDynamics
from fibermsk.system import FiberSystem, build
from fibermsk.system.own_forces import OwnForces


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
    check_corners(simulation, system, entries)
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

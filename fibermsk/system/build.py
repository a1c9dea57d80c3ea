"""Build systems from models, and from systems with other parameter values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fibermsk import _check
from fibermsk._warn import warn
from fibermsk.model import Model
from fibermsk.model.muscles.line_muscle import by_network
from fibermsk.model.plausible import remarks
from fibermsk.parameters import revise
from fibermsk.system.parts import revise_parts
from fibermsk.system.system import FiberSystem


def build(model: Model) -> FiberSystem:
    """Number a model, check its geometry, and allocate arrays.

    Parameters
    ----------
    model : Model
        The description; it is not changed and not kept in sync.

    Returns
    -------
    system : FiberSystem
        Ready for `equilibrium` and `simulate`.

    Raises
    ------
    ModelError
        If the model is incomplete, a path misses its attachment, or a fiber starts inadmissibly
        deep in a bone or in another fiber.

    Warns
    -----
    ModelWarning
        If a value is implausible, such as an angle in degrees, line muscles exert no force, or a
        path is that of a network: with its errors and its range.
    """
    _check.instance("build", "model", model, Model, "a Model")
    model.validate()
    system = FiberSystem(model.copy())
    _warn(system, lambda item: True)
    return system


def rebuild(system: FiberSystem, values: Mapping[str, Any]) -> FiberSystem:
    """System with other parameter values; see `FiberSystem.with_parameters`."""
    revision = revise(system.model, values)
    parts = revise_parts(system.configuration.parts, system.model, revision)
    other = FiberSystem(revision.model, (system, parts))
    _warn(other, revision.new_numbers)
    return other


def _warn(system: FiberSystem, concerns: Callable[[Any], bool]) -> None:
    """Warn of implausible values of some items."""
    lengths = dict(zip(system.cables.names, system.cables.length, strict=True))
    for remark in remarks(system.model, lengths, concerns):
        warn(remark)
    for muscle in filter(by_network, system.model.massive_muscles):
        if concerns(muscle):
            from fibermsk.system.lines.networks import remark_of

            warn(remark_of(muscle))

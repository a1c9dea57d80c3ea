"""Quantities of a run by a text: what an objective reads by name, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.gradients.objective import Objective
from fibermsk.gradients.readings import OF_MUSCLES, refuse_quantity, units_of
from fibermsk.model import ActivationDynamics, Model
from fibermsk.system import FiberSystem

_ONLY = "angle"
"""Stands for the only coordinate that is an angle."""


class _Weighted(Objective):
    """Sum of the samples with weights that are its derivatives, also where two frames tie."""

    def __init__(self, weights: Callable[[Array, Array], Array], name: str) -> None:
        super().__init__(lambda time, x: float(weights(time, x) @ x), {"x": name})
        self._weights = weights

    def derivatives(self, time: Array, samples: Mapping[str, Array]) -> dict[str, Array]:
        """Derivatives in all samples, by name."""
        return {"x": self._weights(time, samples["x"])}


class Quantity(NamedTuple):
    """A number of a run."""

    name: str
    unit: str
    objective: Objective


def _at(choose: Callable[[Array], int]) -> Callable[[Array, Array], Array]:
    def weights(time: Array, x: Array) -> Array:
        found = np.zeros_like(x)
        found[choose(x)] = 1.0
        return found

    return weights


def _mean(time: Array, x: Array) -> Array:
    """Weights of the trapezoidal rule over the time."""
    steps = np.diff(time)
    return 0.5 * (np.r_[steps, 0.0] + np.r_[0.0, steps]) / (time[-1] - time[0])


_WHEN: dict[str, Callable[[Array, Array], Array]] = {
    "max": _at(lambda x: int(np.argmax(x))),
    "min": _at(lambda x: int(np.argmin(x))),
    "end": _at(lambda x: x.size - 1),
    "mean": _mean,
}
"""Weights of the frames; those of an extremum jump where it passes to another frame."""


def quantity_of(system: FiberSystem, text: str) -> Quantity:
    """Quantity such as ``"elbow_flexion_max"``: NAME_max, _min, _end or _mean over the frames.

    NAME is what an `Objective` may read by name, or ``"angle"`` for the only angle.

    Raises
    ------
    ModelError
        If the text ends otherwise, or there is no such name.
    """
    owner = "sensitivity"
    name, when = _parts(text)
    units = units_of(system)
    if name == _ONLY and name not in units:
        angles = [one for one in system.skeleton.independent if units[one] == "rad"]
        if len(angles) != 1:
            must = f"name one of {', '.join(angles) or 'no angle'}"
            _check.refuse(owner, "of", text, must)
        name = angles[0]
    if name not in units:
        refuse_quantity(system.model, units, name, f"{owner}: of = {text!r}")
    return Quantity(text, units[name], _Weighted(_WHEN[when], name))


def check_quantity(model: Model, text: str) -> None:
    """Refuse what no system of a model has, before one is built; see `quantity_of`.

    Whether states of owners that are there have such a name is seen when it is built.
    """
    name, _ = _parts(text)
    coordinates = [one.name for one in model.coordinates]
    items = [*model.fibers, *model.muscles]
    owner, _, field = name.rpartition("/")
    owners = {*coordinates, *(one.name for one in items)}
    for one in items:
        if isinstance(one.activation, ActivationDynamics):
            owners.add(one.activation.name)
    lawless = {one.name for one in model.muscles if one.law is None}
    if owner:
        known = owner in owners or bool(model.elements)
        known = known and not (owner in lawless and field in OF_MUSCLES)
    else:
        known = name in (*coordinates, _ONLY, "energy")
    if known:
        return
    found = [*coordinates, *(f"{one}/speed" for one in coordinates)]
    for fiber in model.fibers:
        found += [f"{fiber.name}/length", f"{fiber.name}/tissue_force"]
    for muscle in model.muscles:
        if muscle.law is not None:
            found += [f"{muscle.name}/{one}" for one in OF_MUSCLES]
    refuse_quantity(model, [*found, "energy"], name, f"sensitivity: of = {text!r}")


def _parts(text: str) -> tuple[str, str]:
    """Name and end of a quantity."""
    _check.instance("sensitivity", "of", text, str, "a text")
    name, _, when = text.rpartition("_")
    if not name or when not in _WHEN:
        ends = ", ".join(f"_{one}" for one in _WHEN)
        _check.refuse("sensitivity", "of", text, f"be a name with one of the ends {ends}")
    return name, when

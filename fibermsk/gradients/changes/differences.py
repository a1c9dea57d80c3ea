"""Systems at values around those of numbers, for differences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.gradients.changes.entries import Entry, size_of_steps, values_with
from fibermsk.gradients.changes.inside import AHEAD, CENTRAL, Stencil
from fibermsk.model import Mesh
from fibermsk.model.skeleton.body import length_of, shapes_of
from fibermsk.parameters.lookup import find
from fibermsk.parameters.revise import revise
from fibermsk.solvers.adjoint.variation import Variation
from fibermsk.system import FiberSystem

_REFINED = 3
"""How often steps are refined where forces have kinks: contacts that open, edges of meshes."""

_INERTIA = "/inertia"

_STEP = 1e-5
"""Step over the size of a number; truncation and round-off are then about 1e-11."""


def variation_of(system: FiberSystem, entry: Entry, number: int = 0) -> Variation:
    """Systems at values around that of an entry, within its bounds."""
    step, stencil = difference(system, entry)
    kinks = bool(system.model.contacts) or any(
        isinstance(shape, Mesh) for body in system.model.bodies for shape in shapes_of(body)
    )
    return _varied(system, entry, number, step, stencil, _REFINED if kinks else 0)


def _varied(
    system: FiberSystem, entry: Entry, number: int, step: float, stencil: Stencil, refined: int
) -> Variation:
    """Variation with a step, and so often with a tenth of it where a kink of the forces asks."""
    systems = systems_at(system, [entry], [step], stencil)
    finer = None
    if refined and stencil is CENTRAL:
        finer = cache(lambda: _varied(system, entry, number, 0.1 * step, stencil, refined - 1))
    return Variation(number, systems, weights_of(step, stencil), finer)


def weights_of(step: float, stencil: Stencil) -> tuple[float, ...]:
    """Weights of a difference [1/unit]."""
    return tuple(weight / (12.0 * step) for _, weight in stencil)


def difference(system: FiberSystem, entry: Entry) -> tuple[float, Stencil]:
    """Step and stencil of a difference within the bounds of an entry."""
    step, (low, high) = _STEP * size_of_steps(system, entry), entry.bounds
    if entry.value - 2.0 * step < low:
        return step, AHEAD
    if entry.value + 2.0 * step > high:
        return -step, AHEAD
    if _INERTIA in entry.path:  # a flat body is at the border of what moments of inertia can be
        for side in (step, -step):
            if not _is_possible(system, entry, entry.value - 2.0 * side):
                return side, AHEAD
    return step, CENTRAL


def _is_possible(system: FiberSystem, entry: Entry, value: float) -> bool:
    """Whether a model can have another value of an entry."""
    try:
        revise(system.model, values_with(system, [entry], np.array([value])))
    except ModelError:
        return False
    return True


def systems_at(
    system: FiberSystem, entries: Sequence[Entry], steps: Sequence[float], stencil: Stencil
) -> tuple[FiberSystem, ...]:
    """Systems with all entries changed at once."""
    values = np.array([one.value for one in entries])
    systems = tuple(
        system.with_parameters(values_with(system, entries, values + k * np.array(steps)))
        for k, _ in stencil
    )
    if any(one.n != system.n for one in systems):
        remedy = "muscles with equal activation dynamics share a state: let their numbers differ"
        names = ", ".join(one.name for one in entries)
        _check.refuse("gradient", "parameter", names, "leave the number of unknowns", remedy=remedy)
    return systems


def along(
    system: FiberSystem,
    entries: Sequence[Entry],
    ends: Sequence[tuple[Entry, float]],
    direction: Array,
) -> list[Variation]:
    """Variations along a direction of entries, and of ends of capsules along their axes.

    Several, since numbers at an end of their range can move to one side only.
    """
    groups: dict[Any, list[int]] = {}
    sizes = np.empty(direction.size)
    for k, entry in enumerate((*entries, *(entry for entry, _ in ends))):
        step, stencil = difference(system, entry)
        sizes[k] = abs(step)
        if direction[k]:
            side = 1.0 if stencil is CENTRAL else float(np.sign(step * direction[k]))
            groups.setdefault((side, stencil), []).append(k)

    def varied(numbers: list[int], step: float, stencil: Stencil, refined: int) -> Variation:
        systems = list[FiberSystem]()
        for k, _ in stencil:
            own = [number for number in numbers if number < len(entries)]
            few = [entries[number] for number in own]
            values = np.array([one.value for one in few]) + k * step * direction[own]
            moved = dict(values_with(system, few, values))
            for number in numbers[len(own) :]:
                entry, cosine = ends[number - len(entries)]
                path, axis = _end_and_axis(system, entry)
                base = moved.get(path, system.parameters[path].value)
                moved[path] = np.asarray(base) + k * step * direction[number] * cosine * axis
            systems.append(system.with_parameters(moved))
        finer = None
        if refined and stencil is CENTRAL:
            finer = cache(lambda: varied(numbers, 0.1 * step, stencil, refined - 1))
        return Variation(0, tuple(systems), weights_of(step, stencil), finer)

    return [
        varied(own, side * float((sizes[own] / np.abs(direction[own])).min()), stencil, _REFINED)
        for (side, stencil), own in groups.items()
    ]


def _end_and_axis(system: FiberSystem, entry: Entry) -> tuple[str, Array]:
    """Path of the end of a capsule that an entry is a coordinate of, and the capsule's axis."""
    place = find(system.model, entry.path)[0]
    shape: Any = shapes_of(place.root)[int(place.steps[1])]
    path = entry.path.rpartition("/")[0] if place.entry else entry.path
    return path, np.subtract(shape.end, shape.start) / length_of(shape)

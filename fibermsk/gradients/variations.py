"""Parameters as variations of a system."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.forces import CoordinateActuator
from fibermsk.gradients.actuators import Actuated, Number, Weight, actuator_of, weight_of
from fibermsk.gradients.bones import Law, Masses, PassiveForces
from fibermsk.gradients.chained import MovedEnds
from fibermsk.gradients.contact import ContactNumbers, ContactSlopes, Touching
from fibermsk.gradients.entries import Entry, size_of_steps, values_with
from fibermsk.gradients.inside import AHEAD, CENTRAL, PAIR, Driven, Family, Knot, Places, Stencil
from fibermsk.gradients.loose import length_of, loosened
from fibermsk.gradients.owners import (
    can_be_held,
    coordinate_of_law,
    cosine_of,
    fiber_shaped_by,
    is_inertia,
    is_of_contact,
    is_of_start,
    kinds_of,
    owner_of,
    signal_weight,
)
from fibermsk.gradients.poses import Poses
from fibermsk.gradients.rows import PathRows, RowSlopes, Shared
from fibermsk.gradients.shapes import Section, Shapes
from fibermsk.gradients.starts import Starts
from fibermsk.laws.own import CoordinateLaw
from fibermsk.model import Mesh
from fibermsk.model.skeleton.body import shapes_of
from fibermsk.parameters.lookup import find
from fibermsk.parameters.revise import revise
from fibermsk.solvers.adjoint.variation import Change, Variation
from fibermsk.system import FiberSystem
from fibermsk.system.contact.slopes import shape_of

F = TypeVar("F", bound=Family)

_REFINED = 3
"""How often steps are refined where forces have kinks: contacts that open, edges of meshes."""

_INERTIA = "/inertia"

_STEP = 1e-5
"""Step over the size of a number; truncation and round-off are then about 1e-11."""


def changes_of(
    system: FiberSystem, entries: Sequence[Entry], *, alone: bool = False
) -> list[Change]:
    """How a system changes with entries, by number: those inside of fibers and muscles together.

    With `alone`, each by itself.

    Raises
    ------
    ModelError
        If an entry changes the number of unknowns.
    """
    places = Places(system)
    knots, single = list[Knot](), list[Change]()
    families: dict[Any, list[tuple[int, int, Entry]]] = {}
    actuated: dict[CoordinateActuator, list[Number]] = {}
    ends = MovedEnds(system)
    apart: dict[type[RowSlopes], list[Shared]] = {RowSlopes: [], PathRows: []}
    posed, started = list[tuple[int, Entry]](), list[tuple[int, Entry]]()
    heavy, laws, contact = list[tuple[int, Entry]](), list[Law](), ContactSlopes(places)
    touching, lengthened = list[tuple[int, Entry]](), list[tuple[int, Entry, float]]()
    for number, entry in enumerate(entries):
        owner, rest = owner_of(system, places.own, entry.path)
        actuator = None if alone else actuator_of(system.model, entry.path)
        if actuator is not None:
            weight = _weight(system, actuator.name, entry)
            actuated.setdefault(actuator, []).append(Number(number, weight))
        elif not alone and (fiber := fiber_shaped_by(system, entry.path)) is not None:
            ends.add(number, fiber, entry)
        elif not alone and can_be_held(system, entry.path):
            posed.append((number, entry))
            if cosine := cosine_of(system, entry):
                lengthened.append((number, entry, cosine))
        elif not alone and is_of_contact(system, entry.path):
            touching.append((number, entry))
        elif not alone and is_inertia(system, entry.path):
            heavy.append((number, entry))
        elif not alone and (coordinate := coordinate_of_law(system, entry.path)) is not None:
            laws.append(_law(system, number, entry, coordinate))
        elif not alone and (kinds := kinds_of(system, entry.path)):
            varied = variation_of(system, entry, number)
            own = apart[PathRows if kinds == system.on_paths else RowSlopes]
            own.append(Shared(varied, kinds, np.array([number]), np.ones(1)))
        elif not alone and is_of_start(system, entry.path):
            started.append((number, entry))
        elif owner is None or alone:
            single.append(variation_of(system, entry, number))
        elif (weight := signal_weight(system, entry.path, entry.place)) is not None:
            knots.append(Knot(owner, number, weight))
        else:
            step, stencil = _difference(system, entry)
            families.setdefault((rest, entry.place, step > 0.0, stencil), []).append(
                (owner, number, entry)
            )
    found = list[Change]([Driven(places, knots)] if knots else [])
    for (*_, stencil), members in families.items():
        found.append(_family(Family, places, members, stencil))
    if touching or lengthened:
        found.append(_contact(contact, touching, lengthened))
    found += [kind(places, shared) for kind, shared in apart.items() if shared]
    if heavy:
        found.append(Masses(places, heavy))
    if laws:
        found.append(PassiveForces(places, laws))
    if posed:
        found.append(_poses(places, posed, ends))
    if started:
        found.append(_starts(places, started, ends))
    if ends.members:
        found.append(ends.change(_shapes(places, ends.members, contact)))
    found += [Actuated(system, one, numbers) for one, numbers in actuated.items()]
    return found + single


def _family(
    kind: type[F], places: Places, members: Sequence[tuple[int, int, Entry]], stencil: Stencil
) -> F:
    """Numbers of one kind of several owners; owner, number in the gradient and entry of each."""
    owners, numbers, own = zip(*members, strict=True)
    system = places.own.system
    steps = [_difference(system, one)[0] for one in own]
    systems = _systems(system, own, steps, stencil)
    return kind(places, owners, numbers, steps, systems, _weights(1.0, stencil))


def _shapes(places: Places, members: Sequence[tuple[int, Entry]], contact: ContactSlopes) -> Shapes:
    """Numbers of the shape of fibers, in a row: number of the fiber, and entry."""
    system, kinds = places.own.system, dict[Any, list[tuple[int, int, Entry]]]()
    for number, (fiber, entry) in enumerate(members):
        step, stencil = _difference(system, entry)
        rest = entry.path.partition("/")[2]
        stencil = PAIR if stencil is CENTRAL else stencil
        kinds.setdefault((rest, entry.place, step > 0.0, stencil), []).append(
            (fiber, number, entry)
        )
    sections, touching = list[Section](), list[Touching]()
    for (*_, stencil), own in kinds.items():
        sections.append(_family(Section, places, own, stencil))
        change = sections[-1].difference(lambda own: shape_of(own.cables))
        for fiber, number, entry in own:
            by = contact.columns.of_shape(change / _difference(system, entry)[0], fiber)
            touching.append(Touching(number, by))
    touching = [] if not system.model.contacts else sorted(touching)
    entries = [entry for _, entry in members]
    vary = partial(_along, system, entries, ())
    return Shapes(places, sections, ContactNumbers(contact, touching, vary))


def _contact(
    contact: ContactSlopes,
    touching: Sequence[tuple[int, Entry]],
    lengthened: Sequence[tuple[int, Entry, float]],
) -> ContactNumbers:
    """Numbers of laws and radii, and coordinates of the ends of capsules along their axes.

    Number in the gradient and entry; of ends also the cosine of the axis with their directions.
    """
    of_entry, of_end = contact.columns.of_entry, contact.columns.of_end
    members = [Touching(number, of_entry(entry)) for number, entry in touching]
    members += [Touching(number, of_end(entry, cosine)) for number, entry, cosine in lengthened]
    ends = [(entry, cosine) for _, entry, cosine in lengthened]
    own = [entry for _, entry in touching]
    return ContactNumbers(contact, members, partial(_along, contact.system, own, ends))


def _along(
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
        step, stencil = _difference(system, entry)
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
        return Variation(0, tuple(systems), _weights(step, stencil), finer)

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


def _poses(places: Places, members: Sequence[tuple[int, Entry]], ends: MovedEnds) -> Poses:
    """Numbers that move bones and paths: number in the gradient, and entry."""
    system, numbers = places.own.system, [number for number, _ in members]
    loose = loosened(system, [entry for _, entry in members])
    ends.add_moving(numbers, loose.ends_moved(system.initial_state()[0]))
    return Poses(system, numbers, loose)


def _law(system: FiberSystem, number: int, entry: Entry, coordinate: str) -> Law:
    """A number of the passive forces of a coordinate."""
    step, stencil = _difference(system, entry)
    laws = list[tuple[CoordinateLaw, ...]]()
    for k, _ in stencil:
        values = values_with(system, [entry], np.array([entry.value + k * step]))
        model = revise(system.model, values).model
        laws.append(next(one.laws for one in model.coordinates if one.name == coordinate))
    return Law(number, coordinate, tuple(laws), _weights(step, stencil))


def _starts(places: Places, members: Sequence[tuple[int, Entry]], ends: MovedEnds) -> Starts:
    """Numbers of the start: number in the gradient, and entry."""
    system, nodes = places.own.system, places.own.system.cables.attached_nodes
    varied = [variation_of(system, entry, number) for number, entry in members]
    moved = [one.of(lambda own: own.split(own.initial_state()[0])[0][nodes, :3]) for one in varied]
    ends.add_moving([number for number, _ in members], np.stack(moved, axis=2))
    return Starts(system, varied)


def _weight(system: FiberSystem, name: str, entry: Entry) -> Weight:
    """Derivative of an actuator's force in one of its numbers, over time."""
    step, stencil = _difference(system, entry)
    shifts = [values_with(system, [entry], np.array([entry.value + k * step])) for k, _ in stencil]
    return weight_of(system.model, name, shifts, _weights(step, stencil))


def variation_of(system: FiberSystem, entry: Entry, number: int = 0) -> Variation:
    """Systems at values around that of an entry, within its bounds."""
    step, stencil = _difference(system, entry)
    kinks = bool(system.model.contacts) or any(
        isinstance(shape, Mesh) for body in system.model.bodies for shape in shapes_of(body)
    )
    return _varied(system, entry, number, step, stencil, _REFINED if kinks else 0)


def _varied(
    system: FiberSystem, entry: Entry, number: int, step: float, stencil: Stencil, refined: int
) -> Variation:
    """Variation with a step, and so often with a tenth of it where a kink of the forces asks."""
    systems = _systems(system, [entry], [step], stencil)
    finer = None
    if refined and stencil is CENTRAL:
        finer = cache(lambda: _varied(system, entry, number, 0.1 * step, stencil, refined - 1))
    return Variation(number, systems, _weights(step, stencil), finer)


def _weights(step: float, stencil: Stencil) -> tuple[float, ...]:
    """Weights of a difference [1/unit]."""
    return tuple(weight / (12.0 * step) for _, weight in stencil)


def _difference(system: FiberSystem, entry: Entry) -> tuple[float, Stencil]:
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


def _systems(
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

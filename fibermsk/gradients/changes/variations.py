"""Parameters as variations of a system."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from fibermsk.forces import CoordinateActuator
from fibermsk.gradients.changes.actuators import Actuated, Number, Weight, actuator_of, weight_of
from fibermsk.gradients.changes.bones import Law, Masses, PassiveForces
from fibermsk.gradients.changes.chained import MovedEnds
from fibermsk.gradients.changes.contact import ContactNumbers, ContactSlopes, Touching
from fibermsk.gradients.changes.differences import (
    along,
    difference,
    systems_at,
    variation_of,
    weights_of,
)
from fibermsk.gradients.changes.entries import Entry, values_with
from fibermsk.gradients.changes.functions import Scales
from fibermsk.gradients.changes.inside import (
    CENTRAL,
    PAIR,
    Driven,
    Family,
    Group,
    Knot,
    Places,
    Sizes,
    Stencil,
)
from fibermsk.gradients.changes.loose import loosened
from fibermsk.gradients.changes.owners import (
    can_be_held,
    coordinate_of_law,
    cosine_of,
    fiber_shaped_by,
    is_inertia,
    is_of_contact,
    is_of_start,
    kinds_of,
    muscles_around,
    owner_of,
    signal_weight,
)
from fibermsk.gradients.changes.poses import Poses
from fibermsk.gradients.changes.rows import PathRows, Rows, RowSlopes
from fibermsk.gradients.changes.shapes import Sections, Shapes
from fibermsk.gradients.changes.starts import Starts
from fibermsk.laws.own import CoordinateLaw
from fibermsk.model.muscles.wrap import Surface
from fibermsk.parameters.lookup import find
from fibermsk.parameters.places import Place
from fibermsk.parameters.revise import revise
from fibermsk.solvers.adjoint.variation import Change
from fibermsk.system import FiberSystem
from fibermsk.system.contact.slopes import shape_of
from fibermsk.system.varying import Kind


def changes_of(
    system: FiberSystem, entries: Sequence[Entry], *, alone: bool = False
) -> list[Change]:
    """How a system changes with entries, by number: those of one kind together.

    With `alone`, each by itself.

    Raises
    ------
    ModelError
        If an entry changes the number of unknowns.
    """
    if alone:
        return [variation_of(system, entry, number) for number, entry in enumerate(entries)]
    found = _Sorted(system)
    for number, entry in enumerate(entries):
        found.put(number, entry)
    return found.changes()


Members = list[tuple[int, Entry]]
"""Numbers in the gradient, and entries."""


class _Sorted:
    """Entries by what they change."""

    def __init__(self, system: FiberSystem) -> None:
        self._system, self._places = system, Places(system)
        self._ends, self._contact = MovedEnds(system), ContactSlopes(self._places)
        self._actuated: dict[CoordinateActuator, list[Number]] = {}
        self._posed, self._started, self._touching, self._heavy = (Members() for _ in range(4))
        self._lengthened = list[tuple[int, Entry, float]]()
        self._laws, self._knots = list[Law](), list[Knot]()
        self._rows: dict[type[RowSlopes], list[Rows]] = {RowSlopes: [], PathRows: []}
        self._inside: dict[Any, list[tuple[int, int, Entry]]] = {}
        self._around: dict[Any, list[tuple[set[int], int, Entry]]] = {}
        self._alone = list[Change]()

    def put(self, number: int, entry: Entry) -> None:
        """Sort in an entry."""
        system, own, path = self._system, self._places.own, entry.path
        place = find(system.model, path)[0]
        if (actuator := actuator_of(system.model, path)) is not None:
            weight = _weight(system, actuator.name, entry)
            self._actuated.setdefault(actuator, []).append(Number(number, weight))
        elif (fiber := fiber_shaped_by(system, path)) is not None:
            self._ends.add(number, fiber, entry)
        elif can_be_held(system, place):
            self._posed.append((number, entry))
            if cosine := cosine_of(place, entry):
                self._lengthened.append((number, entry, cosine))
        elif is_of_contact(system, place):
            self._touching.append((number, entry))
        elif is_inertia(system, place):
            self._heavy.append((number, entry))
        elif (coordinate := coordinate_of_law(system, place, path)) is not None:
            self._laws.append(_law(system, number, entry, coordinate))
        elif is_of_start(system, place, path):
            self._started.append((number, entry))
        elif (near := muscles_around(system, own, place)) is not None:
            self._put_size(near, number, entry)
        elif (owner := owner_of(system, own, path)) is not None:
            self._put_inside(owner, number, entry)
        elif (kinds := kinds_of(system, place)) is not None:
            self._put_rows(place, kinds, number, entry)
        else:
            self._alone.append(variation_of(system, entry, number))

    def _put_size(self, near: set[int], number: int, entry: Entry) -> None:
        """Sort in a number of a surface around the paths of some muscles."""
        step, stencil = difference(self._system, entry)
        stencil = PAIR if stencil is CENTRAL else stencil
        self._around.setdefault((step > 0.0, stencil), []).append((near, number, entry))

    def _put_inside(self, owner: int, number: int, entry: Entry) -> None:
        """Sort in a number inside of a fiber or muscle."""
        if (weight := signal_weight(self._system, entry.path, entry.place)) is not None:
            self._knots.append(Knot(owner, number, weight))
        else:
            kind = _kind_of(self._system, entry)
            self._inside.setdefault(kind, []).append((owner, number, entry))

    def _put_rows(self, place: Place, kinds: tuple[Kind, ...], number: int, entry: Entry) -> None:
        """Sort in a number that changes rows of some kinds of contributions."""
        of_path = isinstance(place.root, Surface)
        if of_path or kinds:
            varied = variation_of(self._system, entry, number)
            own = self._rows[PathRows if of_path else RowSlopes]
            own.append(Rows(varied, kinds))

    def changes(self) -> list[Change]:
        """How the system changes."""
        places, found = self._places, list[Change]()
        if self._knots:
            found.append(Driven(places, self._knots))
        if self._inside:
            kinds = self._inside.items()
            found.append(Family(places, [_group(places, own, key[-1]) for key, own in kinds]))
        for (*_, stencil), members in self._around.items():
            found += [Sizes(places, _group(places, own, stencil)) for own in _apart(members)]
        if self._touching or self._lengthened:
            found.append(_contact(self._contact, self._touching, self._lengthened))
        found += [kind(places, own) for kind, own in self._rows.items() if own]
        if self._heavy:
            found.append(Masses(places, self._heavy))
        if self._laws:
            found.append(PassiveForces(places, self._laws))
        if self._posed:
            found.append(_poses(places, self._posed, self._ends))
        if self._started:
            found.append(_starts(places, self._started, self._ends))
        if self._ends.members:
            found.append(self._ends.change(_shapes(places, self._ends.members, self._contact)))
        found += [Actuated(self._system, one, own) for one, own in self._actuated.items()]
        return found + self._alone


def _kind_of(system: FiberSystem, entry: Entry) -> tuple[Any, ...]:
    """What numbers of several owners that share a difference have in common; its stencil last."""
    place = find(system.model, entry.path)[0]
    step, stencil = difference(system, entry)
    return place.steps, *place.entry, *entry.place, step > 0.0, stencil


def _apart(
    members: Sequence[tuple[set[int], int, Entry]],
) -> list[list[tuple[int, int, Entry]]]:
    """Numbers of surfaces in groups, in each of which no two are around the path of one muscle.

    Owner, number and entry for each of these muscles.
    """
    groups, used = list[list[tuple[int, int, Entry]]](), list[set[int]]()
    for near, number, entry in members:
        own = next((k for k, taken in enumerate(used) if not taken & near), len(groups))
        if own == len(groups):
            groups.append([])
            used.append(set())
        used[own] |= near
        groups[own] += [(owner, number, entry) for owner in sorted(near)]
    return [own for own in groups if own]


def _group(places: Places, members: Sequence[tuple[int, int, Entry]], stencil: Stencil) -> Group:
    """Numbers of one kind of several owners; owner, number in the gradient and entry of each."""
    owners, numbers, own = zip(*members, strict=True)
    system = places.own.system
    steps = [difference(system, one)[0] for one in own]
    systems = systems_at(system, own, steps, stencil)
    return Group(owners, numbers, steps, systems, weights_of(1.0, stencil))


def _shapes(places: Places, members: Sequence[tuple[int, Entry]], contact: ContactSlopes) -> Shapes:
    """Numbers of the shape of fibers, in a row: number of the fiber, and entry."""
    system, kinds = places.own.system, dict[Any, list[tuple[int, int, Entry]]]()
    for number, (fiber, entry) in enumerate(members):
        *kind, stencil = _kind_of(system, entry)
        stencil = PAIR if stencil is CENTRAL else stencil
        kinds.setdefault((*kind, stencil), []).append((fiber, number, entry))
    members_of = [_group(places, own, key[-1]) for key, own in kinds.items()]
    sections, touching = Sections(places, members_of), list[Touching]()
    changes = sections.difference(lambda own: shape_of(own.cables))
    for change, own in zip(changes, kinds.values(), strict=True):
        for fiber, number, entry in own:
            by = contact.columns.of_shape(change / difference(system, entry)[0], fiber)
            touching.append(Touching(number, by))
    touching = [] if not system.model.contacts else sorted(touching)
    entries = [entry for _, entry in members]
    vary = partial(along, system, entries, ())
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
    return ContactNumbers(contact, members, partial(along, contact.system, own, ends))


def _poses(places: Places, members: Sequence[tuple[int, Entry]], ends: MovedEnds) -> Poses:
    """Numbers that move bones and paths: number in the gradient, and entry."""
    system, numbers = places.own.system, [number for number, _ in members]
    entries, (y, _) = [entry for _, entry in members], system.initial_state()
    loose, scales = loosened(system, entries), Scales(system, entries)
    ends.add_moving(numbers, loose.ends_moved(y) * scales.at(system.split(y)[1]).place)
    return Poses(system, numbers, loose, scales)


def _law(system: FiberSystem, number: int, entry: Entry, coordinate: str) -> Law:
    """A number of the passive forces of a coordinate."""
    step, stencil = difference(system, entry)
    laws = list[tuple[CoordinateLaw, ...]]()
    for k, _ in stencil:
        values = values_with(system, [entry], np.array([entry.value + k * step]))
        model = revise(system.model, values).model
        laws.append(next(one.laws for one in model.coordinates if one.name == coordinate))
    return Law(number, coordinate, tuple(laws), weights_of(step, stencil))


def _starts(places: Places, members: Sequence[tuple[int, Entry]], ends: MovedEnds) -> Starts:
    """Numbers of the start: number in the gradient, and entry."""
    system, nodes = places.own.system, places.own.system.cables.attached_nodes
    varied = [variation_of(system, entry, number) for number, entry in members]
    moved = [one.of(lambda own: own.split(own.initial_state()[0])[0][nodes, :3]) for one in varied]
    ends.add_moving([number for number, _ in members], np.stack(moved, axis=2))
    return Starts(system, varied)


def _weight(system: FiberSystem, name: str, entry: Entry) -> Weight:
    """Derivative of an actuator's force in one of its numbers, over time."""
    step, stencil = difference(system, entry)
    shifts = [values_with(system, [entry], np.array([entry.value + k * step])) for k, _ in stencil]
    return weight_of(system.model, name, shifts, weights_of(step, stencil))

"""The tree of a model: its items by name, down to single numbers.

The tree follows the fields of the descriptions: frozen dataclasses and tuples of them. Each field
is declared as a number with unit and range, a part, or fixed (see `fibermsk._numbers`); an
undeclared float field is a number without unit and range.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk._numbers import Fixed, Number, Part, declared
from fibermsk.model import Body, Coordinate, Fiber, Model, MovingPoint, WrapLevelSet
from fibermsk.model.model import GRAVITY
from fibermsk.model.muscles.wrap import SURFACES, PathWrap
from fibermsk.model.skeleton.joint import JOINTS

_ELSEWHERE = (Body, Coordinate, Fiber, Model, MovingPoint, *JOINTS, *SURFACES, WrapLevelSet)
"""Items that have their own path, also where others refer to them."""

_AXES = ("x", "y", "z")
_SYMMETRIC = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@dataclass(frozen=True, eq=False)
class Place:
    """A node of the tree: an item, a number, an array of numbers, or one of its entries."""

    path: str
    root: Any  # item of the model to which it belongs, or the model
    steps: tuple[str | int, ...]  # fields and indices, from the root
    value: Any
    holder: Any = None  # description that contains it
    field: str = ""  # its name in the holder
    number: Number | None = None  # declaration of the number or array; None for an item
    entry: tuple[int, ...] = ()  # index of the entry, or row, in the array of the field
    why: str = ""  # why it cannot be changed; empty if it, or numbers below it, can

    @property
    def is_number(self) -> bool:
        """Whether the place is a number or an array of numbers."""
        return self.number is not None and isinstance(self.value, float | np.ndarray)

    @property
    def unit(self) -> str:
        """Unit of the number."""
        return self.number.unit_of(self.holder) if self.number is not None else ""

    @property
    def children(self) -> dict[str, Place]:
        """Children by name: entries of arrays, fields and parts of items."""
        if isinstance(self.value, np.ndarray):
            return self._entries()
        if isinstance(self.value, Model):
            return {"gravity": self._field("gravity", self.value.gravity, GRAVITY)}
        if hasattr(self.value, "_fields"):  # a NamedTuple
            names = self.value._fields
            return {name: self._field(name, getattr(self.value, name), None) for name in names}
        if isinstance(self.value, tuple | list):
            return {name: one for name, one in self._items() if one is not None}
        if dataclasses.is_dataclass(self.value) and not isinstance(self.value, type):
            found: dict[str, Place] = {}
            for name, one in self._fields():
                # what a part keeps fixed does not hide the numbers of the item
                if name not in found or found[name].why:
                    found[name] = one
            return found
        return {}

    def numbers(self) -> Iterator[Place]:
        """Every scalar at and below it."""
        if self.why:
            return
        if self.is_number and not isinstance(self.value, np.ndarray):
            yield self
        elif self.is_number and self.number is not None and self.number.whole:
            yield self
        else:
            for child in self.children.values():
                yield from child.numbers()

    def _entries(self) -> dict[str, Place]:
        """Entries or rows of an array."""
        array, number = self.value, self.number
        if number is None or number.whole or self.why:
            return {}
        shape = number.shape[len(self.entry) :]
        if shape == (3, 3):
            return {name: self._entry(name, array[at], at) for name, at in _SYMMETRIC.items()}
        names = _AXES if shape == (3,) else map(str, range(len(array)))
        return {name: self._entry(name, array[k], (*self.entry, k)) for k, name in enumerate(names)}

    def _entry(self, name: str, value: Any, entry: tuple[int, ...]) -> Place:
        value = value if isinstance(value, np.ndarray) else float(value)
        path = f"{self.path}/{name}"
        return dataclasses.replace(self, path=path, value=value, entry=entry)

    def _items(self) -> Iterator[tuple[str, Place | None]]:
        """Items of a sequence by name or index; pairs by their first item, a text."""
        part = self._part_of_holder
        names = () if part is None else part.names
        for k, item in enumerate(self.value):
            name, steps = names[k] if k < len(names) else str(k), (*self.steps, k)
            if isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[0], str):
                name, item, steps = item[0], item[1], (*steps, 1)
            yield name, self._part(f"{self.path}/{name}", steps, item)

    @property
    def _part_of_holder(self) -> Part | None:
        """Declaration of the place, if it is a part of its holder."""
        holder = self.holder
        for field in dataclasses.fields(holder) if dataclasses.is_dataclass(holder) else ():
            what = declared(field)
            if field.name == self.field and isinstance(what, Part):
                return what
        return None

    def _fields(self) -> Iterator[tuple[str, Place]]:
        """Fields of an item."""
        seen: dict[int, str] = {}
        part = self._part_of_holder
        unless = part.unless(self.holder) if part is not None and part.unless is not None else {}
        for field in dataclasses.fields(self.value):
            if not field.init:
                continue
            value, what = getattr(self.value, field.name), declared(field)
            name = field.name if what is None or isinstance(what, Fixed) else what.path
            name = field.name if name is None else name
            found = self._field(field.name, value, what, name)
            if field.name in unless:
                found = dataclasses.replace(found, why=unless[field.name])
            if dataclasses.is_dataclass(value) and not found.why:
                # a part identical to another part, as for a tendon that is left out
                if id(value) in seen:
                    why = f"is the same object as {seen[id(value)]!r}: give it its own value"
                    found = dataclasses.replace(found, why=why)
                seen[id(value)] = field.name
            if name:
                yield name, found
            else:
                yield from found.children.items()

    def _field(self, field: str, value: Any, what: Any, name: str | None = None) -> Place:
        """Place of a field of an item."""
        item, steps = self.value, (*self.steps, field)
        path = self.path if name == "" else f"{self.path}/{name or field}"
        if what is None and not isinstance(value, bool) and isinstance(value, float | np.ndarray):
            what = Number(shape=np.shape(value))
        if isinstance(what, Number):
            why = what.unless(item) if what.unless is not None else ""
            if value is None:
                why = "is left out"
            here = Place(path, self.root, steps, value, item, field, what, (), why)
            return _through(here)
        why = what.why if isinstance(what, Fixed) else _not_a_number(value)
        return self._part(path, steps, value, item, field, why)

    def _part(
        self,
        path: str,
        steps: tuple[str | int, ...],
        value: Any,
        holder: Any = None,
        field: str = "",
        why: str = "",
    ) -> Place:
        """An item below this one."""
        if isinstance(value, _ELSEWHERE):
            why = f"has its own path, that of {getattr(value, 'name', 'the point')!r}"
            if isinstance(value, MovingPoint):
                why = "is a moving point, given by functions"
        return _through(Place(path, self.root, steps, value, holder, field, None, (), why))


def _through(place: Place) -> Place:
    """The number of an item without further path, such as a constant, or the item itself."""
    value = place.value
    if place.why or not dataclasses.is_dataclass(value) or isinstance(value, type):
        return place
    for field in dataclasses.fields(value):
        what = declared(field)
        if not isinstance(what, Number) or what.path != "":
            continue
        steps, inner = (*place.steps, field.name), getattr(value, field.name)
        if place.number is not None:  # the item itself may be replaced
            return dataclasses.replace(place, value=inner)
        return dataclasses.replace(
            place, steps=steps, value=inner, holder=value, field=field.name, number=what
        )
    return place


def _not_a_number(value: Any) -> str:
    """Why a value has no number; empty if it may contain some."""
    if dataclasses.is_dataclass(value) or isinstance(value, tuple | list):
        return ""
    if value is None:
        return "is left out"
    if isinstance(value, bool | np.bool_):
        return "is a flag, not a number"
    if isinstance(value, str):
        return "is a text"
    if isinstance(value, int | np.integer):
        return "is a count, which sets the discretization"
    if callable(value):
        return "is a function without known parameters"
    return f"is a {type(value).__name__}, not a number"


def find_roots(model: Model) -> Iterator[tuple[str, str, Place]]:
    """Items with which paths begin: folder of the kind, such as "bodies", name, and place.

    Paths begin with the name alone if the user names items of the kind; with both for contacts,
    couplings and wraps.
    """
    for kind, name, item in _items_of(model):
        path = f"{kind}/{name}" if kind in ("contacts", "couplings", "wraps") else name
        place = Place(path, item, (), item)
        if not (dataclasses.is_dataclass(item) or hasattr(item, "_fields") or item is model):
            why = "is an object without fields: make it a frozen dataclass"
            place = dataclasses.replace(place, why=why)
        yield kind, name, place


def _items_of(model: Model) -> Iterator[tuple[str, str, Any]]:
    """Kind, name and item."""
    yield "model", "model", model
    yield from (("bodies", one.name, one) for one in model.bodies)
    for joint in model.joints:
        yield "joints", joint.name, joint
        if getattr(joint, "coordinate", joint) is not None:  # else the joint holds the numbers
            yield from (("coordinates", one.name, one) for one in joint.coordinates)
    yield from (("couplings", one.dependent, one) for one in model.couplings)
    yield from (("fibers", one.name, one) for one in model.fibers)
    yield from (("muscles", one.name, one) for one in model.muscles)
    yield from (("wraps", name, one) for one, name in _surfaces(model).items())
    yield from (("contacts", one.name or str(k), one) for k, one in enumerate(model.contacts))
    yield from (("elements", one.name, one) for one in model.elements)


def _surfaces(model: Model) -> Mapping[Any, str]:
    """Wrap surfaces of all muscles with unique names; with the name of the body if needed."""
    found: dict[Any, str] = {}
    for muscle in model.muscles:
        for wrap in muscle.wraps:
            if isinstance(wrap, PathWrap):
                found[wrap.shape] = wrap.shape.name
    names = list(found.values())
    return {
        one: name if names.count(name) == 1 else f"{name} on {one.body.name}"
        for one, name in found.items()
    }

"""Models with other values of parameters; unchanged items are shared."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._numbers import varies_in_time
from fibermsk.errors import ModelError
from fibermsk.model import Body, Contact, Coupling, Fiber, LineMuscle, Model
from fibermsk.model.skeleton.joint import JOINTS
from fibermsk.parameters.lookup import find
from fibermsk.parameters.mapping import why_no_number
from fibermsk.parameters.places import Place


class Revision(NamedTuple):
    """A revised model.

    Items that refer to items with changed numbers may be new as well, with unchanged numbers.
    """

    model: Model  # new model; unchanged items are shared with the old model
    # changed fields, by identity of an item of the old model with changed numbers
    touched: dict[int, set[str]]
    changed: frozenset[int]  # identities of the items of the new model that replace them

    def new_numbers(self, item: Any) -> bool:
        """Whether numbers of an item of the new model have changed."""
        coordinates = getattr(item, "coordinates", ())
        return id(item) in self.changed or any(id(one) in self.changed for one in coordinates)


class _Change(NamedTuple):
    """New value of a field, or of an entry of its array."""

    path: str
    steps: tuple[str | int, ...]
    entry: tuple[int, ...]
    value: Any
    symmetric: bool


def revise(model: Model, values: Mapping[str, Any]) -> Revision:
    """Create a revised model; `values` and errors as for `with_parameters`."""
    if not isinstance(values, Mapping):
        shown = _check.show(values)
        raise ModelError(f"parameters = {shown}; must be a mapping from paths to values")
    changes: dict[int, list[_Change]] = {}
    roots: dict[int, Any] = {}
    for path, value in values.items():
        places = find(model, path)
        for place, one in zip(places, _share_out(model, path, places, value), strict=True):
            own = changes.setdefault(id(place.root), [])
            for other in own:
                _check_apart(model, place, other)
            symmetric = place.number is not None and place.number.shape == (3, 3)
            own.append(_Change(place.path, place.steps, place.entry, one, symmetric))
            roots[id(place.root)] = place.root
    touched = {key: {str(one.steps[0]) for one in own} for key, own in changes.items()}
    gravity = changes.pop(id(model), [])
    new = {key: _changed(roots[key], own, 0) for key, own in changes.items()}
    redirection = _Redirection(new)
    revised = model.copy(redirection.of)
    for change in gravity:
        revised.gravity = _with_entry(revised.gravity, change)
    changed = {id(revised if one is model else redirection.of(one)) for one in roots.values()}
    return Revision(revised, touched, frozenset(changed))


def redirected(model: Model, new: dict[int, Any]) -> Model:
    """Copy of a model with replaced items, by identity of the old ones."""
    return model.copy(_Redirection(new).of)


def rebound(item: Any, new: dict[int, Any]) -> Any:
    """Item outside of a model that refers to new items, by identity of the old ones."""
    return _Redirection(new).of(item)


def _share_out(model: Model, path: str, places: list[Place], value: Any) -> list[Any]:
    """Checked value for each place that matches a path."""
    owner, found = f"model {model.name!r}", []
    for place in places:
        number = place.number
        if number is None or place.why or not (place.is_number or number.varies):
            raise ModelError(f"{owner}: {place.path!r} {why_no_number(place)}")
    if varies_in_time(value):
        for place in places:
            if place.number is None or not place.number.varies or place.entry:
                raise ModelError(f"{owner}: {place.path} = {value!r}; must be a number")
        return [value] * len(places)
    array = np.asarray(value, dtype=object)
    profiles = any(one.number and one.number.samples and not one.entry for one in places)
    if profiles and array.ndim == 1 and len(array) == len(places) > 1:
        n = len(array)
        raise ModelError(
            f"{owner}: {path} = {value!r}; is ambiguous: one number for each of {n} fibers, or {n} "
            f"samples along each of them; must be a path for each fiber, or [samples] * {n}"
        )
    for k, place in enumerate(places):
        assert place.number is not None
        several = array.ndim and len(array) == len(places) and array.ndim > _rank(place)
        one: Any = array[k] if several else (array if array.ndim else value)
        shape = np.shape(place.value) if place.is_number else np.shape(one)
        if np.ndim(one) == 0 and shape and (place.entry or place.number.shape):
            one = np.full(shape, one)
        if np.shape(one) != shape and (place.entry or not place.number.varies):
            wanted = f"{shape}" if len(places) == 1 else f"{shape} or {(len(places), *shape)}"
            raise ModelError(
                f"{owner}: {path} has the shape {array.shape}; must be a number or have the shape "
                f"{wanted}"
            )
        found.append(_check_range(owner, place, one))
    return found


def _rank(place: Place) -> int:
    """Allowed shape of a value for one place."""
    if place.entry or place.number is None:
        return np.ndim(place.value)
    return 1 if place.number.samples else len(place.number.shape)


def _check_range(owner: str, place: Place, value: Any) -> Any:
    """Number or array, each entry in its declared range."""
    number, unit = place.number, place.unit
    assert number is not None
    if np.ndim(value) == 0:
        return number.range.check(owner, place.path, value, unit)
    flat = [
        number.range.check(owner, f"{place.path}/{'/'.join(map(str, index))}", entry, unit)
        for index, entry in np.ndenumerate(value)
    ]
    return np.array(flat).reshape(np.shape(value))


def _check_apart(model: Model, place: Place, other: _Change) -> None:
    """Refuse two values for the same number."""
    n = min(len(place.steps), len(other.steps))
    if place.steps[:n] != other.steps[:n]:
        return
    if len(place.steps) == len(other.steps):
        m = min(len(place.entry), len(other.entry))
        if place.entry[:m] != other.entry[:m]:
            return
    raise ModelError(
        f"model {model.name!r}: {place.path} is given twice, as {other.path!r} as well; must be "
        "given once"
    )


def _changed(item: Any, changes: list[_Change], depth: int) -> Any:
    """Copy of an item with changes below it, checked by its class."""
    named: Any = item if hasattr(item, "_fields") else None
    if isinstance(item, tuple) and named is None:
        return tuple(
            _changed(one, own, depth + 1) if (own := _at(changes, depth, k)) else one
            for k, one in enumerate(item)
        )
    found: dict[str, Any] = {}
    for field in {str(change.steps[depth]) for change in changes}:
        value = getattr(item, field)
        own = _at(changes, depth, field)
        if len(own[0].steps) > depth + 1:
            found[field] = _changed(value, own, depth + 1)
            for other in () if isinstance(item, tuple) else dataclasses.fields(item):
                # identical objects stay identical, as for a tendon that is left out
                if other.init and getattr(item, other.name) is value:
                    found[other.name] = found[field]
            continue
        for change in own:
            value = _with_entry(value, change)
        found[field] = value
    if isinstance(item, tuple):
        return named._replace(**found)
    try:
        revised = getattr(item, "revised", None)
        return dataclasses.replace(item, **found) if revised is None else revised(**found)
    except ModelError as error:
        paths = ", ".join(change.path for change in changes)
        raise ModelError(f"{paths}: {error}") from error


def _at(changes: list[_Change], depth: int, step: str | int) -> list[_Change]:
    return [change for change in changes if change.steps[depth] == step]


def _with_entry(value: Any, change: _Change) -> Any:
    """New value of a field, or its array with a changed entry."""
    if not change.entry:
        return change.value
    array = np.array(value)
    array[change.entry] = change.value
    if change.symmetric:
        array[change.entry[::-1]] = change.value
    return array


def with_parameters(model: Model, values: Mapping[str, Any]) -> Model:
    """Create a model with other values of its parameters.

    Parameters
    ----------
    model : Model
        Model to start from; not changed.
    values : mapping
        By path or pattern: a number, for all entries of arrays; an array, for every match of a
        pattern; or an array with an additional first axis over the matches. For numbers that may
        vary, such as an activation, a radius or a force, also other values that the description
        accepts, such as a `Table` or a function.

    Returns
    -------
    model : Model
        New model; unchanged items are shared.

    Raises
    ------
    ModelError
        If a path does not exist or is not a number, a value has another shape or lies outside its
        range, a number is given twice, or the descriptions refuse the new values.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.make_scene("upper_limb").model
    >>> heavier = fm.with_parameters(model, {"forearm/mass": 2.0, "*/tissue/prestress": 2e4})
    >>> fm.Parameters(heavier)["biceps_2/tissue/prestress"].value
    20000.0
    """
    _check.instance("with_parameters", "model", model, Model, "a Model")
    return revise(model, values).model


class _Redirection:
    """Replacement of references to items; `new` has the new items by identity of the old ones."""

    def __init__(self, new: dict[int, Any]) -> None:
        self._new, self._known = new, dict[int, tuple[Any, Any]]()
        # only contacts and elements refer to these
        self._few = all(isinstance(item, Fiber | Contact) for item in new.values())

    def of(self, item: Any) -> Any:
        """The item itself if all its references are unchanged, else a copy with the new ones."""
        if self._few and isinstance(item, (Body, Fiber, LineMuscle, Coupling, *JOINTS)):
            return self._new.get(id(item), item)
        if id(item) not in self._known:
            # the item is kept alive, so that its identity is not reused
            self._known[id(item)] = item, self._redirected(self._new.get(id(item), item))
        return self._known[id(item)][1]

    def _redirected(self, item: Any) -> Any:
        if isinstance(item, tuple | list):
            found = [self.of(one) for one in item]
            same = all(a is b for a, b in zip(item, found, strict=True))
            return item if same else getattr(type(item), "_make", type(item))(found)
        if not _refers(item):
            self._require_apart(item, item)
            return item
        found = dict[str, Any]()
        for name, value in vars(item).items():
            if _refers(value):
                found[name] = self.of(value)
            else:
                self._require_apart(item, value)
        found = {name: value for name, value in found.items() if value is not vars(item)[name]}
        if not found:
            return item
        other = copy.copy(item)
        for name, value in found.items():
            object.__setattr__(other, name, value)
        return other

    def _require_apart(self, owner: Any, value: Any) -> None:
        """Refuse what holds an item that is replaced where no reference to it can follow."""
        waiting, seen = [value], dict[int, Any]()
        while waiting:
            one = waiting.pop()
            if id(one) in seen or isinstance(one, type | ModuleType):
                continue
            seen[id(one)] = one
            if id(one) in self._new:
                kinds = type(owner).__name__, type(value).__name__
                what = " in its ".join(dict.fromkeys(kinds))
                raise ModelError(
                    f"{type(one).__name__} {getattr(one, 'name', '')!r} is changed, but "
                    f"{what} {getattr(owner, 'name', '')!r} would keep the old one; must be "
                    "replaceable; make it a frozen dataclass or a NamedTuple, or build a new model"
                )
            if isinstance(one, tuple | list | set | frozenset):
                waiting += one
            elif isinstance(one, dict):
                waiting += one.values()
            else:
                waiting += getattr(one, "__dict__", {}).values()


def _refers(value: Any) -> bool:
    """Whether a value may refer to items of a model."""
    if isinstance(value, tuple | list):
        return True
    return dataclasses.is_dataclass(value) and not isinstance(value, type)

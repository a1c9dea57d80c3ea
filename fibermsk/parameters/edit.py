"""Models with changed, renamed, removed and new items."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import Body, Coordinate, Model
from fibermsk.model.items import KINDS
from fibermsk.model.skeleton.joint import JOINTS
from fibermsk.parameters.revise import redirected, with_parameters


def edit(
    model: Model, values: dict[Any, Any], remove: list[Any], add: list[Any], rename: dict[Any, str]
) -> Model:
    """Create a changed model; arguments and errors as of `Model.edit`."""
    owner = f"model {model.name!r}"
    removed = _all_removed(owner, model, remove)
    for item in (*values, *rename):
        if not isinstance(item, str) and any(item is one for one in removed):
            raise ModelError(
                f"{owner}: {_check.show(item)} is removed; must not be changed as well"
            )
    edited = _without(model, removed)
    paths = {key: value for key, value in values.items() if isinstance(key, str)}
    fields = {key: value for key, value in values.items() if not isinstance(key, str)}
    for item, name in rename.items():
        if isinstance(item, Coordinate):
            must = "not be renamed: axes, couplings and files refer to it by name"
            _check.refuse(owner, "rename", item, must)
        fields[item] = dict(fields.get(item, {})) | {"name": name}
    _move_to_joints(edited, fields)
    new = dict[int, Any]()
    inside = {id(one) for one in _reached(edited) if not isinstance(one, str)}
    for item, own in fields.items():
        if id(item) not in inside or item is model:
            kind, or_path = ("rename", "") if item in rename else ("values", ", or a path")
            must = f"be an item of {owner}{or_path}"
            _check.refuse("edit", kind, item, must, remedy="look it up: model.body(name)")
        _check.instance(_check.show(item), "values", own, Mapping, "a dict of fields")
        new[id(item)] = _with_fields(item, own)
    if new:
        edited = _checked(redirected(edited, new), model)
    if paths:
        edited = with_parameters(edited, paths)
    if add:
        edited.add(*add)
    return edited


def _move_to_joints(model: Model, fields: dict[Any, Any]) -> None:
    """Fields of coordinates that a joint made from its own numbers become fields of this joint."""
    for joint in model.joints:
        if getattr(joint, "coordinate", joint) is not None:
            continue
        for one in joint.coordinates:
            if one in fields:
                made = _with_fields(one, fields.pop(one))
                moved = {"coordinate": made, "value": 0.0, "speed": 0.0, "damping": 0.0}
                fields[joint] = moved | dict(fields.get(joint, {}))


def _with_fields(item: Any, own: Mapping[str, Any]) -> Any:
    """Copy of an item with other fields, checked by its class."""
    owner = _check.show(item)
    if not dataclasses.is_dataclass(item) or isinstance(item, type):
        raise ModelError(f"{owner}: has no fields to change; remove it and add another")
    known = [one.name for one in dataclasses.fields(item) if one.init]
    for field in own:
        if field not in known:
            raise ModelError(
                f"{owner}: no field {field!r}{_check.suggestion(str(field), known)}; it has: "
                f"{', '.join(known)}"
            )
    return dataclasses.replace(item, **own)


def _checked(edited: Model, model: Model) -> Model:
    """The model built anew from its items, so that names and references are checked."""
    fresh = Model(edited.name, edited.gravity, ground=edited.ground, meant=edited.meant)
    for kind in KINDS:
        items = getattr(edited, kind)
        fresh.add(*(items[1:] if kind == "bodies" else items))
    fresh.import_report = model.import_report
    return fresh


def _without(model: Model, removed: list[Any]) -> Model:
    """Model without some of its items."""
    if not removed:
        return model.copy()
    gone = {id(one) for one in removed}
    fresh = Model(model.name, model.gravity, ground=model.ground, meant=model.meant)
    for kind in KINDS:
        for item in getattr(model, kind):
            if id(item) not in gone and item is not model.ground:
                fresh.add(item)
    fresh.import_report = model.import_report
    return fresh


def _all_removed(owner: str, model: Model, remove: list[Any]) -> list[Any]:
    """Items to remove, each body with its joint and the reverse; refused if one is needed."""
    mine = {id(one): one for kind in KINDS for one in getattr(model, kind)}
    removed = dict[int, Any]()
    for item in remove:
        if id(item) not in mine or item is model.ground:
            must = f"be an item of {owner}, but not the ground"
            _check.refuse("edit", "remove", item, must, remedy="look it up: model.muscle(name)")
        pair = [item]
        if isinstance(item, JOINTS):
            pair.append(item.child)
        elif isinstance(item, Body) and (joint := model.joint_of(item)) is not None:
            pair.append(joint)
        removed.update((id(one), one) for one in pair)
    coordinates = {
        c.name: joint for joint in removed.values() if isinstance(joint, JOINTS)
        for c in joint.coordinates
    }  # fmt: skip
    for one in mine.values():
        if id(one) in removed:
            continue
        for part in _below(one):
            needed = removed.get(id(part))
            if needed is None and isinstance(part, str) and part in coordinates:
                if part in _coordinates_of(one):
                    needed = coordinates[part]
            if needed is not None:
                raise ModelError(
                    f"{owner}: {_check.show(needed)} is removed, but {_check.show(one)} refers to "
                    "it; remove it as well"
                )
    return list(removed.values())


def _coordinates_of(item: Any) -> set[str]:
    """Names of coordinates to which an item refers by name."""
    found = set[str](getattr(item, "coordinates", ()) if not isinstance(item, JOINTS) else ())
    for axis in getattr(item, "axes", ()):
        found.update(name for name, _ in getattr(axis, "pairs", ()))
    for point in getattr(item, "points", ()):
        found.update(one for one in getattr(point, "coordinates", ()) if one is not None)
        found.add(getattr(point, "coordinate", ""))
    found.update(getattr(item, name, "") for name in ("dependent", "independent"))
    return found - {""}


def _reached(model: Model) -> Iterator[Any]:
    """Every item of a model, and every part of these."""
    for kind in KINDS:
        for item in getattr(model, kind):
            yield from _below(item)


def _below(item: Any) -> Iterator[Any]:
    """An item and every part of it."""
    waiting, seen = [item], dict[int, Any]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType):
            continue
        seen[id(one)] = one
        yield one
        if isinstance(one, tuple | list | set | frozenset):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
        elif not isinstance(one, str):
            waiting += getattr(one, "__dict__", {}).values()

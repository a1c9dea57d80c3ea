"""Results as HDF5 files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import h5py
import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.io.layout import check_result
from fibermsk.io.sealed import RESULT, put, read_sealed, write_sealed
from fibermsk.results.columns import TABLES, Column
from fibermsk.results.fields import (
    BODY_FIELDS,
    FIBER_FIELDS,
    MESH_FIELDS,
    SHAPE_FIELDS,
    SOLVER_FIELDS,
    Field,
    Place,
)
from fibermsk.results.histories import Histories
from fibermsk.results.muscle_history import MuscleHistory
from fibermsk.results.result import (
    BodyMotion,
    FiberHistory,
    Result,
    ShapeRecord,
    to_json,
)
from fibermsk.results.slack import Slack
from fibermsk.results.softening import Softening

# Whether a path is a group or a dataset is known only when the file is read.
_Node: TypeAlias = Any

_KINDS = {False: np.dtype(np.float64), True: np.dtype(np.int64)}
"""Data type of an array, by whether it holds integers."""
_OF_SHAPES = {name: field for name, field in SHAPE_FIELDS.items() if field.unit}
"""Numbers of shapes; their kinds are texts."""
_PATH = "path"
"""Array of the path of a line muscle."""
_TEXTS = {
    "scene": "scene",
    "fibermsk_version": "version",
    **{name: name for name in ("method", "status", "message")},
}
"""Attributes that are texts, with the field of the result."""
_VALUES = ("parameters", "stats")
"""Fields that are attributes in JSON."""


def save(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write a result, complete or not, replacing an old file atomically; return its path.

    Parameters
    ----------
    result : Result
        Result of a complete, failed or interrupted run.
    path : path
        Path of the file; its folder is created, an existing file is replaced.

    Raises
    ------
    ModelError
        If it is not a result, or arrays are inconsistent; the message names the first such array.
    WriteError
        If the file cannot be written, such as on a full disk. The result is then written to another
        writable folder, if there is one, named in the message; it can also be saved again.
    """
    _check.instance("save", "result", result, Result, "a Result")
    try:
        check_result(result)
    except ModelError as error:
        raise ModelError(f"cannot write {path}: {error}") from None
    return write_sealed(path, RESULT, lambda file: _write(file, result))


def load(path: str | os.PathLike[str], *, unsealed: bool = False) -> Result:
    """Read a result file and verify its contents.

    Parameters
    ----------
    path : path
        A file written by :func:`save`.
    unsealed : bool, optional
        Read a file without a valid seal, with a warning: from an earlier version, or written or
        changed by another program. All other checks remain, but the HDF5 library may crash on a
        damaged file.

    Raises
    ------
    ModelError
        If the file is missing, is not HDF5, is not bitwise the written file, or is not a fibermsk
        result.
    """
    return read_sealed(path, RESULT, _read_result, unsealed=unsealed)


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Contents of a result file without the numbers; raises as `load`.

    ``attributes`` (dict), and ``datasets``: dicts with ``path``, ``shape``, ``units``, ``min`` and
    ``max``; the last three may be None.
    """
    return read_sealed(path, RESULT, _describe)


def _write(file: h5py.File, result: Result) -> None:
    for name, field in _TEXTS.items():
        file.attrs[name] = getattr(result, field)
    for name in _VALUES:
        file.attrs[name] = to_json(getattr(result, name))
    file.attrs["slack"] = json.dumps([interval._asdict() for interval in result.slack])
    file.attrs["softening"] = json.dumps([interval._asdict() for interval in result.softening])
    file.attrs["up"] = result.up
    file.attrs["units"] = "SI"
    if "control" in result.stats:
        file.attrs["objective"] = result.stats["control"]["objective"]

    _put(file, "time", result.time, "s")
    for name, rate in (("coordinates", ""), ("speeds", "/s")):
        group = _group(file, name)
        for key, values in getattr(result, name).items():
            _put(group, _escape(key), values, result.unit_of(key) + rate)

    bodies = _group(file, "bodies")
    for name, body in result.bodies.items():
        group = _group(bodies, _escape(name))
        _put_all(group, BODY_FIELDS, body)
        _put_shapes(group, "shapes", body.shapes)
        if body.visuals:
            _put_shapes(group, "visuals", body.visuals)

    fibers = _group(file, "fibers")
    for name, fiber in result.fibers.items():
        _put_all(_group(fibers, _escape(name)), FIBER_FIELDS, fiber)

    _put_all(_group(file, "solver"), SOLVER_FIELDS, result)
    _put_histories(file, "states", result.states)
    _put_histories(file, "elements", result.elements)
    _put_histories(file, "muscles", result.muscles)
    for name, columns in result.tables.items():
        group = _group(file, name)
        for key, column in columns.items():
            _put(group, _escape(key), column.values, column.unit)


def _read_result(file: _Node) -> Result:
    if (units := _text(file, "units")) != "SI":
        raise ModelError(f"units = {units!r}; must be 'SI'")
    fibers = {
        _unescape(name): FiberHistory(**_get_all(group, FIBER_FIELDS))
        for name, group in file["fibers"].items()
    }
    bodies = {
        _unescape(name): BodyMotion(
            **_get_all(group, BODY_FIELDS),
            shapes=_get_shapes(group["shapes"]),
            visuals=_get_shapes(group["visuals"]) if "visuals" in group else (),
        )
        for name, group in file["bodies"].items()
    }
    units = {_unescape(key): _text(item, "units") for key, item in file["coordinates"].items()}
    tables = {
        name: {
            _unescape(key): _get(file[name], key, units.get(_unescape(key), "rad") + rate)
            for key in file[name]
        }
        for name, rate in (("coordinates", ""), ("speeds", "/s"))
    }
    result = Result(
        **{field: _text(file, name) for name, field in _TEXTS.items()},
        **{name: json.loads(_text(file, name)) for name in _VALUES},
        time=_get(file, "time", "s"),
        coordinates=tables["coordinates"],
        speeds=tables["speeds"],
        bodies=bodies,
        fibers=fibers,
        **_get_all(file["solver"], SOLVER_FIELDS),
        slack=tuple(Slack(**interval) for interval in json.loads(_text(file, "slack"))),
        softening=tuple(Softening(**one) for one in json.loads(_text(file, "softening"))),
        up=tuple(map(float, file.attrs["up"])),  # pyright: ignore[reportArgumentType]
        coordinate_units={key: unit for key, unit in units.items() if unit != "rad"},
        states=_get_histories(file, "states", "state"),
        elements=_get_histories(file, "elements", "element"),
        muscles=_get_muscles(file),
        tables={
            name: {_unescape(key): _get_column(file[name], key) for key in file[name]}
            for name in TABLES if name in file
        },
    )  # fmt: skip
    check_result(result)
    for name, group in file["fibers"].items():
        for key, found in _get_all(group, FIBER_FIELDS, derived=True).items():
            follows = getattr(fibers[_unescape(name)], key)
            if not np.allclose(found, follows, 1e-12, 0.0, equal_nan=True):
                raise ModelError(f"{group.name}/{key} does not follow from the other arrays")
    return result


def _describe(file: _Node) -> dict[str, Any]:
    # a description reports the same errors as reading
    result = _read_result(file)
    attributes = {key: file.attrs[key] for key in file.attrs}
    attributes["up"] = list(result.up)
    for key in (*_VALUES, "slack"):
        attributes[key] = json.loads(attributes[key])
    attributes["softening"] = [interval._asdict() for interval in result.softening]
    datasets = []

    def add(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        values = item[()] if item.dtype.kind in "fiu" and item.size else None
        datasets.append(
            {
                "path": f"/{name}",
                "shape": list(item.shape),
                "units": item.attrs.get("units"),
                "min": None if values is None else float(np.min(values)),
                "max": None if values is None else float(np.max(values)),
            }
        )

    file.visititems(add)
    return {"attributes": attributes, "datasets": datasets}


def _group(parent: h5py.Group, name: str) -> h5py.Group:
    """Create a subgroup that keeps the order of its members."""
    return parent.create_group(name, track_order=True)


def _put_all(group: h5py.Group, fields: dict[str, Field], owner: Any, **filters: Any) -> None:
    """Write all stored fields of an object, derived ones last."""
    for field in sorted(fields.values(), key=lambda field: field.derived):
        if field.in_file:
            values = getattr(owner, field.name)
            _put(group, field.name, values, field.unit, field.whole, **filters)


def _put(
    group: h5py.Group, name: str, values: Any, units: str, whole: bool = False, **filters: Any
) -> h5py.Dataset:
    item = put(group, name, np.asarray(values, _KINDS[whole]), **filters)
    item.attrs["units"] = units
    return item


def _get_all(group: _Node, fields: dict[str, Field], derived: bool = False) -> dict[str, Any]:
    """Arrays of the stored fields of an object, or of the derived ones."""
    return {
        key: _get(group, key, field.unit, field.whole)
        for key, field in fields.items()
        if field.in_file and field.derived == derived
    }


def _get(group: _Node, name: str, units: str, whole: bool = False) -> np.ndarray:
    """Array of a dataset, whose type and units must be those written by :func:`_put`."""
    item, where = group[name], f"{group.name.rstrip('/')}/{name}"
    kind = _KINDS[whole]
    if not isinstance(item, h5py.Dataset) or item.dtype != kind:
        found = getattr(item, "dtype", "a group")
        raise ModelError(f"{where} is of the type {found}; must be {kind}")
    if (found := _text(item, "units")) != units:
        raise ModelError(f"{where} has the units {found!r}; must be {units!r}")
    return item[()]


def _put_histories(file: h5py.File, name: str, owners: Mapping[str, Histories]) -> None:
    """Write histories with their metadata; no group if there are none."""
    table = _group(file, name) if owners else file
    for owner, own in owners.items():
        group = _group(table, _escape(owner))
        for key, values in own.items():
            # a field of a muscle for each coordinate is in a group of these
            *inner, last = key.split("/") if name == "muscles" else [key]
            place: _Node = group
            for part in inner:
                place = place.require_group(_escape(part))
            field = own.fields[key]
            item = _put(place, _escape(last), values, field.unit)
            item.attrs["label"], item.attrs["description"] = field.label, field.description
        if isinstance(own, MuscleHistory):
            _put(group, _PATH, own.path, "m")
            group.attrs["radius"] = own.radius


def _get_histories(file: _Node, name: str, place: Place) -> dict[str, Histories]:
    owners = {}
    for owner, group in file.get(name, {}).items():
        own = owners[_unescape(owner)] = Histories({}, {})
        _read_fields(group, "", own, place)
    return owners


def _read_fields(group: _Node, prefix: str, own: Histories, place: Place) -> None:
    """Read the fields of a group and of the groups in it."""
    for key, item in group.items():
        name = prefix + _unescape(key)
        if place == "muscle" and isinstance(item, h5py.Group):
            _read_fields(item, f"{name}/", own, place)
        elif place != "muscle" or name != _PATH:
            unit, label, text = (_text(item, word) for word in ("units", "label", "description"))
            values = own.arrays[name] = _get(group, key, unit)
            own.fields[name] = Field(name, unit, label, text, values.shape[1:], place)


def _get_muscles(file: _Node) -> dict[str, MuscleHistory]:
    owners, table = {}, file.get("muscles", {})
    for name, own in _get_histories(file, "muscles", "muscle").items():
        group = table[_escape(name)]
        path, radius = _get(group, _PATH, "m"), float(group.attrs["radius"])
        owners[name] = MuscleHistory(own.fields, own.arrays, path, radius)
    return owners


def _get_column(group: _Node, key: str) -> Column:
    unit = _text(group[key], "units")
    return Column(_get(group, key, unit), unit)


def _text(item: _Node, name: str) -> str:
    """Text attribute."""
    value = item.attrs.get(name)
    if not isinstance(value, str):
        raise ModelError(f"{item.name} has {name} = {value!r}; must have a text")
    return value


def _put_shapes(body: h5py.Group, name: str, shapes: tuple[ShapeRecord, ...]) -> None:
    """Write shapes as arrays; each mesh in a group named by its index."""
    group = _group(body, name)
    put(group, "kind", np.array([shape.kind for shape in shapes], "S17"))
    for key, field in _OF_SHAPES.items():
        values = np.array([getattr(shape, key) for shape in shapes])
        _put(group, key, values.reshape(len(shapes), *field.shape[1:]), field.unit)
    for number, shape in enumerate(shapes):
        if shape.kind == "mesh":
            mesh = _group(group, f"mesh_{number}")
            _put_all(mesh, MESH_FIELDS, shape, compression="gzip", shuffle=True)


def _get_shapes(group: _Node) -> tuple[ShapeRecord, ...]:
    columns = group["kind"].asstr()[()], *_get_all(group, _OF_SHAPES).values()
    shapes = []
    for number, (kind, start, end, radius) in enumerate(zip(*columns, strict=True)):
        meshed = _get_all(group[f"mesh_{number}"], MESH_FIELDS) if kind == "mesh" else {}
        shapes.append(ShapeRecord(str(kind), start, end, float(radius), **meshed))
    return tuple(shapes)


def _escape(name: str) -> str:
    """Escape a name for an HDF5 link, in which '/' and '.' are special."""
    _check.name("result: item", name)
    return name.replace("%", "%25").replace("/", "%2F") if name != "." else "%2E"


def _unescape(name: str) -> str:
    return name.replace("%2E", ".").replace("%2F", "/").replace("%25", "%")

"""Results as HDF5 files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TypeAlias

import h5py
import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.io.layout import check_result
from fibermsk.io.sealed import RESULT, put, read_sealed, write_sealed
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord
from fibermsk.results.slack import Slack
from fibermsk.results.units import DERIVED_FIBER_UNITS, FIBER_UNITS, SOLVER_UNITS

__all__ = ["describe", "load", "save"]

# What a path leads to, a group or a dataset, shows only when the file is read.
_Node: TypeAlias = Any

_BODY_UNITS = {"position": "m", "rotation": "1"}
_SHAPE_UNITS = {"start": "m", "end": "m", "radius": "m"}
_MESH_UNITS = {"vertices": "m", "faces": "1"}
_COUNTS = {"newton_iterations", "faces"}
"""Arrays of whole numbers; all others are of floats."""


def save(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write a result; a reader sees the old file or the whole new one, never a part.

    Parameters
    ----------
    result : Result
        A complete, failed or interrupted run.
    path : path
        The file; its folder is made, a file already there is replaced.

    Returns
    -------
    path : pathlib.Path
        The file written.

    Raises
    ------
    ModelError
        If it is no result, or its arrays do not fit together; names the first that does not.
    WriteError
        If the file cannot be written, such as on a full disk. The result is then written to another
        folder, if any can be written to, which the message names; it can also be saved again.
    """
    _check.instance("save", "result", result, Result, "a Result")
    try:
        check_result(result)
    except ModelError as error:
        raise ModelError(f"cannot write {path}: {error}") from None
    return write_sealed(path, RESULT, lambda file: _write(file, result))


def load(path: str | os.PathLike[str], *, unsealed: bool = False) -> Result:
    """Read a result file, and check that it holds what was written.

    Parameters
    ----------
    path : path
        A file written by :func:`save`.
    unsealed : bool, optional
        Read a file whose seal is missing or broken all the same, and warn: one of an earlier
        version, or made or changed by another program. All other checks remain; but the HDF5
        library may crash on a damaged file.

    Raises
    ------
    ModelError
        If the file is missing, is not HDF5, is not to the bit what was written, or does not hold a
        fibermsk result.
    """
    return read_sealed(path, RESULT, _read_result, unsealed=unsealed)


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Contents of a result file, without the numbers.

    Parameters
    ----------
    path : path
        A file written by :func:`save`.

    Returns
    -------
    description : dict
        ``attributes`` (dict) and ``datasets`` (a list of dicts with ``path``, ``shape``,
        ``units``, ``min`` and ``max``; the last three are None where they make no sense).

    Raises
    ------
    ModelError
        As :func:`load`.
    """
    return read_sealed(path, RESULT, _describe)


def _write(file: h5py.File, result: Result) -> None:
    file.attrs["scene"] = result.scene
    file.attrs["parameters"] = json.dumps(result.parameters, default=_plain)
    file.attrs["fibermsk_version"] = result.version
    file.attrs["method"] = result.method
    file.attrs["status"] = result.status
    file.attrs["message"] = result.message
    file.attrs["stats"] = json.dumps(result.stats, default=_plain)
    file.attrs["slack"] = json.dumps([interval._asdict() for interval in result.slack])
    file.attrs["up"] = result.up
    file.attrs["units"] = "SI"

    _put(file, "time", result.time, "s")
    for name, rate in (("coordinates", ""), ("speeds", "/s")):
        group = _group(file, name)
        for key, values in getattr(result, name).items():
            _put(group, _escape(key), values, result.coordinate_units.get(key, "rad") + rate)

    bodies = _group(file, "bodies")
    for name, body in result.bodies.items():
        group = _group(bodies, _escape(name))
        for key, unit in _BODY_UNITS.items():
            _put(group, key, getattr(body, key), unit)
        _put_shapes(group, "shapes", body.shapes)
        if body.visuals:
            _put_shapes(group, "visuals", body.visuals)

    fibers = _group(file, "fibers")
    for name, fiber in result.fibers.items():
        group = _group(fibers, _escape(name))
        for key, unit in (FIBER_UNITS | DERIVED_FIBER_UNITS).items():
            _put(group, key, getattr(fiber, key), unit)

    solver = _group(file, "solver")
    for key, unit in SOLVER_UNITS.items():
        _put(solver, key, getattr(result, key), unit)


def _read_result(file: _Node) -> Result:
    if (units := _text(file, "units")) != "SI":
        raise ModelError(f"units = {units!r}; must be 'SI'")
    fibers = {
        _unescape(name): FiberHistory(
            **{key: _get(group, key, unit) for key, unit in FIBER_UNITS.items()}
        )
        for name, group in file["fibers"].items()
    }
    bodies = {
        _unescape(name): BodyMotion(
            **{key: _get(group, key, unit) for key, unit in _BODY_UNITS.items()},
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
        scene=_text(file, "scene"),
        parameters=json.loads(_text(file, "parameters")),
        time=_get(file, "time", "s"),
        coordinates=tables["coordinates"],
        speeds=tables["speeds"],
        bodies=bodies,
        fibers=fibers,
        **{key: _get(file["solver"], key, unit) for key, unit in SOLVER_UNITS.items()},
        method=_text(file, "method"),
        status=_text(file, "status"),
        message=_text(file, "message"),
        stats=json.loads(_text(file, "stats")),
        slack=tuple(Slack(**interval) for interval in json.loads(_text(file, "slack"))),
        version=_text(file, "fibermsk_version"),
        up=tuple(map(float, file.attrs["up"])),  # pyright: ignore[reportArgumentType]
        coordinate_units={key: unit for key, unit in units.items() if unit != "rad"},
    )
    check_result(result)
    for name, group in file["fibers"].items():
        for key, unit in DERIVED_FIBER_UNITS.items():
            follows = getattr(fibers[_unescape(name)], key)
            if not np.allclose(_get(group, key, unit), follows, 1e-12, 0.0, equal_nan=True):
                raise ModelError(f"{group.name}/{key} does not follow from the other arrays")
    return result


def _describe(file: _Node) -> dict[str, Any]:
    # whoever looks at a file is told of what is wrong with it, as whoever reads it
    result = _read_result(file)
    attributes = {key: file.attrs[key] for key in file.attrs}
    attributes["up"] = list(result.up)
    for key in ("parameters", "stats", "slack"):
        attributes[key] = json.loads(attributes[key])
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
    """Subgroup which keeps the order of what is put into it."""
    return parent.create_group(name, track_order=True)


def _put(group: h5py.Group, name: str, values: Any, units: str, **filters: Any) -> None:
    kind = np.int64 if name in _COUNTS else np.float64
    put(group, name, np.asarray(values, kind), **filters).attrs["units"] = units


def _get(group: _Node, name: str, units: str) -> np.ndarray:
    """Array of a dataset, whose type and units must be those that :func:`_put` gives it."""
    item, where = group[name], f"{group.name.rstrip('/')}/{name}"
    kind = np.dtype(np.int64 if name in _COUNTS else np.float64)
    if not isinstance(item, h5py.Dataset) or item.dtype != kind:
        found = getattr(item, "dtype", "a group")
        raise ModelError(f"{where} is of the type {found}; must be {kind}")
    if (found := _text(item, "units")) != units:
        raise ModelError(f"{where} has the units {found!r}; must be {units!r}")
    return item[()]


def _text(item: _Node, name: str) -> str:
    """Attribute that is a text."""
    value = item.attrs.get(name)
    if not isinstance(value, str):
        raise ModelError(f"{item.name} has {name} = {value!r}; must have a text")
    return value


def _put_shapes(body: h5py.Group, name: str, shapes: tuple[ShapeRecord, ...]) -> None:
    """Write shapes as arrays over them; each mesh in a group of its own, named by its number."""
    group = _group(body, name)
    put(group, "kind", np.array([shape.kind for shape in shapes], "S17"))
    for key, unit in _SHAPE_UNITS.items():
        empty = np.empty((0,) if key == "radius" else (0, 3))
        values = [getattr(shape, key) for shape in shapes]
        _put(group, key, values if values else empty, unit)
    for number, shape in enumerate(shapes):
        if shape.kind != "mesh":
            continue
        mesh = _group(group, f"mesh_{number}")
        for key, unit in _MESH_UNITS.items():
            _put(mesh, key, getattr(shape, key), unit, compression="gzip", shuffle=True)


def _get_shapes(group: _Node) -> tuple[ShapeRecord, ...]:
    kinds = group["kind"].asstr()[()]
    rows = zip(kinds, *(_get(group, key, unit) for key, unit in _SHAPE_UNITS.items()), strict=True)
    shapes = []
    for number, (kind, start, end, radius) in enumerate(rows):
        meshed = {}
        if kind == "mesh":
            mesh = group[f"mesh_{number}"]
            meshed = {key: _get(mesh, key, unit) for key, unit in _MESH_UNITS.items()}
        shapes.append(ShapeRecord(str(kind), start, end, float(radius), **meshed))
    return tuple(shapes)


def _escape(name: str) -> str:
    """Name as a link name in HDF5, where '/' and '.' have a meaning of their own."""
    _check.name("result: item", name)
    return name.replace("%", "%25").replace("/", "%2F") if name != "." else "%2E"


def _unescape(name: str) -> str:
    return name.replace("%2E", ".").replace("%2F", "/").replace("%25", "%")


def _plain(value: Any) -> Any:
    """JSON form of a value that json does not know."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)

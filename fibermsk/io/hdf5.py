"""Results as HDF5 files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import h5py
import numpy as np

from fibermsk.errors import ModelError
from fibermsk.files import path_of, replacing
from fibermsk.laws import _check
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord
from fibermsk.results.slack import Slack
from fibermsk.results.units import DERIVED_FIBER_UNITS, FIBER_UNITS, SOLVER_UNITS

__all__ = ["describe", "load", "save"]

# What a path leads to, a group or a dataset, shows only when the file is read.
_Node: TypeAlias = Any

_BODY_UNITS = {"position": "m", "rotation": "1"}
_SHAPE_UNITS = {"start": "m", "end": "m", "radius": "m"}
_MESH_UNITS = {"vertices": "m", "faces": "1"}


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
        If it is no result, or the file cannot be written.
    """
    _check.instance("save", "result", result, Result, "a Result")
    with replacing(path) as beside:
        # From version 1.8 of the format on, an attribute may be longer than 64 kB.
        with h5py.File(beside, "w", libver=("v108", "latest")) as file:
            _write(file, result)
    return Path(path)


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result file.

    Parameters
    ----------
    path : path
        A file written by :func:`save`.

    Raises
    ------
    ModelError
        If the file is missing, is not HDF5, is damaged, or does not hold a fibermsk result.
    """
    return _read(path, _read_result)


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
    return _read(path, _describe)


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
    n_frames = file["time"].shape[0]

    def history(group: _Node, key: str) -> np.ndarray:
        values = group[key][()]
        if values.shape[:1] != (n_frames,):
            found = f"{values.shape}; its first axis must be {n_frames} as of /time"
            raise ModelError(f"{group.name}/{key} has shape {found}")
        return values

    constant = {"node_theta", "theta", "muscle_fraction"}
    fibers = {}
    for name, group in file["fibers"].items():
        arrays = {
            key: group[key][()] if key in constant else history(group, key) for key in FIBER_UNITS
        }
        fibers[_unescape(name)] = FiberHistory(**arrays)

    bodies = {}
    for name, group in file["bodies"].items():
        bodies[_unescape(name)] = BodyMotion(
            position=history(group, "position"),
            rotation=history(group, "rotation"),
            shapes=_get_shapes(group["shapes"]),
            visuals=_get_shapes(group["visuals"]) if "visuals" in group else (),
        )

    tables = {
        name: {_unescape(key): history(file[name], key) for key in file[name]}
        for name in ("coordinates", "speeds")
    }
    units = {
        _unescape(key): str(values.attrs["units"]) for key, values in file["coordinates"].items()
    }
    return Result(
        scene=str(file.attrs["scene"]),
        parameters=json.loads(file.attrs["parameters"]),
        time=file["time"][()],
        coordinates=tables["coordinates"],
        speeds=tables["speeds"],
        bodies=bodies,
        fibers=fibers,
        **{key: history(file["solver"], key) for key in SOLVER_UNITS},
        method=str(file.attrs["method"]),
        status=str(file.attrs["status"]),
        message=str(file.attrs["message"]),
        stats=json.loads(file.attrs["stats"]),
        slack=tuple(Slack(**interval) for interval in json.loads(file.attrs["slack"])),
        version=str(file.attrs["fibermsk_version"]),
        up=_up(file),
        coordinate_units={key: unit for key, unit in units.items() if unit != "rad"},
    )


def _describe(file: _Node) -> dict[str, Any]:
    attributes = {key: file.attrs[key] for key in file.attrs}
    attributes["up"] = list(_up(file))
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


def _read(path: str | os.PathLike[str], reader: Callable[[_Node], Any]) -> Any:
    """`reader` of the open file, every way of failing turned into one clear error."""
    path = path_of(path)
    if path.is_dir():
        raise ModelError(f"cannot read {path}: it is a folder; name a result file (.h5)")
    if not path.exists():
        raise ModelError(f"cannot read {path}: there is no such file")
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if not h5py.is_hdf5(path):
        raise ModelError(f"cannot read {path}: it is not an HDF5 file")
    try:
        with h5py.File(path, "r") as file:
            if "fibermsk_version" not in file.attrs:
                raise ModelError("it is an HDF5 file, but not a fibermsk result")
            return reader(file)
    except ModelError as error:
        raise ModelError(f"cannot read {path}: {error}") from None
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        reason = error.args[0] if error.args else error
        raise ModelError(
            f"cannot read {path}: the file is damaged or incomplete ({reason}); run the scene again"
        ) from error


def _group(parent: h5py.Group, name: str) -> h5py.Group:
    """Subgroup which keeps the order of what is put into it."""
    return parent.create_group(name, track_order=True)


def _put(group: h5py.Group, name: str, values: Any, units: str, **filters: Any) -> None:
    group.create_dataset(name, data=np.asarray(values), **filters).attrs["units"] = units


def _up(file: _Node) -> tuple[float, float, float]:
    """Upward direction, which files of version 0.1 do not have."""
    x, y, z = (float(c) for c in file.attrs.get("up", (0.0, 0.0, 1.0)))
    return x, y, z


def _put_shapes(body: h5py.Group, name: str, shapes: tuple[ShapeRecord, ...]) -> None:
    """Write shapes as arrays over them; each mesh in a group of its own, named by its number."""
    group = _group(body, name)
    group.create_dataset("kind", data=[s.kind for s in shapes], dtype=h5py.string_dtype())
    for key, unit in _SHAPE_UNITS.items():
        empty = np.empty((0,) if key == "radius" else (0, 3))
        values = [getattr(shape, key) for shape in shapes]
        _put(group, key, values if values else empty, unit)
    for number, shape in enumerate(shapes):
        if shape.kind != "mesh":
            continue
        mesh = _group(group, f"mesh_{number}")
        for key, unit in _MESH_UNITS.items():
            values = np.asarray(getattr(shape, key))
            # An empty array has no chunks to compress.
            filters = {"compression": "gzip", "shuffle": True} if values.size else {}
            _put(mesh, key, values, unit, **filters)


def _get_shapes(group: _Node) -> tuple[ShapeRecord, ...]:
    kinds = group["kind"].asstr()[()]
    rows = zip(kinds, *(group[key][()] for key in _SHAPE_UNITS), strict=True)
    shapes = []
    for number, (kind, start, end, radius) in enumerate(rows):
        meshed = {}
        if kind == "mesh":
            meshed = {key: group[f"mesh_{number}/{key}"][()] for key in _MESH_UNITS}
        shapes.append(ShapeRecord(str(kind), start, end, float(radius), **meshed))
    return tuple(shapes)


def _escape(name: str) -> str:
    """Name as a link name in HDF5, where '/' and '.' have a meaning of their own."""
    return name.replace("%", "%25").replace("/", "%2F") if name != "." else "%2E"


def _unescape(name: str) -> str:
    return name.replace("%2E", ".").replace("%2F", "/").replace("%25", "%")


def _plain(value: Any) -> Any:
    """JSON form of a value that json does not know."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)

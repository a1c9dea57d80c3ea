"""Records of a study as a file of netCDF, which xarray reads lazily."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError, WriteError
from fibermsk.studies.journal import Journal, differing
from fibermsk.studies.outputs import Kept
from fibermsk.studies.packages import package
from fibermsk.studies.points import FRAME, MESSAGE, SECONDS, STATUS, TIME, Points
from fibermsk.studies.task import Record

ABOUT = "study"
"""Attribute with what identifies a study."""

_BLOCK = 1000
"""Points that are written at a time."""
_ROOM = 2**20
"""Size of a file besides its numbers [bytes]."""


class _Variable(NamedTuple):
    unit: str
    dims: tuple[str, ...]
    size: int  # along its own dimension; 1 of a number
    of_points: bool  # or the time of all


def clash(kept: dict[str, Kept], first: dict[str, Kept] | None, points: Points) -> str:
    """Why what is kept of a point fits no dataset; `first` is what the first one has."""
    for name in kept:
        if name != TIME and name in (*points.labels, *points.dims):
            return f"output {name!r}; must have a name of its own, which is that of a parameter"
    if first is not None:
        for name, one in kept.items():
            if name in first and (one.dim, one.unit) != (first[name].dim, first[name].unit):
                return f"output {name!r}; must be a number at all points, or a row at all"
    return ""


def write_dataset(path: Path, journal: Journal, points: Points, about: dict[str, Any]) -> None:
    """Write all records, some at a time."""
    variables = _variables(journal, points)
    _check_room(path, points, variables)
    text = package("h5py").string_dtype()
    with package("h5netcdf").File(path, "w") as file:
        for name, size in zip(points.dims, points.shape, strict=True):
            file.dimensions[name] = size
        for one in variables.values():
            if len(one.dims) and one.dims[-1] not in file.dimensions:
                file.dimensions[one.dims[-1]] = one.size
        _write_axes(file, points)
        made = {name: file.create_variable(name, points.dims, text) for name in (STATUS, MESSAGE)}
        made[SECONDS] = file.create_variable(SECONDS, points.dims, float)
        made[SECONDS].attrs["units"] = "s"
        for name, one in variables.items():
            made[name] = file.create_variable(name, one.dims, float, fillvalue=np.nan)
            made[name].attrs["units"] = one.unit
        for at, shape, records in _blocks(journal, points.shape):
            _write_block(made, variables, at, shape, records)
        file.attrs[ABOUT] = json.dumps(about, sort_keys=True)
        labels = [*points.labels, *([TIME] if TIME in variables else [])]
        if not any(" " in label for label in labels):
            file.attrs["coordinates"] = " ".join(labels)
        for name in ("scene", "design"):
            file.attrs[name] = str(about[name])
        file.attrs["fibermsk_version"] = about["versions"]["fibermsk"]


def _variables(journal: Journal, points: Points) -> dict[str, _Variable]:
    """Variables of all records; the time has no dimensions of points if all frames are the same."""
    kept, times, same = dict[str, tuple[Kept, int]](), None, True
    for record in journal.records():
        for name, one in record.kept.items():
            size = max(one.values.size, kept[name][1] if name in kept else 0)
            kept[name] = one, size
        if record.kept:
            own = record.kept[TIME].values
            same = same and (times is None or np.array_equal(own, times))
            times = own
    frames = max((size for one, size in kept.values() if one.dim == FRAME), default=0)
    found = dict[str, _Variable]()
    for name, (one, size) in kept.items():
        of_points = not (name == TIME and same)
        over = points.dims if of_points else ()
        own_size = frames if one.dim == FRAME else size
        found[name] = _Variable(
            one.unit, (*over, one.dim) if one.dim else over, own_size, of_points
        )
    return found


def _check_room(path: Path, points: Points, variables: dict[str, _Variable]) -> None:
    """Refuse a disk that the file does not fit on: the library that writes it would end."""
    numbers = sum(one.size for one in variables.values()) + 16
    size = 8 * len(points.rows) * numbers + _ROOM
    free = shutil.disk_usage(path.parent).free
    if size > free:
        raise WriteError(
            f"cannot write {path}: it needs {size / 1e6:.3g} MB, and {free / 1e6:.3g} MB are free; "
            "the points are kept, and the same call goes on"
        )


def _blocks(
    journal: Journal, shape: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], list[tuple[tuple[int, ...], Record]]]]:
    """Where blocks of points begin, their sizes, and their records with places in them.

    A block spans the last dimensions, and some of the one before.
    """
    k = next(k for k in range(len(shape)) if np.prod(shape[k + 1 :]) <= _BLOCK)
    inner = int(np.prod(shape[k + 1 :]))
    step = max(_BLOCK // inner, 1)
    now, begin, held = None, (0,), list[tuple[tuple[int, ...], Record]]()
    for record in journal.records():
        place = tuple(map(int, np.unravel_index(record.point, shape)))
        first = (*place[:k], place[k] // step * step, *(0 for _ in shape[k + 1 :]))
        if now is not None and first != now:
            yield begin, _size(begin, shape, k, step), held
            held = []
        now = begin = first
        held.append((tuple(a - b for a, b in zip(place, first, strict=True)), record))
    if held:
        yield begin, _size(begin, shape, k, step), held


def _size(begin: tuple[int, ...], shape: tuple[int, ...], k: int, step: int) -> tuple[int, ...]:
    return (*(1 for _ in range(k)), min(step, shape[k] - begin[k]), *shape[k + 1 :])


def _write_block(
    made: dict[str, Any], variables: dict[str, _Variable], at: tuple[int, ...],
    shape: tuple[int, ...], records: list[tuple[tuple[int, ...], Record]],
) -> None:  # fmt: skip
    where = tuple(slice(a, a + n) for a, n in zip(at, shape, strict=True))
    texts = {name: np.full(shape, "", object) for name in (STATUS, MESSAGE)}
    seconds = np.zeros(shape)
    blocks = dict[str, Array]()
    for place, record in records:
        texts[STATUS][place], texts[MESSAGE][place] = record.status, record.message
        seconds[place] = record.seconds
        for name, kept in record.kept.items():
            one = variables[name]
            row = (slice(kept.values.size),) if kept.dim else ()
            if not one.of_points:
                blocks[name] = kept.values
                continue
            if name not in blocks:
                blocks[name] = np.full((*shape, one.size) if kept.dim else shape, np.nan)
            blocks[name][(*place, *row)] = kept.values
    for name, values in (*texts.items(), (SECONDS, seconds)):
        made[name][where] = values
    for name, values in blocks.items():
        made[name][where if variables[name].of_points else ...] = values


def _write_axes(file: Any, points: Points) -> None:
    for k, axis in enumerate(points.axes):
        if points.design == "grid":
            dims, values = (axis.label,), axis.values
        else:
            dims, values = points.dims, tuple(row[k] for row in points.rows)
        kinds = {type(one) for one in values}
        if kinds == {bool}:
            # as xarray writes them
            file.create_variable(axis.label, dims, data=np.array(values, np.int8))
            file.variables[axis.label].attrs["dtype"] = "bool"
        elif kinds <= {int, float}:
            file.create_variable(axis.label, dims, data=np.array(values))
        else:
            own = file.create_variable(axis.label, dims, package("h5py").string_dtype())
            own[:] = np.array([str(one) for one in values], dtype=object)
        file.variables[axis.label].attrs["path" if axis.in_model else "parameter"] = axis.key


def open_dataset(path: Path, points: Points) -> Any:
    """The dataset of a file; its values are read when they are asked for."""
    found = package("xarray").open_dataset(path, engine="h5netcdf")
    return found.set_coords([*points.labels, *([TIME] if TIME in found else [])])


def finished(path: Path, about: dict[str, Any]) -> bool:
    """Whether a file has all points of this study; one of another study is refused."""
    if not path.exists():
        return False
    try:
        with package("h5netcdf").File(path, "r") as file:
            known = json.loads(file.attrs[ABOUT])
    except (OSError, KeyError, ValueError) as error:
        raise ModelError(
            f"{path} is there, and is no file of a study; must be none: remove it, or name another "
            "one with out"
        ) from error
    if known != about:
        raise ModelError(
            f"{path} is of another study: its {differing(known, about)} differ; remove it, or name "
            "another one with out"
        )
    return True

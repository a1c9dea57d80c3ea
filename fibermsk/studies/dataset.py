"""Records of a study as a file of netCDF, which xarray reads lazily."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.studies.journal import Journal, differing
from fibermsk.studies.outputs import FRAME
from fibermsk.studies.packages import package
from fibermsk.studies.points import OWNER, Points

ABOUT = "study"
"""Attribute with what identifies a study."""

_RESERVED = "status", "message", "seconds"


class _Variable(NamedTuple):
    unit: str
    dim: str
    size: int


def write_dataset(path: Path, journal: Journal, points: Points, about: dict[str, Any]) -> None:
    """Write all records, one after another."""
    h5netcdf = package("h5netcdf")
    variables, same = _variables(journal, points)
    with h5netcdf.File(path, "w") as file:
        for name, size in zip(points.dims, points.shape, strict=True):
            file.dimensions[name] = size
        for one in variables.values():
            if one.dim and one.dim not in file.dimensions:
                file.dimensions[one.dim] = one.size
        _write_axes(file, points)
        text = package("h5py").string_dtype()
        texts = {name: file.create_variable(name, points.dims, text) for name in _RESERVED[:2]}
        seconds = file.create_variable("seconds", points.dims, dtype=float)
        seconds.attrs["units"] = "s"
        made = dict[str, Any]()
        for name, one in variables.items():
            own = () if name == "time" and same else points.dims
            dims = (*own, one.dim) if one.dim else own
            made[name] = file.create_variable(name, dims, dtype=float, fillvalue=np.nan)
            made[name].attrs["units"] = one.unit
        for record in journal.records():
            at = tuple(map(int, np.unravel_index(record.point, points.shape)))
            texts["status"][at], texts["message"][at] = record.status, record.message
            seconds[at] = record.seconds
            for name, kept in record.kept.items():
                own = () if name == "time" and same else at
                made[name][(*own, slice(kept.values.size)) if kept.dim else own] = kept.values
        file.attrs[ABOUT] = json.dumps(about, sort_keys=True)
        labels = [one.label for one in points.axes] + ["time"] * ("time" in variables)
        if not any(" " in label for label in labels):
            file.attrs["coordinates"] = " ".join(labels)
        for name in ("scene", "design", "fibermsk_version"):
            file.attrs[name] = str(about[name])


def _variables(journal: Journal, points: Points) -> tuple[dict[str, _Variable], bool]:
    """Variables of all records, and whether all have the same frames."""
    found, times, same = dict[str, _Variable](), None, True
    taken = {*points.dims, *(one.label for one in points.axes), *_RESERVED}
    for record in journal.records():
        for name, one in record.kept.items():
            if name in taken:
                _check.refuse(OWNER, "output", name, "have a name of its own")
            size = max(one.values.size, found[name].size if name in found else 0)
            found[name] = _Variable(one.unit, one.dim, size)
        if record.kept:
            own = record.kept["time"].values
            same = same and (times is None or np.array_equal(own, times))
            times = own
    largest = max((one.size for one in found.values() if one.dim == FRAME), default=0)
    return {
        name: one._replace(size=largest) if one.dim == FRAME else one for name, one in found.items()
    }, same


def _write_axes(file: Any, points: Points) -> None:
    for k, axis in enumerate(points.axes):
        if points.design == "grid":
            dims, values = (axis.label,), axis.values
        else:
            dims, values = points.dims, tuple(row[k] for row in points.rows)
        kinds = {type(one) for one in values}
        if kinds <= {int, float}:
            file.create_variable(axis.label, dims, data=np.array(values))
        else:
            own = file.create_variable(axis.label, dims, package("h5py").string_dtype())
            own[:] = np.array([str(one) for one in values], dtype=object)
        file.variables[axis.label].attrs["path" if axis.in_model else "parameter"] = axis.key


def open_dataset(path: Path, points: Points) -> Any:
    """The dataset of a file; its values are read when they are asked for."""
    found = package("xarray").open_dataset(path, engine="h5netcdf")
    labels = [one.label for one in points.axes]
    return found.set_coords([*labels, *(["time"] if "time" in found else [])])


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

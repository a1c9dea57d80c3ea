"""The groups and datasets of a result file, read at once or when they are asked for."""

from __future__ import annotations

import json
from typing import Any

import h5py
import numpy as np

from fibermsk.errors import ModelError
from fibermsk.io.contents import OF_SHAPES, PATH, TEXTS, VALUES, Node, escape, unescape
from fibermsk.io.extent import Contents
from fibermsk.io.layout import check_result
from fibermsk.io.stored import Stored, StoredArrays, array_of, read_array, text_of
from fibermsk.results.columns import TABLES, Column
from fibermsk.results.deferred import DeferredArrays
from fibermsk.results.fields import (
    BODY_FIELDS,
    FIBER_FIELDS,
    MESH_FIELDS,
    SOLVER_FIELDS,
    Field,
    Place,
)
from fibermsk.results.histories import Histories
from fibermsk.results.muscle_history import MuscleHistory
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord
from fibermsk.results.slack import Slack
from fibermsk.results.softening import Softening


def read_result(file: Node, contents: Contents, stored: Stored | None = None) -> Result:
    """Read a result and check it.

    With the file that stays open, histories are read when they are asked for; of these the shapes
    are checked, types and units when they are read.
    """
    if (units := text_of(file, "units")) != "SI":
        raise ModelError(f"units = {units!r}; must be 'SI'")
    read = _Reader(file, contents, stored)
    units = {unescape(key): text_of(item, "units") for key, item in file["coordinates"].items()}
    result = Result(
        **{field: text_of(file, name) for name, field in TEXTS.items()},
        **{name: json.loads(text_of(file, name)) for name in VALUES},
        time=array_of(file, "time", "s"),
        coordinates=read.table("coordinates", units, ""),
        speeds=read.table("speeds", units, "/s"),
        bodies={unescape(name): read.body(group) for name, group in file["bodies"].items()},
        fibers={unescape(name): read.fiber(name) for name in contents.members["/fibers"]},
        **_get_all(file["solver"], SOLVER_FIELDS),
        slack=tuple(Slack(**interval) for interval in json.loads(text_of(file, "slack"))),
        softening=tuple(Softening(**one) for one in json.loads(text_of(file, "softening"))),
        up=tuple(map(float, file.attrs["up"])),  # pyright: ignore[reportArgumentType]
        coordinate_units={key: unit for key, unit in units.items() if unit != "rad"},
        states=read.histories("states", "state"),
        elements=read.histories("elements", "element"),
        muscles=read.muscles(),
        tables={
            name: {unescape(key): _get_column(file[name], key) for key in file[name]}
            for name in TABLES if name in file
        },
    )  # fmt: skip
    check_result(result)
    if stored is None:
        read.check_derived(result)
    return result


class _Reader:
    """Reader of one file, which may stay open."""

    def __init__(self, file: Node, contents: Contents, stored: Stored | None) -> None:
        self._file, self._contents, self._stored = file, contents, stored

    def table(self, name: str, units: dict[str, str], rate: str) -> Any:
        """Coordinates or speeds by name."""
        group = self._file[name]
        about = {
            unescape(key): (key, units.get(unescape(key), "rad") + rate, False, True)
            for key in group
        }
        return self._arrays(group, about)

    def body(self, group: Node) -> BodyMotion:
        """Motion of a body."""
        known = {
            "shapes": _get_shapes(group["shapes"]),
            "visuals": _get_shapes(group["visuals"]) if "visuals" in group else (),
        }
        if self._stored is None:
            return BodyMotion(**_get_all(group, BODY_FIELDS), **known)
        return BodyMotion.deferred(self._source(group.name, _about(BODY_FIELDS)), **known)

    def fiber(self, name: str) -> FiberHistory:
        """Histories of a fiber by its link."""
        if self._stored is None:
            return FiberHistory(**self._of_fiber(name, derived=False))
        return FiberHistory.deferred(self._source(f"/fibers/{name}", _OF_FIBERS))

    def _of_fiber(self, name: str, derived: bool) -> dict[str, Any]:
        """Arrays of the stored fields of a fiber, or of the derived ones."""
        return {
            key: read_array(
                self._file, self._contents, f"/fibers/{name}/{key}", field.unit, field.whole
            )
            for key, field in FIBER_FIELDS.items()
            if field.in_file and field.derived == derived
        }

    def check_derived(self, result: Result) -> None:
        """Refuse derived arrays of fibers that differ from what they follow from."""
        for name in self._contents.members["/fibers"]:
            for key, found in self._of_fiber(name, derived=True).items():
                follows = getattr(result.fibers[unescape(name)], key)
                same = found.shape == np.shape(follows) and (found == follows).all()
                if not same and not np.allclose(found, follows, 1e-12, 0.0, equal_nan=True):
                    raise ModelError(f"/fibers/{name}/{key} does not follow from the other arrays")

    def histories(self, name: str, place: Place) -> dict[str, Histories]:
        """Histories of states, elements or line muscles by owner."""
        owners = {}
        for owner, group in self._file.get(name, {}).items():
            fields: dict[str, Field] = {}
            about: dict[str, tuple[str, str, bool, bool]] = {}
            _describe_fields(group, "", "", fields, about, place)
            owners[unescape(owner)] = Histories(fields, self._arrays(group, about))
        return owners

    def muscles(self) -> dict[str, MuscleHistory]:
        """Histories of line muscles by name."""
        owners, table = {}, self._file.get("muscles", {})
        for name, own in self.histories("muscles", "muscle").items():
            group = table[escape(name)]
            radius = float(group.attrs["radius"])
            if self._stored is None:
                path = array_of(group, PATH, "m")
                owners[name] = MuscleHistory(own.fields, own.arrays, path, radius)
                continue
            known = {"fields": own.fields, "arrays": own.arrays, "radius": radius}
            source = self._source(group.name, {PATH: (PATH, "m", False, True)})
            owners[name] = MuscleHistory.deferred(source, **known)
        return owners

    def _arrays(self, group: Node, about: dict[str, tuple[str, str, bool, bool]]) -> Any:
        if self._stored is not None:
            return DeferredArrays(self._source(group.name, about))
        return {
            name: array_of(group, key, unit, whole) for name, (key, unit, whole, _) in about.items()
        }

    def _source(self, group: str, about: dict[str, tuple[str, str, bool, bool]]) -> StoredArrays:
        assert self._stored is not None
        n_frames = self._contents.datasets["/time"].shape[0]
        return StoredArrays(self._stored, group, about, range(n_frames))


def _about(fields: dict[str, Field]) -> dict[str, tuple[str, str, bool, bool]]:
    """Path, unit, whether it is an integer, and whether it varies, of stored fields by name."""
    return {
        key: (key, field.unit, field.whole, field.varies)
        for key, field in fields.items()
        if field.in_file and not field.derived
    }


_OF_FIBERS = _about(FIBER_FIELDS)


def _get_all(group: Node, fields: dict[str, Field]) -> dict[str, Any]:
    """Arrays of the stored fields of an object, without derived ones."""
    return {
        key: array_of(group, key, field.unit, field.whole)
        for key, field in fields.items()
        if field.in_file and not field.derived
    }


def _describe_fields(
    group: Node,
    path: str,
    prefix: str,
    fields: dict[str, Field],
    about: dict[str, tuple[str, str, bool, bool]],
    place: Place,
) -> None:
    """Add the fields of a group, and of the groups in it, and where their arrays are."""
    for key, item in group.items():
        name = prefix + unescape(key)
        if place == "muscle" and isinstance(item, h5py.Group):
            _describe_fields(item, f"{path}{key}/", f"{name}/", fields, about, place)
        elif place != "muscle" or name != PATH:
            unit, label, text = (text_of(item, word) for word in ("units", "label", "description"))
            fields[name] = Field(name, unit, label, text, item.shape[1:], place)
            about[name] = path + key, unit, False, True


def _get_column(group: Node, key: str) -> Column:
    unit = text_of(group[key], "units")
    return Column(array_of(group, key, unit), unit)


def _get_shapes(group: Node) -> tuple[ShapeRecord, ...]:
    columns = group["kind"].asstr()[()], *_get_all(group, OF_SHAPES).values()
    shapes = []
    for number, (kind, start, end, radius) in enumerate(zip(*columns, strict=True)):
        meshed = _get_all(group[f"mesh_{number}"], MESH_FIELDS) if kind == "mesh" else {}
        shapes.append(ShapeRecord(str(kind), start, end, float(radius), **meshed))
    return tuple(shapes)

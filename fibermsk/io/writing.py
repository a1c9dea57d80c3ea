"""The groups and datasets of a result file, written part by part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import h5py
import numpy as np

from fibermsk.errors import ModelError
from fibermsk.io.contents import KINDS, OF_SHAPES, PATH, RANGES, TEXTS, VALUES, Node, escape
from fibermsk.io.layout import check_result
from fibermsk.io.putting import put_numbers
from fibermsk.io.sealed import chunk_of, put
from fibermsk.results.fields import (
    BODY_FIELDS,
    FIBER_FIELDS,
    MESH_FIELDS,
    SOLVER_FIELDS,
    Field,
)
from fibermsk.results.histories import Histories
from fibermsk.results.muscle_history import MuscleHistory
from fibermsk.results.result import Result, ShapeRecord, to_json


def write_result(file: h5py.File, parts: Iterable[Result], n_frames: int) -> Iterator[None]:
    """Write a result that comes in parts, consecutive frames of a number that is known.

    The texts and values of the last part are those of the whole result. Yields between two fibers
    and the like.

    Raises
    ------
    ModelError
        If arrays are inconsistent; the message names the first such array.
    """
    writer, last = _Writer(n_frames), None
    for part in parts:
        check_result(part)
        yield from writer.add(file, part)
        last = part
    if last is None or writer.done != n_frames:
        raise ModelError(f"{writer.done} of {n_frames} frames were given; must be all of them")
    _write_attributes(file, last)
    file.attrs[RANGES] = json.dumps(writer.ranges)


def _write_attributes(file: h5py.File, result: Result) -> None:
    for name, field in TEXTS.items():
        file.attrs[name] = getattr(result, field)
    for name in VALUES:
        file.attrs[name] = to_json(getattr(result, name))
    file.attrs["slack"] = json.dumps([interval._asdict() for interval in result.slack])
    file.attrs["softening"] = json.dumps([interval._asdict() for interval in result.softening])
    file.attrs["up"] = result.up
    file.attrs["units"] = "SI"
    if "control" in result.stats:
        file.attrs["objective"] = result.stats["control"]["objective"]


class _Writer:
    """Writer of one file.

    Attributes
    ----------
    done : int
        Frames written.
    ranges : dict of [float, float]
        Least and largest value of each dataset, by path.
    """

    def __init__(self, n_frames: int) -> None:
        self.done, self._n = 0, n_frames
        self.ranges: dict[str, list[float]] = {}

    def add(self, file: h5py.File, result: Result) -> Iterator[None]:
        """Write the frames of a part, with the first one also what does not vary."""
        self._put_rows(file, "time", result.time, "s")
        for name, rate in (("coordinates", ""), ("speeds", "/s")):
            group = self._group(file, name)
            for key, values in getattr(result, name).items():
                self._put_rows(group, escape(key), values, result.unit_of(key) + rate)
        yield
        bodies = self._group(file, "bodies")
        for name, body in result.bodies.items():
            group = self._group(bodies, escape(name))
            self._put_all(group, BODY_FIELDS, body)
            if self.done == 0:
                self._put_shapes(group, "shapes", body.shapes)
                if body.visuals:
                    self._put_shapes(group, "visuals", body.visuals)
            yield
        fibers = self._group(file, "fibers")
        for name, fiber in result.fibers.items():
            self._put_all(self._group(fibers, escape(name)), FIBER_FIELDS, fiber)
            yield
        self._put_all(self._group(file, "solver"), SOLVER_FIELDS, result)
        for name in ("states", "elements", "muscles"):
            yield from self._put_histories(file, name, getattr(result, name))
        if self.done == 0:
            for name, columns in result.tables.items():
                group = self._group(file, name)
                for key, column in columns.items():
                    self._put(group, escape(key), column.values, column.unit)
        self.done += result.time.size

    def _group(self, parent: Node, name: str) -> Node:
        """A subgroup that keeps the order of its members."""
        return parent.create_group(name, track_order=True) if self.done == 0 else parent[name]

    def _put_all(self, group: Node, fields: dict[str, Field], owner: Any, **filters: Any) -> None:
        """Write all stored fields of an object, derived ones last."""
        for field in sorted(fields.values(), key=lambda field: field.derived):
            if not field.in_file:
                continue
            about = field.unit, field.whole
            if field.varies:
                self._put_rows(group, field.name, getattr(owner, field.name), *about)
            elif self.done == 0:
                self._put(group, field.name, getattr(owner, field.name), *about, **filters)

    def _put(
        self, group: Node, name: str, values: Any, units: str, whole: bool = False, **filters: Any
    ) -> Any:
        """Write an array that does not vary; return its identifier."""
        values = np.asarray(values, KINDS[whole])
        if filters or not (values.ndim and values.size):
            new = put(group, name, values, **filters)
            new.attrs["units"] = units
            item = new.id
        else:
            chunk = chunk_of(values.shape, values.dtype.itemsize)
            item = put_numbers(group, name, values, units, chunk)
        self._note(group, name, values)
        return item

    def _put_rows(
        self, group: Node, name: str, values: Any, units: str, whole: bool = False
    ) -> Any:
        """Write the frames of an array in this part; return its identifier."""
        values = np.asarray(values, KINDS[whole])
        if len(values) == self._n:
            return self._put(group, name, values, units, whole)
        if self.done == 0:
            shape, filters = (self._n, *values.shape[1:]), {}
            if values.size:
                # parts are chunks: none is written twice
                filters = {"fletcher32": True, "chunks": values.shape}
            item = group.create_dataset(name, shape, values.dtype, **filters)
            item.attrs["units"] = units
        else:
            item = group[name]
        if values.size:
            item[self.done : self.done + len(values)] = values
        self._note(group, name, values)
        return item.id

    def _note(self, group: Node, name: str, values: np.ndarray) -> None:
        """Extend the range of a dataset."""
        if not values.size:
            return
        where = f"{group.name.rstrip('/')}/{name}"
        least, largest = values.min(), values.max()
        if known := self.ranges.get(where):
            # not those of Python, which lose NaN
            least, largest = np.minimum(known[0], least), np.maximum(known[1], largest)
        self.ranges[where] = [float(least), float(largest)]

    def _put_histories(
        self, file: h5py.File, name: str, owners: Mapping[str, Histories]
    ) -> Iterator[None]:
        """Write histories with their metadata; no group if there are none."""
        table = self._group(file, name) if owners else file
        for owner, own in owners.items():
            group = self._group(table, escape(owner))
            for key, values in own.items():
                # a field of a muscle for each coordinate is in a group of these
                *inner, last = key.split("/") if name == "muscles" else [key]
                place: Node = group
                for part in inner:
                    place = place.require_group(escape(part))
                field = own.fields[key]
                found = self._put_rows(place, escape(last), values, field.unit)
                if self.done == 0:
                    item = h5py.Dataset(found)
                    item.attrs["label"], item.attrs["description"] = field.label, field.description
            if isinstance(own, MuscleHistory):
                self._put_rows(group, PATH, own.path, "m")
                if self.done == 0:
                    group.attrs["radius"] = own.radius
            yield

    def _put_shapes(self, body: Node, name: str, shapes: tuple[ShapeRecord, ...]) -> None:
        """Write shapes as arrays; each mesh in a group named by its index."""
        group = self._group(body, name)
        put(group, "kind", np.array([shape.kind for shape in shapes], "S17"))
        for key, field in OF_SHAPES.items():
            values = np.array([getattr(shape, key) for shape in shapes])
            self._put(group, key, values.reshape(len(shapes), *field.shape[1:]), field.unit)
        for number, shape in enumerate(shapes):
            if shape.kind == "mesh":
                mesh = self._group(group, f"mesh_{number}")
                self._put_all(mesh, MESH_FIELDS, shape, compression="gzip", shuffle=True)

"""Shapes and ranges of the arrays of a result, checked when written and when read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fibermsk.errors import ModelError
from fibermsk.results.deferred import shape_in
from fibermsk.results.fields import BODY_FIELDS, FIBER_FIELDS, SOLVER_FIELDS
from fibermsk.results.result import STATUSES, Result, ShapeRecord

_KINDS = ("capsule", "infinite_cylinder", "mesh")
_COORDINATE_UNITS = ("rad", "m", "1")


def check_result(result: Result) -> None:
    """Refuse inconsistent arrays or unordered frames; the message names the path in the file."""
    _check_one_of("status", result.status, STATUSES)
    for name in ("scene", "method", "message", "version"):
        if not isinstance(getattr(result, name), str):
            raise ModelError(f"{name} is {getattr(result, name)!r}; must be a text")
    for name in ("parameters", "stats"):
        if not isinstance(getattr(result, name), dict):
            raise ModelError(f"{name} is not a table of names and values")
    if np.shape(result.up) != (3,) or not abs(np.linalg.norm(result.up) - 1.0) < 1e-6:
        raise ModelError(f"up is {result.up}; must be three numbers, a unit vector")
    for name, unit in result.coordinate_units.items():
        _check_one_of(f"unit of coordinate {name!r}", unit, _COORDINATE_UNITS)
    for where, shape, wanted, lengths in _shapes(result):
        _check_shape(where, shape, wanted, lengths)
    _check_ascending("/time", result.time)
    for name, fiber in result.fibers.items():
        _check_ascending(f"/fibers/{name}/node_theta", fiber.node_theta)
        _check_ascending(f"/fibers/{name}/theta", fiber.theta)
    for name, body in result.bodies.items():
        for what in ("shapes", "visuals"):
            for number, shape in enumerate(getattr(body, what)):
                _check_record(f"/bodies/{name}/{what}: shape {number}", shape)


def _shapes(
    result: Result,
) -> Iterator[tuple[str, tuple[int, ...], tuple[str | int, ...], dict[str, int]]]:
    """Path, shape and required shape of all arrays over frames, with the known lengths."""
    frames = {"n_frames": int(np.size(result.time))}
    yield "/time", np.shape(result.time), ("n_frames",), frames
    for table in ("coordinates", "speeds"):
        for name in (values := getattr(result, table)):
            yield f"/{table}/{name}", shape_in(values, name), ("n_frames",), frames
    for key, field in SOLVER_FIELDS.items():
        yield f"/solver/{key}", np.shape(getattr(result, key)), field.full_shape, frames
    owners = [(f"/bodies/{name}", body, BODY_FIELDS) for name, body in result.bodies.items()]
    owners += [(f"/fibers/{name}", fiber, FIBER_FIELDS) for name, fiber in result.fibers.items()]
    for where, owner, fields in owners:
        # the first array of nodes and of samples defines their number
        lengths = dict(frames)
        for key, field in fields.items():
            stored = owner.source is not None and field.derived
            if field.in_file and not stored:
                yield f"{where}/{key}", owner.shape_of(key), field.full_shape, lengths
    for table in ("states", "elements", "muscles"):
        for name, own in getattr(result, table).items():
            for key in own:
                shape = shape_in(own.arrays, key)
                yield f"/{table}/{name}/{key}", shape, own.fields[key].full_shape, frames
    for name, muscle in result.muscles.items():
        shape = muscle.shape_of("path")
        yield f"/muscles/{name}/path", shape, ("n_frames", "n_points", 3), dict(frames)


def _check_shape(
    where: str, found: tuple[int, ...], wanted: tuple[str | int, ...], lengths: dict[str, int]
) -> None:
    """Compare with the required shape, and store lengths that were unknown."""
    if len(found) == len(wanted):
        for axis, n in zip(wanted, found, strict=True):
            if isinstance(axis, str):
                lengths.setdefault(axis, n)
    due = tuple(lengths.get(axis, axis) if isinstance(axis, str) else axis for axis in wanted)
    if found != due:
        names = ", ".join(map(str, wanted))
        raise ModelError(f"{where} has the shape {found}; must be {due}, which is ({names})")


def _check_ascending(where: str, values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        raise ModelError(f"{where} holds a value that is not finite; must all be finite")
    wrong = np.flatnonzero(np.diff(values) <= 0.0)
    if wrong.size:
        k = int(wrong[0])
        raise ModelError(
            f"{where} goes from {values[k]:g} to {values[k + 1]:g} at index {k}; must increase"
        )


def _check_record(where: str, shape: ShapeRecord) -> None:
    _check_one_of(f"{where} kind", shape.kind, _KINDS)
    n = len(shape.vertices)
    for key, wanted in (("start", (3,)), ("end", (3,)), ("vertices", (n, 3))):
        _check_shape(f"{where} {key}", np.shape(getattr(shape, key)), wanted, {})
    _check_shape(f"{where} faces", np.shape(shape.faces), ("n_faces", 3), {})
    if shape.faces.size and not 0 <= shape.faces.min() <= shape.faces.max() < n:
        raise ModelError(
            f"{where} has faces of vertices {shape.faces.min()} to {shape.faces.max()}; must be "
            f"from 0 to {n - 1}"
        )


def _check_one_of(what: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ModelError(f"{what} is {value!r}; must be one of {', '.join(known)}")

"""What a result in a file must be: shapes and ranges, checked when it is written and when read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fibermsk.errors import ModelError
from fibermsk.results.result import Result, ShapeRecord
from fibermsk.results.units import SOLVER_UNITS

__all__ = ["check_result"]

_FIBER_SHAPES: dict[str, tuple[str | int, ...]] = {
    "node_theta": ("n_nodes",),
    "position": ("n_frames", "n_nodes", 3),
    "tangent": ("n_frames", "n_nodes", 3),
    "theta": ("n_samples",),
    "muscle_fraction": ("n_samples",),
    "stretch": ("n_frames", "n_samples"),
    "radius": ("n_frames", "n_samples"),
    "axial_force": ("n_frames", "n_samples"),
    "contact_line_force": ("n_frames", "n_samples", 3),
    "contact_force_density": ("n_frames", "n_samples"),
    "activation": ("n_frames",),
    "force_origin": ("n_frames", 3),
    "force_insertion": ("n_frames", 3),
}
_BODY_SHAPES = {"position": ("n_frames", 3), "rotation": ("n_frames", 3, 3)}
_STATUSES = ("success", "failed", "interrupted")
_KINDS = ("capsule", "infinite_cylinder", "mesh")
_COORDINATE_UNITS = ("rad", "m", "1")


def check_result(result: Result) -> None:
    """Refuse a result whose arrays do not fit together or whose frames are out of order.

    Raises
    ------
    ModelError
        Names the array by its path in the file, what it is and what it must be.
    """
    _check_one_of("status", result.status, _STATUSES)
    for name in ("scene", "method", "message", "version"):
        if not isinstance(getattr(result, name), str):
            raise ModelError(f"{name} is {getattr(result, name)!r}; must be a text")
    for name in ("parameters", "stats"):
        if not isinstance(getattr(result, name), dict):
            raise ModelError(f"{name} is no table of names and values")
    _check_up(result.up)
    for name, unit in result.coordinate_units.items():
        _check_one_of(f"unit of coordinate {name!r}", unit, _COORDINATE_UNITS)
    for where, array, wanted, lengths in _arrays(result):
        _check_shape(where, np.shape(array), wanted, lengths)
    _check_ascending("/time", result.time)
    for name, fiber in result.fibers.items():
        _check_ascending(f"/fibers/{name}/node_theta", fiber.node_theta)
        _check_ascending(f"/fibers/{name}/theta", fiber.theta)
    for name, body in result.bodies.items():
        for what in ("shapes", "visuals"):
            for number, shape in enumerate(getattr(body, what)):
                _check_record(f"/bodies/{name}/{what}: shape {number}", shape)


def _arrays(result: Result) -> Iterator[tuple[str, Any, tuple[str | int, ...], dict[str, int]]]:
    """Path, array and shape of all that goes over frames, with the lengths that are known."""
    frames = {"n_frames": int(np.size(result.time))}
    yield "/time", result.time, ("n_frames",), frames
    for table in ("coordinates", "speeds"):
        for name, values in getattr(result, table).items():
            yield f"/{table}/{name}", values, ("n_frames",), frames
    for key in SOLVER_UNITS:
        yield f"/solver/{key}", getattr(result, key), ("n_frames",), frames
    for name, body in result.bodies.items():
        for key, shape in _BODY_SHAPES.items():
            yield f"/bodies/{name}/{key}", getattr(body, key), shape, frames
    for name, fiber in result.fibers.items():
        # the first array of nodes and of samples says how many there are
        lengths = dict(frames)
        for key, shape in _FIBER_SHAPES.items():
            yield f"/fibers/{name}/{key}", getattr(fiber, key), shape, lengths


def _check_shape(
    where: str, found: tuple[int, ...], wanted: tuple[str | int, ...], lengths: dict[str, int]
) -> None:
    """Compare with the shape wanted; a length not known yet is taken over from it."""
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
            f"{where} goes from {values[k]:g} to {values[k + 1]:g} at index {k}; must ascend"
        )


def _check_record(where: str, shape: ShapeRecord) -> None:
    _check_one_of(f"{where} kind", shape.kind, _KINDS)
    n = len(shape.vertices)
    for key, wanted in (("start", (3,)), ("end", (3,)), ("vertices", (n, 3))):
        _check_shape(f"{where} {key}", np.shape(getattr(shape, key)), wanted, {})
    _check_shape(f"{where} faces", np.shape(shape.faces), ("n_faces", 3), {})
    if shape.faces.size and not 0 <= shape.faces.min() <= shape.faces.max() < n:
        raise ModelError(
            f"{where} has faces of vertices {shape.faces.min()} to {shape.faces.max()}; must be of "
            f"its own, 0 to {n - 1}"
        )


def _check_up(up: tuple[float, ...]) -> None:
    if np.shape(up) != (3,) or not abs(np.linalg.norm(up) - 1.0) < 1e-6:
        raise ModelError(f"up is {up}; must be three numbers, a vector of the length 1")


def _check_one_of(what: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ModelError(f"{what} is {value!r}; must be one of {', '.join(known)}")

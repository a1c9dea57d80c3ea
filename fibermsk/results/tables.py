"""Tables of a result with named columns and units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.results.curves import at_samples, centerlines, mean_along
from fibermsk.results.fields import AXES, FIBER_FIELDS, SOLVER_FIELDS
from fibermsk.results.histories import Histories, histories_of
from fibermsk.results.result import FiberHistory, Result

Array = NDArray[Any]


class Column(NamedTuple):
    """One column of a table."""

    name: str  # unique in its table
    values: Array  # (n_rows,) numbers, or texts for names
    unit: str  # SI unit, "1" without dimension; empty for texts


def table(result: Result, what: str, frames: slice = slice(None)) -> list[Column]:
    """Columns of one table of a result over some frames, time first.

    ``"time"`` has a row per frame, the others a row per frame and: ``"fibers"`` each sample,
    ``"nodes"`` each node, ``"bodies"`` each body. Unknown and duplicate names are refused.
    """
    if not isinstance(what, str) or what not in TABLES:
        raise ModelError(f"what = {_check.show(what)}; must be one of: {', '.join(TABLES)}")
    if what == "time":
        # sums along fibers use all frames, so that they do not depend on the selection
        columns = [one._replace(values=one.values[frames]) for one in _time(result)]
    else:
        columns = _LONG[what](result.at_frames(frames))
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise ModelError(
                f"result of {result.scene!r}: two columns are named {column.name!r}; must be "
                "unique, rename the coordinate, fiber or element in the scene"
            )
        seen.add(column.name)
    return columns


def single_numbers(fiber: FiberHistory) -> dict[str, Array]:
    """Fields with one value per frame; the mean of the axial force."""
    found = {name: getattr(fiber, name) for name, f in FIBER_FIELDS.items() if f.place == "fiber"}
    return found | {"axial_force": mean_along(fiber, fiber.axial_force)}


def columns_of(owners: Iterable[tuple[str, Histories]]) -> list[Column]:
    """Columns of states or reports of owners: ``OWNER.FIELD``, one per component."""
    return [
        Column(f"{owner}.{name}{part and '_'}{part}", values, field.unit)
        for owner, own in owners
        for name, field in own.fields.items()
        for part, values in own.components(name).items()
    ]


def _time(result: Result) -> list[Column]:
    columns = [Column("time", result.time, "s")]
    columns += [Column(key, q, result.unit_of(key)) for key, q in result.coordinates.items()]
    columns += [
        Column(f"{key}.speed", p, f"{result.unit_of(key)}/s") for key, p in result.speeds.items()
    ]
    ends = [name for name, field in FIBER_FIELDS.items() if field.place == "end"]
    for name, whole in result.fibers.items():
        # of a result in a file, its arrays are forgotten after each fiber
        fiber = whole.at_frames(slice(None))
        columns += [
            Column(f"{name}.{key}", values, FIBER_FIELDS[key].unit)
            for key, values in single_numbers(fiber).items()
        ]
        for end in ends:
            force, unit = getattr(fiber, end), FIBER_FIELDS[end].unit
            columns += [
                Column(f"{name}.{end}_{axis}", force[:, i], unit) for i, axis in enumerate(AXES)
            ]
    columns += columns_of(histories_of(result.states, result.elements, result.muscles))
    return columns + [Column(key, getattr(result, key), f.unit) for key, f in SOLVER_FIELDS.items()]


def _fibers(result: Result) -> list[Column]:
    fibers = list(result.fibers.values())
    columns = _row_names(result, "fiber", {k: f.theta for k, f in result.fibers.items()})
    columns += _vectors("", "m", [centerlines(fiber, fiber.theta) for fiber in fibers])
    for key, field in FIBER_FIELDS.items():
        if field.place != "sample" or key == "theta":
            continue
        values = [at_samples(fiber, key) for fiber in fibers]
        if len(field.shape) == 1:
            columns.append(Column(key, _joined(values), field.unit))
        else:
            columns += _vectors(f"{key}_", field.unit, values)
    return columns


def _nodes(result: Result) -> list[Column]:
    fibers = result.fibers.values()
    columns = _row_names(result, "fiber", {k: f.node_theta for k, f in result.fibers.items()})
    columns += _vectors("", "m", [fiber.position for fiber in fibers])
    columns += _vectors("tangent_", "m", [fiber.tangent for fiber in fibers])
    return columns + _vectors("cut_force_", "N", [fiber.cut_force for fiber in fibers])


def _bodies(result: Result) -> list[Column]:
    time, bodies = result.time, result.bodies
    columns = [
        Column("time", np.repeat(time, len(bodies)), "s"),
        Column("body", np.tile(np.array(list(bodies), dtype=object), time.size), ""),
    ]
    columns += _vectors("", "m", [body.position[:, None] for body in bodies.values()])
    for i, row in enumerate(AXES):
        turns = [body.rotation[:, None, i] for body in bodies.values()]
        columns += _vectors(f"rotation_{row}", "1", turns)
    return columns


def _row_names(result: Result, kind: str, theta: dict[str, NDArray[np.float64]]) -> list[Column]:
    """Time, name and theta of each row of a long table."""
    time = result.time
    counts = [places.size for places in theta.values()]
    names = np.repeat(np.array(list(theta), dtype=object), counts)
    places = np.concatenate([*theta.values(), np.empty(0)])
    return [
        Column("time", np.repeat(time, names.size), "s"),
        Column(kind, np.tile(names, time.size), ""),
        Column("theta", np.tile(places, time.size), "1"),
    ]


def _vectors(prefix: str, unit: str, parts: list[NDArray[np.float64]]) -> list[Column]:
    return [
        Column(prefix + axis, _joined([part[..., i] for part in parts]), unit)
        for i, axis in enumerate(AXES)
    ]


def _joined(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Rows of all fibers or bodies, frame after frame, of arrays (n_frames, n_rows_of_one)."""
    return np.concatenate(parts, axis=1).ravel() if parts else np.empty(0)


_LONG = {"fibers": _fibers, "nodes": _nodes, "bodies": _bodies}

TABLES = ("time", *_LONG)
"""Names of the tables."""

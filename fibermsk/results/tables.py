"""A result as tables of named columns with units, for files and for those who plot themselves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.results.curves import centerlines, lengths, mean_along, stress
from fibermsk.results.result import FiberHistory, Result
from fibermsk.results.units import DERIVED_FIBER_UNITS, FIBER_UNITS, SOLVER_UNITS

__all__ = ["TABLES", "Column", "table"]

Array = NDArray[Any]

AXES = ("x", "y", "z")

_LONG_FIELDS = ("muscle_fraction", "stretch", "radius", "axial_force", "stress",
                "contact_force_density")  # fmt: skip
_UNITS = FIBER_UNITS | DERIVED_FIBER_UNITS | {"stress": "Pa"}


class Column(NamedTuple):
    """One column of a table.

    Attributes
    ----------
    name : str
        Unique in its table.
    values : (n_rows,) array
        Numbers, or texts for names.
    unit : str
        SI unit, "1" without dimension; empty for texts.
    """

    name: str
    values: Array
    unit: str


def table(result: Result, what: str, frames: slice = slice(None)) -> list[Column]:
    """Columns of one table of a result.

    Parameters
    ----------
    result : Result
        The result.
    what : str
        ``"time"``: a row for each frame, with coordinates, speeds, what there is one number of for
        each fiber, and the solver. The others are long, a row for each frame and: ``"fibers"``
        each sample of each fiber; ``"nodes"`` each node of each fiber; ``"bodies"`` each body.
    frames : slice, optional
        Which frames; all by default.

    Returns
    -------
    columns : list of Column
        All of one length, time first.

    Raises
    ------
    ModelError
        If there is no such table, or names of coordinates and fibers make one name twice.
    """
    if not isinstance(what, str) or what not in _MAKERS:
        raise ModelError(f"what = {_check.show(what)}; must be one of: {', '.join(_MAKERS)}")
    columns = _MAKERS[what](result, frames)
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise ModelError(
                f"result of {result.scene!r}: two columns are named {column.name!r}; must be "
                "unique, rename the coordinate or fiber in the scene"
            )
        seen.add(column.name)
    return columns


def _time(result: Result, frames: slice) -> list[Column]:
    unit = {key: result.coordinate_units.get(key, "rad") for key in result.coordinates}
    columns = [Column("time", result.time[frames], "s")]
    columns += [Column(key, q[frames], unit[key]) for key, q in result.coordinates.items()]
    columns += [
        Column(f"{key}.speed", p[frames], f"{unit.get(key, 'rad')}/s")
        for key, p in result.speeds.items()
    ]
    for name, fiber in result.fibers.items():
        columns += [
            Column(f"{name}.activation", fiber.activation[frames], "1"),
            Column(f"{name}.length", lengths(fiber)[frames], "m"),
            Column(f"{name}.axial_force", mean_along(fiber, fiber.axial_force)[frames], "N"),
        ]
        for end in ("force_origin", "force_insertion"):
            force = getattr(fiber, end)[frames]
            columns += [
                Column(f"{name}.{end}_{axis}", force[:, i], "N") for i, axis in enumerate(AXES)
            ]
    columns += [Column(key, getattr(result, key)[frames], u) for key, u in SOLVER_UNITS.items()]
    return columns


def _fibers(result: Result, frames: slice) -> list[Column]:
    fibers = list(result.fibers.values())
    columns = _row_names(result, frames, "fiber", {k: f.theta for k, f in result.fibers.items()})
    points = [centerlines(fiber, fiber.theta, frames) for fiber in fibers]
    columns += _vectors("", "m", points)
    for key in _LONG_FIELDS:
        fields = [_field(fiber, key, frames) for fiber in fibers]
        columns.append(Column(key, _joined(fields), _UNITS[key]))
    forces = [fiber.contact_line_force[frames] for fiber in fibers]
    return columns + _vectors("contact_line_force_", "N/m", forces)


def _field(fiber: FiberHistory, key: str, frames: slice) -> NDArray[np.float64]:
    """Values over some frames and the samples."""
    if key == "stress":
        return stress(fiber, frames)
    if key == "contact_force_density":
        return np.linalg.norm(fiber.contact_line_force[frames], axis=-1)
    values = getattr(fiber, key)
    shape = fiber.stretch[frames].shape
    return np.broadcast_to(values, shape) if values.ndim == 1 else values[frames]


def _nodes(result: Result, frames: slice) -> list[Column]:
    fibers = result.fibers.values()
    columns = _row_names(
        result, frames, "fiber", {k: f.node_theta for k, f in result.fibers.items()}
    )
    columns += _vectors("", "m", [fiber.position[frames] for fiber in fibers])
    return columns + _vectors("tangent_", "m", [fiber.tangent[frames] for fiber in fibers])


def _bodies(result: Result, frames: slice) -> list[Column]:
    time, bodies = result.time[frames], result.bodies
    columns = [
        Column("time", np.repeat(time, len(bodies)), "s"),
        Column("body", np.tile(np.array(list(bodies), dtype=object), time.size), ""),
    ]
    columns += _vectors("", "m", [body.position[frames][:, None] for body in bodies.values()])
    for i, row in enumerate(AXES):
        turns = [body.rotation[frames][:, None, i] for body in bodies.values()]
        columns += _vectors(f"rotation_{row}", "1", turns)
    return columns


def _row_names(
    result: Result, frames: slice, kind: str, theta: dict[str, NDArray[np.float64]]
) -> list[Column]:
    """Time, name and theta of each row of a long table."""
    time = result.time[frames]
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


_MAKERS = {"time": _time, "fibers": _fibers, "nodes": _nodes, "bodies": _bodies}

TABLES = tuple(_MAKERS)
"""Names of the tables."""

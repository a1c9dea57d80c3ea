"""Motions of coordinates from files or arrays, and models that follow them."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.model import Coordinate, Linear, Model, NaturalSpline
from fibermsk.model.skeleton.coordinate import UNITS
from fibermsk.read.signals import Signals, read_signals

_FACTORS = {
    "rotation": {"": 1.0, "rad": 1.0, "deg": np.pi / 180.0, "°": np.pi / 180.0},
    "translation": {"": 1.0, "m": 1.0, "cm": 1e-2, "mm": 1e-3},
}
"""Units of columns in rad and m."""

_GAP = 5.0
"""Interval over the usual one from which samples are missing."""

_BEYOND = 0.05
"""Part of the width of a coordinate's range by which measured values may lie beyond it."""

_MOST = 12
"""Most names that a message lists."""


class Motion(NamedTuple):
    """Values of coordinates at instants."""

    name: str
    time: Array  # (n,) [s], increasing
    values: dict[str, Array]  # (n,) each [rad or m], by coordinate that may follow
    left_out: dict[str, str]  # reason by column that is not used
    against: str  # remark if its header says another unit of angles than was asked for


def motion_of(
    model: Model,
    motion: str | PathLike[str] | Signals | Mapping[str, Any],
    *,
    in_degrees: bool | None = None,
) -> Motion:
    """Motion of the coordinates of a model; arguments and errors as of `drive`."""
    if isinstance(motion, Mapping):
        if "time" not in motion:
            _check.refuse("motion", "arrays", sorted(motion), "have 'time' among their names")
        rest = {key: value for key, value in motion.items() if key != "time"}
        motion = Signals("arrays", motion["time"], rest)
    signals = motion if isinstance(motion, Signals) else read_signals(motion)
    owner = f"motion {signals.name!r}"
    if signals.time.size < 2:
        _check.refuse(owner, "samples", signals.time.size, "be two or more")
    if in_degrees is None:
        degrees = signals.in_degrees
    else:
        degrees = _check.flag(owner, "in_degrees", in_degrees)
    against = ""
    if signals.degrees_said and degrees != signals.in_degrees:
        said, read = ("no", "degrees") if degrees else ("yes", "radians")
        against = f"its header says inDegrees={said}, but angles are read in {read}, as asked for"
    coordinates = {one.name: one for one in model.coordinates}
    dependent = {one.dependent: ", ".join(map(repr, one.independents)) for one in model.couplings}
    values, left_out = dict[str, Array](), dict[str, str]()
    for column, series in signals.values.items():
        name = _coordinate_of(column, coordinates)
        one = coordinates.get(name)
        if one is None:
            near = _check.suggestion(
                name, [key for key in coordinates if key not in signals.values]
            )
            left_out[column] = f"is not a coordinate{near}"
        elif one.locked:
            left_out[column] = "is locked"
        elif name in dependent:
            left_out[column] = f"follows {dependent[name]}"
        elif one.kind == "quaternion":
            left_out[column] = "is part of a quaternion"
        elif name in values:
            raise ModelError(f"{owner}: {column!r} is a second column of coordinate {name!r}")
        else:
            values[name] = series * _factor(owner, column, one, signals.units[column], degrees)
    if not values:
        columns = [f"{key} ({why})" for key, why in left_out.items()]
        raise ModelError(
            f"{owner}: no column is a coordinate that can follow; it has: "
            f"{_check.first_names(columns, _MOST)}; the model has: "
            f"{', '.join(coordinates) or 'none'}"
        )
    return Motion(signals.name, signals.time, values, left_out, against)


def _coordinate_of(column: str, known: Mapping[str, Coordinate]) -> str:
    """Name of a coordinate in a column such as ``/jointset/elbow/flexion/value``."""
    if column in known or not column.endswith("/value"):
        return column
    return column.removesuffix("/value").rpartition("/")[2]


def _factor(owner: str, column: str, one: Coordinate, unit: str, degrees: bool) -> float:
    """Size of a column's unit in rad or m."""
    known = _FACTORS[one.kind]
    if unit not in known:
        _check.refuse(owner, f"unit of {column!r}", unit, f"be one of {', '.join(known)[2:]}")
    if not unit and degrees and one.kind == "rotation":
        return known["deg"]
    return known[unit]


def drive(
    model: Model,
    motion: str | PathLike[str] | Signals | Mapping[str, Any],
    *,
    in_degrees: bool | None = None,
    begin: float = 0.0,
) -> Model:
    """Create a model whose coordinates follow a motion.

    Parameters
    ----------
    model : Model
        The model; it is not changed.
    motion : str, path, Signals or mapping
        File (.mot, .sto or .csv), signals, or arrays (n,) by coordinate with ``"time"`` [s].
        Columns are coordinates by name or by OpenSim's path, ``/jointset/elbow/flexion/value``.
    in_degrees : bool, optional
        Whether rotations without a unit are in degrees; by default as the header of the file says,
        see `read_signals`.
    begin : float
        Time of the motion [s] at which the time of a run is 0.

    Returns
    -------
    model : Model
        Copy in which every coordinate with a column is prescribed by a natural cubic spline: twice
        continuously differentiable, linear outside the samples. All others stay as they are: free
        ones stay free, locked ones locked.

    Raises
    ------
    ModelError
        If the file cannot be read, has fewer than two samples, a unit that does not fit, or no
        column for a coordinate that may follow.

    Warns
    -----
    ModelWarning
        Names the columns that are not used, and why, the longest interval without samples if it
        is more than five times the usual one, values far beyond a coordinate's declared range, and
        a header that says another unit of angles than ``in_degrees``.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.make_scene("upper_limb").model
    >>> driven = fm.drive(model, {"time": [0.0, 0.5, 1.0], "elbow_flexion": [0.2, 0.9, 0.4]})
    >>> round(float(driven.coordinate("elbow_flexion").prescribed(0.5)), 12)
    0.9
    """
    _check.instance("drive", "model", model, Model, "a Model")
    begin = _check.number("drive", "begin", begin, "s")
    found = motion_of(model, motion, in_degrees=in_degrees)
    warn_of(model, found)
    values = dict[Any, Any]()
    for name, series in found.values.items():
        spline: Any = NaturalSpline(found.time - begin, series)
        if found.time.size == 2:
            slope = float(np.diff(series)[0] / np.diff(found.time)[0])
            spline = Linear(slope, float(series[0]) - slope * float(found.time[0] - begin))
        values[model.coordinate(name)] = {"prescribed": spline, "value": 0.0, "speed": 0.0}
    return model.edit(values)


def warn_of(model: Model, motion: Motion, *, whole: bool = False) -> None:
    """Warn of columns that are not used, times without samples, and values beyond declared ranges.

    With `whole`, also of free coordinates without a column, which then keep their initial value.
    """
    steps = np.diff(motion.time)
    usual, k = float(np.median(steps)), int(steps.argmax())
    told = list[str]()
    if motion.against:
        told.append(motion.against)
    if steps[k] > _GAP * usual:
        told.append(
            f"has no samples between {motion.time[k]:g} and "
            f"{motion.time[k + 1]:g} s, {steps[k] / usual:.3g} times the usual interval; "
            "coordinates follow a spline there: fill the gap, or cut the motion"
        )
    if motion.left_out:
        unused = [f"{key} ({why})" for key, why in motion.left_out.items()]
        told.append(f"not used: {_check.first_names(unused, _MOST)}")
    held = [one for one in free_coordinates(model) if one.name not in motion.values]
    if whole and held:
        kept = [f"{one.name} ({_with_unit(one, one.value)})" for one in held]
        told.append(
            f"no column for the coordinates {_check.first_names(kept, _MOST)}, which keep these "
            "values: add columns, or lock the coordinates"
        )
    beyond = [
        text for one in model.coordinates if one.name in motion.values
        for text in _beyond(one, motion)
    ]  # fmt: skip
    if beyond:
        told.append(
            f"beyond the declared range: {_check.first_names(beyond, _MOST, '; ')}: check units "
            "and signs"
        )
    for text in told:
        warn(f"motion {motion.name!r}: {text}", ModelWarning)


def free_coordinates(model: Model) -> list[Coordinate]:
    """Coordinates that a motion may move: not locked, prescribed or dependent."""
    dependent = {one.dependent for one in model.couplings}
    return [
        one for one in model.coordinates
        if not one.locked and one.prescribed is None and one.name not in dependent
    ]  # fmt: skip


def _beyond(one: Coordinate, motion: Motion) -> list[str]:
    """The value farthest beyond a coordinate's range, if by more than a part of its width."""
    if one.lower is None or one.upper is None:
        return []
    series = motion.values[one.name]
    excess = np.maximum(series - one.upper, one.lower - series)
    k = int(excess.argmax())
    if excess[k] <= _BEYOND * (one.upper - one.lower):
        return []
    return [
        f"{one.name} is {_with_unit(one, series[k])} at {motion.time[k]:g} s, in a range from "
        f"{_with_unit(one, one.lower)} to {_with_unit(one, one.upper)}"
    ]


def _with_unit(one: Coordinate, value: float) -> str:
    return f"{value:.4g} {UNITS[one.kind]}".removesuffix(" 1")

"""What a study keeps of a run: columns of its table over time, numbers of these, or functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.results import Result
from fibermsk.results.tables import Column, table
from fibermsk.studies.points import FRAME, OWNER, RESERVED, TIME


class OutputError(ModelError):
    """A study asks for what results do not have."""


class Kept(NamedTuple):
    """A number, or a row of numbers along a dimension."""

    values: Array  # () or (m,)
    unit: str
    dim: str = ""


def _mean(time: Array, x: Array) -> Any:
    return np.trapezoid(x, time) / (time[-1] - time[0]) if time.size > 1 else x[0]


WHEN: dict[str, Callable[[Array, Array], Any]] = {
    "max": lambda time, x: x.max(), "min": lambda time, x: x.min(),
    "end": lambda time, x: x[-1], "mean": _mean,
}  # fmt: skip
"""Numbers of a column, by the end of the name."""

Outputs = Sequence[str] | Mapping[str, Callable[[Result], Any]]


def checked(outputs: Any) -> Any:
    """Texts, or functions of a result by name; by default all coordinates."""
    if outputs is None:
        return None
    if isinstance(outputs, Mapping):
        for name, function in outputs.items():
            _check.instance(OWNER, "name in outputs", name, str, "a text")
            if not name or "/" in name or name in RESERVED or not callable(function):
                must = f"have functions of a result by name, without / and none of {RESERVED}"
                _check.refuse(OWNER, "outputs", {name: function}, must)
        if not outputs:
            _check.refuse(OWNER, "outputs", outputs, "have one function or more")
        return dict(outputs)
    several = [outputs] if isinstance(outputs, str) else outputs
    found = _check.items(OWNER, "outputs", several, str, "a name or pattern", "names of columns")
    if not found:
        _check.refuse(OWNER, "outputs", outputs, "have one name or more")
    return tuple(one.replace("/", ".") for one in found)


def kept_of(result: Result, outputs: Any) -> dict[str, Kept]:
    """What a study keeps of a result; its `time` always.

    Raises
    ------
    OutputError
        If the result has no such column.
    """
    found = {TIME: Kept(result.time, "s", FRAME)}
    if isinstance(outputs, Mapping):
        return found | {
            name: _computed(name, function(result)) for name, function in outputs.items()
        }
    columns = {one.name: one for one in table(result, "time")}
    del columns[TIME]
    for text in tuple(result.coordinates) if outputs is None else outputs:
        found |= _named(text, columns, result.time)
    return found


def _named(text: str, columns: Mapping[str, Column], time: Array) -> dict[str, Kept]:
    """Columns that match a text, or a number of each."""
    own = [name for name in columns if fnmatchcase(name, text)]
    if own:
        return {name: Kept(columns[name].values, columns[name].unit, FRAME) for name in own}
    base, _, when = text.rpartition("_")
    own = [name for name in columns if fnmatchcase(name, base)] if when in WHEN else []
    if not own:
        near = _check.suggestion(base if when in WHEN else text, list(columns))
        raise OutputError(
            f"{OWNER}: outputs name {text!r}; must be columns of a result's table over time, or "
            f"these with _max, _min, _end or _mean{near}"
        )
    values = [(name, columns[name]) for name in own]
    return {
        f"{name}_{when}": Kept(np.asarray(WHEN[when](time, one.values), float), one.unit)
        for name, one in values
    }


def _computed(name: str, value: Any) -> Kept:
    """What a function returned."""
    try:
        values = np.asarray(value, float)
    except (TypeError, ValueError):
        values = np.zeros((0, 0, 0))
    if values.ndim > 1:
        raise OutputError(
            f"{OWNER}: output {name!r} = {_check.show(value)}; must be a number or a row of numbers"
        )
    return Kept(values, "", f"{name}.part" if values.ndim else "")

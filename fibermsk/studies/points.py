"""Points of a study: values of parameters, on a grid or sampled."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk.studies.packages import package

DESIGNS = ("grid", "latin", "sobol")
OWNER = "sweep"
SAMPLE, FRAME = "sample", "frame"
"""Dimensions of points that are not on a grid, and of values over time."""
STATUS, MESSAGE, SECONDS, TIME = "status", "message", "seconds", "time"
RESERVED = (SAMPLE, FRAME, STATUS, MESSAGE, SECONDS, TIME)
"""Names of a dataset that nothing of a user may have."""

_LARGEST = 2**53
"""Whole number up to which all are exact as floating-point numbers."""


class Axis(NamedTuple):
    """One thing that is varied.

    Attributes
    ----------
    key : str
        Path or pattern of numbers of the model, or parameter of the scene.
    label : str
        Its name in a dataset.
    in_model : bool
        Whether it is a path.
    values : tuple
        Its values on a grid; or the ends of the range from which samples are taken.
    """

    key: str
    label: str
    in_model: bool
    values: tuple[Any, ...]


class Points(NamedTuple):
    """All points of a study.

    Attributes
    ----------
    axes : tuple of Axis
        What is varied.
    dims, shape : tuples
        Names and sizes of the dimensions that the points span.
    rows : tuple of tuples
        Values of the axes by point, the last axis of a grid first.
    design : str
        One of `DESIGNS`.
    """

    axes: tuple[Axis, ...]
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    rows: tuple[tuple[Any, ...], ...]
    design: str

    @property
    def labels(self) -> list[str]:
        """Names of the axes in a dataset."""
        return [one.label for one in self.axes]

    def given(self, k: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters of the scene, and numbers of the model, at point k."""
        own = list(zip(self.axes, self.rows[k], strict=True))
        return (
            {axis.key: value for axis, value in own if not axis.in_model},
            {axis.key: value for axis, value in own if axis.in_model},
        )

    def words(self, k: int) -> str:
        """Values at point k, for messages."""
        own = zip(self.axes, self.rows[k], strict=True)
        return ", ".join(f"{axis.key} = {_check.show(value)}" for axis, value in own)


def label_of(key: str) -> str:
    """Name of a key in a dataset, where no name has a slash."""
    return key.strip("/").replace("/", ".")


def points_of(
    over: Mapping[str, Any],
    parameters: Mapping[str, inspect.Parameter],
    design: str,
    n: int | None,
    seed: int,
) -> Points:
    """Points over values by key; keys that are not `parameters` of the scene are paths.

    Raises
    ------
    ModelError
        If a key or a value is refused.
    """
    _check.instance(OWNER, "over", over, Mapping, "a dict of values by path or parameter")
    if not over:
        _check.refuse(OWNER, "over", over, "have one key or more")
    _check.choice(OWNER, "design", design, DESIGNS)
    axes = tuple(_axis(key, values, parameters, design) for key, values in over.items())
    labels = [one.label for one in axes]
    for label in labels:
        if labels.count(label) > 1 or label in RESERVED:
            must = f"have keys with names of their own, none of {', '.join(RESERVED)}"
            _check.refuse(OWNER, "over", label, must)
    if design == "grid":
        if n is not None:
            _check.refuse(OWNER, "n", n, "be left out for a grid, which has all combinations")
        rows = tuple(product(*(one.values for one in axes)))
        return Points(axes, tuple(labels), tuple(len(one.values) for one in axes), rows, design)
    if n is None:
        _check.refuse(OWNER, "n", n, f'be given for the design "{design}"')
    rows = _sampled(axes, design, _check.count(OWNER, "n", n), seed)
    return Points(axes, (SAMPLE,), (len(rows),), rows, design)


def _axis(key: Any, values: Any, parameters: Mapping[str, inspect.Parameter], design: str) -> Axis:
    _check.instance(OWNER, "key", key, str, "a path or a parameter")
    in_model = key not in parameters
    if in_model and "/" not in key:
        near = _check.suggestion(key, list(parameters))
        must = "be a parameter of the scene, or a path of its model, such as 'biceps/radius'"
        _check.refuse(OWNER, "key", key, f"{must}{near}")
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str | bytes):
        _check.refuse(OWNER, f"values of {key}", values, "be several: a list or an array")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        _check.refuse(OWNER, f"values of {key}", values, "be a row of numbers")
    if design != "grid":
        return Axis(key, label_of(key), in_model, _range(key, values, parameters))
    own = tuple(_value(key, one) for one in values)
    if not own:
        _check.refuse(OWNER, f"values of {key}", values, "be one or more")
    if len(set(own)) < len(own):
        _check.refuse(OWNER, f"values of {key}", list(own), "differ from each other")
    return Axis(key, label_of(key), in_model, own)


def _value(key: str, value: Any) -> Any:
    """A value of a grid: a number, a truth value, a text, or a tuple of these."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_value(key, one) for one in value)
    fits = isinstance(value, bool | float) or (isinstance(value, str) and "\0" not in value)
    if not fits and not (isinstance(value, int) and abs(value) <= _LARGEST):
        must = "be numbers, truth values, texts, or tuples of these"
        _check.refuse(OWNER, f"values of {key}", value, must)
    return value


def _range(key: str, values: Any, parameters: Mapping[str, inspect.Parameter]) -> tuple[Any, ...]:
    """Ends of a range."""
    ends = _check.array(OWNER, f"range of {key}", values, (2,))
    if not ends[0] < ends[1]:
        _check.refuse(OWNER, f"range of {key}", ends.tolist(), "have the lower end first")
    usual = parameters[key].default if key in parameters else 0.0
    if not isinstance(usual, float):
        must = f"be of a real number to be sampled, which {usual!r} is not"
        _check.refuse(OWNER, "key", key, must, remedy='use design="grid"')
    return tuple(ends.tolist())


def _sampled(axes: Sequence[Axis], design: str, n: int, seed: int) -> tuple[tuple[float, ...], ...]:
    """Samples of SALib."""
    problem = problem_of({one.label: one.values for one in axes})
    if design == "latin":
        found = package("SALib.sample.latin").sample(problem, n, seed=seed)
    else:
        if n & (n - 1):
            _check.refuse(OWNER, "n", n, "be a power of two for Sobol's sequence")
        found = package("SALib.sample.sobol").sample(problem, n, seed=seed)
    return tuple(map(tuple, np.asarray(found, float).tolist()))


def problem_of(ranges: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Ranges by name as SALib takes them."""
    names = list(ranges)
    return {
        "num_vars": len(names), "names": names, "bounds": [list(ranges[name]) for name in names],
    }  # fmt: skip

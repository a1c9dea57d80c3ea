"""Parameters of a model: a mapping from paths to values, units, ranges and descriptions."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._docstrings import parameter_texts
from fibermsk._numbers import ANY, Range
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.parameters.lookup import all_numbers, find
from fibermsk.parameters.places import Place


@dataclass(frozen=True)
class Parameter:
    """A scalar or array parameter of a model.

    Attributes
    ----------
    path : str
        Path of the parameter.
    value : float or float array
        Value; arrays are read-only.
    unit : str
        SI unit; empty for none.
    range : str
        Interval of allowed values, such as "(0, inf)".
    bounds : (float, float)
        Ends of the interval.
    description : str
        Description from the docstring.
    """

    path: str
    value: float | Array
    unit: str
    range: str
    bounds: tuple[float, float]
    description: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value, () for a scalar."""
        return np.shape(self.value)


class Parameters(Mapping[str, Parameter]):
    """Parameters of a model by path.

    Iteration lists every scalar. Arrays can be looked up as well: "forearm/com" besides
    "forearm/com/x". The values are copies: later changes of the model do not affect them.

    Parameters
    ----------
    model : Model
        Model to read.
    pattern : str
        Pattern of the paths to list; all of them if left out.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("pendulum")
    >>> bob = model.add(fm.Body("bob", mass=2.0, inertia=(1e-3, 1e-3, 1e-3)))
    >>> hinge = model.add(fm.Hinge("swing", model.ground, bob, (0, 0, 0), (0, 1, 0)))
    >>> parameters = fm.Parameters(model)
    >>> parameters["bob/mass"].value, parameters["bob/mass"].unit, parameters["bob/mass"].range
    (2.0, 'kg', '(0, inf)')
    >>> list(parameters.match("swing/*ing"))
    ['swing/damping']
    """

    def __init__(self, model: Model, pattern: str | None = None) -> None:
        _check.instance("Parameters", "model", model, Model, "a Model")
        if pattern is not None:
            _check.instance("Parameters", "pattern", pattern, str, "a text or None")
        self._model = model
        places = all_numbers(model) if pattern is None else _numbers(model, pattern)
        self._places = {place.path: place for place in places}

    def __getitem__(self, path: str) -> Parameter:
        """Get the parameter at a path.

        Raises
        ------
        ModelError
            If there is no parameter at the path; also a KeyError if the path does not exist.
        """
        place = self._places.get(path)
        if place is None:
            (place,) = find(self._model, path)
        if not place.is_number or place.why:
            _refuse_no_number(self._model, path, place)
        return _describe(place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __repr__(self) -> str:
        return f"Parameters({len(self)} of model {self._model.name!r})"

    def match(self, pattern: str) -> Parameters:
        """Select the parameters that match a pattern of paths; refused if there is none.

        The wildcards "*", "?" and "[...]" do not match "/". A pattern may match scalars, arrays, or
        items: these stand for all of their parameters.
        """
        return Parameters(self._model, pattern)

    @property
    def array(self) -> Array:
        """Values stacked along the first axis; all of one shape.

        Raises
        ------
        ModelError
            If their shapes differ.
        """
        shapes = {np.shape(place.value) for place in self._places.values()}
        if len(shapes) > 1:
            raise ModelError(
                f"{self!r}: values have the shapes {sorted(shapes)}; must have one shape"
            )
        return np.array([place.value for place in self._places.values()])


def why_no_number(place: Place) -> str:
    """Reason for a message why a place has no number."""
    if place.why:
        return place.why
    if place.number is not None:
        return (
            "is a function without known parameters: use a number, samples or a value such "
            "as fm.Table, or make it a dataclass with fields"
        )
    below = [one.path.removeprefix(f"{place.path}/") for one in place.numbers()]
    more = ", ..." if len(below) > 6 else ""
    return f"is not a number; below it: {', '.join(below[:6]) or 'none'}{more}"


def _numbers(model: Model, pattern: str) -> list[Place]:
    """Scalars and arrays that match a pattern; of items all scalars."""
    places: list[Place] = []
    for one in find(model, pattern):
        if one.is_number and not one.why:
            places.append(one)
        else:
            places += one.numbers()
    if not places:
        (first, *_) = find(model, pattern)
        _refuse_no_number(model, pattern, first)
    return places


def _refuse_no_number(model: Model, path: str, place: Place) -> NoReturn:
    """Raise the `ModelError` of a path or pattern without a number."""
    item = place.path.partition("/")[0]
    numbers = [one.path for one in all_numbers(model) if one.path.partition("/")[0] == item]
    must = f"; must be a number, such as {_check.first_names(numbers, 3)}" if numbers else ""
    raise ModelError(f"model {model.name!r}: {path!r} {why_no_number(place)}{must}")


def _describe(place: Place) -> Parameter:
    assert place.number is not None
    allowed: Range = place.number.range if not place.number.whole else ANY
    return Parameter(
        place.path,
        place.value,
        place.unit,
        str(allowed),
        (allowed.low, allowed.high),
        _texts(type(place.holder)).get(place.field, ""),
    )


@lru_cache
def _texts(kind: type) -> dict[str, str]:
    """Descriptions of the fields of a class from its docstring and those it refers to."""
    found: dict[str, str] = {}
    for one in kind.__mro__[:-1]:
        for name, text in parameter_texts(one).items():
            found.setdefault(name, text)
        for other in re.findall(r"fields as (?:those of )?`(\w+)`", inspect.getdoc(one) or ""):
            known = getattr(sys.modules[one.__module__], other, None)
            if isinstance(known, type) and known is not kind:
                for name, text in parameter_texts(known).items():
                    found.setdefault(name, text)
    return found

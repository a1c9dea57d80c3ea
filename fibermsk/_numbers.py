"""Unit and range of numbers, declared with the fields of a dataclass.

Validation (`checked`) and the parameters of a model by path (`fibermsk.parameters`) use the
declaration.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check

_KEY = "fibermsk"


class Range(NamedTuple):
    """Range of allowed numbers."""

    low: float
    high: float
    low_included: bool
    high_included: bool
    # of owner, field, value and unit; returns a float or raises `ModelError`
    check: Callable[[str, str, Any, str], float]

    def __str__(self) -> str:
        begin, end = "[" if self.low_included else "(", "]" if self.high_included else ")"
        return f"{begin}{self.low:g}, {self.high:g}{end}"


def above(bound: float) -> Range:
    """Range of numbers greater than a bound."""

    def check(owner: str, field: str, value: Any, unit: str) -> float:
        return _check.above(owner, field, value, bound, unit)

    return Range(bound, math.inf, False, False, check)


def bounded(
    least: float | None = None, above: float | None = None, most: float | None = None
) -> Range:
    """Numbers of at least one bound, greater than another, and at most a third."""

    def check(owner: str, field: str, value: Any, unit: str) -> float:
        value = _check.number(owner, field, value, unit)
        for bound, bad, must in (
            (least, least is not None and value < least, "be at least"),
            (above, above is not None and value <= above, "be greater than"),
            (most, most is not None and value > most, "be at most"),
        ):
            if bad:
                _check.refuse(owner, field, value, f"{must} {bound:g}", unit=unit)
        return value

    low = max(-math.inf if bound is None else bound for bound in (least, above))
    high = math.inf if most is None else most
    return Range(low, high, least is not None and low != above, most is not None, check)


ANY = Range(-math.inf, math.inf, False, False, _check.number)
POSITIVE = Range(0.0, math.inf, False, False, _check.positive)
NON_NEGATIVE = Range(0.0, math.inf, True, False, _check.non_negative)
FRACTION = Range(0.0, 1.0, True, True, _check.fraction)


class Number(NamedTuple):
    """A field that holds one number or an array of them."""

    # SI unit, empty for none; or a function of the item that returns it
    unit: str | Callable[[Any], str] = ""
    range: Range = ANY  # of each number
    shape: tuple[int | str, ...] = ()  # of an array; a letter stands for any length
    whole: str = ""  # why its entries cannot be changed one by one; empty if they can
    varies: bool = False  # whether a function is allowed
    samples: bool = False  # whether samples (m,) are allowed
    # for checks beyond shape and range: of owner, field and value; returns what is stored
    check: Callable[[str, str, Any], Any] | None = None
    by_item: bool = False  # whether the item checks it instead of `checked`
    # name in a path, if not that of the field; empty if the item has that of the number
    path: str | None = None
    # of an item: why it does not use the number; empty if it does
    unless: Callable[[Any], str] | None = None

    def unit_of(self, item: Any) -> str:
        """Unit of the field of an item."""
        return self.unit(item) if callable(self.unit) else self.unit

    def checked(self, owner: str, field: str, value: Any, unit: str) -> Any:
        """Checked float, read-only array of the declared shape, or function."""
        if self.varies and varies_in_time(value):
            return value
        if self.samples and np.iterable(value) and not isinstance(value, str):
            return _samples(owner, field, value, unit)
        if self.check is not None:
            return self.check(owner, field, value)
        if not self.shape:
            return self.range.check(owner, field, value, unit)
        array = _check.array(owner, field, value, self.shape, unit)
        if self.range is not ANY:
            for k, entry in enumerate(array.ravel()):
                self.range.check(owner, f"{field}[{k}]", entry, unit)
        return array


def varies_in_time(value: Any) -> bool:
    """Whether a value is no number: a function, one in pieces, or a process of its own."""
    kind = type(value)
    return callable(value) or hasattr(kind, "pieces") or getattr(kind, "varying", False)


class Part(NamedTuple):
    """A field that holds another item, or several."""

    # name in a path, if not that of the field; empty if its numbers have that of the item
    path: str | None = None
    names: tuple[str, ...] = ()  # of several items, instead of indices 0, 1, ...
    # why fields of the item cannot be changed in a given holder, by name
    unless: Callable[[Any], Mapping[str, str]] | None = None


class Fixed(NamedTuple):
    """A field that cannot be changed by path, with the reason."""

    why: str


def number(
    unit: str | Callable[[Any], str] = "",
    range: Range = ANY,
    *,
    default: Any = dataclasses.MISSING,
    **more: Any,
) -> Any:
    """Field of a dataclass that holds a `Number`, of which `more` are further attributes."""
    return _field(Number(unit, range, **more), default)


def direction(*, default: Any = dataclasses.MISSING) -> Any:
    """Field of a dataclass that holds a direction (3,), stored with length one."""
    why = "a direction has length one"
    return number("", shape=(3,), whole=why, check=_check.unit_vector, default=default)


def part(
    *,
    default: Any = dataclasses.MISSING,
    path: str | None = None,
    names: tuple[str, ...] = (),
    unless: Callable[[Any], Mapping[str, str]] | None = None,
) -> Any:
    """Field of a dataclass that holds other items, a `Part`."""
    return _field(Part(path, names, unless), default)


def fixed(why: str, *, default: Any = dataclasses.MISSING, repr: bool = True) -> Any:
    """Field of a dataclass that cannot be changed by path."""
    return _field(Fixed(why), default, repr)


def declared(field: dataclasses.Field[Any]) -> Number | Part | Fixed | None:
    """Declaration of a field, if any."""
    return field.metadata.get(_KEY)


def checked(item: Any, owner: str) -> dict[str, Any]:
    """Numbers of an item by field, refused out of range; omitted optional ones stay None."""
    found: dict[str, Any] = {}
    for name, what, optional in _checked_fields(type(item)):
        value = getattr(item, name)
        if value is not None or not optional:
            found[name] = what.checked(owner, name, value, what.unit_of(item))
    return found


@cache
def _checked_fields(kind: type) -> tuple[tuple[str, Number, bool], ...]:
    """Name, declaration, and whether it may be omitted, of each number that `checked` checks."""
    declarations = [(field, declared(field)) for field in dataclasses.fields(kind)]
    return tuple(
        (field.name, what, field.default is None)
        for field, what in declarations
        if isinstance(what, Number) and not what.by_item
    )


class Checked:
    """Base of dataclasses whose declared numbers are checked when they are made."""

    def __post_init__(self) -> None:
        _check.store(self, **checked(self, type(self).__name__))


def _samples(owner: str, field: str, value: Any, unit: str) -> np.ndarray:
    """Read-only samples (m,), two or more."""
    samples = _check.array(owner, field, value, ("m",), unit)
    if samples.size < 2:
        remedy = "for a constant use a number"
        _check.refuse(owner, field, samples, "have 2 samples or more", remedy=remedy)
    return samples


def _field(what: Number | Part | Fixed, default: Any, repr: bool = True) -> Any:
    return dataclasses.field(default=default, repr=repr, metadata={_KEY: what})

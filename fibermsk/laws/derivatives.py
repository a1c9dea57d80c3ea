"""Derivatives of user-defined laws: as given, or by complex steps, which are exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from fibermsk.errors import ModelError
from fibermsk.laws.own import constant_values, law_label

STEP = 1e-50
"""Imaginary step: its square is negligible, products with it do not underflow."""


class Point(NamedTuple):
    """A function of a law with its arguments, for messages."""

    law: str
    function: str
    arguments: tuple[tuple[str, float, str], ...]

    def __str__(self) -> str:
        at = ", ".join(
            f"{name} = {value:.6g}{unit and ' '}{unit}" for name, value, unit in self.arguments
        )
        return f"{self.law}: {self.function} at {at}"


def fail(point: Point, is_: str, must: str, remedy: str = "") -> NoReturn:
    """Raise a ModelError at a point of a law."""
    raise ModelError(f"{point}: {is_}; must {must}{remedy and '; '}{remedy}")


def complex_step(function: Callable[..., Any], at: Sequence[float], i: int) -> float | None:
    """Complex-step derivative in argument i; None if the function takes no complex numbers."""
    moved: list[Any] = list(at)
    moved[i] = complex(at[i], STEP)
    try:
        with np.errstate(all="ignore"):
            return float(np.imag(function(*moved))) / STEP
    except (TypeError, ValueError, ArithmeticError):
        return None


def first(function: Callable[..., Any]) -> Callable[..., Any]:
    """Value of a function that may also return derivatives."""

    def value(*at: Any) -> Any:
        found = function(*at)
        return found[0] if isinstance(found, tuple) else found

    return value


def activation_rate(law: Any, excitation: float, activation: float) -> tuple[float, float, float]:
    """Rate of a checked law of activation, and its derivatives in both arguments [1/s]."""
    found = law.rate(excitation, activation)
    if isinstance(found, tuple):
        return float(found[0]), float(found[1]), float(found[2])
    by_e, by_a = (complex_step(law.rate, (excitation, activation), k) or 0.0 for k in (0, 1))
    return float(found), by_e, by_a


def stress_at(law: Any, stretch: float, rate: float, activation: float) -> tuple[float, ...]:
    """Nominal stress of a checked law, and derivatives in the stretch and the rate."""
    return _with_slopes(type(law).stress, constant_values(law), (stretch, rate, activation), 2)


def activation_slope_at(law: Any, stretch: float, rate: float, activation: float) -> float:
    """Derivative of the stress of a checked law in the activation, by a complex step.

    Raises
    ------
    ModelError
        If the law accepts no complex numbers.
    """
    kind, constants, at = type(law), constant_values(law), (stretch, rate, activation)
    slope = complex_step(lambda *x: first(kind.stress)(constants, *x), at, 2)
    if slope is None:
        fail(
            Point(f"law {law_label(kind)!r}", "stress", (("activation", activation, ""),)),
            "it accepts no complex activation",
            "accept complex numbers for the derivative in the activation",
            "np.exp accepts them and math.exp does not",
        )
    return slope


def value_and_slope(law: Any, name: str, x: float) -> tuple[float, ...]:
    """Value and derivative of a checked function of one number of a law."""
    return _with_slopes(getattr(type(law), name), constant_values(law), (x,), 1)


def _with_slopes(
    function: Callable[..., Any], constants: Any, at: tuple[float, ...], n: int
) -> tuple[float, ...]:
    found = function(constants, *at)
    if isinstance(found, tuple):
        return tuple(map(float, found))
    value = first(function)
    slopes = (complex_step(lambda *x: value(constants, *x), at, i) for i in range(n))
    return (float(found), *(0.0 if s is None else s for s in slopes))

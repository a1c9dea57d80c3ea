"""OpenSim's functions: one table from each function here to the one that is the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk import _check
from fibermsk.model.function import (
    Function,
    Linear,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
    Sine,
    SmoothStep,
)
from fibermsk.model.multivariate import MultivariatePolynomial
from fibermsk.write.osim.tree import leaf

Pairs: TypeAlias = Sequence[tuple[str, Function]]


def write_function(owner: str, parent: Element, function: Function) -> Element:
    """Add a function of one coordinate; `owner` names it in an error."""
    writer = FUNCTIONS.get(type(function))
    if writer is None:
        kinds = ", ".join(kind.__name__ for kind in FUNCTIONS)
        _check.refuse(
            owner, "function", type(function).__name__, f"be one of {kinds} in an OpenSim file",
            remedy="a SimmSpline through its points comes close",
        )  # fmt: skip
    return writer(owner, parent, function)


def write_terms(owner: str, parent: Element, pairs: Pairs, offset: float) -> list[str]:
    """Add a sum of functions of one coordinate each and an offset; return the coordinates."""
    names = [name for name, _ in pairs]
    functions: list[Any] = [function for _, function in pairs]
    if len(set(names)) < len(names):
        _check.refuse(
            owner, "terms", names, "name each coordinate once in an OpenSim file",
            remedy="add up its functions",
        )  # fmt: skip
    if not pairs:
        _constant(parent, offset)
    elif len(pairs) == 1:
        (one,) = functions
        if offset == 0.0:
            write_function(owner, parent, one)
        elif isinstance(one, Linear) and one.slope == 0.0:
            _constant(parent, one.intercept + offset)
        else:
            write_function(owner, parent, _raised(one, offset))
    elif all(isinstance(one, Linear) for one in functions):
        last = offset + sum(one.intercept for one in functions)
        coefficients = [*(one.slope for one in functions), last]
        leaf(SubElement(parent, "LinearFunction"), "coefficients", coefficients)
    elif all(isinstance(one, Scaled) and one.factor for one in functions) and (
        len({one.factor for one in functions}) == 1
    ):
        factor = functions[0].factor
        multiple = SubElement(parent, "MultiplierFunction")
        within = [(name, one.function) for name, one in zip(names, functions, strict=True)]
        write_terms(owner, SubElement(multiple, "function"), within, offset / factor)
        leaf(multiple, "scale", factor)
    else:
        kinds = [type(one).__name__ for one in functions]
        _check.refuse(
            owner, "terms", kinds, "be Linear where they are several, in an OpenSim file",
            remedy="give each of them an axis of its own",
        )  # fmt: skip
    return names


def write_polynomial(parent: Element, function: MultivariatePolynomial) -> None:
    """Add a polynomial of several coordinates: all powers up to its order, the last one fastest."""
    powers = np.asarray(function.powers)
    order, dimension = int(powers.sum(axis=1).max(initial=0)), powers.shape[1]
    given = dict(zip(map(tuple, powers.tolist()), np.asarray(function.coefficients), strict=True))
    every = product(range(order + 1), repeat=dimension)
    found = SubElement(parent, "MultivariatePolynomialFunction")
    values = [given.get(one, 0.0) for one in every if sum(one) <= order]
    leaf(found, "dimension", str(dimension))
    leaf(found, "order", str(order))
    leaf(found, "coefficients", values)


def _constant(parent: Element, value: float) -> None:
    leaf(SubElement(parent, "Constant"), "value", value)


def _raised(function: Any, offset: float) -> Any:
    """A function with an offset added."""
    match function:
        case Linear():
            return replace(function, intercept=function.intercept + offset)
        case Polynomial():
            first, *others = np.asarray(function.coefficients)
            return Polynomial([first + offset, *others])
        case Sine():
            return replace(function, offset=function.offset + offset)
        case SmoothStep():
            return replace(function, before=function.before + offset, after=function.after + offset)
        case SimmSpline() | PiecewiseLinear() | NaturalSpline():
            return replace(function, y=np.asarray(function.y) + offset)
        case Scaled() if function.factor:
            return replace(function, function=_raised(function.function, offset / function.factor))
    return function


def _linear(owner: str, parent: Element, function: Linear) -> Element:
    found = SubElement(parent, "LinearFunction")
    leaf(found, "coefficients", [function.slope, function.intercept])
    return found


def _polynomial(owner: str, parent: Element, function: Polynomial) -> Element:
    found = SubElement(parent, "PolynomialFunction")
    leaf(found, "coefficients", np.asarray(function.coefficients)[::-1])
    return found


def _scaled(owner: str, parent: Element, function: Scaled) -> Element:
    found = SubElement(parent, "MultiplierFunction")
    write_function(owner, SubElement(found, "function"), function.function)
    leaf(found, "scale", function.factor)
    return found


def _points(tag: str) -> Callable[[str, Element, Any], Element]:
    """Writer of a function through points."""

    def write(owner: str, parent: Element, function: SimmSpline | PiecewiseLinear) -> Element:
        found = SubElement(parent, tag)
        leaf(found, "x", function.x)
        leaf(found, "y", function.y)
        return found

    return write


def _constants(owner: str, parent: Element, function: PiecewiseConstant) -> Element:
    found = SubElement(parent, "PiecewiseConstantFunction")
    leaf(found, "x", np.asarray(function.x)[:-1])  # OpenSim's last value goes on
    leaf(found, "y", function.y)
    return found


def _sine(owner: str, parent: Element, function: Sine) -> Element:
    found = SubElement(parent, "Sine")
    leaf(found, "amplitude", function.amplitude)
    leaf(found, "omega", function.rate)
    leaf(found, "phase", function.phase)
    leaf(found, "offset", function.offset)
    return found


def _step(owner: str, parent: Element, function: SmoothStep) -> Element:
    found = SubElement(parent, "StepFunction")
    leaf(found, "transition_start_time", function.start)
    leaf(found, "transition_end_time", function.end)
    leaf(found, "start_value", function.before)
    leaf(found, "end_value", function.after)
    return found


def _natural(owner: str, parent: Element, function: NaturalSpline) -> Element:
    least, n = function.degree + 1, np.size(function.x)
    if n < least:
        must = f"be {least} or more for degree {function.degree} in an OpenSim file"
        _check.refuse(owner, "points of a NaturalSpline", n, must)
    found = SubElement(parent, "GCVSpline")
    leaf(found, "half_order", str((function.degree + 1) // 2))
    leaf(found, "error_variance", 0.0)
    leaf(found, "x", function.x)
    leaf(found, "weights", np.ones(n))
    leaf(found, "y", function.y)
    return found


FUNCTIONS: dict[type, Callable[[str, Element, Any], Element]] = {
    Linear: _linear,
    Polynomial: _polynomial,
    PiecewiseConstant: _constants,
    PiecewiseLinear: _points("PiecewiseLinearFunction"),
    NaturalSpline: _natural,
    Scaled: _scaled,
    SimmSpline: _points("SimmSpline"),
    Sine: _sine,
    SmoothStep: _step,
}
"""Writer of each function; others are refused by name."""

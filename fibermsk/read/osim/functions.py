"""OpenSim's functions of one coordinate, and linear ones of several."""

from __future__ import annotations

from itertools import product

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model.function import (
    DEGREES,
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
from fibermsk.read.osim.document import Document
from fibermsk.read.xml_tree import Element

SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")
"""Names of the same spline in different versions."""
FUNCTIONS = (
    *SPLINES,
    "LinearFunction",
    "Constant",
    "PolynomialFunction",
    "PiecewiseLinearFunction",
    "MultiplierFunction",
    "Sine",
    "StepFunction",
    "GCVSpline",
)
MULTIVARIATE = "MultivariatePolynomialFunction"
"""A function of several coordinates, which couplings have."""
_MOST_ORDER, _MOST_COORDINATES = 8, 6
_MOST_POINTS = 2000
"""Points of a spline that smooths them: its matrix is full."""
JUMPS = "PiecewiseConstantFunction"
"""A function that no joint and no motion can follow."""


def function_in(document: Document, element: Element | None) -> Element | None:
    """Function in an element; None if it is empty."""
    if element is None or element.tag in (*FUNCTIONS, MULTIVARIATE):
        return element
    inside = element.children
    if len(inside) > 1:
        found = ", ".join(child.label for child in inside)
        document.fail(element, f"holds {found[:200]}", "must contain one function")
    for child in inside:
        child.seen = True
    return inside[0] if inside else None


def property_function(document: Document, element: Element, name: str) -> Element | None:
    """Function of a property, written <name><F>...</F></name> or <F name="name">."""
    named = [child for child in element.children if child.name == name]
    for child in named:
        child.seen = True
    if len(named) > 1:
        document.fail(named[1], f"is a second {name}", "must be given once")
    return named[0] if named else function_in(document, document.child(element, name))


def read_function(document: Document, element: Element) -> Function:
    """Function of one coordinate."""
    terms, offset = read_terms(document, element, 1)
    return terms[0] if terms else Linear(0.0, offset)


def read_input(document: Document, element: Element) -> Function:
    """Function of time that moves nothing, such as of a force, which may jump."""
    if element.tag != JUMPS:
        return read_function(document, element)
    element.seen = True
    x, y = _points(document, element)
    if x.size == 1:
        return Linear(0.0, float(y[0]))
    with document.naming(element):
        # each value up to the next point, the last one on
        return PiecewiseConstant([*x, 2.0 * x[-1] - x[-2]], y)


def read_terms(
    document: Document, element: Element, n_coordinates: int
) -> tuple[list[Function], float]:
    """Function of several coordinates as a sum of functions of one each, and a constant.

    The terms are empty for a constant. With one coordinate the constant is part of its term.
    """
    element.seen = True
    tag = element.tag
    if tag == "MultiplierFunction":
        inner = function_in(document, property_function(document, element, "function"))
        if inner is None:
            document.fail(element, "has no function", "must contain one in <function>")
        factor = document.number(element, "scale", default=1.0)
        terms, offset = read_terms(document, inner, n_coordinates)
        with document.naming(element):
            return [scaled(term, factor) for term in terms], factor * offset
    if tag == "Constant":
        return [], document.number(element, "value", default=0.0)
    if tag == "LinearFunction":
        found = document.child(element, "coefficients")
        values = np.array([1.0, 0.0]) if found is None else document.numbers(found)
        if values.size != n_coordinates + 1:
            document.fail(
                found or element,
                f"has {values.size} coefficients",
                f"must have {n_coordinates + 1}, one for each of {n_coordinates} coordinates and "
                "the constant",
            )
        if n_coordinates == 1:
            return [Linear(float(values[0]), float(values[1]))], 0.0
        return [Linear(float(slope)) for slope in values[:-1]], float(values[-1])
    if tag == JUMPS:
        document.fail(
            element,
            "jumps from value to value",
            "must be a continuous function, since what it moves has a velocity",
            "fit a SimmSpline to it, or use StepFunctions",
        )
    if tag == MULTIVARIATE and n_coordinates == 1:
        with document.naming(element):
            return [Polynomial(read_polynomial(document, element, 1).coefficients)], 0.0
    if tag == MULTIVARIATE:
        document.fail(
            element,
            f"is a polynomial of {n_coordinates} coordinates",
            "must be a sum of functions of one coordinate each, except in a coupler",
            "couple a further coordinate to them, and let it move the axis",
        )
    if tag not in FUNCTIONS:
        document.fail(
            element,
            "is a function that is not understood",
            f"must be one of {', '.join(FUNCTIONS)}",
            "fit a SimmSpline to it",
        )
    if n_coordinates != 1:
        document.fail(
            element,
            f"is a function of {n_coordinates} coordinates",
            "must be a function of one; only LinearFunction takes several",
        )
    with document.naming(element):
        if tag == "PolynomialFunction":
            found = document.child(element, "coefficients")
            descending = np.array([1.0]) if found is None else document.numbers(found)
            return [Polynomial(descending[::-1])], 0.0
        if tag == "Sine":
            named = ("amplitude", 1.0), ("omega", 1.0), ("phase", 0.0), ("offset", 0.0)
            return [Sine(*_numbers(document, element, named))], 0.0
        if tag == "StepFunction":
            times = ("transition_start_time", 0.99), ("transition_end_time", 1.01)
            named = *times, ("start_value", 0.0), ("end_value", 1.0)
            return [SmoothStep(*_numbers(document, element, named))], 0.0
        x, y = _points(document, element)
        if tag == "GCVSpline":
            return [_natural(document, element, x, y)], 0.0
        if x.size == 1:
            return [], float(y[0])
        spline = SimmSpline if tag in SPLINES else PiecewiseLinear
        return [spline(x, y)], 0.0


def _points(document: Document, element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Abscissas and values of an interpolated function."""
    points = []
    for tag in ("x", "y"):
        found = document.child(element, tag)
        if found is None:
            document.fail(element, f"has no <{tag}>", "must list its points")
        points.append(document.numbers(found))
    x, y = points
    if x.size != y.size or x.size == 0:
        document.fail(
            element, f"has {x.size} x and {y.size} y", "must have as many of both, one or more"
        )
    return x, y


def _numbers(
    document: Document, element: Element, named: tuple[tuple[str, float], ...]
) -> list[float]:
    """Numbers by name, or their default."""
    return [document.number(element, name, default=usual) for name, usual in named]


def _natural(document: Document, element: Element, x: Array, y: Array) -> NaturalSpline:
    """GCVSpline through its points, or through those to which its error variance smooths them."""
    through = NaturalSpline(x, y, _degree(document, element, x.size))
    variance = document.number(element, "error_variance", default=0.0)
    if variance == 0.0:
        return through
    if x.size > _MOST_POINTS:
        must = f"must have {_MOST_POINTS} or fewer, where error_variance smooths them"
        document.fail(element, f"has {x.size} points", must)
    from fibermsk.read.smoothing_spline import smoothed_values  # SciPy, which few files need

    said = "by cross-validation" if variance < 0.0 else f"by an error variance of {variance:g}"
    document.note(element, f"goes through points that are smoothed {said}, as in OpenSim")
    own = None if variance < 0.0 else variance
    values = smoothed_values(np.asarray(through.x), np.asarray(through.y), through.degree, own)
    return NaturalSpline(x, values, through.degree)


def _degree(document: Document, element: Element, n_points: int) -> int:
    """Degree of a GCVSpline."""
    half = document.number(element, "half_order", default=0.0)
    for tag in ("weights", "coefficients"):  # OpenSim takes weights of 1, and fits anew
        document.child(element, tag)
    degree = 2 * int(half) - 1
    if half != int(half) or degree not in DEGREES:
        document.fail(element, f"half_order = {half:g}", "must be 1, 2, 3 or 4")
    if n_points < degree + 1:
        what = f"has {n_points} points"
        document.fail(element, what, f"must have {degree + 1} or more, as in OpenSim")
    return degree


def read_polynomial(
    document: Document, element: Element, n_coordinates: int
) -> MultivariatePolynomial:
    """Polynomial of several coordinates; powers of the last one vary fastest."""
    element.seen = True
    dimension = document.number(element, "dimension", default=0.0)
    order = document.number(element, "order", default=0.0)
    if dimension != n_coordinates:
        document.fail(element, f"dimension = {dimension:g}", f"must be {n_coordinates}")
    if order != int(order) or not 0 <= order <= _MOST_ORDER:
        document.fail(element, f"order = {order:g}", f"must be a whole number up to {_MOST_ORDER}")
    if n_coordinates > _MOST_COORDINATES:
        must = f"must have {_MOST_COORDINATES} or fewer"
        document.fail(element, f"has {n_coordinates} coordinates", must)
    every = product(range(int(order) + 1), repeat=n_coordinates)
    powers = [one for one in every if sum(one) <= order]
    found = document.child(element, "coefficients")
    values = np.zeros(0) if found is None else document.numbers(found)
    if values.size != len(powers):
        document.fail(element, f"has {values.size} coefficients", f"must have {len(powers)}")
    with document.naming(element):
        return MultivariatePolynomial(powers, values)


def scaled(function: Function, factor: float) -> Function:
    """A multiple of a function; of a line, another line."""
    if isinstance(function, Linear):
        return Linear(factor * function.slope, factor * function.intercept)
    return function if factor == 1.0 else Scaled(function, factor)

"""OpenSim's functions of one coordinate, and linear ones of several."""

from __future__ import annotations

import numpy as np

from fibermsk.model.function import (
    Function,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)
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
)


def function_in(document: Document, element: Element | None) -> Element | None:
    """Function in an element; None if it is empty."""
    if element is None or element.tag in FUNCTIONS:
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
            return [Scaled(term, factor) for term in terms], factor * offset
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
        x, y = _points(document, element)
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

"""Constraints: couplings of coordinates, and elements that hold points and frames of bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fibermsk.model.function import Linear
from fibermsk.model.multivariate import MultivariatePolynomial
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.functions import (
    MULTIVARIATE,
    function_in,
    read_function,
    read_polynomial,
    read_terms,
    scaled,
)
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.xml_tree import Element

COUPLER = "CoordinateCouplerConstraint"
HOLDING = (
    "PointConstraint",
    "WeldConstraint",
    "ConstantDistanceConstraint",
    "PointOnLineConstraint",
)
"""Constraints of points and frames of bodies."""

ROLLING = (
    "a body does not roll on its surface: friction decides at each moment whether it rolls, and "
    "its velocities do not follow from any positions; a contact with friction does the same"
)
CONSEQUENCES = {"RollingOnSurfaceConstraint": ROLLING}


@dataclass
class Listed:
    """Constraints of a file that are enforced, with their elements."""

    couplings: list[tuple[Element, Coupling]] = field(default_factory=list)
    holding: list[Element] = field(default_factory=list)


def read_constraints(document: Document, coordinates: dict[str, CoordinateEntry]) -> Listed:
    """Couplings of a file, and constraints of bodies; others are reported."""
    listed = document.objects(document.model, "ConstraintSet")
    listed = [*listed, *document.parts(document.model, COUPLER, *HOLDING, *CONSEQUENCES)]
    found = Listed()
    for element in listed:
        disabled = document.flag(element, "isDisabled", default=False)
        enforced = document.flag(element, "isEnforced", default=not disabled)
        if not enforced:
            element.leave()
            document.note(element, f"the {element.tag} is disabled in the file: not imported")
        elif element.tag == COUPLER:
            element.seen = True
            found.couplings.append((element, _coupling(document, element, coordinates)))
        elif element.tag in HOLDING:
            element.seen = True
            found.holding.append(element)
        else:
            element.leave()
            means = CONSEQUENCES.get(element.tag, "it does not restrict the motion")
            text = f"the {element.tag} is NOT ENFORCED: {means}, and the model moves differently"
            document.not_understood(element, text)
    return found


def _coupling(
    document: Document, element: Element, coordinates: dict[str, CoordinateEntry]
) -> Coupling:
    """Coupling of one constraint."""
    independent = document.words(element, "independent_coordinate_names")
    dependent = document.text(element, "dependent_coordinate_name")
    for name in [*independent, dependent]:
        if name not in coordinates:
            document.fail(
                element, f"couples {name[:80]!r}", "must couple coordinates of joints of the model"
            )
    if not independent:
        document.fail(element, "names no independent coordinate", "must name one or more")
    function = function_in(document, document.child(element, "coupled_coordinates_function"))
    if function is None:
        document.fail(element, "has no function", "must give a coupled_coordinates_function")
    factor = document.number(element, "scale_factor", default=1.0)
    with document.naming(element):
        if function.tag == MULTIVARIATE:
            polynomial = read_polynomial(document, function, len(independent))
            values = factor * np.asarray(polynomial.coefficients)
            polynomial = MultivariatePolynomial(polynomial.powers, values)
            return Coupling(dependent, polynomial, independent)
        if len(independent) == 1:
            shape = scaled(read_function(document, function), factor)
            return Coupling(dependent, shape, independent[0])
        terms, offset = read_terms(document, function, len(independent))
        # of several coordinates, only lines are understood
        lines: list[Any] = [
            scaled(one, factor) for one in terms or [Linear(0.0)] * len(independent)
        ]
        lines[-1] = Linear(lines[-1].slope, lines[-1].intercept + factor * offset)
        return Coupling(dependent, lines, independent)

"""Elements of a model whose bodies are scaled, by the rules of OpenSim.

It scales paths with their rest lengths, and frames and stations that are fixed to bodies. It leaves
points that are given in bodies: those of springs, formulas and constraints between points, of
contact geometry and of prescribed forces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.forces import (
    Bushing,
    ClutchedSpring,
    EllipsoidContact,
    ExternalForce,
    ForcePair,
    Ligament,
    MeshContact,
    PathActuator,
    PathFormula,
    PathSpring,
    PneumaticActuator,
    PointConstraint,
    PointContact,
    PointFormula,
    PointOnLineConstraint,
    PointSpring,
    SphereContact,
    ToeLigament,
    WeldConstraint,
)
from fibermsk.model import Body, LineMuscle, Model

_REST: dict[type, str] = {
    Ligament: "rest_length",
    PathFormula: "rest_length",
    PathSpring: "rest_length",
    ToeLigament: "slack_length",
}
"""Length of each class of elements along paths that follows this path."""

_DRIVEN = ClutchedSpring, PathActuator, PneumaticActuator
"""Classes along paths without such a length."""

_FRAMED = Bushing, WeldConstraint
_LEFT = (
    EllipsoidContact, ExternalForce, ForcePair, MeshContact, PointConstraint, PointFormula,
    PointOnLineConstraint, PointSpring, SphereContact,
)  # fmt: skip


def along_paths(model: Model) -> Iterator[Any]:
    """Elements along paths."""
    return (one for one in model.elements if isinstance(one, (*_REST, *_DRIVEN)))


def rest_of(element: Any) -> dict[str, float]:
    """The length that follows the path, by its name; empty for an element without one."""
    field = _REST.get(type(element))
    return {} if field is None else {field: getattr(element, field)}


def as_muscle(element: Any) -> LineMuscle:
    """A line muscle along the path of an element."""
    return LineMuscle(
        element.name,
        element.points,
        wraps=element.wraps,
        max_isometric_force=1.0,
        optimal_fiber_length=1.0,
        tendon_slack_length=1.0,
    )


def placed_elements(model: Model, of: Callable[[Body], Array]) -> dict[Any, dict[str, Any]]:
    """New fields of elements with frames in bodies; `of` has the factors (3,) of a body."""
    found = dict[Any, dict[str, Any]]()
    for one in model.elements:
        if isinstance(one, _FRAMED):
            ends = {"first": one.first, "second": one.second}
            found[one] = {
                name: end.body.at(of(end.body) * np.asarray(end.position))
                for name, end in ends.items()
            }
        elif isinstance(one, PointContact):  # a marker or station, which OpenSim scales
            body = one.point.body
            found[one] = {"point": body.at(of(body) * np.asarray(one.point.position))}
    return found


def left_elements(model: Model, factors: Mapping[str, Array]) -> tuple[str, ...]:
    """Names of elements with points on scaled bodies that stay where they are."""
    return tuple(
        one.name
        for one in model.elements
        if isinstance(one, _LEFT) and any(body.name in factors for body in one.bodies)
    )

"""Actuators of a file: what they drive, kept until they get a control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model.function import Function, Scaled
from fibermsk.model.model import Model
from fibermsk.read.osim.forces.elements import make
from fibermsk.read.osim.forces.paths import coordinate_of
from fibermsk.read.osim.forces.source import Source
from fibermsk.read.xml_tree import Element

Control = Function | float


class Actuator(NamedTuple):
    """An actuator of a file. Bodies are names, so that it holds for changed models too.

    Attributes
    ----------
    kind : str
        Its class in OpenSim.
    optimal_force : float
        Force or torque at a control of one [N or N m].
    arguments : dict
        What its element needs.
    """

    kind: str
    optimal_force: float
    arguments: dict[str, Any]

    def element(self, name: str, model: Model, control: Any) -> Any:
        """Element of the actuator under a control."""
        given = dict(self.arguments)
        for field in ("body", "first", "second"):
            if field in given:
                body = model.body(given[field])
                place = given.pop(f"{field}_at", None)
                given[field] = body if place is None else body.at(place)
        size = self.optimal_force
        drive: Any = Scaled(control, size) if hasattr(control, "pieces") else size * control
        if self.kind == "PointActuator":
            direction = given.pop("direction")
            force = drive * direction if isinstance(drive, float) else Along(drive, direction)
            return make("ExternalForce", name, given | {"force": force})
        kind, field = _MADE[self.kind]
        return make(kind, name, given | {field: drive})


class Along:
    """A function of time along a direction, (3,)."""

    def __init__(self, function: Function, direction: Array) -> None:
        self._pieces, self._direction = function.pieces(), direction
        self.breakpoints = getattr(function, "breakpoints", self._pieces.knots)

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s], (3,)."""
        return float(self._pieces(t)) * self._direction


_MADE = {
    "CoordinateActuator": ("CoordinateActuator", "force"),
    "TorqueActuator": ("TorquePair", "torque"),
    "PointToPointActuator": ("ForcePair", "force"),
}
"""Element of each class, and its field that the control drives."""


def _on_coordinate(source: Source, element: Element) -> dict[str, Any] | None:
    name = coordinate_of(source.document, source.coordinates, element, "coordinate")
    return None if name is None else {"coordinate": name}


def _at_point(source: Source, element: Element) -> dict[str, Any] | None:
    document = source.document
    direction = document.vector(element, 3, "direction", default=(1.0, 0.0, 0.0))
    of_ground = document.flag(element, "force_is_global", default=False)
    at_ground = document.flag(element, "point_is_global", default=False)
    return {
        "body": source.frames.of(element, "body").body,
        "at": document.vector(element, 3, "point", default=(0.0, 0.0, 0.0)),
        "direction": direction / (np.linalg.norm(direction) or 1.0),
        "frame": "ground" if of_ground else "body",
        "at_frame": "ground" if at_ground else "body",
    }


def _torque(source: Source, element: Element) -> dict[str, Any] | None:
    document = source.document
    of_ground = document.flag(element, "torque_is_global", default=True)
    return {
        "first": source.frames.of(element, "bodyA").body,
        "second": source.frames.of(element, "bodyB").body,
        "axis": document.vector(element, 3, "axis", default=(0.0, 0.0, 1.0)),
        "frame": "ground" if of_ground else "first",
    }


def _between_points(source: Source, element: Element) -> dict[str, Any] | None:
    document = source.document
    if document.flag(element, "points_are_global", default=False):
        return None
    return {
        "first": source.frames.of(element, "bodyA").body,
        "first_at": document.vector(element, 3, "pointA", default=(0.0, 0.0, 0.0)),
        "second": source.frames.of(element, "bodyB").body,
        "second_at": document.vector(element, 3, "pointB", default=(0.0, 0.0, 0.0)),
    }


READERS: dict[str, Callable[[Source, Element], dict[str, Any] | None]] = {
    "CoordinateActuator": _on_coordinate,
    "PointActuator": _at_point,
    "TorqueActuator": _torque,
    "PointToPointActuator": _between_points,
}


def read_actuators(source: Source, found: list[Element]) -> dict[str, Actuator]:
    """Actuators of a file by name, with a note about each."""
    document, actuators = source.document, dict[str, Actuator]()
    for element in found:
        element.seen = True
        for tag in ("min_control", "max_control"):
            document.child(element, tag)  # OpenSim does not enforce them
        optimal = document.number(element, "optimal_force", default=1.0)
        given = READERS[element.tag](source, element)
        if given is None or not element.name or element.name in actuators:
            element.leave()
            text = "is not imported: it has no name of its own, no coordinate, or points in ground"
            document.note(element, f"the {element.tag} {text}")
            continue
        actuators[element.name] = Actuator(element.tag, optimal, given)
        text = f"the {element.tag} acts with a control only: fm.with_actuators gives it one"
        document.note(element, text)
    return actuators

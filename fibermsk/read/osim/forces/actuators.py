"""Actuators of a file: what they drive, kept until they get a control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model.function import Function, Scaled
from fibermsk.model.in_time import InTime
from fibermsk.model.model import Model
from fibermsk.parameters.revise import rebound
from fibermsk.read.osim.forces.elements import make
from fibermsk.read.osim.forces.lines import read_path
from fibermsk.read.osim.forces.paths import coordinate_of
from fibermsk.read.osim.forces.source import Source
from fibermsk.read.xml_tree import Element

Control = Function | float


class Actuator(NamedTuple):
    """An actuator of a file. Bodies are names, or found by name, so that changed models have it.

    Attributes
    ----------
    kind : str
        Its class in OpenSim.
    optimal_force : float
        Force or torque at a control of one [N or N m].
    arguments : dict
        What its element needs.
    limits : tuple of str
        Least and largest control in the file, empty if left out; OpenSim enforces neither.
    """

    kind: str
    optimal_force: float
    arguments: dict[str, Any]
    limits: tuple[str, str] = ("", "")

    @property
    def n_controls(self) -> int:
        """Number of its controls."""
        return SIX if self.kind == "BodyActuator" else 1

    def element(self, name: str, model: Model, control: Any) -> Any:
        """Element of the actuator under a control; under several if it has `n_controls`."""
        given = dict(self.arguments)
        for field in ("body", "first", "second"):
            if field in given:
                body = model.body(given[field])
                place = given.pop(f"{field}_at", None)
                given[field] = body if place is None else body.at(place)
        if "points" in given:
            old = [one.body for one in given["points"]]
            old += [one.shape.body for one in given["wraps"]]
            new = {id(one): model.body(one.name) for one in old}
            given |= {field: rebound(given[field], new) for field in ("points", "wraps")}
        if self.kind == "BodyActuator":
            # three controls of the torque, and then three of the force
            torque, force = (Together(control[k : k + 3]).value() for k in (0, 3))
            return make("ExternalForce", name, given | {"force": force, "torque": torque})
        kind, field = _MADE[self.kind]
        if self.kind in _PLAIN:
            return make(kind, name, given | {field: control})
        size = self.optimal_force
        drive: Any = Scaled(control, size) if hasattr(control, "pieces") else size * control
        if self.kind == "PointActuator":
            direction = given.pop("direction")
            drive = drive * direction if isinstance(drive, float) else Along(drive, direction)
        return make(kind, name, given | {field: drive})

    def held(self, model: Model) -> bool:
        """Whether it acts on a coordinate that is locked or prescribed: without effect."""
        name = self.arguments.get("coordinate")
        if name is None:
            return False
        one = model.coordinate(name)
        return one.locked or one.prescribed is not None


class Along:
    """A function of time along a direction, (3,)."""

    def __init__(self, function: Function, direction: Array) -> None:
        self._pieces, self._direction = function.pieces(), direction
        self.breakpoints = getattr(function, "breakpoints", self._pieces.knots)

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s], (3,)."""
        return float(self._pieces(t)) * self._direction


class Together:
    """Three controls as one function of time, (3,)."""

    def __init__(self, controls: Sequence[Control]) -> None:
        self._given = [InTime(one) for one in controls]
        self._constant = all(isinstance(one, float) for one in controls)
        knots = [np.asarray(one.breakpoints, float) for one in self._given]
        self.breakpoints = np.unique(np.concatenate(knots))

    def __call__(self, t: float = 0.0) -> Any:
        """Evaluate at a time [s], (3,)."""
        return np.array([one(t) for one in self._given])

    def value(self) -> Any:
        """The three numbers if all are constant, else the function."""
        return self() if self._constant else self


SIX = 6
"""Controls of a BodyActuator."""

_MADE = {
    "ActivationCoordinateActuator": ("ActivationActuator", "excitation"),
    "ClutchedPathSpring": ("ClutchedSpring", "control"),
    "CoordinateActuator": ("CoordinateActuator", "force"),
    "McKibbenActuator": ("PneumaticActuator", "pressure"),
    "PathActuator": ("PathActuator", "force"),
    "PointActuator": ("ExternalForce", "force"),
    "PointToPointActuator": ("ForcePair", "force"),
    "TorqueActuator": ("TorquePair", "torque"),
}
"""Element of each class, and its field that the control drives."""

_PLAIN = "ActivationCoordinateActuator", "ClutchedPathSpring", "McKibbenActuator"
"""Classes whose control is not multiplied by the optimal force."""


def _on_coordinate(source: Source, element: Element) -> dict[str, Any] | None:
    name = coordinate_of(source.document, source.coordinates, element, "coordinate")
    return None if name is None else {"coordinate": name}


def _lagging(source: Source, element: Element) -> dict[str, Any] | None:
    document, given = source.document, _on_coordinate(source, element)
    return given and given | {
        "force": document.number(element, "optimal_force", default=1.0),
        "time_constant": document.number(element, "activation_time_constant", default=0.01),
        "start": document.number(element, "default_activation", default=0.5),
    }


def _on_body(source: Source, element: Element) -> dict[str, Any] | None:
    document, frame = source.document, source.frames.of(element, "body")
    of_ground = document.flag(element, "spatial_force_is_global", default=True)
    at_ground = document.flag(element, "point_is_global", default=False)
    return {
        "body": frame.body,
        "at": document.vector(element, 3, "point", default=(0.0, 0.0, 0.0)),
        "frame": "ground" if of_ground else "body",
        "at_frame": "ground" if at_ground else "body",
    }


def _pneumatic(source: Source, element: Element) -> dict[str, Any] | None:
    document, path = source.document, read_path(source, element)
    return path and path | {
        "turns": document.number(element, "number_of_turns", default=1.5),
        "thread_length": document.number(element, "thread_length", default=200.0),
        "cord_length": document.number(element, "cord_length", default=0.0),
    }


def _clutched(source: Source, element: Element) -> dict[str, Any] | None:
    document, path = source.document, read_path(source, element)
    return path and path | {
        "stiffness": document.number(element, "stiffness"),
        "dissipation": document.number(element, "dissipation"),
        "time_constant": document.number(element, "relaxation_time_constant", default=0.001),
        "start": document.number(element, "initial_stretch", default=0.0),
    }


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
    "ActivationCoordinateActuator": _lagging,
    "BodyActuator": _on_body,
    "ClutchedPathSpring": _clutched,
    "McKibbenActuator": _pneumatic,
    "PathActuator": read_path,
    "CoordinateActuator": _on_coordinate,
    "PointActuator": _at_point,
    "TorqueActuator": _torque,
    "PointToPointActuator": _between_points,
}


def _text(element: Element | None) -> str:
    return "" if element is None else element.text.strip()


_ALONG_PATHS = "ClutchedPathSpring", "McKibbenActuator", "PathActuator"


def read_actuators(source: Source, found: list[Element]) -> dict[str, Actuator]:
    """Actuators of a file by name, with a note about each."""
    document, actuators = source.document, dict[str, Actuator]()
    for element in found:
        element.seen = True
        low, high = (_text(document.child(element, f"{end}_control")) for end in ("min", "max"))
        optimal = document.number(element, "optimal_force", default=1.0)
        given = READERS[element.tag](source, element)
        if given is None and element.tag in _ALONG_PATHS:
            continue  # the report says so
        if given is None or not element.name or element.name in actuators:
            element.leave()
            text = "is not imported: it has no name of its own, no coordinate, or points in ground"
            document.note(element, f"the {element.tag} {text}")
            continue
        actuators[element.name] = Actuator(element.tag, optimal, given, (low, high))
        text = f"the {element.tag} acts with a control only: fm.with_actuators gives it one"
        if given.get("start") and element.tag == "ActivationCoordinateActuator":
            text = (
                f"the {element.tag} does NOT ACT without a control: in OpenSim its activation "
                "falls from default_activation, as here by fm.with_actuators with the control 0"
            )
            document.not_understood(element, text)
            continue
        document.note(element, text)
    return actuators

"""Actuators that a model was read with, which act under a control: one table by class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from fibermsk.errors import ModelError
from fibermsk.model.model import Model
from fibermsk.read.osim.forces.actuators import SIX, Actuator
from fibermsk.write.osim.bodies import Bodies
from fibermsk.write.osim.muscles import write_path
from fibermsk.write.osim.tree import leaf, named


def write_actuators(
    forces: Element, model: Model, actuators: Mapping[str, Actuator], bodies: Bodies
) -> None:
    """Add actuators whose bodies and coordinates the model still has; others are noted."""
    taken = {str(one.get("name")) for one in forces}
    for name, one in actuators.items():
        try:
            # with the bodies of this model, under any control
            item: Any = one.element(name, model, [0.0] * SIX if one.n_controls == SIX else 0.0)
            known = one.arguments.get("coordinate") in (None, *bodies.names.coordinates)
        except ModelError:  # a body that the model has no more
            item, known = None, False
        if not known or name in taken:
            bodies.notes.add("actuators are left out", f"{name} ({one.kind})")
            continue
        force = named(forces, one.kind, name)
        leaf(force, "appliesForce", True)
        for tag, limit in zip(("min_control", "max_control"), one.limits, strict=True):
            if limit:
                leaf(force, tag, limit)
        for write in WRITERS[one.kind]:
            write(force, one, item, model, bodies)


def _numbers(**tags: str) -> Callable[..., None]:
    """Writer of arguments by their tags."""

    def write(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
        for tag, field in tags.items():
            leaf(force, tag, one.arguments[field])

    return write


def _coordinate(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    leaf(force, "coordinate", bodies.names.coordinates[one.arguments["coordinate"]])


def _force(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    leaf(force, "optimal_force", one.optimal_force)


def _path(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    write_path(force, model, item, str(force.get("name")), bodies)


def _place(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    leaf(force, "point", one.arguments["at"])
    leaf(force, "point_is_global", one.arguments["at_frame"] == "ground")


def _body(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    leaf(force, "socket_body", bodies.names.frame(item.body))
    _place(force, one, item, model, bodies)
    leaf(force, "spatial_force_is_global", one.arguments["frame"] == "ground")


def _point(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    leaf(force, "body", _plain(bodies, item.body))
    _place(force, one, item, model, bodies)
    leaf(force, "direction", one.arguments["direction"])
    leaf(force, "force_is_global", one.arguments["frame"] == "ground")


def _torque(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    leaf(force, "bodyA", _plain(bodies, item.first))
    leaf(force, "bodyB", _plain(bodies, item.second))
    leaf(force, "axis", one.arguments["axis"])
    leaf(force, "torque_is_global", one.arguments["frame"] == "ground")


def _pair(force: Element, one: Actuator, item: Any, model: Model, bodies: Bodies) -> None:
    for letter, station in zip("AB", (item.first, item.second), strict=True):
        leaf(force, f"body{letter}", _plain(bodies, station.body))
        leaf(force, f"point{letter}", station.position)


def _plain(bodies: Bodies, body: Any) -> str:
    """Name of a body without a path, as actuators give it."""
    return bodies.names.frame(body).rpartition("/")[2]


WRITERS: dict[str, tuple[Callable[..., None], ...]] = {
    "ActivationCoordinateActuator": (
        _coordinate,
        _force,
        _numbers(activation_time_constant="time_constant", default_activation="start"),
    ),
    "BodyActuator": (_body,),
    "ClutchedPathSpring": (
        _path,
        _numbers(stiffness="stiffness", dissipation="dissipation",
                 relaxation_time_constant="time_constant", initial_stretch="start"),
    ),
    "CoordinateActuator": (_coordinate, _force),
    "McKibbenActuator": (
        _path,
        _numbers(number_of_turns="turns", thread_length="thread_length",
                 cord_length="cord_length"),
    ),
    "PathActuator": (_path, _force),
    "PointActuator": (_point, _force),
    "PointToPointActuator": (_pair, _force),
    "TorqueActuator": (_torque, _force),
}  # fmt: skip
"""What each class of OpenSim has."""

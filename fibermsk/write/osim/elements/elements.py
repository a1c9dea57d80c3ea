"""Elements of a model: one table from each class to the force or constraint of OpenSim."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk.forces import (
    Bushing,
    CoordinateFormula,
    EllipsoidContact,
    ExternalForce,
    Ligament,
    MeshContact,
    PathFormula,
    PathSpring,
    PointConstraint,
    PointContact,
    PointFormula,
    PointOnLineConstraint,
    PointSpring,
    SphereContact,
    ToeLigament,
    WeldConstraint,
)
from fibermsk.model.model import Model
from fibermsk.model.skeleton.body import Station
from fibermsk.write.osim.bodies import Bodies
from fibermsk.write.osim.elements.bushings import write_bushing
from fibermsk.write.osim.elements.contacts import write_contact, write_ellipsoid, write_point
from fibermsk.write.osim.elements.meshes import MeshFiles, write_foundation
from fibermsk.write.osim.elements.prescribed import write_prescribed
from fibermsk.write.osim.functions import write_function
from fibermsk.write.osim.muscles import write_path
from fibermsk.write.osim.notes import legal
from fibermsk.write.osim.tree import first_free, leaf, named, offset_frame, set_of


class Elements:
    """Writer of the elements of a model into its document."""

    def __init__(
        self, root: Element, model: Model, bodies: Bodies, taken: Iterable[str], files: MeshFiles
    ) -> None:
        self.model, self.bodies, self.names = model, bodies, bodies.names
        self.files = files
        self.root = root
        self._sets = {tag: set_of(root, tag) for tag in ("ForceSet", "ConstraintSet")}
        self._taken = list(taken)

    def add(self, item: Any) -> bool:
        """Add one element; False if OpenSim has no class for it as it is."""
        writer = WRITERS.get(type(item))
        return writer is not None and writer(self, item)

    def named(self, tag: str, item: Any) -> Element:
        """Empty force or constraint with the name of an element."""
        constraint = tag.endswith("Constraint")
        name = first_free(legal(item.name), self._taken)
        self._taken.append(name)
        if name != item.name:
            text = "elements are renamed: their names are those of others, or not legal"
            self.bodies.notes.add(text, f"{item.name!r} to {name!r}")
        found = named(self._sets["ConstraintSet" if constraint else "ForceSet"], tag, name)
        leaf(found, "isEnforced" if constraint else "appliesForce", True)
        return found

    def along_path(self, tag: str, item: Any, **numbers: str) -> Element:
        """Force along a path; `numbers` are its fields by their tags."""
        found = self.named(tag, item)
        write_path(found, self.model, item, str(found.get("name")), self.bodies)
        for inner, field in numbers.items():
            leaf(found, inner, getattr(item, field))
        return found

    def ends(self, found: Element, body: str, point: str, *stations: Station) -> None:
        """Add bodies and places of two points."""
        for k, one in enumerate(stations, 1):
            frame = self.names.frame(one.body)
            if not body.startswith("socket"):  # formulas name bodies without a path
                frame = frame.rpartition("/")[2]
            leaf(found, f"{body}{k}", frame)
            leaf(found, f"{point}{k}", one.position)


def _path_spring(to: Elements, item: PathSpring) -> bool:
    to.along_path(
        "PathSpring", item, resting_length="rest_length", stiffness="stiffness",
        dissipation="dissipation",
    )  # fmt: skip
    return True


def _path_formula(to: Elements, item: PathFormula) -> bool:
    to.along_path(
        "ExpressionBasedPathForce", item, expression="force", resting_length="rest_length",
        clamp_stretch="slack",
    )  # fmt: skip
    return True


def _ligament(to: Elements, item: Ligament) -> bool:
    found = to.along_path("Ligament", item, resting_length="rest_length", pcsa_force="force")
    place = SubElement(found, "force_length_curve")
    write_function(f"ligament {item.name!r}: curve", place, item.curve)
    return True


def _toe_ligament(to: Elements, item: ToeLigament) -> bool:
    to.along_path(
        "Blankevoort1991Ligament", item, linear_stiffness="stiffness", slack_length="slack_length",
        transition_strain="transition_strain", damping_coefficient="damping",
    )  # fmt: skip
    return True


def _point_spring(to: Elements, item: PointSpring) -> bool:
    if item.damping or item.slack:
        return False
    found = to.named("PointToPointSpring", item)
    to.ends(found, "socket_body", "point", item.first, item.second)
    leaf(found, "stiffness", item.stiffness)
    leaf(found, "rest_length", item.rest_length)
    return True


def _coordinate_formula(to: Elements, item: CoordinateFormula) -> bool:
    found = to.named("ExpressionBasedCoordinateForce", item)
    leaf(found, "coordinate", to.names.coordinates[item.coordinate])
    leaf(found, "expression", item.force)
    return True


def _point_formula(to: Elements, item: PointFormula) -> bool:
    found = to.named("ExpressionBasedPointToPointForce", item)
    to.ends(found, "body", "point", item.first, item.second)
    leaf(found, "expression", item.force)
    return True


def _points(to: Elements, item: PointConstraint) -> bool:
    apart = item.distance is not None
    if not apart and not np.array_equal(item.directions, np.eye(3)):
        return False
    found = to.named("ConstantDistanceConstraint" if apart else "PointConstraint", item)
    to.ends(found, "socket_body_", "location_body_", item.first, item.second)
    if apart:
        leaf(found, "constant_distance", item.distance)
    return True


def _on_line(to: Elements, item: PointOnLineConstraint) -> bool:
    found = to.named("PointOnLineConstraint", item)
    leaf(found, "socket_line_body", to.names.frame(item.line.body))
    leaf(found, "socket_follower_body", to.names.frame(item.point.body))
    leaf(found, "line_direction_vec", item.direction)
    leaf(found, "point_on_line", item.line.position)
    leaf(found, "point_on_follower", item.point.position)
    return True


def _weld(to: Elements, item: WeldConstraint) -> bool:
    found = to.named("WeldConstraint", item)
    ends = ("first", item.first, item.rotation), ("second", item.second, np.eye(3))
    for k, (name, _, _) in enumerate(ends, 1):
        leaf(found, f"socket_frame{k}", name)
    frames = SubElement(found, "frames")
    for name, station, rotation in ends:
        offset_frame(frames, name, to.names.frame(station.body), station.position, rotation)
    return True


WRITERS: dict[type, Callable[[Elements, Any], bool]] = {
    Bushing: write_bushing,
    CoordinateFormula: _coordinate_formula,
    EllipsoidContact: write_ellipsoid,
    ExternalForce: write_prescribed,
    Ligament: _ligament,
    MeshContact: write_foundation,
    PathFormula: _path_formula,
    PathSpring: _path_spring,
    PointConstraint: _points,
    PointContact: write_point,
    PointFormula: _point_formula,
    PointOnLineConstraint: _on_line,
    PointSpring: _point_spring,
    SphereContact: write_contact,
    ToeLigament: _toe_ligament,
    WeldConstraint: _weld,
}
"""Writer of each class; False where its numbers say what OpenSim has no class for."""

"""Joints with their frames and coordinates, and couplings."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model.function import Linear
from fibermsk.model.multivariate import MultivariatePolynomial
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.model.skeleton.joint import Weld
from fibermsk.write.osim.functions import write_function, write_polynomial, write_terms
from fibermsk.write.osim.kinds import SIMPLE, Kind, ellipsoid_kind, simple_kind
from fibermsk.write.osim.notes import Notes, legal
from fibermsk.write.osim.placed import PlacedJoint, completed
from fibermsk.write.osim.tree import first_free, leaf, named, offset_frame


class Names(NamedTuple):
    """Names in the file by those of the model, and paths of bodies and coordinates there."""

    bodies: dict[str, str]
    joints: dict[str, str]
    coordinates: dict[str, str]
    muscles: dict[str, str]
    paths: dict[str, str]  # of coordinates

    def frame(self, body: Body) -> str:
        """Path of the frame of a body."""
        return "/ground" if body.name == "ground" else f"/bodyset/{self.bodies[body.name]}"


def names_of(model: Any, joints: list[Any], bodies: list[Body], notes: Notes) -> Names:
    """Names of the items of a model in its file."""
    welds = [one.name for one in joints if isinstance(one, Weld)]
    others = [one.name for one in joints if not isinstance(one, Weld)]
    by_name = notes.names_of("joints", others)
    for name in welds:  # composed of the names of the bodies
        by_name[name] = first_free(legal(name), by_name.values())
    coordinates = notes.names_of("coordinates", [c.name for j in joints for c in j.coordinates])
    paths = {
        c.name: f"/jointset/{by_name[j.name]}/{coordinates[c.name]}"
        for j in joints
        for c in j.coordinates
    }
    return Names(
        notes.names_of("bodies", [body.name for body in bodies]),
        by_name,
        coordinates,
        notes.names_of("muscles", model.muscles.names),
        paths,
    )


def write_joint(
    parent: Element, joint: Any, names: Names, notes: Notes, given: str | None
) -> dict[str, str]:
    """Add a joint; return whether each of its coordinates is rotational, translational or coupled.

    `given` is its class in the file that the model was read from, if any.
    """
    owner = f"joint {joint.name!r}"
    if getattr(joint, "quaternion", ()):
        raise ModelError(
            f"{owner}: it rotates by a quaternion; must rotate by axes in an OpenSim file; use a "
            "FunctionalJoint of three rotations, as OpenSim's BallJoint and FreeJoint are read"
        )
    direct = PlacedJoint.of(joint)
    found: tuple[PlacedJoint, Kind] | None = None
    ways = direct, direct.turned()
    for placed in reversed(ways) if direct.is_inverted else ways:
        if not placed.axes:
            kind = Kind("WeldJoint", np.eye(3), {})
        elif given == "CustomJoint" and placed.is_custom:
            kind = Kind("CustomJoint", np.eye(3), {})
        else:
            kind = simple_kind(placed, given if given in SIMPLE else None)
            kind = kind or ellipsoid_kind(placed)
            if kind is None and placed.is_custom:
                kind = Kind("CustomJoint", np.eye(3), {})
        if kind is not None:
            found = placed, kind
            break
    if found is None:
        kinds = ", ".join(axis.kind for axis in direct.axes)
        _check.refuse(
            owner, "axes", kinds,
            "be up to three translations and then up to three rotations in an OpenSim file, or the "
            "reverse",
            remedy="split it into two joints with a body between them",
        )  # fmt: skip
    placed, kind = found
    element = named(parent, kind.tag, names.joints[joint.name])
    places = SubElement(element, "coordinates")
    frames = SubElement(element, "frames")
    for side, body, at, turn in (
        ("parent", placed.parent, placed.at, kind.frame),
        ("child", placed.child, placed.child_at, placed.rotation.T @ kind.frame),
    ):
        path = names.frame(body)
        frame = f"{path.rpartition('/')[2]}_offset"
        offset_frame(frames, frame, path, at, turn)
        leaf(element, f"socket_{side}_frame", frame)
    for tag, value in kind.numbers.items():
        leaf(element, tag, value)
    if kind.tag == "CustomJoint":
        used, motions = _write_axes(owner, element, placed, names, notes)
    else:
        used = [one.name for one in placed.coordinates]
        letters = SIMPLE.get(kind.tag, "X" * len(used))
        motions = {
            name: "translational" if letter.islower() else "rotational"
            for name, letter in zip(used, letters, strict=True)
        }
    own = {one.name: one for one in placed.coordinates}
    for name in used:
        _write_coordinate(places, own[name], names, notes)
    return motions


def _write_axes(
    owner: str, element: Element, joint: PlacedJoint, names: Names, notes: Notes
) -> tuple[list[str], dict[str, str]]:
    """Add the SpatialTransform of a joint; return its coordinates in order, and their motions."""
    transform = SubElement(element, "SpatialTransform")
    own = {one.name: one.kind for one in joint.coordinates}
    kinds: dict[str, str] = {}
    motions: dict[str, str] = {}
    for kind, motion in (("rotation", "rotational"), ("translation", "translational")):
        axes = [axis for axis in joint.axes if axis.kind == kind]
        directions = completed([np.asarray(axis.direction) for axis in axes])
        for k, direction in enumerate(directions):
            axis = axes[k] if k < len(axes) else Axis(kind, direction)
            part = named(transform, "TransformAxis", f"{kind}{k + 1}")
            where = f"{owner}: {kind}{k + 1}"
            listed = leaf(part, "coordinates")
            leaf(part, "axis", direction)
            used = write_terms(where, SubElement(part, "function"), axis.pairs, axis.offset)
            foreign = next((name for name in used if name not in own), None)
            if foreign is not None:
                must = "be one of the same joint in an OpenSim file"
                remedy = "couple a coordinate of the joint to it by a Coupling"
                _check.refuse(where, "coordinate", foreign, must, remedy=remedy)
            listed.text = " ".join(names.coordinates[name] for name in used)
            first = axis.pairs[0][1] if axis.pairs else None
            unit = isinstance(first, Linear) and first.slope in (1.0, -1.0)
            for name in used:
                motions.setdefault(name, "coupled")
                kinds.setdefault(name, kind)
                if unit:
                    motions[name], kinds[name] = motion, kind
    for name, kind in kinds.items():
        if own[name] != kind:
            notes.add(f"coordinates are {kind}s by the axes that they move", name)
    return list(motions), motions


def _write_coordinate(parent: Element, one: Coordinate, names: Names, notes: Notes) -> None:
    """Add a coordinate."""
    element = named(parent, "Coordinate", names.coordinates[one.name])
    value, speed = one.value, one.speed
    if one.prescribed is not None:
        pieces = one.prescribed.pieces()
        value, speed = float(pieces(0.0)), float(pieces(0.0, 1))
    leaf(element, "default_value", value)
    leaf(element, "default_speed_value", speed)
    if one.lower is not None and one.upper is not None:
        leaf(element, "range", [one.lower, one.upper])
    elif one.lower is not None or one.upper is not None:
        notes.add("ranges with one end are left out, as OpenSim needs both", one.name)
    leaf(element, "clamped", False)
    leaf(element, "locked", one.locked)
    function = SubElement(element, "prescribed_function")
    if one.prescribed is not None:
        owner = f"coordinate {one.name!r}: prescribed motion"
        write_function(owner, function, one.prescribed)
    leaf(element, "prescribed", one.prescribed is not None)


def write_coupling(parent: Element, coupling: Coupling, names: Names) -> None:
    """Add the constraint of a coupling."""
    first = names.coordinates[coupling.dependent]
    others = [names.coordinates[name] for name in coupling.independents]
    own = f"{first}_follows_{'_'.join(others)}"
    element = named(parent, "CoordinateCouplerConstraint", own)
    leaf(element, "isEnforced", True)
    function: Any = coupling.function
    place = SubElement(element, "coupled_coordinates_function")
    owner = f"coupling {coupling.name!r}"
    if isinstance(function, MultivariatePolynomial):
        write_polynomial(place, function)
    elif len(others) == 1:
        write_function(owner, place, function)
    else:
        write_terms(owner, place, list(zip(others, function, strict=True)), 0.0)
    leaf(element, "independent_coordinate_names", " ".join(others))
    leaf(element, "dependent_coordinate_name", first)
    leaf(element, "scale_factor", 1.0)

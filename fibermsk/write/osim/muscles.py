"""Muscles: paths with wrap surfaces, and the properties of their classes."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk.model.function import Linear
from fibermsk.model.model import Model
from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint,
    LineMuscle,
    MovingPathPoint,
    PointOfPath,
)
from fibermsk.model.muscles.wrap import PathWrap
from fibermsk.read.osim.forces.paths import USUAL_RANGE
from fibermsk.read.osim.functions import FUNCTIONS
from fibermsk.write.osim.bodies import Bodies
from fibermsk.write.osim.functions import write_function
from fibermsk.write.osim.hill import properties_of
from fibermsk.write.osim.notes import legal
from fibermsk.write.osim.tree import leaf, named, set_of

_TAG = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")


def write_muscle(parent: Element, model: Model, muscle: LineMuscle, bodies: Bodies) -> None:
    """Add a muscle; its wrap surfaces are added to their bodies."""
    names, notes = bodies.names, bodies.notes
    kind, parameters = properties_of(muscle, notes)
    element = named(parent, kind, names.muscles[muscle.name])
    leaf(element, "appliesForce", parameters.pop("appliesForce", True))
    write_path(element, model, muscle, names.muscles[muscle.name], bodies)
    for tag, value in (
        ("max_isometric_force", muscle.max_isometric_force),
        ("optimal_fiber_length", muscle.optimal_fiber_length),
        ("tendon_slack_length", muscle.tendon_slack_length),
        ("pennation_angle_at_optimal", muscle.pennation_angle),
        ("max_contraction_velocity", muscle.max_contraction_velocity),
    ):
        leaf(element, tag, value)
    tree: dict[str, Any] = {}
    for key, value in parameters.items():
        steps = key.split(".")
        if not all(_TAG.fullmatch(step) for step in steps):
            notes.add("parameters whose names are none of OpenSim's are left out",
                      f"{key!r} of {muscle.name}")  # fmt: skip
            continue
        at = tree
        for step in steps[:-1]:
            at = at.setdefault(step, {})
        at[steps[-1]] = value
    _write_tree(element, tree)


def write_path(element: Element, model: Model, item: Any, own: str, bodies: Bodies) -> None:
    """Add the path of a muscle or force, which has the name `own` in the file."""
    path = named(element, "GeometryPath", "path")
    points = set_of(path, "PathPointSet")
    for point in item.points:
        _write_point(points, model, item, own, point, bodies)
    wraps = set_of(path, "PathWrapSet")
    for wrap in item.wraps:
        _write_wrap(wraps, item, wrap, bodies)


def _write_tree(parent: Element, tree: dict[str, Any]) -> None:
    """Add properties, and those of objects in them; points alone are those of a SimmSpline."""
    for tag, value in tree.items():
        if not isinstance(value, dict):
            leaf(parent, tag, value)
        elif set(value) == {"x", "y"} and tag not in FUNCTIONS:
            _write_tree(named(parent, "SimmSpline", tag), value)
        else:
            _write_tree(SubElement(parent, tag), value)


def _write_point(
    parent: Element, model: Model, item: Any, named_as: str, point: PointOfPath, bodies: Bodies
) -> None:
    """Add a point of a path."""
    names, notes, name = bodies.names, bodies.notes, legal(point.name)
    if not isinstance(point, MovingPathPoint):
        element = named(parent, type(point).__name__, name)
        leaf(element, "socket_parent_frame", names.frame(point.body))
        leaf(element, "location", point.station.position)
        if isinstance(point, ConditionalPathPoint):
            leaf(element, "socket_coordinate", names.paths[point.coordinate])
            leaf(element, "range", [point.lower, point.upper])
        return
    moved_by = [coordinate for coordinate in point.coordinates if coordinate is not None]
    if not moved_by:
        own_place = [float(function.pieces()(0.0)) for function in point.functions]
        element = named(parent, "PathPoint", name)
        leaf(element, "socket_parent_frame", names.frame(point.body))
        leaf(element, "location", np.asarray(point.at) + np.asarray(point.rotation) @ own_place)
        return
    element = named(parent, "MovingPathPoint", name)
    own = f"{named_as}_{name}"
    frame = bodies.frame(point.body, point.at, point.rotation, own)
    leaf(element, "socket_parent_frame", frame)
    where = f"{point.name} of {item.name}"
    parts = zip("xyz", point.coordinates, point.functions, point.ranges, strict=True)
    for axis, coordinate, function, ends in parts:
        place = SubElement(element, f"{axis}_location")
        if coordinate is None:  # OpenSim needs one, even for a constant
            leaf(element, f"socket_{axis}_coordinate", names.paths[moved_by[0]])
            constant = Linear(0.0, float(function.pieces()(0.0)))
            write_function(where, place, constant)
            continue
        leaf(element, f"socket_{axis}_coordinate", names.paths[coordinate])
        write_function(f"path point {where}: {axis}", place, function)
        one = model.coordinates[coordinate]
        usual = USUAL_RANGE if one.lower is None or one.upper is None else (one.lower, one.upper)
        if ends is None or not np.array_equal(ends, usual):
            text = "moving points stop at the ends of their coordinate's range in OpenSim, not here"
            notes.add(text, where)


def _write_wrap(parent: Element, item: Any, wrap: PathWrap, bodies: Bodies) -> None:
    """Add a surface that a path wraps around."""
    surface = bodies.surface(wrap.shape)
    if surface is None:
        return
    if wrap.side is not None:
        text = "sides of wrapping are left out: OpenSim chooses them by quadrants alone"
        bodies.notes.add(text, f"{wrap.shape.name} of {item.name}")
    element = named(parent, "PathWrap", f"{surface}_wrap")
    leaf(element, "wrap_object", surface)
    leaf(element, "method", wrap.method)
    ends = [-1 if end is None else end for end in (wrap.first, wrap.last)]
    leaf(element, "range", " ".join(map(str, ends)))

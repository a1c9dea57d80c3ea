"""Springs and ligaments along paths, and springs between points."""

from __future__ import annotations

from typing import Any

from fibermsk.model.muscles.line_muscle import PointOfPath
from fibermsk.read.osim.forces.paths import read_points
from fibermsk.read.osim.forces.source import Made, Reader, Source
from fibermsk.read.osim.forces.wraps import read_path_wraps
from fibermsk.read.osim.functions import property_function, read_function
from fibermsk.read.osim.skeleton.frames import note_offsets
from fibermsk.read.xml_tree import Element


def read_path(source: Source, element: Element) -> dict[str, Any] | None:
    """Points and surfaces of the path of a force; None without one, which is reported."""
    document = source.document
    path = document.child(element, "GeometryPath")
    if path is None:
        element.leave()
        text = f"the {element.tag} has no GeometryPath, the only kind of path understood: left out"
        document.not_understood(element, text)
        return None
    points: list[PointOfPath] = read_points(
        document, source.frames, source.bodies, source.coordinates, path
    )
    return {
        "points": points,
        "wraps": read_path_wraps(document, path, source.surfaces, len(points)),
    }


def _path_spring(source: Source, element: Element) -> Made | None:
    document, path = source.document, read_path(source, element)
    if path is None:
        return None
    numbers = {
        "stiffness": document.number(element, "stiffness"),
        "rest_length": document.number(element, "resting_length"),
        "dissipation": document.number(element, "dissipation", default=0.0),
    }
    return Made("PathSpring", path | numbers)


def _ligament(source: Source, element: Element) -> Made | None:
    document, path = source.document, read_path(source, element)
    if path is None:
        return None
    given: dict[str, Any] = {
        "rest_length": document.number(element, "resting_length"),
        "force": document.number(element, "pcsa_force", default=0.0),
    }
    curve = property_function(document, element, "force_length_curve")
    if curve is not None:
        given["curve"] = read_function(document, curve)
    return Made("Ligament", path | given)


def _toe_ligament(source: Source, element: Element) -> Made | None:
    document, path = source.document, read_path(source, element)
    if path is None:
        return None
    numbers = {
        "slack_length": document.number(element, "slack_length"),
        "stiffness": document.number(element, "linear_stiffness", default=1.0),
        "transition_strain": document.number(element, "transition_strain", default=0.06),
        "damping": document.number(element, "damping_coefficient", default=0.003),
    }
    return Made("ToeLigament", path | numbers)


def _path_formula(source: Source, element: Element) -> Made | None:
    document, path = source.document, read_path(source, element)
    if path is None:
        return None
    given = {
        "force": document.text(element, "expression", default="0.0"),
        "rest_length": document.number(element, "resting_length", default=0.0),
        "slack": document.flag(element, "clamp_stretch", default=True),
    }
    return Made("PathFormula", path | given)


def _point_spring(source: Source, element: Element) -> Made | None:
    ends = read_ends(source, element)
    if ends is None:
        return None
    document = source.document
    note_offsets(document, element, *(source.frames.of(element, *one) for one in _ENDS))
    numbers = {
        "stiffness": document.number(element, "stiffness", default=1.0),
        "rest_length": document.number(element, "rest_length", default=0.0),
    }
    return Made("PointSpring", ends | numbers)


_ENDS = ("body1", "bodyA", "body_1"), ("body2", "bodyB", "body_2")
"""Tags of the sockets of two points."""


def read_ends(source: Source, element: Element) -> dict[str, Any] | None:
    """Ends of a force between two points; None if one body has both, which is reported."""
    first = source.station(element, _ENDS[0], "point1", "pointA")
    second = source.station(element, _ENDS[1], "point2", "pointB")
    if first.body is second.body:
        text = f"the {element.tag} has both ends on {first.body.name!r}: without effect"
        source.document.note(element, text)
        return None
    return {"first": first, "second": second}


READERS: dict[str, Reader] = {
    "PathSpring": _path_spring,
    "ExpressionBasedPathForce": _path_formula,
    "Ligament": _ligament,
    "Blankevoort1991Ligament": _toe_ligament,
    "PointToPointSpring": _point_spring,
}

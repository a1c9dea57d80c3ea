"""Points of muscle paths: fixed, conditional and moving."""

from __future__ import annotations

from fibermsk.model.function import Function, Linear
from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint,
    MovingPathPoint,
    PathPoint,
    PointOfPath,
)
from fibermsk.model.skeleton.body import Body, Station
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.functions import property_function, read_function
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.osim.skeleton.frames import Frames, socket
from fibermsk.read.xml_tree import Element

MOVING = (
    ("x_location", "XAttachment"),
    ("y_location", "YAttachment"),
    ("z_location", "ZAttachment"),
)

USUAL_RANGE = (-10.0, 10.0)
"""Default range of a coordinate in OpenSim."""


def read_points(
    document: Document,
    frames: Frames,
    bodies: dict[str, Body],
    coordinates: dict[str, CoordinateEntry],
    path: Element,
) -> list[PointOfPath]:
    """Points of a GeometryPath."""
    points: list[PointOfPath] = []
    for i, element in enumerate(document.objects(path, "PathPointSet")):
        element.seen = True
        name = element.name or f"point {i + 1}"
        if element.tag not in ("PathPoint", "ConditionalPathPoint", "MovingPathPoint"):
            document.fail(
                element,
                "is a path point that is not understood",
                "must be a PathPoint, a ConditionalPathPoint or a MovingPathPoint",
            )
        frame = frames.of(element, "parent_frame", "body")
        body = bodies[frame.body]
        if element.tag == "MovingPathPoint":
            document.child(element, "location")  # of the base class, without meaning
            functions: list[Function] = []
            names: list[str | None] = []
            for axis, tags in zip("xyz", MOVING, strict=True):
                functions.append(_component(document, element, tags))
                names.append(coordinate_of(document, coordinates, element, f"{axis}_coordinate"))
            with document.naming(element):
                point = MovingPathPoint(
                    name,
                    body,
                    functions,
                    names,
                    frame.position,
                    frame.rotation,
                    [coordinates[key].range or USUAL_RANGE if key else None for key in names],
                )
            points.append(point)
            continue
        location = document.vector(element, 3, "location", default=(0.0, 0.0, 0.0))
        station = Station(body, frame.position + frame.rotation @ location)
        with document.naming(element):
            if element.tag == "PathPoint":
                points.append(PathPoint(name, station))
                continue
            lower, upper = map(float, document.vector(element, 2, "range", default=(0.0, 0.0)))
            key = coordinate_of(document, coordinates, element, "coordinate", "coordinates")
            if key is None:
                document.fail(element, "names no coordinate", "must name one")
            points.append(ConditionalPathPoint(name, station, key, lower, upper))
    return points


def _component(document: Document, element: Element, tags: tuple[str, ...]) -> Function:
    """Function of one component of a moving point; zero if missing."""
    for tag in tags:
        found = property_function(document, element, tag)
        if found is not None:
            return read_function(document, found)
    return Linear(0.0, 0.0)


def coordinate_of(
    document: Document, coordinates: dict[str, CoordinateEntry], element: Element, *names: str
) -> str | None:
    """Name of the coordinate in a socket of an element, given by name or path; None if empty."""
    found = socket(document, element, *names)
    if found is None or not found.text:
        return None
    parts = [part for part in found.text.split("/") if part]
    entry = coordinates.get(parts[-1]) if parts else None
    if entry is not None and len(parts) > 1 and parts[-2] != "..":
        joint = entry.element.parent
        while joint is not None and joint.tag in ("coordinates", "objects", "CoordinateSet"):
            joint = joint.parent
        owner = joint if entry.given else entry.element
        if owner is not None and owner.name != parts[-2]:
            entry = None
    if entry is None:
        document.fail(
            found,
            f"names {found.text[:80]!r}",
            "must name a coordinate of a joint of the model",
        )
    return entry.name

"""Wrap objects of bodies, and those of each muscle path."""

from __future__ import annotations

from fibermsk.model.muscles.wrap import (
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapSurface,
    WrapTorus,
)
from fibermsk.model.skeleton.body import Body
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.skeleton.frames import Frames, placed
from fibermsk.read.xml_tree import Element

ZERO = (0.0, 0.0, 0.0)


def read_wrap_objects(
    document: Document, frames: Frames, bodies: dict[str, Body], holders: list[Element]
) -> dict[str, WrapSurface]:
    """Wrap objects by name; of equal names the first, as in OpenSim."""
    surfaces: dict[str, WrapSurface] = {}
    for holder in holders:
        for element in document.objects(holder, "WrapObjectSet"):
            surface = _read_surface(document, frames, bodies, element)
            if surface is None:
                continue
            if element.name in surfaces:
                text = f"a second wrap object {element.name!r}: muscles wrap around the first"
                document.changed(element, f"{text}, as in OpenSim")
                continue
            surfaces[element.name] = surface
    return surfaces


def _read_surface(
    document: Document, frames: Frames, bodies: dict[str, Body], element: Element
) -> WrapSurface | None:
    """Surface of one wrap object, or None for an unknown kind."""
    kinds = ("WrapSphere", "WrapCylinder", "WrapEllipsoid", "WrapTorus")
    if element.tag not in kinds:
        element.leave()
        text = f"wrap objects {element.tag} are not understood: muscles do not wrap around them"
        document.not_understood(element, text)
        return None
    element.seen = True
    angles = document.vector(element, 3, "xyz_body_rotation", default=ZERO)
    position = document.vector(element, 3, "translation", default=ZERO)
    frame = placed(frames.around(element), angles, position)
    quadrant = document.text(element, "quadrant", default="all").lower().lstrip("+")
    if quadrant in ("", "unassigned"):
        quadrant = "all"
    common = {
        "name": element.name,
        "body": bodies[frame.body],
        "position": frame.position,
        "rotation": frame.rotation,
        "quadrant": quadrant,
        "active": document.flag(element, "active", default=True),
    }
    with document.naming(element):
        if element.tag == "WrapSphere":
            return WrapSphere(**common, radius=document.number(element, "radius"))
        if element.tag == "WrapCylinder":
            radius = document.number(element, "radius")
            return WrapCylinder(**common, radius=radius, length=document.number(element, "length"))
        if element.tag == "WrapEllipsoid":
            return WrapEllipsoid(**common, radii=document.vector(element, 3, "dimensions"))
        inner = document.number(element, "inner_radius")
        outer = document.number(element, "outer_radius")
        return WrapTorus(**common, inner_radius=inner, outer_radius=outer)


_AS_HERE = (
    "next to a path point inside the surface the path is straight, as in OpenSim: length and "
    "moment arm jump where a point enters; the side of a cylinder is kept from pose to pose"
)


def read_path_wraps(
    document: Document, path: Element, surfaces: dict[str, WrapSurface], n_points: int
) -> list[PathWrap]:
    """Surfaces that a path of `n_points` points wraps around."""
    wraps = []
    for element in document.objects(path, "PathWrapSet"):
        if element.tag != "PathWrap":
            continue
        element.seen = True
        name = document.text(element, "wrap_object")
        method = document.text(element, "method", default="hybrid").lower()
        first, last = (
            int(value) if value == int(value) else 0
            for value in document.vector(element, 2, "range", default=(-1.0, -1.0))
        )
        for value in (first, last):
            if value != -1 and not 1 <= value <= n_points:
                document.fail(
                    element,
                    f"has the range {first} {last}",
                    f"must have points from 1 to {n_points}, or -1 for the ends",
                )
        if name not in surfaces:
            text = "which the model does not have: the muscle does not wrap"
            document.not_understood(element, f"wraps around {name!r}, {text}")
            continue
        document.note(element, _AS_HERE)
        with document.naming(element):
            wraps.append(
                PathWrap(
                    surfaces[name],
                    None if first == -1 else first,
                    None if last == -1 else last,
                    "hybrid" if method in ("", "unassigned") else method,
                    inside="straight",  # as in OpenSim
                )
            )
    return wraps

"""Markers of a file, as points of bodies."""

from __future__ import annotations

from fibermsk.errors import ModelError
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.marker import Marker
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.skeleton.frames import Frames


def read_markers(document: Document, frames: Frames, bodies: dict[str, Body]) -> list[Marker]:
    """Markers of the set of a model, each in the frame of its body; wrong ones are reported."""
    found = dict[str, Marker]()
    for element in document.objects(document.model, "MarkerSet"):
        if element.tag != "Marker":
            continue
        element.seen = True
        if not element.name:
            document.not_understood(element, "a marker without a name is left out")
            element.leave()
            continue
        document.child(element, "fixed")  # for the placement of markers
        if element.name in found:
            document.changed(element, f"a second marker {element.name!r}: left out")
            continue
        try:
            # <body> up to version 3
            frame = frames.of(element, "parent_frame", "body", "reference_frame")
            at = document.vector(element, 3, "location", default=(0.0, 0.0, 0.0))
            with document.naming(element):
                station = bodies[frame.body].at(frame.position + frame.rotation @ at)
                found[element.name] = Marker(element.name, station)
        except ModelError as error:
            # it has no effect on mechanics
            element.leave()
            document.not_understood(element, f"the marker is left out: {error}")
    return list(found.values())

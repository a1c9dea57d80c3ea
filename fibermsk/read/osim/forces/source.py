"""What forces of a file refer to, and what is read of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fibermsk.model import Station
from fibermsk.model.muscles.wrap import WrapSurface
from fibermsk.model.skeleton.body import Body
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.geometry import Meshes
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.osim.skeleton.frames import Frames
from fibermsk.read.xml_tree import Element


class Source(NamedTuple):
    """What the forces of a file refer to."""

    document: Document
    frames: Frames
    bodies: dict[str, Body]
    coordinates: dict[str, CoordinateEntry]
    surfaces: dict[str, WrapSurface]
    meshes: Meshes

    def station(self, element: Element, frames: tuple[str, ...], *places: str) -> Station:
        """Point of an element: the frame in one of some sockets, and its place there."""
        frame = self.frames.of(element, *frames)
        place = self.document.vector(element, 3, *places, default=(0.0, 0.0, 0.0))
        return Station(self.bodies[frame.body], frame.position + frame.rotation @ place)


class Made(NamedTuple):
    """An element to make: its class in `fibermsk.forces`, and its arguments without the name."""

    kind: str
    arguments: dict[str, Any]


Reader = Callable[[Source, Element], Made | None]
"""Reads one force; None if it has no effect, which it reports."""

"""Elements that hold points and frames of bodies, and joints that close a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fibermsk.model.skeleton.body import Body, Station
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.skeleton.frames import Frame, Frames, note_offsets, placed
from fibermsk.read.osim.skeleton.loops import Cut
from fibermsk.read.xml_tree import Element

if TYPE_CHECKING:
    from fibermsk.forces import PointConstraint, PointOnLineConstraint, WeldConstraint

O3 = (0.0, 0.0, 0.0)


class Holding:
    """Elements of constraints, with names that are unique among them."""

    def __init__(self, document: Document, frames: Frames, bodies: dict[str, Body]) -> None:
        self._document, self._frames, self._bodies = document, frames, bodies
        self._names: set[str] = set()

    def read(self, element: Element) -> PointConstraint | PointOnLineConstraint | WeldConstraint:
        """Read one constraint."""
        # the package of forces compiles kernels when it is imported: only files with constraints do
        from fibermsk.forces import PointConstraint, PointOnLineConstraint

        document, name = self._document, self._named(element.name or element.tag)
        with document.naming(element):
            if element.tag == "WeldConstraint":
                return self._weld(name, element)
            if element.tag == "PointOnLineConstraint":
                line = self._frames.of(element, "line_body")
                point = self._frames.of(element, "follower_body")
                note_offsets(document, element, line, point)
                along = document.vector(element, 3, "line_direction_vec", "line_direction")
                return PointOnLineConstraint(
                    name,
                    self._station(element, line, "point_on_line"),
                    self._station(element, point, "point_on_follower"),
                    line.rotation @ along,
                )
            first, second = (self._frames.of(element, f"body_{k}") for k in (1, 2))
            note_offsets(document, element, first, second)
            ends = (
                self._station(element, first, "location_body_1"),
                self._station(element, second, "location_body_2"),
            )
            distance: float | None = None
            if element.tag == "ConstantDistanceConstraint":
                distance = document.number(element, "constant_distance")
            return PointConstraint(name, *ends, distance=distance)

    def close(self, cut: Cut) -> WeldConstraint:
        """Create the constraint that closes a loop."""
        with self._document.naming(cut.joint.element):
            return self._fixed(self._named(cut.constraint), cut.first, cut.second)

    def _weld(self, name: str, element: Element) -> WeldConstraint:
        """Weld of two frames; of bodies with places and orientations up to version 3."""
        found = []
        for k in (1, 2):
            frame = self._frames.of(element, f"frame{k}", f"frame_{k}", f"body_{k}")
            angles, position = (
                self._document.vector(element, 3, f"{what}_body_{k}", default=O3)
                for what in ("orientation", "location")
            )
            found.append(placed(frame, angles, position))
        for child in self._document.inside(element, "frames"):
            child.seen = True
        first, second = found
        return self._fixed(name, first, second)

    def _fixed(self, name: str, first: Frame, second: Frame) -> WeldConstraint:
        """Weld of two frames of bodies."""
        from fibermsk.forces import WeldConstraint

        one, other = (self._bodies[end.body].at(end.position) for end in (first, second))
        return WeldConstraint(name, one, other, first.rotation @ second.rotation.T)

    def _station(self, element: Element, frame: Frame, tag: str) -> Station:
        """Point of a frame as a point of its body."""
        local = np.asarray(self._document.vector(element, 3, tag, default=O3))
        return self._bodies[frame.body].at(frame.position + frame.rotation @ local)

    def _named(self, name: str) -> str:
        """The name, with a number if it is taken."""
        found, k = name, 1
        while found in self._names:
            k += 1
            found = f"{name} {k}"
        self._names.add(found)
        return found

"""Frames of bodies and frames fixed to them, and their paths in a file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk.read.osim.document import Document
from fibermsk.read.xml_tree import Element

CONTAINERS = (
    "objects",
    "components",
    "frames",
    "coordinates",
    "attached_geometry",
    "PathPointSet",
    "PathWrapSet",
)
"""Elements that contain objects and are not part of a path."""

MAX_CHAIN = 100
"""Largest number of frames between a frame and its body."""


class Frame(NamedTuple):
    """A frame fixed to a body: r_body = position + rotation @ r_frame."""

    body: str
    rotation: np.ndarray
    position: np.ndarray

    @property
    def is_offset(self) -> bool:
        """Whether it is not that of the body itself."""
        return bool(self.position.any() or (self.rotation != np.eye(3)).any())


def body_fixed_xyz(angles: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of turns about x, then the turned y, then the turned z [rad]."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cy * cz, -cy * sz, sy],
            [cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy],
            [sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy],
        ]
    )


def placed(frame: Frame, angles: np.ndarray, position: np.ndarray) -> Frame:
    """Frame with a pose relative to another one; angles as for `body_fixed_xyz`."""
    rotation = frame.rotation @ body_fixed_xyz(angles)
    return Frame(frame.body, rotation, frame.position + frame.rotation @ position)


def socket(document: Document, element: Element, *names: str) -> Element | None:
    """Connection of an element, in the form of any version.

    <socket_NAME>path</socket_NAME> since version 4; <connectors> before; <NAME>name</NAME> up to 3.
    """
    found = document.child(element, *[f"socket_{name}" for name in names], *names)
    if found is not None and not found.children:
        return found
    for connector in document.inside(element, "connectors"):
        if connector.name in names:
            connector.seen = True
            return document.child(connector, "connectee_name")
    return found


class Frames:
    """Frames of a file; `bodies` starts with the ground."""

    def __init__(self, document: Document, bodies: list[str]) -> None:
        self.document = document
        self.bodies = frozenset(bodies)
        self._fixed: dict[tuple[str, ...], Frame] = {}
        for name in bodies:
            self._fixed[_body_path(name)] = Frame(name, np.eye(3), np.zeros(3))
        self._offsets: dict[tuple[str, ...], Element] = {}
        self._open: list[Element] = []
        self._known: dict[Element, Frame] = {}
        self._named: dict[str, Frame] = {}
        self._by_name: dict[str, list[Element]] = {}
        for element in document.offset_frames:
            if _within(element, "Model") and not _within(element, "defaults"):
                path = _path(element)
                if path in self._offsets or path in self._fixed:
                    document.fail(
                        element, f"is a second frame /{'/'.join(path)}", "must be the only one"
                    )
                self._offsets[path] = element
                self._by_name.setdefault(path[-1], []).append(element)
                if element.parent is not None and element.parent.tag in CONTAINERS:
                    element.parent.seen = True

    def of(self, element: Element, *names: str) -> Frame:
        """Frame in a socket of one of several names."""
        found = socket(self.document, element, *names)
        if found is None or not found.text:
            self.document.fail(
                found or element,
                f"names no frame in <socket_{names[0]}>",
                "must name a body or a frame",
            )
        return self.named(found, element)

    def around(self, element: Element) -> Frame:
        """Frame of the enclosing body or frame."""
        above = element.parent
        while above is not None:
            if above.tag == "PhysicalOffsetFrame":
                return self._offset(above)
            if above.tag == "Ground" or (above.tag == "Body" and above.name in self.bodies):
                return self._body("ground" if above.tag == "Ground" else above.name)
            above = above.parent
        self.document.fail(element, "is in no body", "must be in a Body or in Ground")

    def check(self) -> list[Element]:
        """Offset frames of the file, all connected to a body."""
        for element in self._offsets.values():
            self._offset(element)
        return list(self._offsets.values())

    def named(self, found: Element, owner: Element) -> Frame:
        """Frame with the path in an element, relative to its owner."""
        text = found.text
        if not text.startswith("/"):
            return self._at(found, _resolved(text, _path(owner)))
        # thousands of points refer to few frames
        if text not in self._named:
            self._named[text] = self._at(found, _resolved(text, ()))
        return self._named[text]

    def station(self, found: Element, owner: Element) -> Element | None:
        """Station or marker with the path in an element, relative to its owner; None if unknown."""
        text = found.text
        path = _resolved(text, () if text.startswith("/") else _path(owner))
        stations = [
            one
            for one in self.document.model.walk()
            if one.tag in ("Station", "Marker") and path and one.name == path[-1]
        ]
        if len(stations) > 1:
            stations = [one for one in stations if _path(one) == path]
        return stations[0] if len(stations) == 1 else None

    def _at(self, found: Element, path: tuple[str, ...]) -> Frame:
        """Frame at a path from the text of an element."""
        if path in self._fixed:
            return self._fixed[path]
        if path in self._offsets:
            return self._offset(self._offsets[path])
        name = path[-1] if path else ""
        # versions before 4 give names of bodies; later ones too if there is no such path
        if name == "ground" or name in self.bodies:
            return self._body(name)
        others = self._by_name.get(name, [])
        if len(others) != 1:
            known = "several frames have" if others else "no body or frame has"
            self.document.fail(
                found,
                f"names {found.text[:80]!r}, and {known} this name",
                "must name a body or a frame of the model",
            )
        return self._offset(others[0])

    def _body(self, name: str) -> Frame:
        """Frame of a body."""
        return self._fixed[_body_path(name)]

    def _offset(self, element: Element) -> Frame:
        """Frame of a PhysicalOffsetFrame in its body."""
        document = self.document
        if element in self._known:
            return self._known[element]
        if element in self._open:
            circle = [*self._open[self._open.index(element) :], element]
            names = " -> ".join(one.name[:80] for one in circle[:10])
            document.fail(element, f"refers to itself: {names}", "must lead to a body")
        if len(self._open) >= MAX_CHAIN:
            problem = f"{MAX_CHAIN} frames are between it and a body"
            document.fail(self._open[0], problem, "must be connected with fewer")
        element.seen = True
        self._open.append(element)
        try:
            parent = self.of(element, "parent", "parent_frame")
            angles = document.vector(element, 3, "orientation", default=(0.0, 0.0, 0.0))
            position = document.vector(element, 3, "translation", default=(0.0, 0.0, 0.0))
            self._known[element] = placed(parent, angles, position)
            return self._known[element]
        finally:
            self._open.pop()


def _body_path(name: str) -> tuple[str, ...]:
    """Path of a body in a file of version 4."""
    return ("ground",) if name == "ground" else ("bodyset", name)


def _within(element: Element, tag: str) -> bool:
    """Whether an element is inside one with a tag."""
    above = element.parent
    while above is not None and above.tag != tag:
        above = above.parent
    return above is not None


def _path(element: Element) -> tuple[str, ...]:
    """Path of an element: names from below the model down to it."""
    names: list[str] = []
    at: Element | None = element
    while at is not None and at.tag not in ("Model", "OpenSimDocument"):
        if at.tag == "Ground":
            names.append("ground")
        elif at.tag.endswith("Set") and (at.parent is None or at.parent.tag == "Model"):
            names.append(at.tag.lower())
        elif at.tag not in CONTAINERS:
            names.append(at.name or at.tag)
        at = at.parent
    return tuple(reversed(names))


def _resolved(text: str, owner: tuple[str, ...]) -> tuple[str, ...]:
    """Path in a text, relative to that of its owner."""
    parts = list(owner)
    for part in text.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)


def note_offsets(document: Document, element: Element, *frames: Frame) -> None:
    """Note frames whose offset OpenSim does not heed in an element between points."""
    if any(one.is_offset for one in frames):
        text = (
            f"the {element.tag} has a point in a frame beside that of its body: OpenSim 4.6 takes "
            "it in the body, without the offset; with the body as socket both take the same point"
        )
        document.note(element, text)

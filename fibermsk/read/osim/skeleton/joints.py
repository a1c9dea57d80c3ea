"""Joints of the file, and their tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from fibermsk.model.function import Scaled
from fibermsk.model.skeleton.axis import Axis
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry, read_coordinates
from fibermsk.read.osim.skeleton.frames import Frame, Frames, placed
from fibermsk.read.osim.skeleton.kinematics import JOINT_KINDS, read_motion
from fibermsk.read.xml_tree import Element


@dataclass(frozen=True)
class JointEntry:
    """Joint of the file: its class, joint frames, and axes in the parent's body."""

    name: str
    kind: str
    element: Element
    parent: Frame
    child: Frame
    axes: tuple[Axis, ...]
    coordinates: tuple[CoordinateEntry, ...]

    @property
    def rotation(self) -> np.ndarray:
        """Orientation (3, 3) of the child's body in the parent's at zero axes."""
        return self.parent.rotation @ self.child.rotation.T

    def turned(self) -> JointEntry:
        """Same joint with parent and child exchanged: axes inverted and in reverse order."""
        back = self.rotation.T
        axes = tuple(
            Axis(
                axis.kind,
                back @ np.asarray(axis.direction),
                tuple((name, Scaled(function, -1.0)) for name, function in axis.pairs),
                -axis.offset,
            )
            for axis in reversed(self.axes)
        )
        return replace(self, parent=self.child, child=self.parent, axes=axes)


def read_joints(
    document: Document, frames: Frames, bodies: list[Element], *, unsupported: str | None
) -> list[JointEntry]:
    """Joints in the order of the file; `bodies` contain their joint up to version 3.

    With `unsupported` "weld", unknown joints become welds instead of an error.
    """
    found: list[tuple[Element, Element | None]] = []
    for body in bodies:
        inside = document.inside(body, "Joint")
        if len(inside) > 1:
            held = ", ".join(child.label for child in inside)
            holder = inside[0].parent or body
            document.fail(holder, f"holds {held[:200]}", "must contain one joint")
        found += [(element, body) for element in inside]
    found += [(element, None) for element in document.objects(document.model, "JointSet")]
    found += [(element, None) for element in document.parts(document.model, *JOINT_KINDS)]
    return [
        _read_joint(document, frames, element, body, unsupported=unsupported)
        for element, body in found
    ]


def _read_joint(
    document: Document,
    frames: Frames,
    element: Element,
    body: Element | None,
    *,
    unsupported: str | None,
) -> JointEntry:
    """One joint; `body` contains it up to version 3."""
    if element.tag not in JOINT_KINDS and unsupported != "weld":
        document.fail(
            element,
            "is a joint that is not understood",
            f"must be one of {', '.join(JOINT_KINDS)}",
            'read_osim(..., unsupported="weld") welds its bodies instead',
        )
    element.seen = True
    if body is None:
        parent = frames.of(element, "parent_frame", "parent_body")
        child = frames.of(element, "child_frame", "child_body")
    else:
        parent = frames.of(element, "parent_body")
        child = frames.around(element)
    parent = _offset(document, element, parent, "_in_parent")
    child = _offset(document, element, child, "", "_in_child")
    for frame in document.inside(element, "frames"):
        if frame.tag == "PhysicalOffsetFrame":
            frame.seen = True
    name = element.name or f"{child.body} on {parent.body}"
    if parent.body == child.body:
        document.fail(element, f"joins {child.body!r} to itself", "must join two bodies")
    if document.flag(element, "reverse", default=False):
        parent, child = child, parent
    listed = read_coordinates(document, element)
    if element.tag not in JOINT_KINDS:
        document.not_understood(
            element,
            f"the joint {element.tag} is not understood: its bodies are WELDED together, and its "
            f"{len(listed)} coordinates are removed",
        )
        for entry in listed:
            entry.element.seen = False
        return JointEntry(name, element.tag, element, parent, child, (), ())
    moved, coordinates = read_motion(document, element, listed)
    with document.naming(element):
        axes = tuple(
            Axis(axis.kind, parent.rotation @ np.asarray(axis.direction), axis.pairs, axis.offset)
            for axis in moved
        )
    return JointEntry(name, element.tag, element, parent, child, axes, tuple(coordinates))


def _offset(document: Document, element: Element, frame: Frame, *endings: str) -> Frame:
    """Frame moved by the location and orientation that joints have up to version 3."""
    angles, position = (
        document.vector(element, 3, *(name + one for one in endings), default=(0.0, 0.0, 0.0))
        for name in ("orientation", "location")
    )
    return placed(frame, angles, position)


def in_tree_order(
    document: Document, joints: list[JointEntry], bodies: list[Element]
) -> tuple[list[JointEntry], list[JointEntry]]:
    """Joints from the ground outwards, one per body, inverted if necessary; and those left over.

    The latter close loops. Where nothing joins a body to the ground, a free joint does.
    """
    named: dict[str, JointEntry] = {}
    for joint in joints:
        other = named.setdefault(joint.name, joint)
        if other is not joint:
            document.fail_twice(joint.element, "has the name of a joint", other.element)
    waiting, ordered, hung = list(joints), [], {"ground"}
    while True:
        # joints in their own direction are preferred to inverted ones
        while ready := (
            [j for j in waiting if j.parent.body in hung and j.child.body not in hung]
            or [j for j in waiting if j.child.body in hung and j.parent.body not in hung]
        ):
            joint = ready[0]
            waiting.remove(joint)
            if joint.child.body in hung:
                document.changed(joint.element, "is inverted: its child is nearer to the ground")
                joint = joint.turned()
            hung.add(joint.child.body)
            ordered.append(joint)
        loose = [one for one in bodies if one.name not in hung]
        if not loose:
            return ordered, waiting
        base = _base(loose, waiting)
        joint = _freed(document, base, named)
        named[joint.name] = joint
        hung.add(base.name)
        ordered.append(joint)


def _base(bodies: list[Element], joints: list[JointEntry]) -> Element:
    """Body that a free joint joins to the ground, as Simbody chooses it.

    One that is the child of no joint, if there is any; of these the parent of most; the first.
    """
    children, parents = ([end.body for end in ends] for ends in (
        [one.child for one in joints], [one.parent for one in joints]))  # fmt: skip
    counts = Counter(parents)
    own = set(children)
    return max(bodies, key=lambda one: (one.name not in own, counts[one.name]))


def _freed(document: Document, body: Element, named: Collection[str]) -> JointEntry:
    """Free joint of a body that nothing joins to the ground, with OpenSim's name."""
    name, k = f"free_{body.name}", 1
    while name in named:
        k += 1
        name = f"free_{body.name}_{k}"
    element = Element("FreeJoint", {"name": name}, body.line, body.parent, seen=True)
    text = "no joint connects it to the ground: it moves freely, by a FreeJoint"
    document.changed(body, f"{text} {name[:80]!r}, as in OpenSim")
    moved, coordinates = read_motion(document, element, [])
    ends = Frame("ground", np.eye(3), np.zeros(3)), Frame(body.name, np.eye(3), np.zeros(3))
    return JointEntry(name, element.tag, element, *ends, tuple(moved), tuple(coordinates))

"""Axes of each kind of joint, in its joint frames: elementary motions in order.

OpenSim's joints move the child's joint frame M in the parent's joint frame F; translations along
the axes of F come first, rotations after.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk.model.function import Function, Linear
from fibermsk.model.skeleton.axis import Axis
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.functions import property_function, read_terms
from fibermsk.read.osim.skeleton.coordinates import CoordinateEntry
from fibermsk.read.xml_tree import Element

X, Y, Z = np.eye(3)

SIMPLE = {
    "WeldJoint": "",
    "PinJoint": "Z",
    "SliderJoint": "x",
    "UniversalJoint": "XY",
    "GimbalJoint": "XYZ",
    "BallJoint": "XYZ",
    "FreeJoint": "XYZxyz",
    "PlanarJoint": "Zxy",
    "EllipsoidJoint": "XYZ",
    "ScapulothoracicJoint": "XYZY",
}
"""Coordinates of the joints in order: rotations in upper case, translations in lower case."""

JOINT_KINDS = (*SIMPLE, "CustomJoint")
ANGLES = ("BallJoint", "FreeJoint", "EllipsoidJoint")


Motion = tuple[list[Axis], list[CoordinateEntry]]
"""Axes of a joint, in its frame in the parent at zero, and coordinates in OpenSim's order."""


def read_motion(document: Document, joint: Element, listed: list[CoordinateEntry]) -> Motion:
    """Axes of a joint, and all its coordinates; sets the kinds of the `listed` ones."""
    if joint.tag == "CustomJoint":
        return _custom(document, joint, listed)
    letters = SIMPLE[joint.tag]
    if listed and len(listed) != len(letters):
        must = f"must list {len(letters)}, or none"
        document.fail(joint, f"lists {len(listed)} coordinates", must)
    entries = list(listed)
    if letters and not listed:
        names = [f"{joint.name}_coord_{i}" for i in range(len(letters))]
        entries = [CoordinateEntry(name, joint, given=False) for name in names]
        text = "does not describe its coordinates: they start at 0, named JOINT_coord_NUMBER"
        document.note(joint, text)
    for entry, letter in zip(entries, letters, strict=True):
        slides = letter.islower()
        entry.kind = "translation" if slides else "rotation"
        entry.motion = "translational" if slides else "rotational"
    names = [entry.name for entry in entries]
    if joint.tag in ANGLES:
        document.note(
            joint,
            f"{joint.tag} rotates by three angles about x, y and z, as in OpenSim: avoid 90 "
            "degrees of the second; fm.Spherical and fm.Free have no such limit",
        )
    if joint.tag == "EllipsoidJoint":
        radii = document.vector(joint, 3, "radii_x_y_z")
        return _ellipsoid(names, radii, np.eye(3)), entries
    if joint.tag == "ScapulothoracicJoint":
        return _scapulothoracic(document, joint, names), entries
    directions = {"x": X, "y": Y, "z": Z}
    axes = [
        Axis(entry.kind, directions[letter.lower()], entry.name)
        for entry, letter in zip(entries, letters, strict=True)
    ]
    axes.sort(key=lambda axis: axis.kind == "rotation")
    return axes, entries


def _custom(document: Document, joint: Element, listed: list[CoordinateEntry]) -> Motion:
    """Axes of a CustomJoint, from its SpatialTransform."""
    transform = document.child(joint, "SpatialTransform")
    found: dict[str, Element] = {}
    for element in [] if transform is None else transform.children:
        if element.tag == "TransformAxis":
            element.seen = True
            found[element.name] = element
    given = {entry.name: entry for entry in listed}
    order: list[CoordinateEntry] = []
    axes: list[Axis] = []
    for kind, directions in (("rotation", (X, Y, Z)), ("translation", (X, Y, Z))):
        for i, usual in enumerate(directions):
            element = found.pop(f"{kind}{i + 1}", None)
            if element is None:
                continue
            axis, names, slope = _transform_axis(document, element, kind, usual)
            for name in names:
                entry = given.get(name) or CoordinateEntry(name, joint, given=False)
                given[name] = entry
                if entry not in order:
                    order.append(entry)
                    entry.kind, entry.motion = kind, "coupled"
                if slope in (1.0, -1.0):
                    entry.kind = kind
                    entry.motion = "rotational" if kind == "rotation" else "translational"
            axes.append(axis)
    if found:
        element = next(iter(found.values()))
        document.fail(element, "is not a known axis", "must be rotation1 to 3 or translation1 to 3")
    idle = next((entry for entry in listed if entry not in order), None)
    if idle is not None:
        document.fail(
            idle.element, "moves no axis of its CustomJoint", "must be used by a TransformAxis"
        )
    turns = [np.asarray(axis.direction) for axis in axes if axis.kind == "rotation"]
    for i, first in enumerate(turns):
        for second in turns[i + 1 :]:
            if np.linalg.norm(np.cross(first, second)) < 1e-5:
                document.fail(transform or joint, "has two parallel rotations", "must have none")
    axes.sort(key=lambda axis: axis.kind == "rotation")
    return [axis for axis in axes if axis.pairs or axis.offset], order


def _transform_axis(
    document: Document, element: Element, kind: str, usual: np.ndarray
) -> tuple[Axis, list[str], float | None]:
    """Axis, names of its coordinates, and the slope where it is linear in one of them."""
    names = document.words(element, "coordinates")
    direction = document.vector(element, 3, "axis", default=tuple(usual))
    function = property_function(document, element, "function")
    if function is None:
        if names:
            document.fail(element, "has coordinates and no function", "must have both or neither")
        return Axis(kind, direction), [], None
    terms, offset = read_terms(document, function, max(len(names), 1))
    if terms and not names:
        document.fail(element, "has a function and no coordinate", "must name its coordinates")
    pairs: list[tuple[str, Function]] = list(zip(names, terms, strict=False))
    if not terms:
        pairs = [(name, Linear(0.0)) for name in names]
    slope = None
    if function.tag == "LinearFunction" and isinstance(terms[0], Linear):
        slope = terms[0].slope
    with document.naming(element):
        return Axis(kind, direction, pairs, offset), names, slope


def _ellipsoid(names: list[str], radii: np.ndarray, turn: np.ndarray) -> list[Axis]:
    """Axes of a body whose origin slides on an ellipsoid, z along its normal.

    With angles q1, q2, q3 about x, y, z the normal is n = (sin q2, -sin q1 cos q2, cos q1 cos q2)
    and the origin (a n_x, b n_y, c n_z) [Seth and others, 2010, doi:10.1007/s11071-010-9717-3]. By
    the sums of angles each part of it is a fixed length along an axis that turns there and back:
    elementary motions represent it exactly.
    """
    q1, q2, q3 = names
    a, b, c = radii

    def rotate(axis: np.ndarray, **factors: float) -> Axis:
        terms = [(name, Linear(factors[key])) for key, name in keys if factors.get(key)]
        return Axis("rotation", turn @ axis, terms)

    def shift(length: float) -> Axis:
        return Axis("translation", turn @ Z, (), length)

    keys = (("q1", q1), ("q2", q2))
    # (a sin q2, 0, 0) is half of (sin q2, 0, cos q2) less half of (-sin q2, 0, cos q2)
    axes = [
        rotate(Y, q2=1.0),
        shift(0.5 * a),
        rotate(Y, q2=-2.0),
        shift(-0.5 * a),
        rotate(Y, q2=1.0),
    ]
    # (0, -b sin q1 cos q2, c cos q1 cos q2) is half of the sum of (0, -b sin s, c cos s) for
    # s = q1 + q2 and s = q1 - q2, each of which is the sum of two turned vectors along z
    for sign in (1.0, -1.0):
        axes += [
            rotate(X, q1=1.0, q2=sign),
            shift(0.25 * (c + b)),
            rotate(X, q1=-2.0, q2=-2.0 * sign),
            shift(0.25 * (c - b)),
            rotate(X, q1=1.0, q2=sign),
        ]
    angles = zip((X, Y, Z), names, strict=True)
    return axes + [Axis("rotation", turn @ axis, name) for axis, name in angles]


def _scapulothoracic(document: Document, joint: Element, names: list[str]) -> list[Axis]:
    """Axes of a scapula that glides on the thorax and wings about an axis in its plane.

    An ellipsoid joint whose frames are turned by 90 degrees about z, so that the first angle is
    abduction and the second elevation, and a hinge [Seth and others, 2016,
    doi:10.1371/journal.pone.0141028].
    """
    radii = document.vector(joint, 3, "thoracic_ellipsoid_radii_x_y_z")
    origin = document.vector(joint, 2, "scapula_winging_axis_origin", default=(0.0, 0.0))
    angle = document.number(joint, "scapula_winging_axis_direction", default=0.0)
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    axes = _ellipsoid(names[:3], radii[[1, 0, 2]], quarter)
    winging = Axis("rotation", (-math.sin(angle), math.cos(angle), 0.0), names[3])
    distance = math.hypot(*origin)
    if distance == 0.0:
        return [*axes, winging]
    out = Axis("translation", (*origin, 0.0), (), distance)
    back = Axis("translation", (*origin, 0.0), (), -distance)
    return [*axes, out, winging, back]

"""Classes of joints that OpenSim has for some axes, found from the axes alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.write.osim.placed import SQUARE, PlacedJoint, basis_of, is_plain, turn_about

SIMPLE = {
    "PinJoint": "Z",
    "SliderJoint": "x",
    "UniversalJoint": "XY",
    "GimbalJoint": "XYZ",
    "BallJoint": "XYZ",
    "FreeJoint": "XYZxyz",
    "PlanarJoint": "Zxy",
}
"""Coordinates in order: rotations in upper case, translations in lower case."""

_QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


class Kind(NamedTuple):
    """A class of joints, with the axes of its frame in the parent and its own numbers."""

    tag: str
    frame: Array  # (3, 3)
    numbers: dict[str, Array]


def simple_kind(joint: PlacedJoint, given: str | None) -> Kind | None:
    """Class of a joint whose coordinates move one axis of its frame each; None for others.

    `given` is the class in the file that a model was read from.
    """
    if not all(is_plain(axis) for axis in joint.axes):
        return None
    axes = {axis.pairs[0][0]: axis for axis in joint.axes}
    names = [one.name for one in joint.coordinates]
    if len(joint.axes) != len(names) or set(axes) != set(names):
        return None
    for tag in (given,) if given else SIMPLE:
        letters = SIMPLE.get(tag, "")
        if len(letters) != len(names):
            continue
        kinds = ["rotation" if letter.isupper() else "translation" for letter in letters]
        pairs = list(zip(names, letters, strict=True))
        ordered = [name for name, letter in pairs if letter.islower()]
        ordered += [name for name, letter in pairs if letter.isupper()]
        if [axes[name].kind for name in names] != kinds or list(axes) != ordered:
            continue
        columns: dict[str, Array] = {}
        agree = True
        for name, letter in pairs:
            direction = np.asarray(axes[name].direction)
            known = columns.setdefault(letter.lower(), direction)
            agree = agree and bool(np.abs(known - direction).max() < SQUARE)
        frame = basis_of(columns) if agree else None
        if frame is not None:
            return Kind(tag, frame, {})
    return None


def ellipsoid_kind(joint: PlacedJoint) -> Kind | None:
    """Class of a joint whose point glides on an ellipsoid, along its normal; None for others."""
    names = [one.name for one in joint.coordinates]
    rotations = [axis for axis in joint.axes if axis.kind == "rotation" and is_plain(axis)]
    if len(names) == 3:
        last = list(joint.axes[-3:])
    elif len(names) == 4:  # the fourth is behind the three angles, beside its point
        last = [axis for axis in rotations if axis.pairs[0][0] in names[:3]][-3:]
    else:
        return None
    plain = len(last) == 3 and all(axis.kind == "rotation" and is_plain(axis) for axis in last)
    if not plain or [axis.pairs[0][0] for axis in last] != names[:3]:
        return None
    glide = basis_of(
        {letter: np.asarray(a.direction) for letter, a in zip("xyz", last, strict=True)}
    )
    if glide is None:
        return None
    quarter = 0.5 * math.pi
    ends = [(0.0, quarter, 0.0), (-quarter, 0.0, 0.0), (0.0, 0.0, 0.0)]
    if len(names) == 3:
        at = [joint.pose(dict(zip(names, end, strict=True)))[1] for end in ends]
        radii = np.array([(glide.T @ p)[k] for k, p in enumerate(at)])
        kind = Kind("EllipsoidJoint", glide, {"radii_x_y_z": radii})
        wing = origin = None
    else:
        frame = glide @ _QUARTER.T
        wings = [axis for axis in rotations if axis.pairs[0][0] == names[3]]
        if len(wings) != 1:
            return None
        k = next(i for i, axis in enumerate(joint.axes) if axis is wings[0])
        before = joint.axes[k - 1]
        origin, wing = np.zeros(3), np.asarray(wings[0].direction)
        if before.kind == "translation" and not before.pairs:
            origin = np.asarray(before.direction) * before.offset
        at = [joint.pose(dict(zip(names, (*end, 0.0), strict=True)))[1] for end in ends]
        along = np.array([(glide.T @ p)[k] for k, p in enumerate(at)])
        local, own = frame.T @ wing, frame.T @ origin
        numbers = {
            "thoracic_ellipsoid_radii_x_y_z": along[[1, 0, 2]],
            "scapula_winging_axis_origin": own[:2],
            "scapula_winging_axis_direction": np.array(math.atan2(-local[0], local[1])),
        }
        if abs(local[2]) > SQUARE or abs(own[2]) > SQUARE:
            return None
        kind, radii = Kind("ScapulothoracicJoint", frame, numbers), along
    if radii.min() <= 0.0 or not _glides(joint, names, glide, radii, origin, wing):
        return None
    return kind


def _glides(
    joint: PlacedJoint,
    names: list[str],
    frame: Array,
    radii: Array,
    origin: Array | None,
    wing: Array | None,
) -> bool:
    """Whether the axes move as an ellipsoid joint does, with a hinge behind if there is a wing."""
    for q in (0.3, -0.7, 0.2, 0.5), (-1.1, 0.4, 0.9, -0.8), (0.8, 1.3, -0.6, 0.1):
        R, p = joint.pose(dict(zip(names, q, strict=False)))
        c1, s1, c2, s2 = math.cos(q[0]), math.sin(q[0]), math.cos(q[1]), math.sin(q[1])
        place = frame @ (radii * np.array([s2, -s1 * c2, c1 * c2]))
        turn = np.eye(3)
        for k in range(3):
            turn = turn @ turn_about(frame[:, k], q[k])
        if wing is not None and origin is not None:
            hinge = turn_about(wing, q[3])
            place = place + turn @ (origin - hinge @ origin)
            turn = turn @ hinge
        size = 1.0 + float(radii.max())
        if max(np.abs(R - turn).max(), np.abs(p - place).max() / size) > SQUARE:
            return False
    return True

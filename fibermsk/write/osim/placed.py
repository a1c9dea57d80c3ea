"""Joints as OpenSim takes them: directions of axes, frames, and joints from child to parent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model.function import Linear, Scaled
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.coordinate import Coordinate

SQUARE = 1e-12
"""Largest deviation of axes from orthonormal ones that counts as round-off."""


@dataclass(frozen=True)
class PlacedJoint:
    """A joint of the file: its bodies, points, orientation and axes, in the parent's frame."""

    name: str
    parent: Body
    child: Body
    coordinates: tuple[Coordinate, ...]
    axes: tuple[Axis, ...]
    at: Array
    child_at: Array
    rotation: Array

    @classmethod
    def of(cls, joint: Any) -> PlacedJoint:
        """Joint of a model, without a quaternion."""
        places = (np.asarray(one) for one in (joint.at, joint.child_at, joint.rotation))
        own = (joint.name, joint.parent, joint.child, tuple(joint.coordinates), tuple(joint.axes))
        return cls(*own, *places)

    def turned(self) -> PlacedJoint:
        """Same joint with parent and child exchanged: axes inverted and in reverse order."""
        back = self.rotation.T
        axes = tuple(
            Axis(
                axis.kind,
                back @ np.asarray(axis.direction),
                tuple((name, _negative(function)) for name, function in axis.pairs),
                -axis.offset,
            )
            for axis in reversed(self.axes)
        )
        own = (self.name, self.child, self.parent, self.coordinates, axes)
        return PlacedJoint(*own, self.child_at, self.at, back)

    @property
    def is_custom(self) -> bool:
        """Whether up to three translations are followed by up to three rotations."""
        kinds = [axis.kind for axis in self.axes]
        counts = [kinds.count(kind) for kind in ("translation", "rotation")]
        ordered = sorted(kinds, key=lambda kind: kind == "rotation") == kinds
        return ordered and max(counts) <= 3

    @property
    def is_inverted(self) -> bool:
        """Whether all functions are negative ones, as where a file joins from child to parent."""
        functions = [function for axis in self.axes for _, function in axis.pairs]
        return bool(functions) and all(_is_negative(function) for function in functions)

    def pose(self, values: dict[str, float]) -> tuple[Array, Array]:
        """Rotation (3, 3) and translation (3,) of the axes alone, parent frame."""
        R, p = np.eye(3), np.zeros(3)
        for axis in self.axes:
            amount = axis.offset
            for name, function in axis.pairs:
                amount += float(function.pieces()(values[name]))
            if axis.kind == "translation":
                p = p + R @ np.asarray(axis.direction) * amount
            else:
                R = R @ turn_about(np.asarray(axis.direction), amount)
        return R, p


def _negative(function: Any) -> Any:
    """The negative of a function; that of a negative one is the function itself."""
    return function.function if _is_negative(function) else Scaled(function, -1.0)


def _is_negative(function: Any) -> bool:
    return isinstance(function, Scaled) and function.factor == -1.0


def turn_about(n: Array, angle: float) -> Array:
    """Rotation (3, 3) about a unit vector."""
    cross = np.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)


def is_plain(axis: Axis) -> bool:
    """Whether an axis moves by one coordinate itself."""
    if len(axis.pairs) != 1 or axis.offset != 0.0:
        return False
    function = axis.pairs[0][1]
    return isinstance(function, Linear) and (function.slope, function.intercept) == (1.0, 0.0)


def completed(directions: Sequence[Array]) -> list[Array]:
    """Three directions, the given ones first; those added are perpendicular to all before."""
    found = [np.asarray(one, float) for one in directions]
    while len(found) < 3:
        if len(found) == 2 and np.linalg.norm(np.cross(found[0], found[1])) > 1e-5:
            third = np.cross(found[0], found[1])
        elif found:
            third = np.cross(found[-1], np.eye(3)[np.argmin(np.abs(found[-1]))])
            if len(found) == 2:  # both are parallel
                third = np.cross(found[0], third)
        else:
            third = np.eye(3)[0]
        found.append(third / np.linalg.norm(third) + 0.0)
    return found


def basis_of(columns: dict[str, Array]) -> Array | None:
    """Rotation (3, 3) with some columns "x", "y", "z"; None if they are not orthonormal."""
    letters = "xyz"
    R = np.zeros((3, 3))
    given = [letters.index(letter) for letter in columns]
    for k, direction in zip(given, columns.values(), strict=True):
        R[:, k] = direction
    if len(given) == 1:
        k = given[0]
        side = np.cross(R[:, k], np.eye(3)[np.argmin(np.abs(R[:, k]))])
        R[:, (k + 1) % 3] = side / np.linalg.norm(side)
        given.append((k + 1) % 3)
    if len(given) == 2:
        (k,) = {0, 1, 2} - set(given)
        R[:, k] = np.cross(R[:, (k + 1) % 3], R[:, (k + 2) % 3])
    square = np.abs(R @ R.T - np.eye(3)).max() < SQUARE and np.linalg.det(R) > 0.0
    return R if square else None

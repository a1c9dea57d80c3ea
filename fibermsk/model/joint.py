"""Joints: how a child body hangs on its parent, and the coordinates that move it.

Every joint is a list of axes, elementary rotations and translations that act one after the other,
each a function of coordinates (`fibermsk.model.axis`); the ready-made ones only spell it out. The
child's pose in the parent is translation to ``at``, the axes, ``rotation``, translation by
-``child_at``. A `Spherical` or `Free` joint turns by a quaternion instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.laws.coordinate import Damper
from fibermsk.model.axis import Axis
from fibermsk.model.body import Body
from fibermsk.model.coordinate import UNITS, Coordinate
from fibermsk.model.function import Linear, is_constant

__all__ = ["JOINTS", "FunctionalJoint", "Hinge", "Joint", "Slider", "Weld"]

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROUNDOFF = 1e-9
"""Largest entry of R R^T - 1 of a rotation matrix R."""


@dataclass(frozen=True, eq=False)
class Weld:
    """A child body fixed to its parent.

    Parameters
    ----------
    parent, child : Body
        The bodies; each body is the child of one joint.
    at : (3,) array_like
        Joint point, parent frame [m].
    child_at : (3,) array_like
        The same point, child frame [m].
    rotation : (3, 3) array_like
        Orientation of the child in the parent: r_parent = rotation @ r_child.

    Attributes
    ----------
    coordinates, axes : tuple
        Empty.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    parent: Body
    child: Body
    at: ArrayLike = (0.0, 0.0, 0.0)
    child_at: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = IDENTITY
    coordinates: tuple[Coordinate, ...] = field(default=(), init=False, repr=False)
    axes: tuple[Axis, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        _check.store(self, **check_placement("weld", self))

    @property
    def name(self) -> str:
        """Name made of the two bodies, such as "ulna on humerus"."""
        return f"{self.child.name} on {self.parent.name}"


@dataclass(frozen=True, eq=False)
class _OneAxis:
    """A joint with one axis, whose coordinate has the joint's name."""

    name: str
    parent: Body
    child: Body
    at: ArrayLike
    axis: ArrayLike
    child_at: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = IDENTITY
    damping: float = 0.0
    value: float = 0.0
    speed: float = 0.0
    _: KW_ONLY
    coordinate: Coordinate | None = None
    coordinates: tuple[Coordinate, ...] = field(default=(), init=False, repr=False)
    axes: tuple[Axis, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        kind, kind_unit = self._kind
        label = type(self).__name__.lower()
        owner = f"{label} {_check.item_name(label, self.name)!r}"
        placement = check_placement(owner, self)
        coordinate = self.coordinate
        damping = _check.non_negative(owner, "damping", self.damping, kind_unit)
        value = _check.number(owner, "value", self.value, UNITS[kind])
        speed = _check.number(owner, "speed", self.speed, f"{UNITS[kind]}/s")
        if coordinate is None:
            forces = (Damper(damping),) if damping > 0.0 else ()
            coordinate = Coordinate(self.name, kind, value, speed, forces=forces)
        else:
            _check.instance(owner, "coordinate", coordinate, Coordinate, "a Coordinate")
            if coordinate.kind != kind:
                _check.refuse(owner, "coordinate.kind", coordinate.kind, f"be {kind!r}")
            for name, given in (("damping", damping), ("value", value), ("speed", speed)):
                if given != 0.0:
                    must = "be left out where the coordinate is given"
                    _check.refuse(owner, name, given, must)
        axis = Axis(kind, _check.unit_vector(owner, "axis", self.axis), coordinate.name)
        _check.store(
            self,
            **placement,
            axis=axis.direction,
            damping=damping,
            value=coordinate.value,
            speed=coordinate.speed,
            coordinates=(coordinate,),
            axes=(axis,),
        )

    @property
    def _kind(self) -> tuple[str, str]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Hinge(_OneAxis):
    """A child body that turns about an axis fixed in its parent.

    Parameters
    ----------
    name : str
        Name of the joint and of its coordinate, unique in the model.
    parent, child : Body
        The bodies; each body is the child of one joint.
    at : (3,) array_like
        Joint center, parent frame [m].
    axis : (3,) array_like
        Axis of rotation, parent frame; stored with length one. The coordinate is positive by
        the right-hand rule.
    child_at : (3,) array_like
        Joint center, child frame [m].
    rotation : (3, 3) array_like
        Orientation of the child in the parent at coordinate zero: r_parent = rotation @ r_child.
    damping : float
        Viscous damping [N m s/rad]; zero or positive.
    value, speed : float
        Coordinate [rad] and its rate [rad/s] at the start.
    coordinate : Coordinate, optional
        In place of damping, value and speed, with a name of its own.

    Attributes
    ----------
    coordinates : tuple of Coordinate
        The one coordinate.
    axes : tuple of Axis
        The one rotation.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    @property
    def _kind(self) -> tuple[str, str]:
        return "rotation", "N m s/rad"


@dataclass(frozen=True, eq=False)
class Slider(_OneAxis):
    """A child body that slides along an axis fixed in its parent; fields as those of `Hinge`.

    Its coordinate is in m and its damping in N s/m.
    """

    @property
    def _kind(self) -> tuple[str, str]:
        return "translation", "N s/m"


@dataclass(frozen=True, eq=False)
class FunctionalJoint:
    """A child body that moves along axes which are functions of coordinates.

    OpenSim's CustomJoint: its translations, in the parent's joint frame, come first, and then its
    rotations.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the model.
    parent, child : Body
        The bodies; each body is the child of one joint.
    coordinates : sequence of Coordinate
        Coordinates that the joint brings along; stored as a tuple.
    axes : sequence of Axis
        They act in this order; their terms may name coordinates of other joints of the model too;
        stored as a tuple.
    at, child_at : (3,) array_like
        Joint point, parent frame and child frame [m].
    rotation : (3, 3) array_like
        Orientation of the child in the parent with all axes at zero: r_parent = rotation @ r_child.
    quaternion : tuple of 4 str, optional
        Coordinates of kind "quaternion", by name, that turn the child after the axes.

    Raises
    ------
    ModelError
        If a field lies outside its range, or a coordinate that the joint brings moves nothing.
    """

    name: str
    parent: Body
    child: Body
    coordinates: Sequence[Coordinate]
    axes: Sequence[Axis]
    at: ArrayLike = (0.0, 0.0, 0.0)
    child_at: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = IDENTITY
    quaternion: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the fields and store them as float64 and tuples."""
        owner = f"joint {_check.item_name('joint', self.name)!r}"
        placement = check_placement(owner, self)
        coordinates = _several(owner, "coordinates", self.coordinates, Coordinate, "a Coordinate")
        axes = _several(owner, "axes", self.axes, Axis, "an Axis")
        names = [coordinate.name for coordinate in coordinates]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            _check.refuse(owner, "coordinates", twice, "have different names")
        parts = {c.name: c for c in coordinates if c.kind == "quaternion"}
        quaternion = _check_quaternion(owner, self.quaternion, set(parts))
        if parts and not any(part.value for part in parts.values()):
            must, remedy = "have a length", "start at (1, 0, 0, 0), which is no rotation"
            _check.refuse(owner, "quaternion", (0.0, 0.0, 0.0, 0.0), must, remedy=remedy)
        moves = {
            name for axis in axes for name, function in axis.pairs if not is_constant(function)
        }
        used = moves | set(quaternion)
        idle = next((name for name in names if name not in used), None)
        if idle is not None:
            must = f"move an axis of the joint, which {idle!r} does not"
            _check.refuse(owner, "coordinates", names, must, remedy="give it to an axis")
        turned = next((n for axis in axes for n, _ in axis.pairs if n in quaternion), None)
        if turned is not None:
            _check.refuse(owner, "axes", turned, "not use a quaternion coordinate")
        _check.store(self, **placement, coordinates=coordinates, axes=axes, quaternion=quaternion)


Joint = Weld | Hinge | Slider | FunctionalJoint

JOINTS = (Weld, Hinge, Slider, FunctionalJoint)
"""Kinds of joints."""


def single(name: str, kind: str, direction: ArrayLike) -> Axis:
    """Axis that is one coordinate."""
    return Axis(kind, direction, ((name, Linear()),))


def check_placement(owner: str, joint: Any) -> dict[str, Any]:
    """Where a joint sits in its two bodies, as read-only arrays by field name."""
    _check.instance(owner, "parent", joint.parent, Body, "a Body")
    _check.instance(owner, "child", joint.child, Body, "a Body")
    owner = _check.show(joint)  # a weld has its name from the two bodies
    if joint.parent is joint.child:
        _check.refuse(owner, "child", joint.child, "be another body than the parent")
    return {
        "at": _check.array(owner, "at", joint.at, (3,), "m"),
        "child_at": _check.array(owner, "child_at", joint.child_at, (3,), "m"),
        "rotation": check_rotation(owner, "rotation", joint.rotation),
    }


def check_rotation(owner: str, field: str, value: Any) -> np.ndarray:
    """Read-only rotation matrix (3, 3)."""
    rotation = _check.array(owner, field, value, (3, 3))
    error = np.abs(rotation @ rotation.T - np.eye(3)).max()
    if error > ROUNDOFF or np.linalg.det(rotation) < 0.0:
        _check.refuse(
            owner,
            field,
            rotation,
            "be a rotation matrix (orthonormal, determinant +1)",
            remedy="scipy's Rotation(...).as_matrix() makes one",
        )
    return rotation


def _check_quaternion(owner: str, value: Any, parts: set[str]) -> tuple[str, ...]:
    """Names of the four quaternion coordinates of a joint, or none where it has none."""
    given = isinstance(value, tuple | list) and all(isinstance(name, str) for name in value)
    if not given or set(value) != parts or len(value) not in (0, 4) or len(parts) != len(value):
        must = "name the four quaternion coordinates of the joint, each once"
        _check.refuse(owner, "quaternion", value, must)
    return tuple(value)


def _several(owner: str, name: str, value: Any, kind: type, what: str) -> tuple[Any, ...]:
    """Tuple of one item or of a sequence of items."""
    if isinstance(value, kind):
        return (value,)
    _check.instance(owner, name, value, (tuple, list), f"{what}, or a sequence of them")
    for i, item in enumerate(value):
        _check.instance(owner, f"{name}[{i}]", item, kind, what)
    return tuple(value)

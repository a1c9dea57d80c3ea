"""Joints: connections of a child body to its parent, with generalized coordinates.

Every joint is a list of axes, elementary rotations and translations in sequence, each a function of
coordinates (`fibermsk.model.skeleton.axis`); other joints are special cases. The child's pose in
the parent is translation to ``at``, the axes, ``rotation``, translation by -``child_at``. A
`Spherical` or `Free` joint rotates by a quaternion instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import NON_NEGATIVE, checked, direction, number
from fibermsk._shown import Described
from fibermsk.laws.coordinate import Damper
from fibermsk.model.function import is_constant
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.coordinate import UNITS, Coordinate

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROUNDOFF = 1e-9
"""Largest allowed entry of R R^T - 1 of a rotation matrix R."""


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
            remedy="use scipy's Rotation(...).as_matrix()",
        )
    return rotation


def orientation() -> Any:
    """Field of a dataclass that holds a rotation matrix (3, 3); the identity by default."""
    why = "a rotation matrix is orthonormal"
    return number("", shape=(3, 3), whole=why, check=check_rotation, default=IDENTITY)


@dataclass(frozen=True, eq=False, repr=False)
class Weld(Described):
    """A child body fixed to its parent; it has no coordinates and no axes.

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
    """

    parent: Body
    child: Body
    at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    child_at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    rotation: ArrayLike = orientation()
    coordinates: tuple[Coordinate, ...] = field(default=(), init=False, repr=False)
    axes: tuple[Axis, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        _check.store(self, **check_placement("weld", self))

    @property
    def name(self) -> str:
        """Name made of the two bodies, such as "ulna on humerus"."""
        return f"{self.child.name} on {self.parent.name}"


def _has_coordinate(joint: _OneAxis) -> str:
    coordinate = joint.coordinate
    return "" if coordinate is None else f"its coordinate {coordinate.name!r} sets it"


@dataclass(frozen=True, eq=False, repr=False)
class _OneAxis(Described):
    """A joint with one axis and one coordinate."""

    name: str
    parent: Body
    child: Body
    at: ArrayLike = number("m", shape=(3,))
    axis: ArrayLike = direction()
    child_at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    rotation: ArrayLike = orientation()
    damping: float = number(
        lambda joint: joint._kind[1], NON_NEGATIVE, unless=_has_coordinate, default=0.0
    )
    value: float = number(lambda joint: UNITS[joint._kind[0]], unless=_has_coordinate, default=0.0)
    speed: float = number(
        lambda joint: f"{UNITS[joint._kind[0]]}/s", unless=_has_coordinate, default=0.0
    )
    _: KW_ONLY
    coordinate: Coordinate | None = None
    coordinates: tuple[Coordinate, ...] = field(default=(), init=False, repr=False)
    axes: tuple[Axis, ...] = field(default=(), init=False, repr=False)

    _kind: ClassVar[tuple[str, str]]
    """Kind of the coordinate, and unit of its damping."""

    def __post_init__(self) -> None:
        kind, _ = self._kind
        label = type(self).__name__.lower()
        owner = f"{label} {_check.item_name(label, self.name)!r}"
        _check.store(self, **check_placement(owner, self))
        coordinate = self.coordinate
        if coordinate is None:
            forces = (Damper(self.damping),) if self.damping > 0.0 else ()
            coordinate = Coordinate(self.name, kind, self.value, self.speed, forces=forces)
        else:
            _check.instance(owner, "coordinate", coordinate, Coordinate, "a Coordinate")
            if coordinate.kind != kind:
                _check.refuse(owner, "coordinate.kind", coordinate.kind, f"be {kind!r}")
            for name in ("damping", "value", "speed"):
                if (given := getattr(self, name)) != 0.0:
                    must = "be left out where the coordinate is given"
                    _check.refuse(owner, name, given, must)
        axis = Axis(kind, self.axis, coordinate.name)
        _check.store(self, coordinates=(coordinate,), axes=(axis,))


@dataclass(frozen=True, eq=False, repr=False)
class Hinge(_OneAxis):
    """A revolute joint: the child rotates about an axis fixed in its parent.

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
        Replaces damping, value and speed, and has its own name.
    """

    _kind = "rotation", "N m s/rad"


@dataclass(frozen=True, eq=False, repr=False)
class Slider(_OneAxis):
    """A prismatic joint along an axis fixed in the parent; fields as those of `Hinge`.

    Parameters
    ----------
    axis : (3,) array_like
        Direction of the translation, parent frame; stored with length one.
    damping : float
        Viscous damping [N s/m]; zero or positive.
    value, speed : float
        Coordinate [m] and its rate [m/s] at the start.
    """

    _kind = "translation", "N s/m"


@dataclass(frozen=True, eq=False, repr=False)
class FunctionalJoint(Described):
    """A joint with general axes, which are functions of coordinates.

    OpenSim's CustomJoint is one: first its translations, in the parent's joint frame, then its
    rotations.

    Parameters
    ----------
    name : str
        Name of the joint, unique in the model.
    parent, child : Body
        The bodies; each body is the child of one joint.
    coordinates : sequence of Coordinate
        Coordinates of the joint; stored as a tuple.
    axes : sequence of Axis
        Axes in the order in which they act; their terms may also name coordinates of other joints;
        stored as a tuple.
    at, child_at : (3,) array_like
        Joint point, parent frame and child frame [m].
    rotation : (3, 3) array_like
        Orientation of the child in the parent with all axes at zero: r_parent = rotation @ r_child.
    quaternion : tuple of 4 str, optional
        Names of coordinates of kind "quaternion", which rotate the child after the axes.

    Raises
    ------
    ModelError
        If a field lies outside its range, or a coordinate of the joint moves no axis.
    """

    name: str
    parent: Body
    child: Body
    coordinates: Sequence[Coordinate]
    axes: Sequence[Axis]
    at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    child_at: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    rotation: ArrayLike = orientation()
    quaternion: tuple[str, ...] = ()

    def __post_init__(self) -> None:
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
            must, remedy = "be nonzero", "start at (1, 0, 0, 0), the identity"
            _check.refuse(owner, "quaternion", (0.0, 0.0, 0.0, 0.0), must, remedy=remedy)
        moves = {
            name for axis in axes for name, function in axis.pairs if not is_constant(function)
        }
        used = moves | set(quaternion)
        idle = next((name for name in names if name not in used), None)
        if idle is not None:
            must = f"move an axis of the joint, which {idle!r} does not"
            _check.refuse(
                owner, "coordinates", names, must, remedy="use it in the terms of an axis"
            )
        turned = next((n for axis in axes for n, _ in axis.pairs if n in quaternion), None)
        if turned is not None:
            _check.refuse(owner, "axes", turned, "not use a quaternion coordinate")
        _check.store(self, **placement, coordinates=coordinates, axes=axes, quaternion=quaternion)


Joint = Weld | Hinge | Slider | FunctionalJoint

JOINTS = (Weld, Hinge, Slider, FunctionalJoint)
"""Kinds of joints."""


def check_placement(owner: str, joint: Any) -> dict[str, Any]:
    """Checked numbers of a joint by field: its frames in the two bodies, initial values."""
    _check.instance(owner, "parent", joint.parent, Body, "a Body")
    _check.instance(owner, "child", joint.child, Body, "a Body")
    owner = _check.show(joint)  # the name of a weld is composed of those of the two bodies
    if joint.parent is joint.child:
        _check.refuse(owner, "child", joint.child, "differ from the parent")
    return checked(joint, owner)


def _check_quaternion(owner: str, value: Any, parts: set[str]) -> tuple[str, ...]:
    """Names of the four quaternion coordinates of a joint, or an empty tuple."""
    given = isinstance(value, tuple | list) and all(isinstance(name, str) for name in value)
    if not given or set(value) != parts or len(value) not in (0, 4) or len(parts) != len(value):
        must = "name the four quaternion coordinates of the joint, each once"
        _check.refuse(owner, "quaternion", value, must)
    return tuple(value)


def _several(owner: str, name: str, value: Any, kind: type, what: str) -> tuple[Any, ...]:
    """Tuple of one item or of a sequence of items."""
    value = (value,) if isinstance(value, kind) else value
    return _check.items(owner, name, value, kind, what, f"{what}, or a sequence of them")

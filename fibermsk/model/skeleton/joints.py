"""Joints with several coordinates, as functional joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk.laws.coordinate import Damper
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.body import Body
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.joint import IDENTITY, FunctionalJoint


def Universal(
    name: str,
    parent: Body,
    child: Body,
    at: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    coordinates: Sequence[Coordinate] | None = None,
    child_at: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = IDENTITY,
    damping: float = 0.0,
) -> FunctionalJoint:
    """A universal joint: two rotations, the second about an axis that rotates with the first.

    Parameters
    ----------
    name : str
        Name of the joint; its coordinates are ``name_1`` and ``name_2`` unless given.
    parent, child : Body
        The bodies.
    at, child_at : (3,) array_like
        Joint center, parent frame and child frame [m].
    first, second : (3,) array_like
        Axes, parent frame with both angles at zero; not parallel.
    coordinates : two Coordinate, optional
        Replace the default coordinates.
    rotation : (3, 3) array_like
        Orientation of the child in the parent at zero.
    damping : float
        Viscous damping of both [N m s/rad].
    """
    owner = f"universal {_check.item_name('universal', name)!r}"
    a, b = (
        _check.unit_vector(owner, field, value)
        for field, value in (("first", first), ("second", second))
    )
    if np.linalg.norm(np.cross(a, b)) < 1e-9:
        _check.refuse(owner, "second", b, f"not be parallel to first = {a}")
    own = _coordinates(owner, coordinates, (f"{name}_1", f"{name}_2"), ("rotation",) * 2, damping)
    axes = _axes(own, a, b)
    return FunctionalJoint(name, parent, child, own, axes, at, child_at, rotation)


def Cylindrical(
    name: str,
    parent: Body,
    child: Body,
    at: ArrayLike,
    axis: ArrayLike,
    *,
    coordinates: Sequence[Coordinate] | None = None,
    child_at: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = IDENTITY,
    damping: float = 0.0,
) -> FunctionalJoint:
    """A translation along an axis and a rotation about it.

    Parameters
    ----------
    name : str
        Name of the joint; its coordinates are ``name_translation`` and ``name_rotation`` unless
        given, in this order.
    axis : (3,) array_like
        Axis, parent frame.
    parent, child, at, child_at, rotation, coordinates
        As those of `Universal`.
    damping : float
        Viscous damping of both [N s/m, N m s/rad].
    """
    owner = f"cylindrical {_check.item_name('cylindrical', name)!r}"
    names, kinds = (f"{name}_translation", f"{name}_rotation"), ("translation", "rotation")
    own = _coordinates(owner, coordinates, names, kinds, damping)
    direction = _check.unit_vector(owner, "axis", axis)
    axes = _axes(own, direction, direction)
    return FunctionalJoint(name, parent, child, own, axes, at, child_at, rotation)


def Planar(
    name: str,
    parent: Body,
    child: Body,
    at: ArrayLike,
    normal: ArrayLike,
    *,
    along: ArrayLike | None = None,
    coordinates: Sequence[Coordinate] | None = None,
    child_at: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = IDENTITY,
    damping: float = 0.0,
) -> FunctionalJoint:
    """Two translations in a plane fixed in the parent and a rotation about its normal.

    Parameters
    ----------
    name : str
        Name of the joint; its coordinates are ``name_x``, ``name_y`` and ``name_rotation`` unless
        given, in this order.
    normal : (3,) array_like
        Normal of the plane, parent frame.
    along : (3,) array_like, optional
        Direction in the plane, parent frame, of the first translation; the second is perpendicular
        to it. By default the parent's axis closest to the plane.
    parent, child, at, child_at, rotation, coordinates
        As those of `Universal`.
    damping : float
        Viscous damping of all [N s/m, N m s/rad].
    """
    owner = f"planar {_check.item_name('planar', name)!r}"
    n = _check.unit_vector(owner, "normal", normal)
    x = (
        np.eye(3)[np.argmin(np.abs(n))]
        if along is None
        else _check.array(owner, "along", along, (3,))
    )
    x = x - (x @ n) * n
    if np.linalg.norm(x) < 1e-9:
        _check.refuse(owner, "along", along, "not be parallel to the normal")
    x /= np.linalg.norm(x)
    names = f"{name}_x", f"{name}_y", f"{name}_rotation"
    own = _coordinates(
        owner, coordinates, names, ("translation", "translation", "rotation"), damping
    )
    axes = _axes(own, x, np.cross(n, x), n)
    return FunctionalJoint(name, parent, child, own, axes, at, child_at, rotation)


def Spherical(
    name: str,
    parent: Body,
    child: Body,
    at: ArrayLike,
    *,
    quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    child_at: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = IDENTITY,
) -> FunctionalJoint:
    """A spherical joint, without gimbal lock.

    Its state is a quaternion (w, x, y, z) of any length but zero, whose direction is the
    orientation; the velocity coordinates are its rates. With unit length the child's angular
    velocity relative to its parent, in the axes of the child at `rotation` 1, is omega = 2
    vec(conj(quaternion) * rate). Its length does not affect the mechanics and is kept near one.

    Parameters
    ----------
    name : str
        Name of the joint; its coordinates are ``name_w``, ``name_x``, ``name_y``, ``name_z``.
    quaternion : (4,) array_like
        Orientation at the start, stored with length one.
    angular_velocity : (3,) array_like
        Initial angular velocity, in the axes rotated by the quaternion [rad/s].
    parent, child, at, child_at, rotation
        As those of `Universal`; `rotation` acts after the quaternion.
    """
    owner = f"spherical {_check.item_name('spherical', name)!r}"
    own = _quaternion(owner, name, quaternion, angular_velocity)
    names = tuple(c.name for c in own)
    return FunctionalJoint(name, parent, child, own, (), at, child_at, rotation, names)


def Free(
    name: str,
    parent: Body,
    child: Body,
    *,
    at: ArrayLike = (0.0, 0.0, 0.0),
    position: ArrayLike = (0.0, 0.0, 0.0),
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    child_at: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = IDENTITY,
) -> FunctionalJoint:
    """A free joint: three translations and a `Spherical` joint.

    Parameters
    ----------
    name : str
        Name of the joint; its coordinates are ``name_tx``, ``name_ty``, ``name_tz`` [m] and those
        of `Spherical`.
    position, velocity : (3,) array_like
        Initial position and velocity of the child's joint point relative to `at`, parent frame [m,
        m/s].
    quaternion, angular_velocity
        As those of `Spherical`.
    parent, child, at, child_at, rotation
        As those of `Universal`.
    """
    owner = f"free {_check.item_name('free', name)!r}"
    x = _check.array(owner, "position", position, (3,), "m")
    v = _check.array(owner, "velocity", velocity, (3,), "m/s")
    parts = zip("xyz", x, v, strict=True)
    moved = [Coordinate(f"{name}_t{i}", "translation", float(a), float(b)) for i, a, b in parts]
    turned = _quaternion(owner, name, quaternion, angular_velocity)
    axes = _axes(moved, *np.eye(3))
    return FunctionalJoint(
        name, parent, child, (*moved, *turned), axes, at, child_at, rotation,
        tuple(c.name for c in turned),
    )  # fmt: skip


def _coordinates(
    owner: str,
    given: Any,
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    damping: float,
) -> tuple[Coordinate, ...]:
    """Given or default coordinates of a joint."""
    damping = _check.non_negative(owner, "damping", damping, "N m s/rad or N s/m")
    if given is None:
        forces = (Damper(damping),) if damping > 0.0 else ()
        return tuple(
            Coordinate(name, kind, forces=forces) for name, kind in zip(names, kinds, strict=True)
        )
    if damping != 0.0:
        _check.refuse(owner, "damping", damping, "be left out if coordinates are given")
    _check.instance(owner, "coordinates", given, (tuple, list), "a sequence of coordinates")
    if len(given) != len(kinds):
        _check.refuse(owner, "coordinates", len(given), f"be {len(kinds)} coordinates")
    for i, (coordinate, kind) in enumerate(zip(given, kinds, strict=True)):
        _check.instance(owner, f"coordinates[{i}]", coordinate, Coordinate, "a Coordinate")
        if coordinate.kind != kind:
            _check.refuse(owner, f"coordinates[{i}].kind", coordinate.kind, f"be {kind!r}")
    return tuple(given)


def _axes(coordinates: Sequence[Coordinate], *directions: np.ndarray) -> list[Axis]:
    """Axis along each direction, moved by one coordinate."""
    both = zip(coordinates, directions, strict=True)
    return [Axis(one.kind, direction, one.name) for one, direction in both]


def _quaternion(
    owner: str, name: str, value: ArrayLike, angular_velocity: ArrayLike
) -> tuple[Coordinate, ...]:
    """Four coordinates of unit length with the rates of an angular velocity."""
    q = _check.array(owner, "quaternion", value, (4,))
    size = float(np.linalg.norm(q))
    if size < 1e-12:
        _check.refuse(owner, "quaternion", q, "be nonzero", remedy="(1, 0, 0, 0) is the identity")
    w, x, y, z = q / size
    omega = _check.array(owner, "angular_velocity", angular_velocity, (3,), "rad/s")
    # rate = quaternion * (0, omega) / 2
    E = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
    rate = 0.5 * E @ omega
    return tuple(
        Coordinate(f"{name}_{axis}", "quaternion", float(value), float(speed))
        for axis, value, speed in zip("wxyz", (w, x, y, z), rate, strict=True)
    )

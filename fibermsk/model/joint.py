"""Joints: how a child body hangs on its parent, and the coordinates that move it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk.laws import _check
from fibermsk.model.body import Body

__all__ = ["Dof", "Hinge", "Joint", "Weld"]

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROUNDOFF = 1e-9
"""Largest entry of R R^T - 1 of a rotation matrix R."""


@dataclass(frozen=True, eq=False)
class Dof:
    """One generalized coordinate of a joint.

    Parameters
    ----------
    name : str
        Name of the coordinate.
    kind : {"revolute", "prismatic"}
        Rotation about the axis [rad], or translation along it [m].
    axis : (3,) array_like
        Direction, parent joint frame; stored with length one.
    damping : float
        Viscous damping [N m s/rad or N s/m]; zero or positive.
    value, speed : float
        The coordinate and its rate at the start [rad, rad/s or m, m/s].

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    name: str
    kind: str
    axis: ArrayLike
    damping: float = 0.0
    value: float = 0.0
    speed: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        owner = f"coordinate {_check.name('coordinate', self.name)!r}"
        units = {"revolute": ("N m s/rad", "rad"), "prismatic": ("N s/m", "m")}
        if not isinstance(self.kind, str) or self.kind not in units:
            _check.refuse(owner, "kind", self.kind, "be 'revolute' or 'prismatic'")
        damping_unit, unit = units[self.kind]
        _check.store(
            self,
            axis=_check.unit_vector(owner, "axis", self.axis),
            damping=_check.non_negative(owner, "damping", self.damping, damping_unit),
            value=_check.number(owner, "value", self.value, unit),
            speed=_check.number(owner, "speed", self.speed, f"{unit}/s"),
        )


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
    dofs : tuple of Dof
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
    dofs: tuple[Dof, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        _check.store(self, **_check_placement("weld", self))

    @property
    def name(self) -> str:
        """Name made of the two bodies, such as "ulna on humerus"."""
        return f"{self.child.name} on {self.parent.name}"


@dataclass(frozen=True, eq=False)
class Hinge:
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

    Attributes
    ----------
    dofs : tuple of Dof
        The one revolute coordinate.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

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
    dofs: tuple[Dof, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the fields and store them as float64."""
        owner = f"hinge {_check.name('hinge', self.name)!r}"
        placement = _check_placement(owner, self)
        dof = Dof(self.name, "revolute", self.axis, self.damping, self.value, self.speed)
        _check.store(
            self,
            **placement,
            axis=dof.axis,
            damping=dof.damping,
            value=dof.value,
            speed=dof.speed,
            dofs=(dof,),
        )


Joint = Weld | Hinge


def _check_placement(owner: str, joint: Joint) -> dict[str, Any]:
    """Where a joint sits in its two bodies, as read-only arrays by field name."""
    _check.instance(owner, "parent", joint.parent, Body, "a Body")
    _check.instance(owner, "child", joint.child, Body, "a Body")
    owner = _check.show(joint)  # a weld has its name from the two bodies
    if joint.parent is joint.child:
        _check.refuse(owner, "child", joint.child, "be another body than the parent")
    rotation = _check.array(owner, "rotation", joint.rotation, (3, 3))
    error = np.abs(rotation @ rotation.T - np.eye(3)).max()
    if error > ROUNDOFF or np.linalg.det(rotation) < 0.0:
        _check.refuse(
            owner,
            "rotation",
            rotation,
            "be a rotation matrix (orthonormal, determinant +1)",
            remedy="scipy's Rotation(...).as_matrix() makes one",
        )
    return {
        "at": _check.array(owner, "at", joint.at, (3,), "m"),
        "child_at": _check.array(owner, "child_at", joint.child_at, (3,), "m"),
        "rotation": rotation,
    }

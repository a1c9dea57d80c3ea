"""Trees of rigid bodies as they are described in director coordinates.

Every joint is a chain of elementary motions: a rotation about an axis, a translation along one, a
rotation in all directions, or none. Between two of them stands a link without mass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.model import Body, Coordinate, Linear, Model
from fibermsk.model.skeleton.axis import Axis

FIXED, TURN, SLIDE, BALL = "fixed", "turn", "slide", "ball"
"""Elementary motions, of 0, 1, 1 and 3 degrees of freedom."""

_ROUND_OFF = 1e-12
"""Share of its trace by which an Euler tensor may be negative."""


@dataclass(frozen=True, eq=False)
class Link:
    """A body, or a frame between two motions of a joint, with the motion that carries it.

    Attributes
    ----------
    name : str
        Name of the body; of the joint, for a frame.
    parent : int
        Number of the link that it moves in; -1 for the ground.
    motion : str
        One of `FIXED`, `TURN`, `SLIDE`, `BALL`.
    coordinate : str
        Name of the coordinate of a turn or a slide; of the joint, for a ball.
    axis : (3,) float array
        Direction of a turn or a slide, in the axes of the parent.
    at, child_at : (3,) float array
        Joint point from the centers of mass of parent and link, in their axes [m].
    rotation : (3, 3) float array
        Orientation of the link in its parent where the coordinate is zero.
    offset, slope : float
        The motion is offset + slope times the coordinate [rad or m].
    mass : float
        [kg]
    euler : (3, 3) float array
        Euler tensor about the center of mass, trace(J) / 2 - J [kg m^2].
    """

    name: str
    parent: int
    motion: str
    coordinate: str
    axis: Array
    at: Array
    child_at: Array
    rotation: Array
    offset: float
    slope: float
    mass: float
    euler: Array

    @property
    def degrees(self) -> int:
        """Number of its degrees of freedom."""
        return {FIXED: 0, BALL: 3}.get(self.motion, 1)


@dataclass(frozen=True, eq=False)
class LinkTree:
    """The links of a model, parents first.

    Attributes
    ----------
    links : tuple of Link
        The links.
    of_body : dict of str to int
        Link of each body but the ground.
    coordinates : dict of str to Coordinate
        Coordinates that move links, in their order.
    gravity : (3,) float array
        [m/s^2]
    """

    links: tuple[Link, ...]
    of_body: dict[str, int]
    coordinates: dict[str, Coordinate]
    gravity: Array

    @property
    def degrees(self) -> int:
        """Number of degrees of freedom."""
        return sum(one.degrees for one in self.links)

    def slots(self) -> list[slice]:
        """Degrees of freedom of each link."""
        return slices([one.degrees for one in self.links])

    def on_link(self, body: Body, at: ArrayLike) -> tuple[int, Array]:
        """Link of a body, and the way (3,) from its center of mass to a point of the body [m]."""
        link = self.of_body[body.name]
        return link, np.asarray(at, float) - center_of(body)

    @classmethod
    def of(cls, model: Model) -> LinkTree:
        """Links of a model.

        Raises
        ------
        ModelError
            If a joint or an inertia cannot be described so.
        """
        _check.instance("OptimalControl", "model", model, Model, "a Model")
        own = _Builder(model)
        for body in model.bodies:
            own.place(body)
        gravity = np.asarray(model.gravity, float)
        return cls(tuple(own.links), own.of_body, own.coordinates, gravity)


def slices(sizes: Iterable[int]) -> list[slice]:
    """Places of parts of these sizes, one after the other."""
    ends = np.cumsum([0, *sizes]).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


def center_of(body: Body) -> Array:
    """Center of mass (3,) in the frame of a body; its origin if it has no mass [m]."""
    return np.asarray(body.com, float) if body.mass else np.zeros(3)


def euler_tensor(body: Body) -> Array:
    """Euler tensor (3, 3) of a body about its center of mass [kg m^2].

    Raises
    ------
    ModelError
        If the inertia violates the triangle inequalities: no distribution of mass has it.
    """
    if body.inertia is None:
        return np.zeros((3, 3))
    J = np.asarray(body.inertia, float)
    E = 0.5 * np.trace(J) * np.eye(3) - J
    least = np.linalg.eigvalsh(E)[0]
    if least < -_ROUND_OFF * np.trace(J):
        moments = np.linalg.eigvalsh(J)
        must = "have no principal moment above the sum of the other two"
        remedy = "optimal control describes a body by its distribution of mass"
        _check.refuse(f"body {body.name!r}", "inertia", moments, must, unit="kg m^2", remedy=remedy)
    return E


class _Builder:
    """Links of a model so far."""

    def __init__(self, model: Model) -> None:
        self._joint = {one.child.name: one for one in model.joints}
        self.links: list[Link] = []
        self.of_body: dict[str, int] = {model.ground.name: -1}
        self.coordinates: dict[str, Coordinate] = {}
        self._com: dict[int, Array] = {-1: np.zeros(3)}

    def place(self, body: Body) -> None:
        """Add the links of a body, after those of its parents."""
        if body.name in self.of_body:
            return
        joint: Any = self._joint[body.name]
        self.place(joint.parent)
        mass = 0.0 if body.mass is None else body.mass
        com = center_of(body)
        parent = self.of_body[joint.parent.name]
        steps = list(_steps(joint)) or [_Step(FIXED)]
        at = np.asarray(joint.at, float) - self._com[parent]
        for k, step in enumerate(steps):
            self._take(joint, step)
            frame = step.turn, np.zeros(3), 0.0, np.zeros((3, 3))
            if k == len(steps) - 1:
                turn = step.turn @ np.asarray(joint.rotation, float)
                frame = turn, np.asarray(joint.child_at, float) - com, mass, euler_tensor(body)
            rotation, child_at, own, euler = frame
            name = body.name if k == len(steps) - 1 else joint.name
            self.links.append(
                Link(
                    name, parent, step.motion, step.coordinate, step.axis, at + step.shift,
                    child_at, rotation, step.offset, step.slope, own, euler,
                )
            )  # fmt: skip
            parent, at = len(self.links) - 1, np.zeros(3)
        self.of_body[body.name] = parent
        self._com[parent] = com

    def _take(self, joint: Any, step: _Step) -> None:
        """Note the coordinates of a motion; each moves one motion of its own joint."""
        own = {one.name: one for one in joint.coordinates}
        if step.motion == BALL:
            self.coordinates.update({one: own[one] for one in joint.quaternion})
        elif step.motion != FIXED:
            name = step.coordinate
            if name not in own or name in self.coordinates:
                must = "move one axis of its own joint"
                _check.refuse(f"joint {joint.name!r}", "coordinate", name, must, remedy=_REMEDY)
            self.coordinates[name] = own[name]


_REMEDY = "optimal control has hinges, sliders, universal, spherical and free joints"

_NONE, _SAME = np.zeros(3), np.eye(3)


class _Step(NamedTuple):
    """An elementary motion of a joint; fixed ones have a shift and a turn."""

    motion: str
    coordinate: str = ""
    axis: Array = _NONE
    offset: float = 0.0
    slope: float = 1.0
    shift: Array = _NONE
    turn: Array = _SAME


def _steps(joint: Any) -> Iterator[_Step]:
    """Elementary motions of a joint, in order."""
    for axis in joint.axes:
        yield _step(joint, axis)
    if getattr(joint, "quaternion", ()):
        yield _Step(BALL, joint.name)


def _step(joint: Any, axis: Axis) -> _Step:
    owner, direction = f"joint {joint.name!r}", np.asarray(axis.direction, float)
    turns = axis.kind == "rotation"
    name, function = next(iter(axis.pairs), ("", None))
    if len(axis.pairs) != 1 or not isinstance(function, Linear):
        must = "be linear in one coordinate"
        _check.refuse(owner, "axis", [name for name, _ in axis.pairs], must, remedy=_REMEDY)
    offset = axis.offset + function.intercept
    coordinate = next((one for one in joint.coordinates if one.name == name), None)
    if coordinate is not None and coordinate.prescribed is not None:
        must = "be free or locked"
        _check.refuse(owner, "coordinate", name, must, remedy="prescribed motions are not chosen")
    if coordinate is not None and coordinate.locked:
        value = offset + function.slope * coordinate.value
        if turns:
            return _Step(FIXED, turn=Rotation.from_rotvec(value * direction).as_matrix())
        return _Step(FIXED, shift=value * direction)
    return _Step(TURN if turns else SLIDE, name, direction, offset, function.slope)

"""Elements of a model in director coordinates: torques across balls, and closed chains."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.mechanics.directors import SX, point_at
from fibermsk.control.mechanics.tree import BALL, LinkTree
from fibermsk.forces import JointTorque, PointConstraint, PointOnLineConstraint, WeldConstraint
from fibermsk.forces.line_constraint import across_of
from fibermsk.forces.weld_constraint import PERPENDICULAR
from fibermsk.model import Model, Station
from fibermsk.system.redundancy import rows_left_out
from fibermsk.system.system import FiberSystem


class Ball(NamedTuple):
    """Torque and damping across a ball.

    Attributes
    ----------
    link : int
        Link that the ball carries.
    torque : (3,) float array
        In the axes of its parent [N m].
    damping : float
        [N m s/rad]
    """

    link: int
    torque: Array
    damping: float


class Closure(NamedTuple):
    """A joint that is cut, as a constraint of the tree.

    Attributes
    ----------
    name : str
        Name of the element.
    constraint : PointConstraint, PointOnLineConstraint or WeldConstraint
        The element.
    kept : tuple of int
        Those of its equations that do not follow from others at every pose.
    """

    name: str
    constraint: Any
    kept: tuple[int, ...]

    def opening(self, tree: LinkTree, q: SX) -> SX:
        """Its equations [m, or of directions -] at director coordinates."""
        return ca.vertcat(*ca.vertsplit(_equations(self.constraint, tree, q)))[list(self.kept)]


def _equations(own: Any, tree: LinkTree, q: SX) -> SX:
    """All equations of a constraint, in the order of its contribution to a run."""
    if isinstance(own, PointOnLineConstraint):
        way = place_station(tree, own.point, q) - place_station(tree, own.line, q)
        across = across_of(np.asarray(own.direction, float))
        return ca.vertcat(*(ca.dot(_turned(tree, own.line, one, q), way) for one in across))
    way = place_station(tree, own.second, q) - place_station(tree, own.first, q)
    if isinstance(own, WeldConstraint):
        first, second = (
            [_turned(tree, station, axis, q) for axis in axes.T]
            for station, axes in (
                (own.first, np.asarray(own.rotation, float)), (own.second, np.eye(3)),
            )
        )  # fmt: skip
        return ca.vertcat(way, *(ca.dot(first[i], second[j]) for i, j in PERPENDICULAR))
    if own.distance is None:
        return ca.DM(np.asarray(own.directions, float)) @ way
    return (ca.dot(way, way) - own.distance**2) / (2.0 * own.distance)


def _turned(tree: LinkTree, station: Station, direction: Array, q: SX) -> SX:
    """Direction that is fixed to a body, in ground (3,)."""
    end = Station(station.body, np.asarray(station.position) + direction)
    return place_station(tree, end, q) - place_station(tree, station, q)


def _kept(model: Model, held: list[Any]) -> list[tuple[int, ...]]:
    """Equations of each constraint that do not follow from others at every pose near the start.

    Those of points are all kept: their directions can be chosen.
    """
    plain = Model(model.name, model.gravity, ground=model.ground)
    plain.add(*model.bodies[1:], *model.joints, *held)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said where the model runs
        system = FiberSystem(plain)
    at = system.multipliers.at_rest(system.configuration)
    state, _ = at(system.skeleton.start)
    sizes = [one.constrain(state, False).g.size for one in system.multipliers.holding]
    gone = set[int]()
    if not all(isinstance(one, PointConstraint) for one in held):
        start, free = system.skeleton.start, system.multipliers.open
        gone = set(rows_left_out(lambda q: at(q)[1], start, free, 0).tolist())
    first = np.cumsum([0, *sizes])
    return [
        tuple(k for k in range(n) if begin + k not in gone)
        for begin, n in zip(first.tolist(), sizes, strict=False)
    ]


class Elements(NamedTuple):
    """Elements that act beside joints and muscles."""

    balls: tuple[Ball, ...] = ()
    closures: tuple[Closure, ...] = ()

    @classmethod
    def of(cls, model: Model, tree: LinkTree) -> Elements:
        """Elements of a model.

        Raises
        ------
        ModelError
            If one cannot be described so.
        """
        balls, held = list[Ball](), list[Any]()
        for one in model.elements:
            if isinstance(one, PointConstraint | PointOnLineConstraint | WeldConstraint):
                held.append(one)
            elif isinstance(one, JointTorque) and not callable(one.torque):
                link = ball_of(tree, one.joint.name)
                balls.append(Ball(link, np.asarray(one.torque, float), float(one.damping)))
            else:
                what = f"model {model.name!r}"
                must = "be constant joint torques, or constraints of points, lines and welds"
                remedy = "optimal control has no other elements; fm.gradient serves them"
                _check.refuse(what, "elements", one.name, must, remedy=remedy)
        rows = _kept(model, held) if held else []
        pairs = zip(held, rows, strict=True)
        return cls(tuple(balls), tuple(Closure(one.name, one, own) for one, own in pairs if own))


def ball_of(tree: LinkTree, joint: str) -> int:
    """Link that the ball of a joint carries."""
    return next(
        k for k, one in enumerate(tree.links) if one.motion == BALL and one.coordinate == joint
    )


def place_station(tree: LinkTree, station: Station, q: SX) -> SX:
    """Place a point of a body in ground, (3,) [m]."""
    return point_at(q, *tree.on_link(station.body, station.position))

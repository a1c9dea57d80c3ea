"""Elements of a model in director coordinates: torques across balls, and closed chains."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.mechanics.directors import SX, point_at
from fibermsk.control.mechanics.tree import BALL, LinkTree
from fibermsk.forces import JointTorque, PointConstraint
from fibermsk.model import Model, Station


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
    constraint : PointConstraint
        The element.
    """

    name: str
    constraint: PointConstraint

    def opening(self, tree: LinkTree, q: SX) -> SX:
        """Its equations [m] at director coordinates."""
        own = self.constraint
        way = place_station(tree, own.second, q) - place_station(tree, own.first, q)
        if own.distance is None:
            return ca.DM(np.asarray(own.directions, float)) @ way
        return (ca.dot(way, way) - own.distance**2) / (2.0 * own.distance)


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
        balls, closures = list[Ball](), list[Closure]()
        for one in model.elements:
            if isinstance(one, PointConstraint):
                closures.append(Closure(one.name, one))
            elif isinstance(one, JointTorque) and not callable(one.torque):
                link = ball_of(tree, one.joint.name)
                balls.append(Ball(link, np.asarray(one.torque, float), float(one.damping)))
            else:
                what = f"model {model.name!r}"
                must = "be constant joint torques or point constraints"
                remedy = "optimal control has no other elements; fm.gradient serves them"
                _check.refuse(what, "elements", one.name, must, remedy=remedy)
        return cls(tuple(balls), tuple(closures))


def ball_of(tree: LinkTree, joint: str) -> int:
    """Link that the ball of a joint carries."""
    return next(
        k for k, one in enumerate(tree.links) if one.motion == BALL and one.coordinate == joint
    )


def place_station(tree: LinkTree, station: Station, q: SX) -> SX:
    """Place a point of a body in ground, (3,) [m]."""
    return point_at(q, *tree.on_link(station.body, station.position))

"""Bodies without mass that move as the moving path points of muscles do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from fibermsk.model import Axis, Body, FunctionalJoint, LineMuscle
from fibermsk.model.function import is_constant
from fibermsk.model.muscles.line_muscle import MovingPathPoint, PointOfPath
from fibermsk.model.skeleton.coordinate import Coordinate


class Carriers(NamedTuple):
    """Bodies without mass at the moving path points of muscles, by point, and their joints."""

    bodies: Mapping[PointOfPath, Body]
    joints: Mapping[PointOfPath, FunctionalJoint]

    def of(self, muscle: LineMuscle) -> list[Body | FunctionalJoint]:
        """Bodies and joints of one muscle."""
        own = [point for point in muscle.points if point in self.bodies]
        return [*(self.bodies[point] for point in own), *(self.joints[point] for point in own)]

    def under(self, point: PointOfPath) -> Body:
        """Body with which a path point moves."""
        return self.bodies.get(point, point.body)


def carriers_of(muscles: Iterable[LineMuscle]) -> Carriers:
    """Bodies that move as moving path points do in the bodies of these.

    The axes of their joints are the functions of the point, of coordinates of other joints; what
    pulls on such a body acts on these coordinates.
    """
    bodies: dict[PointOfPath, Body] = {}
    joints: dict[PointOfPath, FunctionalJoint] = {}
    for muscle in muscles:
        for k, point in enumerate(muscle.points):
            if not isinstance(point, MovingPathPoint):
                continue
            origin, axes = np.zeros(3), []
            items = zip(point.functions, point.coordinates, np.eye(3), strict=True)
            for i, (function, name, direction) in enumerate(items):
                if name is None or is_constant(function):
                    origin[i] = float(function.pieces()(0.0))
                else:
                    axes.append(Axis("translation", direction, [(name, function)]))
            turn = np.asarray(point.rotation)
            bodies[point] = body = Body(f"{muscle.name}_point{k + 1}")
            joints[point] = FunctionalJoint(
                f"{muscle.name}_moves_point{k + 1}", point.body, body, (), tuple(axes),
                at=np.asarray(point.at) + turn @ origin, rotation=turn,
            )  # fmt: skip
    return Carriers(bodies, joints)


def beyond(point: PointOfPath, coordinates: Mapping[str, Coordinate]) -> list[str]:
    """Coordinates whose range is larger than that over which a moving point moves."""
    found = []
    if not isinstance(point, MovingPathPoint):
        return found
    for name, ends in zip(point.coordinates, point.ranges, strict=True):
        if name is None or ends is None:
            continue
        own = coordinates[name]
        low = -np.inf if own.lower is None else own.lower
        high = np.inf if own.upper is None else own.upper
        if low < ends[0] or high > ends[1]:
            found.append(name)
    return found

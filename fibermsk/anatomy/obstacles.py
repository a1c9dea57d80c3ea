"""Signed distances of points to the bones of a model in one pose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.model import Body, Capsule, InfiniteCylinder
from fibermsk.model.skeleton.body import shapes_of

Distance = Callable[[Array], tuple[Array, Array]]
Pose = tuple[Array, Array]


class Obstacles:
    """All shapes of some bodies, in the ground frame.

    The poses are rotation (3, 3) and position (3,) [m] of each body by its name.
    """

    def __init__(self, bodies: Iterable[Body], poses: Mapping[str, Pose]) -> None:
        self._parts: list[tuple[Array, Array, Distance]] = []
        for body in bodies:
            rotation, position = poses[body.name]
            for shape in shapes_of(body):
                self._parts.append((rotation, position, distance_to(shape)))

    def distance(self, points: Array) -> tuple[Array, Array]:
        """Signed distance of points (n, 3) to the nearest surface, and its gradient, in ground.

        The distance (n,) [m] is negative inside and infinite without shapes; gradients (n, 3) are
        unit vectors.
        """
        phi, gradient = np.full(len(points), np.inf), np.zeros((len(points), 3))
        for rotation, position, distance in self._parts:
            own, slope = distance((points - position) @ rotation)
            nearer = own < phi
            phi = np.where(nearer, own, phi)
            gradient = np.where(nearer[:, None], slope @ rotation.T, gradient)
        length = np.linalg.norm(gradient, axis=1, keepdims=True)
        return phi, gradient / np.where(length > 0.0, length, 1.0)


def distance_to(shape: Any) -> Distance:
    """Function of points (n, 3) in the body frame: signed distance (n,) and gradient (n, 3)."""
    if isinstance(shape, Capsule):
        start, end = np.asarray(shape.start), np.asarray(shape.end)
        return partial(_to_round, start, end - start, shape.radius, (0.0, 1.0))
    if isinstance(shape, InfiniteCylinder):
        start, axis = np.asarray(shape.point), np.asarray(shape.axis)
        return partial(_to_round, start, axis, shape.radius, (-np.inf, np.inf))
    # only meshes need the distance grid
    from fibermsk.system.contact.distance_grid import signed_distance

    return signed_distance(shape)


def _to_round(
    start: Array, along: Array, radius: float, span: tuple[float, float], points: Array
) -> tuple[Array, Array]:
    """Signed distance to a cylinder or capsule, and its gradient."""
    offset = points - start
    square = float(along @ along)
    if square > 0.0:
        part = (offset @ along / square).clip(*span)
        offset = offset - part[:, None] * along
    distance = np.linalg.norm(offset, axis=1)
    # on the axis: any perpendicular direction
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    size = np.linalg.norm(across)
    across = across / size if size > 0.0 else np.eye(3)[0]
    way = np.where((distance <= 1e-12 * radius)[:, None], across, offset)
    return distance - radius, way / np.linalg.norm(way, axis=1, keepdims=True)

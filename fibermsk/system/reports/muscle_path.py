"""Paths of line muscles in a pose: active points, and length without wrapping."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint,
    LineMuscle,
    MovingPathPoint,
    PointOfPath,
)

RANGE_TOLERANCE = 1e-5
"""Tolerance of the coordinate range of a conditional point, as in OpenSim."""


class Posed(Protocol):
    """Interface to poses of bodies, such as a `Skeleton`."""

    def poses(self, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Rotation (3, 3) and position (3,) of each body in the ground frame."""
        ...

    def values(self, q: np.ndarray) -> dict[str, float]:
        """Value of each coordinate."""
        ...


def active_points(muscle: LineMuscle, values: dict[str, float]) -> list[PointOfPath]:
    """Points of a path that are active for coordinates by name [rad or m].

    All but the conditional points whose coordinate lies outside their range.
    """
    found = []
    for point in muscle.points:
        if isinstance(point, ConditionalPathPoint):
            value = values[point.coordinate]
            low, high = point.lower - RANGE_TOLERANCE, point.upper + RANGE_TOLERANCE
            if not low <= value <= high:
                continue
        found.append(point)
    return found


def path_points(skeleton: Posed, muscle: LineMuscle, q: Any) -> np.ndarray:
    """Active points of a muscle's path in a pose.

    Parameters
    ----------
    skeleton : Skeleton
        The bodies.
    muscle : LineMuscle
        A muscle of the same model.
    q : (n,) float array
        Generalized coordinates.

    Returns
    -------
    points : (m, 3) float array
        New array, ground frame [m], from origin to insertion.
    """
    values, poses = skeleton.values(q), skeleton.poses(q)
    found = []
    for point in active_points(muscle, values):
        rotation, position = poses[point.body.name]
        found.append(position + rotation @ _in_body(point, values))
    return np.array(found).reshape(-1, 3)


def path_length(skeleton: Posed, muscle: LineMuscle, q: Any) -> float:
    """Length of a muscle's path of straight segments [m], without wrap surfaces.

    Arguments as of `path_points`.
    """
    points = path_points(skeleton, muscle, q)
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _in_body(point: PointOfPath, values: dict[str, float]) -> np.ndarray:
    """Position of a point in its body [m]."""
    if not isinstance(point, MovingPathPoint):
        return np.asarray(point.station.position)
    components = []
    for function, name, ends in zip(point.functions, point.coordinates, point.ranges, strict=True):
        value = 0.0 if name is None else values[name]
        value = value if ends is None else np.clip(value, *ends)
        components.append(float(function.pieces()(value)))
    return np.asarray(point.at) + np.asarray(point.rotation) @ np.array(components)

"""Active points of paths of line muscles, from the poses of bodies."""

import numpy as np

from fibermsk.model.muscles.line_muscle import ConditionalPathPoint, MovingPathPoint

TOLERANCE = 1e-5
"""Of the coordinate range of a conditional point, as in OpenSim."""


def active_points(muscle, values):
    """Points of a path that are active for coordinates by name."""
    return [
        point
        for point in muscle.points
        if not isinstance(point, ConditionalPathPoint)
        or point.lower - TOLERANCE <= values[point.coordinate] <= point.upper + TOLERANCE
    ]


def in_body(point, values):
    """Position of a point in its body [m]."""
    if not isinstance(point, MovingPathPoint):
        return np.asarray(point.station.position)
    components = []
    for function, name, ends in zip(point.functions, point.coordinates, point.ranges, strict=True):
        value = 0.0 if name is None else values[name]
        value = value if ends is None else np.clip(value, *ends)
        components.append(float(function.pieces()(value)))
    return np.asarray(point.at) + np.asarray(point.rotation) @ np.array(components)


def path_points(skeleton, muscle, q):
    """Positions (m, 3) of the active points in a pose, ground frame [m]."""
    values, poses = skeleton.values(q), skeleton.poses(q)
    found = []
    for point in active_points(muscle, values):
        rotation, position = poses[point.body.name]
        found.append(position + rotation @ in_body(point, values))
    return np.array(found).reshape(-1, 3)


def polyline_length(skeleton, muscle, q):
    """Length of straight segments between the active points [m]."""
    return float(np.linalg.norm(np.diff(path_points(skeleton, muscle, q), axis=0), axis=1).sum())

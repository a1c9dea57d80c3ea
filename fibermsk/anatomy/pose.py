"""Where the bodies and a muscle's path are when a model starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk.anatomy.obstacles import Pose
from fibermsk.model import LineMuscle, Model

Array = NDArray[np.float64]


def start_poses(model: Model) -> dict[str, Pose]:
    """Rotation and position of every body in the ground frame."""
    values = {c.name: c.value for c in model.coordinates}
    poses = {model.ground.name: (np.eye(3), np.zeros(3))}
    left = list(model.joints)
    while left:
        for joint in left:
            if joint.parent.name in poses:
                break
        left.remove(joint)
        R, p = poses[joint.parent.name]
        p = p + R @ np.asarray(joint.at)
        for axis in joint.axes:
            x = axis.offset + sum(float(f(values[n])) for n, f in axis.pairs)
            d = np.asarray(axis.direction)
            if axis.kind == "translation":
                p = p + R @ (x * d)
            else:
                K = np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])
                R = R @ (np.eye(3) + np.sin(x) * K + (1 - np.cos(x)) * K @ K)
        R = R @ np.asarray(joint.rotation)
        p = p - R @ np.asarray(getattr(joint, "child_at", np.zeros(3)))
        poses[joint.child.name] = (R, p)
    return poses


def start_path(model: Model, muscle: LineMuscle, poses: dict[str, Pose]) -> Array:
    """Active points of a muscle's path in the ground frame (n, 3) [m]."""
    return np.array(
        [poses[p.body.name][1] + poses[p.body.name][0] @ p.station.position for p in muscle.points]
    )

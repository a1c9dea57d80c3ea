"""Poses and mass matrix of a model by plain matrices: one 4 x 4 matrix for each axis of each joint.

Written from the definition of a joint (Trans(at) axes rotation Trans(-child_at)), without the
package's own kinematics.
"""

import numpy as np


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def translation(p):
    matrix = np.eye(4)
    matrix[:3, 3] = p
    return matrix


def elementary(axis, value):
    d = np.asarray(axis.direction)
    if axis.kind == "translation":
        return translation(value * d)
    matrix, k = np.eye(4), hat(d)
    matrix[:3, :3] += np.sin(value) * k + (1.0 - np.cos(value)) * (k @ k)
    return matrix


def chains(model, values):
    """Pose (4, 4) of each body and its screws: {coordinate: (6,)} angular, linear at the origin."""
    poses = {"ground": np.eye(4)}
    screws = {"ground": {}}
    for joint in model.joints:
        pose = poses[joint.parent.name] @ translation(np.asarray(joint.at))
        own = {name: screw.copy() for name, screw in screws[joint.parent.name].items()}
        for axis in joint.axes:
            d = pose[:3, :3] @ np.asarray(axis.direction)
            value = axis.offset
            for name, function in axis.pairs:
                value += float(function(values[name]))
                screw = own.setdefault(name, np.zeros(6))
                slope = float(function(values[name], 1))
                if axis.kind == "rotation":
                    screw[:3] += slope * d
                    screw[3:] += slope * np.cross(pose[:3, 3], d)
                else:
                    screw[3:] += slope * d
            pose = pose @ elementary(axis, value)
        last = np.eye(4)
        last[:3, :3] = joint.rotation
        poses[joint.child.name] = pose @ last @ translation(-np.asarray(joint.child_at))
        screws[joint.child.name] = own
    return poses, screws


def poses(model, values):
    """Rotation and position of each body."""
    return {name: (t[:3, :3], t[:3, 3]) for name, t in chains(model, values)[0].items()}


def mass_matrix(model, values, order):
    """Mass matrix over coordinates in an order."""
    found, screws = chains(model, values)
    matrix = np.zeros((len(order), len(order)))
    for body in model.bodies:
        if body.mass is None:
            continue
        pose = found[body.name]
        rotation, center = pose[:3, :3], pose[:3, 3] + pose[:3, :3] @ np.asarray(body.com)
        turn, move = np.zeros((3, len(order))), np.zeros((3, len(order)))
        for name, screw in screws[body.name].items():
            k = order.index(name)
            turn[:, k] = screw[:3]
            move[:, k] = screw[3:] + np.cross(screw[:3], center)
        inertia = rotation @ np.asarray(body.inertia) @ rotation.T
        matrix += body.mass * move.T @ move + turn.T @ inertia @ turn
    return matrix


def mass_and_center(model, values):
    """Total mass and its center."""
    found = poses(model, values)
    total, moment = 0.0, np.zeros(3)
    for body in model.bodies:
        if body.mass is not None:
            rotation, position = found[body.name]
            total += body.mass
            moment += body.mass * (position + rotation @ np.asarray(body.com))
    return total, moment / total if total else moment

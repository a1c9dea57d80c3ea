"""Which elements could touch a bone, and how far an update brings them closer to it.

Symbols: ``hull`` (n, 4, 3) Bezier control points; ``link`` that carries a bone, -1 for the ground;
``S``, ``moves``, ``position`` of the joints, see `fibermsk.kernels.rigid`.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.rigid import cross

__all__ = ["fill_bone_approach", "find_near_bone", "motion_beside"]


@kernel
def find_near_bone(hull, start, end, infinite, reach, near):
    """Mark in `near` (n,) the elements whose balls come within reach (n,) of a bone's axis.

    Fields of the bone as in `fibermsk.kernels.contact.bone_runs`; the reach holds both radii.
    """
    center = np.empty(3)
    length_sq = 0.0
    for c in range(3):
        length_sq += (end[c] - start[c]) ** 2
    for e in range(hull.shape[0]):
        along = 0.0
        for c in range(3):
            low, high = hull[e, 0, c], hull[e, 0, c]
            for p in range(1, 4):
                low, high = min(low, hull[e, p, c]), max(high, hull[e, p, c])
            center[c] = 0.5 * (low + high)
            along += (center[c] - start[c]) * (end[c] - start[c])
        along = along / length_sq if length_sq > 0.0 else 0.0
        if not infinite:
            along = min(max(along, 0.0), 1.0)
        apart, ball = 0.0, 0.0
        for c in range(3):
            apart += (center[c] - start[c] - along * (end[c] - start[c])) ** 2
        for p in range(4):
            from_center = 0.0
            for c in range(3):
                from_center += (hull[e, p, c] - center[c]) ** 2
            ball = max(ball, from_center)
        near[e] = math.sqrt(apart) <= math.sqrt(ball) + reach[e]


@kernel
def motion_beside(before, after, rotation, position, rotation_after, position_after):
    """Largest motion of any control point (n, 4, 3) in the frame of a link."""
    largest = 0.0
    for e in range(before.shape[0]):
        for p in range(4):
            motion = 0.0
            for c in range(3):
                x, y = 0.0, 0.0
                for k in range(3):
                    x += (before[e, p, k] - position[k]) * rotation[k, c]
                    y += (after[e, p, k] - position_after[k]) * rotation_after[k, c]
                motion += (y - x) ** 2
            if not motion < math.inf:
                return math.inf
            largest = max(largest, motion)
    return math.sqrt(largest)


@kernel
def fill_bone_approach(
    hull, hull_update, stray, link, S, moves, position, chain_length, update_q, approach
):
    """Fill how far an update may bring each element closer to a link's bones, (n,).

    The bound of `fibermsk.kernels.safeguard.bone_fraction`, at the control points: everything in it
    is linear or convex in a point and its update, so that it holds in between.
    """
    turning, sliding, v = np.zeros(3), np.zeros(3), np.empty(3)
    turns = np.zeros(update_q.size, np.bool_)
    turn, slide = 0.0, 0.0
    for j in range(update_q.size):
        if link < 0 or not moves[link, j] or update_q[j] == 0.0:
            continue
        for c in range(3):
            turning[c] += S[j, c] * update_q[j]
            sliding[c] += S[j, 3 + c] * update_q[j]
        if S[j, 0] != 0.0 or S[j, 1] != 0.0 or S[j, 2] != 0.0:
            turns[j] = True
            turn += abs(update_q[j])
        else:
            slide += abs(update_q[j])
    for e in range(hull.shape[0]):
        approach[e] = 0.0
        for p in range(4):
            x, u = hull[e, p], hull_update[e, p]
            cross(turning, x, v)
            relative, way, lever = 0.0, 0.0, 0.0
            for c in range(3):
                relative += (u[c] - v[c] - sliding[c]) ** 2
                way += u[c] * u[c]
            s, way = math.sqrt(relative) + stray[e], math.sqrt(way)
            if turn > 0.0:
                for j in range(update_q.size):
                    if turns[j]:
                        apart = 0.0
                        for c in range(3):
                            apart += (x[c] - position[j, c]) ** 2
                        lever = max(lever, apart)
                lever = math.sqrt(lever) + way + slide + turn * chain_length[link]
                s += 0.5 * turn * (2.0 * turn * lever + way + slide)
            approach[e] = max(approach[e], s)

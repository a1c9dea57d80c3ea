"""Candidate pairs of elements and bones, and bounds of their approach in an update.

Symbols: ``hull`` (n, 4, 3) Bezier control points; ``link`` that carries a bone, -1 for the ground;
``S``, ``moves``, ``position`` of the joints, see `fibermsk.kernels.skeleton.rigid`.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import body, inlined_body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.bone_shape import distance
from fibermsk.kernels.contact.bone_border import moves_bone, velocity_field
from fibermsk.kernels.skeleton.rigid import turns_and_slides


@inlined_body
def is_near_bone(e, hull, b, shapes, steepest, approach, radius):
    """Whether element e may touch shape b; approach, radius: its own, see `find_near_bone`."""
    center = scratch(3)
    for c in range(3):
        low, high = hull[e, 0, c], hull[e, 0, c]
        for p in range(1, 4):
            low, high = min(low, hull[e, p, c]), max(high, hull[e, p, c])
        center[c] = 0.5 * (low + high)
    ball = 0.0
    for p in range(4):
        from_center = 0.0
        for c in range(3):
            from_center += (hull[e, p, c] - center[c]) ** 2
        ball = max(ball, from_center)
    reach = steepest * (math.sqrt(ball) + approach) + radius + shapes.field[b, 0]
    return distance(center, b, shapes) <= reach


@kernel
def find_near_bone(hull, b, shapes, steepest, approach, radius, near):
    """Mark in `near` (n,) the elements that may touch shape b; steepest: bound of |grad d|.

    approach, radius (n,): bounds of the approach to the bone and of the radius.
    """
    for e in range(hull.shape[0]):
        near[e] = is_near_bone(e, hull, b, shapes, steepest, approach[e], radius[e])


@body
def mark_near_bones(e, hull, shapes, steepest, reach, radius, fiber, group, law, near):
    """Fill near[e] (n_shapes,) as `find_near_bones`, with one approach `reach` to all shapes."""
    own = fiber[e]
    for b in range(near.shape[1]):
        near[e, b] = law[group[own], b] >= 0 and is_near_bone(
            e, hull, b, shapes, steepest[b], reach, radius[own]
        )


@kernel
def find_near_bones(hull, shapes, steepest, approach, radius, fiber, group, law, near):
    """Mark in `near` (n, n_shapes) the elements that may touch a shape, where they have a law.

    approach (n_shapes, n), radius (n_fibers,); law (n_groups, n_shapes) is -1 without contact.
    """
    own, found = np.empty(fiber.size), np.empty(fiber.size, np.bool_)
    for e in range(fiber.size):
        own[e] = radius[fiber[e]]
    for b in range(near.shape[1]):
        find_near_bone(hull, b, shapes, steepest[b], approach[b], own, found)
        for e in range(fiber.size):
            near[e, b] = found[e] and law[group[fiber[e]], b] >= 0


@body
def _motion_of(e, before, after, rotation, position, rotation_after, position_after):
    """Largest motion of an element's control points in the frame of a link."""
    largest = 0.0
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
def fill_beside(hull, element, link, rotation, position, beside):
    """Fill control points beside (n, 4, 3) of elements (n,), each in the frame of a link (n,)."""
    for i in range(element.size):
        k, e = link[i], element[i]
        for p in range(4):
            for c in range(3):
                if k < 0:
                    beside[i, p, c] = hull[e, p, c]
                    continue
                beside[i, p, c] = 0.0
                for r in range(3):
                    beside[i, p, c] += (hull[e, p, r] - position[k, r]) * rotation[k, r, c]


@body
def fill_motions(e, before, after, rotation, position, rotation_after, position_after, motion):
    """Fill motion[e] (n_links,), relative to links at poses (n_links, 3, 3), (n_links, 3)."""
    for i in range(rotation.shape[0]):
        motion[e, i] = _motion_of(
            e, before, after, rotation[i], position[i], rotation_after[i], position_after[i]
        )


@kernel
def motion_beside(before, after, rotation, position, rotation_after, position_after):
    """Largest motion of any control point (n, 4, 3) in the frame of a link."""
    largest = 0.0
    for e in range(before.shape[0]):
        motion = _motion_of(e, before, after, rotation, position, rotation_after, position_after)
        largest = max(largest, motion)
    return largest


@kernel
def fill_bends(links, moves, kind, position, update, excess, chain, before, after, bends):
    """Fill the deviation of control points from linear motion in the frame of each link [m].

    As in `fibermsk.kernels.search.safeguard.bone_fraction`, but relative to the chord: a quarter of
    the deviation from the tangent. Nonlinear motion of the axes counts in full.

    links, bends (n_links,); kind, update, excess (n,): of the joints, sizes of the motion of the
    axes with its nonlinear part, and that part; position (n, 3), chain (n,): of the links before;
    before, after (n_elements, 4, 3): control points.
    """
    n = update.size
    turn, slide, extra_turn, extra_slide = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    turns_and_slides(update, moves, kind, turn, slide)
    turns_and_slides(excess, moves, kind, extra_turn, extra_slide)
    longest, reach = 0.0, np.zeros(n)
    for e in range(before.shape[0]):
        for p in range(4):
            way = 0.0
            for c in range(3):
                way += (after[e, p, c] - before[e, p, c]) ** 2
            longest = max(longest, way)
            for j in range(n):
                apart = 0.0
                for c in range(3):
                    apart += (before[e, p, c] - position[j, c]) ** 2
                reach[j] = max(reach[j], apart)
    way = math.sqrt(longest)
    for i in range(links.size):
        k = links[i]
        bends[i] = 0.0
        if k < 0 or turn[k] + slide[k] == 0.0:
            continue
        lever = 0.0
        for j in range(n):
            if moves[k, j]:
                lever = max(lever, reach[j])
        lever = math.sqrt(lever) + way + slide[k] + turn[k] * chain[k]
        bend = turn[k] * (2.0 * turn[k] * lever + way + slide[k])
        bends[i] = 0.125 * bend + extra_turn[k] * lever + extra_slide[k]


@body
def _turns(S, j):
    """Whether a coordinate is a rotation."""
    return S[j, 0] != 0.0 or S[j, 1] != 0.0 or S[j, 2] != 0.0


@body
def _approach_of(
    e, hull, hull_update, stray, link, S, moves, position, chain_length, update_q, fraction
):
    """Bound of the approach of an element to a link's bones in a fraction of an update."""
    farthest, turn, slide = 0.0, 0.0, 0.0
    for j in range(update_q.size):
        if moves_bone(link, j, moves):
            if _turns(S, j):
                turn += abs(fraction * update_q[j])
            else:
                slide += abs(fraction * update_q[j])
    for p in range(4):
        x = hull[e, p]
        u0, u1, u2 = hull_update[e, p, 0], hull_update[e, p, 1], hull_update[e, p, 2]
        way, lever = fraction * math.sqrt(u0 * u0 + u1 * u1 + u2 * u2), 0.0
        for j in range(update_q.size):
            if not moves_bone(link, j, moves) or update_q[j] == 0.0:
                continue
            V = velocity_field(S, j, x)
            u0, u1, u2 = u0 - V[0] * update_q[j], u1 - V[1] * update_q[j], u2 - V[2] * update_q[j]
            if _turns(S, j):
                apart = 0.0
                for c in range(3):
                    apart += (x[c] - position[j, c]) ** 2
                lever = max(lever, apart)
        s = fraction * math.sqrt(u0 * u0 + u1 * u1 + u2 * u2) + stray[e]
        if turn > 0.0:
            lever = math.sqrt(lever) + way + slide + turn * chain_length[link]
            s += 0.5 * turn * (2.0 * turn * lever + way + slide)
        farthest = max(farthest, s)
    return farthest


@body
def fill_approaches(
    e, hull, hull_update, stray, links, S, moves, position, chain_length, update_q, fraction,
    approach,
):  # fmt: skip
    """Fill approach[e], one for each of some links; see `fill_bone_approach`."""
    for i in range(links.size):
        approach[e, i] = _approach_of(
            e, hull, hull_update, stray, links[i], S, moves, position, chain_length, update_q,
            fraction,
        )  # fmt: skip


@kernel
def fill_bone_approach(
    hull, hull_update, stray, link, S, moves, position, chain_length, update_q, fraction, approach
):
    """Fill the bound of each element's approach to a link's bones in a fraction of an update, (n,).

    The bound of `fibermsk.kernels.search.safeguard.bone_fraction`, at the control points:
    everything in it is linear or convex in a point and its update, so that it holds in between.
    """
    for e in range(hull.shape[0]):
        approach[e] = _approach_of(
            e, hull, hull_update, stray, link, S, moves, position, chain_length, update_q, fraction
        )

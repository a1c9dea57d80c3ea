"""Continuous collision detection of curves with bones, in the frame of the bone's link.

Curves as in `fibermsk.kernels.search.passing`, shapes as in `fibermsk.kernels.bones.bone_shape`
with their places in the frames of their links. A capsule is the curve of its axis at rest, an
infinite cylinder a point in the plane across its axis. The distance to a mesh grows at most by
``steepest`` times the motion: parts of the curve and of the motion lie in balls, which are halved
until they keep their distance.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.bone_shape import INFINITE_CYLINDER, MESH, distance
from fibermsk.kernels.search.bone_bounds import fill_beside
from fibermsk.kernels.search.passing import (
    copy_curve,
    curve_size,
    halve_curve,
    mean_curve,
    passes,
)

_DEPTH = 96
_SMALL = 1e-3


@body
def _fill_axis(place, infinite, z, axis, across):
    """Fill control points of an axis (4, 3), and those of a curve beside it (4, 3)."""
    for c in range(3):
        for p in range(4):
            along = 0.0 if infinite else p / 3.0
            axis[p, c] = place[0, c] + along * (place[1, c] - place[0, c])
            across[p, c] = z[p, c]
    if not infinite:
        return
    square = 0.0
    for c in range(3):
        square += (place[1, c] - place[0, c]) ** 2
    for p in range(4):
        along = 0.0
        for c in range(3):
            along += (z[p, c] - place[0, c]) * (place[1, c] - place[0, c])
        for c in range(3):
            across[p, c] -= along / square * (place[1, c] - place[0, c])


@body
def _ball(z0, z1, center):
    """Fill the middle of a box about control points before and after; radius of a ball there."""
    for c in range(3):
        low, high = math.inf, -math.inf
        for p in range(4):
            low = min(low, min(z0[p, c], z1[p, c]))
            high = max(high, max(z0[p, c], z1[p, c]))
        center[c] = 0.5 * (low + high)
    largest = 0.0
    for p in range(4):
        now, then = 0.0, 0.0
        for c in range(3):
            now += (z0[p, c] - center[c]) ** 2
            then += (z1[p, c] - center[c]) ** 2
        largest = max(largest, max(now, then))
    return math.sqrt(largest)


@body
def _passes_mesh(z0, z1, floor, steepest, most, b, shapes):
    """Whether a curve may come as near to a mesh as `floor`."""
    parts, part, halves = scratch((_DEPTH, 2, 4, 3)), scratch((2, 4, 3)), scratch((2, 2, 4, 3))
    center = scratch(3)
    copy_curve(z0, parts[0, 0])
    copy_curve(z1, parts[0, 1])
    waiting, looked_at = 1, 0
    small = _SMALL * shapes.field[b, 0]
    while waiting > 0:
        waiting -= 1
        looked_at += 1
        for i in range(2):
            copy_curve(parts[waiting, i], part[i])
        radius = _ball(part[0], part[1], center)
        d = distance(center, b, shapes)
        if d - steepest * radius > floor:
            continue
        if not radius > small or looked_at > most or waiting + 2 > _DEPTH:
            return True
        length, motion = max(curve_size(part[0]), curve_size(part[1])), 0.0
        for p in range(4):
            moved = 0.0
            for c in range(3):
                moved += (part[1, p, c] - part[0, p, c]) ** 2
            motion = max(motion, moved)
        if motion >= length:
            copy_curve(part[0], halves[0, 0])
            copy_curve(part[1], halves[1, 1])
            mean_curve(part[0], part[1], halves[1, 0])
            copy_curve(halves[1, 0], halves[0, 1])
        else:
            halve_curve(part[0], halves[0, 0], halves[0, 1])
            halve_curve(part[1], halves[1, 0], halves[1, 1])
        for k in range(2):
            for i in range(2):
                copy_curve(halves[i, k], parts[waiting, i])
            waiting += 1
    return False


@body
def _passes_bone(z0, z1, floor, steepest, most, b, shapes):
    """Whether a curve may come as near to a bone as `floor`."""
    if shapes.kind[b, 0] == MESH:
        return _passes_mesh(z0, z1, floor, steepest, most, b, shapes)
    axis, before, after, center = scratch((4, 3)), scratch((4, 3)), scratch((4, 3)), scratch(3)
    radius = _ball(z0, z1, center)
    if distance(center, b, shapes) - radius > floor:
        return False
    infinite = shapes.kind[b, 0] == INFINITE_CYLINDER
    _fill_axis(shapes.place[b], infinite, z0, axis, before)
    _fill_axis(shapes.place[b], infinite, z1, axis, after)
    return passes(before, after, axis, axis, floor, most)


@kernel
def find_passing_bones(z0, z1, shape, floor, steepest, shapes, most, found):
    """Fill found (n,): whether curves may come as near to their shapes as `floor` (n,).

    z0, z1 (n, 4, 3): control points before and after, in the frame of the shape's link; `most`
    parts are checked, `FIRST_LOOK` or `MOST_PARTS` of `fibermsk.kernels.search.passing`.
    """
    for i in range(shape.size):
        b = shape[i]
        found[i] = _passes_bone(z0[i], z1[i], floor[i], steepest[b], most, b, shapes)


@kernel
def mark_near_bones_between(
    before, after, poses, poses_after, runs, partners, floors, shapes, most, ways, near
):  # fmt: skip
    """Mark in near (n,) the runs of elements that are not proven to stay clear of a bone.

    Parameters
    ----------
    before, after : (n_elements, 4, 3) float array
        Control points.
    poses, poses_after : tuple of float arrays
        Rotations (n_links, 3, 3) and positions (n_links, 3).
    runs : tuple of int arrays
        Element, shape and law of each run, (n,).
    partners : tuple of arrays
        Of each shape, (n_shapes,): its link, radius, whether it has thin parts, and a bound of the
        slope of its distance.
    floors : tuple of float arrays
        Required distance over the sum of both radii (n_laws,), bounds of the elements' radii
        (n_elements,), their deviation from linear motion (n_elements,), and that in the frame of
        the link of each shape (n_shapes,).
    shapes, most
        As of `find_passing_bones`.
    ways : (2, n, 4, 3) float array
        Filled with the control points in the frames of the links.
    """
    element, shape, law = runs
    link, radius, thin, steepest = partners
    part, thickest, stray, bends = floors
    of_run = np.empty(shape.size, np.int64)
    for i in range(shape.size):
        of_run[i] = link[shape[i]]
    fill_beside(before, element, of_run, poses[0], poses[1], ways[0])
    fill_beside(after, element, of_run, poses_after[0], poses_after[1], ways[1])
    for i in range(shape.size):
        b, e = shape[i], element[i]
        floor = part[law[i]] * (radius[b] + thickest[e])
        # inside thin parts of a mesh the depth does not determine the side of a fiber
        if thin[b]:
            floor = max(floor, radius[b])
        floor += (stray[e] + bends[b]) * steepest[b]
        near[i] = _passes_bone(ways[0, i], ways[1, i], floor, steepest[b], most, b, shapes)

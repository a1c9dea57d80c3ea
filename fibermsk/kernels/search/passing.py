"""Continuous collision detection of curves in linear motion: separating planes and halving.

Each curve is a cubic with Bezier control points ``a0`` (4, 3) before and ``a1`` after a motion, on
which every control point moves in a straight line. Where a plane separates the control points of
two curves by a distance ``floor`` before and after, it does throughout: the distance of any two
control points along its normal is linear in time, so that the least of them is concave. Motion
along the plane does not matter. If no plane is found, the curves and the motion are halved (de
Casteljau) until the parts are separated, or so small that their distance is known.

Source: separating planes of convex hulls for continuous collision detection; see Ericson,
Real-Time Collision Detection (2005), secs. 4.6 and 5.1.
"""

from __future__ import annotations

import math

from numba import prange

from fibermsk._compile import body, kernel, parallel
from fibermsk.kernels._plain import plain
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.search.chords import closest_on_chords

_DEPTH = 96
"""Maximum number of queued parts; each halving adds one."""

MOST_PARTS = 20_000
"""Maximum number of parts checked; a motion that needs more counts as not proven free."""

FIRST_LOOK = 64
"""Maximum number of parts checked to prove that a pair is not near."""

_SMALL = 1e-3
"""Size over the floor below which parts are not halved."""


@body
def _way_between(a, b, way):
    """Fill the shortest vector from the chord of a to that of b; return its squared length."""
    s, t = closest_on_chords(a[0], a[3], b[0], b[3])
    total = 0.0
    for c in range(3):
        way[c] = b[0, c] - a[0, c] + t * (b[3, c] - b[0, c]) - s * (a[3, c] - a[0, c])
        total += way[c] * way[c]
    return total


@body
def _room(a, b, way):
    """Separation of the control points b from those of a along a vector, times its length."""
    far, near = -math.inf, math.inf
    for p in range(4):
        far = max(far, a[p, 0] * way[0] + a[p, 1] * way[1] + a[p, 2] * way[2])
        near = min(near, b[p, 0] * way[0] + b[p, 1] * way[1] + b[p, 2] * way[2])
    return near - far


@body
def stays_apart(a0, a1, b0, b1, floor):
    """Whether a plane separates two curves by more than a distance; False if none was found.

    The tested normals join the closest points of the chords, after the motion and before it.
    """
    way = scratch(3)
    for end in range(2):
        square = _way_between(a1, b1, way) if end == 0 else _way_between(a0, b0, way)
        if not square > floor * floor:
            return False
        needed = floor * math.sqrt(square)
        if _room(a1, b1, way) > needed and _room(a0, b0, way) > needed:
            return True
    return False


@body
def halve_curve(points, first, second):
    """Fill the control points of the two halves of a curve (4, 3)."""
    for c in range(3):
        p0, p1, p2, p3 = points[0, c], points[1, c], points[2, c], points[3, c]
        p01, p12, p23 = 0.5 * (p0 + p1), 0.5 * (p1 + p2), 0.5 * (p2 + p3)
        p012, p123 = 0.5 * (p01 + p12), 0.5 * (p12 + p23)
        middle = 0.5 * (p012 + p123)
        first[0, c], first[1, c], first[2, c], first[3, c] = p0, p01, p012, middle
        second[0, c], second[1, c], second[2, c], second[3, c] = middle, p123, p23, p3


@body
def curve_size(points):
    """Squared distance of the control point that is farthest from the first one."""
    largest = 0.0
    for p in range(1, 4):
        square = 0.0
        for c in range(3):
            square += (points[p, c] - points[0, c]) ** 2
        largest = max(largest, square)
    return largest


@body
def _largest_change(a0, a1, b0, b1):
    """Squared length of the largest relative motion of control points."""
    largest = 0.0
    for p in range(4):
        for k in range(4):
            square = 0.0
            for c in range(3):
                square += (a1[p, c] - a0[p, c] - b1[k, c] + b0[k, c]) ** 2
            largest = max(largest, square)
    return largest


@body
def copy_curve(points, out):
    """Copy control points (4, 3)."""
    for p in range(4):
        for c in range(3):
            out[p, c] = points[p, c]


@body
def mean_curve(first, second, out):
    """Fill the means of two sets of control points (4, 3)."""
    for p in range(4):
        for c in range(3):
            out[p, c] = 0.5 * (first[p, c] + second[p, c])


@body
def passes(a0, a1, b0, b1, floor, most):
    """Whether two curves may come as near as `floor` during the motion.

    False is certain. True if they are nearer than the floor by more than a relative 1e-3, or if
    more than `most` parts would have to be checked.
    """
    parts, part, halves = scratch((_DEPTH, 4, 4, 3)), scratch((4, 4, 3)), scratch((4, 2, 4, 3))
    copy_curve(a0, parts[0, 0])
    copy_curve(a1, parts[0, 1])
    copy_curve(b0, parts[0, 2])
    copy_curve(b1, parts[0, 3])
    small = (_SMALL * floor) ** 2
    waiting, looked_at = 1, 0
    while waiting > 0:
        waiting -= 1
        looked_at += 1
        for i in range(4):
            copy_curve(parts[waiting, i], part[i])
        if stays_apart(part[0], part[1], part[2], part[3], floor):
            continue
        if looked_at > most or waiting + 2 > _DEPTH:
            return True
        a, b = (
            max(curve_size(part[0]), curve_size(part[1])),
            max(curve_size(part[2]), curve_size(part[3])),
        )
        time = _largest_change(part[0], part[1], part[2], part[3])
        if not max(max(a, b), time) > small:
            return True
        for i in range(4):
            for k in range(2):
                copy_curve(part[i], halves[i, k])
        if time >= a and time >= b:
            for i in range(0, 4, 2):
                mean_curve(part[i], part[i + 1], halves[i, 1])
                copy_curve(halves[i, 1], halves[i + 1, 0])
        elif a >= b:
            halve_curve(part[0], halves[0, 0], halves[0, 1])
            halve_curve(part[1], halves[1, 0], halves[1, 1])
        else:
            halve_curve(part[2], halves[2, 0], halves[2, 1])
            halve_curve(part[3], halves[3, 0], halves[3, 1])
        for k in range(2):
            for i in range(4):
                copy_curve(halves[i, k], parts[waiting, i])
            waiting += 1
    return False


@body
def _all_stay_apart(e, first, last, candidates, before, after, part, radius, stray):
    """Whether one plane, by the middle candidate, separates an element from all candidates."""
    way = scratch(3)
    square = _way_between(after[e], after[candidates[(first + last) // 2]], way)
    length = math.sqrt(square)
    far_before, far_after = -math.inf, -math.inf
    for p in range(4):
        now = before[e, p, 0] * way[0] + before[e, p, 1] * way[1] + before[e, p, 2] * way[2]
        then = after[e, p, 0] * way[0] + after[e, p, 1] * way[1] + after[e, p, 2] * way[2]
        far_before, far_after = max(far_before, now), max(far_after, then)
    for i in range(first, last):
        b = candidates[i]
        needed = length * (part * (radius[e] + radius[b]) + stray[e] + stray[b])
        for p in range(4):
            now = before[b, p, 0] * way[0] + before[b, p, 1] * way[1] + before[b, p, 2] * way[2]
            then = after[b, p, 0] * way[0] + after[b, p, 1] * way[1] + after[b, p, 2] * way[2]
            if not (now - far_before > needed and then - far_after > needed):
                return False
    return True


@parallel("run_element", least=4096)
def mark_near(
    before, after, fiber, stray, radius, run_element, run_start, candidates, run_law, part, near
):  # fmt: skip
    """Mark the candidate pairs without a separating plane; each pair of elements once.

    stray (n_elements,): deviation of the control points from linear motion; radius (n_elements,):
    bounds; part (n_laws,): required distance over the sum of the radii.
    """
    for run in prange(run_element.size):
        e, first, last = run_element[run], run_start[run], run_start[run + 1]
        for i in range(first, last):
            near[i] = False
        if fiber[candidates[first]] < fiber[e]:
            continue  # marked from the other element
        if _all_stay_apart(
            e, first, last, candidates, before, after, part[run_law[run]], radius, stray
        ):
            continue
        for i in range(first, last):
            b = candidates[i]
            floor = part[run_law[run]] * (radius[e] + radius[b]) + stray[e] + stray[b]
            near[i] = not stays_apart(before[e], after[e], before[b], after[b], floor) and passes(
                before[e], after[e], before[b], after[b], floor, plain(FIRST_LOOK)
            )


@kernel
def find_passing(before, after, first, second, floor, found):
    """Fill found (n_pairs,): whether elements first and second (n_pairs,) pass each other."""
    for i in range(first.size):
        a, b = first[i], second[i]
        found[i] = passes(before[a], after[a], before[b], after[b], floor[i], plain(MOST_PARTS))

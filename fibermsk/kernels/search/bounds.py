"""Bounds of elements in linear motion, and tests whether two of them can touch.

Each element moves from its Bezier control points ``before`` (4, 3) to those ``after``. Bounds at
both ends of the motion hold throughout, because distances of points in linear motion are convex in
time. Its bounds are a row of `N_BOUNDS` numbers: 0-2 the center of a box about it before; 3-5
the motion of that center; 6-8 the extent of the box from there; 9 the radius of a ball about it;
10 its pad, the distance at which it touches another one; 11 how far it lies from its chord.

Only relative motion of two elements matters: a common motion does not change their distance.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, inlined_body, kernel
from fibermsk.kernels.search.chords import closest_on_chords
from fibermsk.kernels.search.motion import tangent_left

N_BOUNDS = 12

_ROUNDING = 1e-6
"""Error of the distance of chords over their length, due to round-off in the closest points of
nearly parallel chords."""


@body
def _deviation(before, after, length_sq):
    """Largest distance of the inner control points from the chord before and after."""
    largest = 0.0
    for p in range(1, 3):
        along = 0.0
        for c in range(3):
            along += (before[p, c] - before[0, c]) * (before[3, c] - before[0, c])
        along = min(max(along / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0
        now, then = 0.0, 0.0
        for c in range(3):
            now += (before[p, c] - before[0, c] - along * (before[3, c] - before[0, c])) ** 2
            then += (after[p, c] - after[0, c] - along * (after[3, c] - after[0, c])) ** 2
        largest = max(largest, now, then)
    return math.sqrt(largest) + _ROUNDING * math.sqrt(length_sq)


@inlined_body
def enclose_one(e, before, after, stray, pad, bounds):
    """Fill the bounds of element e; see `enclose`."""
    own = bounds[e]
    length_sq = 0.0
    for c in range(3):
        low, high = before[e, 0, c], before[e, 0, c]
        low_after, high_after = after[e, 0, c], after[e, 0, c]
        for p in range(1, 4):
            low, high = min(low, before[e, p, c]), max(high, before[e, p, c])
            low_after = min(low_after, after[e, p, c])
            high_after = max(high_after, after[e, p, c])
        own[c] = 0.5 * (low + high)
        own[3 + c] = 0.5 * (low_after + high_after) - own[c]
        own[6 + c] = 0.5 * max(high - low, high_after - low_after) + stray[e]
        length_sq += (before[e, 3, c] - before[e, 0, c]) ** 2
    ball = 0.0
    for p in range(4):
        now, then = 0.0, 0.0
        for c in range(3):
            now += (before[e, p, c] - own[c]) ** 2
            then += (after[e, p, c] - own[c] - own[3 + c]) ** 2
        ball = max(ball, now, then)
    own[9] = math.sqrt(ball) + stray[e]
    own[10] = pad[e]
    own[11] = _deviation(before[e], after[e], length_sq) + stray[e]


@kernel
def enclose(before, after, stray, pad, bounds):
    """Fill the bounds (n, N_BOUNDS) of elements from control points (n, 4, 3) before and after.

    stray (n,): deviation of control points from linear motion; pad (n,).
    """
    for e in range(before.shape[0]):
        enclose_one(e, before, after, stray, pad, bounds)


@inlined_body
def _boxes_and_balls_meet(a, b, moving):
    """Whether the balls, and the boxes along each axis, come closer than the pads."""
    dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    x, y, z = dx, dy, dz
    gx, gy, gz = abs(dx), abs(dy), abs(dz)
    if moving:
        mx, my, mz = b[3] - a[3], b[4] - a[4], b[5] - a[5]
        # the time in [0, 1] when the centers are closest
        way_sq = mx * mx + my * my + mz * mz
        s = -(dx * mx + dy * my + dz * mz)
        s = min(max(s / way_sq, 0.0), 1.0) if way_sq > 0.0 else 0.0
        x, y, z = dx + s * mx, dy + s * my, dz + s * mz
        # the least distances along each axis, at any times
        gx = max(0.0, min(dx, dx + mx), -max(dx, dx + mx))
        gy = max(0.0, min(dy, dy + my), -max(dy, dy + my))
        gz = max(0.0, min(dz, dz + mz), -max(dz, dz + mz))
    pads = a[10] + b[10]
    balls = a[9] + b[9] + pads
    gx, gy, gz = max(0.0, gx - a[6] - b[6]), max(0.0, gy - a[7] - b[7]), max(0.0, gz - a[8] - b[8])
    near = x * x + y * y + z * z <= balls * balls
    return near & (gx * gx + gy * gy + gz * gz <= pads * pads)


@inlined_body
def _chord_distance_sq(a, b):
    """Squared distance of two chords from their control points."""
    s, t = closest_on_chords(a[0], a[3], b[0], b[3])
    total = 0.0
    for c in range(3):
        total += (a[0, c] - b[0, c] + s * (a[3, c] - a[0, c]) - t * (b[3, c] - b[0, c])) ** 2
    return total


@body
def _approach(before_a, after_a, before_b, after_b):
    """Bound of the approach of two chords, from their ends."""
    largest = 0.0
    for p in range(0, 4, 3):
        for q in range(0, 4, 3):
            total = 0.0
            for c in range(3):
                own = after_a[p, c] - before_a[p, c]
                total += (after_b[q, c] - before_b[q, c] - own) ** 2
            largest = max(largest, total)
    return math.sqrt(largest)


@inlined_body
def can_touch(bounds, before, after, moving, a, b):
    """Whether elements a and b may touch during their motion; False is certain.

    The balls, the boxes, and the neighborhoods of the chords must overlap. moving: False where
    `after` equals `before` and there is no stray.
    """
    if not _boxes_and_balls_meet(bounds[a], bounds[b], moving):
        return False
    reach = bounds[a, 10] + bounds[b, 10] + bounds[a, 11] + bounds[b, 11]
    if moving:
        reach += _approach(before[a], after[a], before[b], after[b])
    apart_sq = _chord_distance_sq(before[a], before[b])
    return apart_sq <= reach * reach


@kernel
def relative_motion(before, after):
    """Bound of the relative motion of any two control points (n, 4, 3)."""
    largest = 0.0
    low, high = (math.inf, math.inf, math.inf), (-math.inf, -math.inf, -math.inf)
    for e in range(before.shape[0]):
        for p in range(4):
            x = after[e, p, 0] - before[e, p, 0]
            y = after[e, p, 1] - before[e, p, 1]
            z = after[e, p, 2] - before[e, p, 2]
            motion = x * x + y * y + z * z
            if not motion < math.inf:
                return math.inf
            largest = max(largest, motion)
            low = (min(low[0], x), min(low[1], y), min(low[2], z))
            high = (max(high[0], x), max(high[1], y), max(high[2], z))
    if before.shape[0] == 0:
        return 0.0
    diagonal = (high[0] - low[0]) ** 2 + (high[1] - low[1]) ** 2 + (high[2] - low[2]) ** 2
    return min(2.0 * math.sqrt(largest), math.sqrt(diagonal))


@kernel
def fill_after(hull, hull_update, stray, h, fraction, least, after, left):
    """Fill control points (n, 4, 3) after a fraction of an update, and the remaining tangents (n,).

    least (n,): lower bounds of |a1|; see `fibermsk.kernels.search.motion.tangent_left`.
    """
    for e in range(hull.shape[0]):
        for p in range(4):
            for c in range(3):
                after[e, p, c] = hull[e, p, c] + fraction * hull_update[e, p, c]
        left[e] = tangent_left(e, h, hull_update, stray, fraction, least)

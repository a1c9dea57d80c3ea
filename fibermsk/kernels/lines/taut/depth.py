"""How deep lines and arcs enter a surface.

Depth is the level F there over its slope and the least radius of the surface: negative inside.
"""

from __future__ import annotations

import math

from fibermsk._compile import body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_ground, to_local
from fibermsk.kernels.lines.taut.chain import _dot
from fibermsk.kernels.lines.taut.geodesic import ACCURACY, advance, geodesic
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, OWN, TORUS, level, reach

SAMPLES = 24
"""Points of arcs and lines at which surfaces that are not convex are examined."""
MOST_SAMPLES = 4096
"""Most of these on a line."""
GOLDEN, STEPS, ARC_STEPS = 0.5 * (3.0 - math.sqrt(5.0)), 60, 28
"""Share of an interval that golden section cuts from an end, its steps on lines, and on arcs.

The level at its least place is as exact as the place is squared: 28 steps reach 1e-12."""


@body
def _go(start, step, share, out):
    """Fill out (3,) with start + share step."""
    for r in range(3):
        out[r] = start[r] + share * step[r]


@body
def _depth(kind, size, x, g, H):
    """Depth of a point, frame of the surface; g and H are work space."""
    F = level(kind, size, x, g, H)
    slope = math.sqrt(_dot(g, g)) * min(size[0], min(size[1], size[2]))
    return F / slope if slope > 0.0 else F


@body
def _within(distance, start, step):
    """Part of a line, from and to a share of its step, that is closer to the origin than so far.

    Where there is none, both are the closest place.
    """
    square, along = _dot(step, step), -_dot(start, step)
    if not square > 0.0:
        return 0.0, 0.0
    closest = min(1.0, max(0.0, along / square))
    if distance == math.inf:
        return 0.0, 1.0
    root = along * along - square * (_dot(start, start) - distance * distance)
    if not root > 0.0:
        return closest, closest
    low, high = (along - math.sqrt(root)) / square, (along + math.sqrt(root)) / square
    if low > 1.0 or high < 0.0:
        return closest, closest
    return max(0.0, low), min(1.0, high)


@body
def _lowest(kind, size, start, step, point, g, H):
    """Share of a step at which a line is lowest, of a surface that is not convex.

    Each low place of samples is refined; they are closer than half the least radius, and a torus
    is at least as far from a sample as its level. point, g and H are work space.
    """
    first, last = _within(reach(kind, size), start, step)
    span = (last - first) * math.sqrt(_dot(step, step))
    least_radius = min(size[0], min(size[1], size[2]))
    n = max(SAMPLES, min(MOST_SAMPLES, int(2.0 * span / least_radius) + 1))
    lowest, at, before, here = math.inf, first, math.inf, math.inf
    for k in range(n + 2):
        after = math.inf
        if k <= n:
            _go(start, step, first + (last - first) * k / n, point)
            after = level(kind, size, point, g, H)
        if k > 0 and here <= before and here <= after:
            low = max(first, first + (last - first) * (k - 2) / n)
            high = min(last, first + (last - first) * k / n)
            place = first + (last - first) * (k - 1) / n
            if kind == OWN or here < span / n:
                place = _golden(kind, size, start, step, low, high, point, g, H)
            _go(start, step, place, point)
            F = level(kind, size, point, g, H)
            if F < lowest:
                lowest, at = F, place
        before, here = here, after
    return at


@body
def _golden(kind, size, start, step, low, high, point, g, H):
    """Share of a step at which a line is lowest between two shares."""
    for _ in range(STEPS):
        left, right = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
        _go(start, step, left, point)
        F = level(kind, size, point, g, H)
        _go(start, step, right, point)
        if F < level(kind, size, point, g, H):
            high = right
        else:
            low = left
    return 0.5 * (low + high)


@body
def deepest(kind, size, R, p, a, b, point):
    """Least depth on the segment from a to b; point (3,) is the place, frame of the surface."""
    start, end, step = scratch(3), scratch(3), scratch(3)
    g, H = scratch(3), scratch((3, 3))
    to_local(R, p, a, start)
    to_local(R, p, b, end)
    for r in range(3):
        step[r] = end[r] - start[r]
    if kind < TORUS:
        # F is quadratic along the line
        F0 = level(kind, size, start, g, H)
        first = _dot(g, step)
        second = level(kind, size, end, g, H) - F0 - first
        at = min(1.0, max(0.0, -0.5 * first / second)) if second > 0.0 else 0.0
    else:
        at = _lowest(kind, size, start, step, point, g, H)
    _go(start, step, at, point)
    return _depth(kind, size, point, g, H)


@body
def _beyond(kind, size, R, p, a, b, length):
    """Whether a curve from a to b (3,), so long, surely stays outside a surface.

    It stays within half its length of the middle of its ends.
    """
    x, middle = scratch(3), scratch(3)
    for r in range(3):
        middle[r] = 0.5 * (a[r] + b[r])
    to_local(R, p, middle, x)
    if kind == CYLINDER:
        return math.hypot(x[0], x[1]) > size[0] + 0.5 * length
    return math.sqrt(_dot(x, x)) > reach(kind, size) + 0.5 * length


@body
def _level_beside(own_R, own_p, y, kind, size, R, p, x, g, H):
    """Level of a surface at a point y of another one; x (3,) is that point in its frame."""
    ground = scratch(3)
    to_ground(own_R, own_p, y, ground)
    to_local(R, p, ground, x)
    return level(kind, size, x, g, H)


@body
def deepest_on_arc(own_kind, own_size, own_R, own_p, foot, kind, size, R, p, there):
    """Least depth of an arc in another surface; positive if it surely stays outside.

    foot (7,) is that of the arc; there (7,) is that of the rest of it, from the deepest point on.
    """
    y, base, last = scratch(10), scratch(10), scratch(10)
    a, b, x = scratch(3), scratch(3), scratch(3)
    g, H = scratch(3), scratch((3, 3))
    length = foot[6]
    geodesic(own_kind, own_size, foot[:3], foot[3:6], length, ACCURACY, y)
    to_ground(own_R, own_p, foot, a)
    to_ground(own_R, own_p, y, b)
    if _beyond(kind, size, R, p, a, b, length):
        return math.inf
    step, least, first, away = length / SAMPLES, math.inf, 0, math.inf
    geodesic(own_kind, own_size, foot[:3], foot[3:6], 0.0, ACCURACY, y)
    for k in range(SAMPLES + 1):
        if k > 0:
            for r in range(10):
                last[r] = y[r]
            advance(own_kind, own_size, y, step)
        F = _level_beside(own_R, own_p, y, kind, size, R, p, x, g, H)
        if F < least:
            least, first = F, max(0, k - 1)
            for r in range(10):
                base[r] = last[r] if k > 0 else y[r]
        slope = math.sqrt(_dot(g, g))
        away = min(away, F / slope if slope > 0.0 else -math.inf)
    if kind < OWN and away > step:
        # F / |g| is at most the distance where F is convex, and of a torus
        return away
    low, high = 0.0, min(2.0 * step, length - first * step)
    left, at_left, right, at_right = low, math.nan, high, math.nan
    for _ in range(ARC_STEPS):
        # each step keeps one of the two places
        if math.isnan(at_left):
            left = low + GOLDEN * (high - low)
            geodesic(own_kind, own_size, base[:3], base[3:6], left, ACCURACY, y)
            at_left = _level_beside(own_R, own_p, y, kind, size, R, p, x, g, H)
        if math.isnan(at_right):
            right = high - GOLDEN * (high - low)
            geodesic(own_kind, own_size, base[:3], base[3:6], right, ACCURACY, y)
            at_right = _level_beside(own_R, own_p, y, kind, size, R, p, x, g, H)
        if at_left < at_right:
            high, right, at_right, at_left = right, left, at_left, math.nan
        else:
            low, left, at_left, at_right = left, right, at_right, math.nan
    at = 0.5 * (low + high)
    geodesic(own_kind, own_size, base[:3], base[3:6], at, ACCURACY, y)
    for r in range(6):
        there[r] = y[r]
    there[6] = max(0.0, length - first * step - at)
    _level_beside(own_R, own_p, y, kind, size, R, p, x, g, H)
    return _depth(kind, size, x, g, H)

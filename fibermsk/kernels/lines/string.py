"""First guess of a taut path: a string of points that shrinks around the surfaces.

The points x (n, 3) move to the middle of their neighbors and back out of the surfaces (projected
over-relaxation, with the best rate of a free string). A string stays on the side of each surface on
which it starts.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_ground, to_local
from fibermsk.kernels.lines.surfaces import level, settle

COARSE, DENSE = 32, 96
"""Points of strings that are compared, and of the one that is used."""
SIDES = 8
"""Sides of the straight line on which strings start without a hint."""
COARSE_CALM = 1e-6
"""Move of a point in one sweep, of the string's length, that ends shrinking to compare."""


@kernel
def distance(a, b):
    """Distance of two points (3,)."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def copy(a, out):
    """Copy a (3,) to out."""
    out[0], out[1], out[2] = a[0], a[1], a[2]


@kernel
def _spread(knots, x):
    """Fill x (n, 3) with even points of the polyline through knots (k, 3)."""
    n, total = x.shape[0], 0.0
    for k in range(knots.shape[0] - 1):
        total += distance(knots[k], knots[k + 1])
    k, before = 0, 0.0
    part = distance(knots[0], knots[1])
    for j in range(n):
        at = total * j / (n - 1)
        while at > before + part and k < knots.shape[0] - 2:
            before += part
            k += 1
            part = distance(knots[k], knots[k + 1])
        share = min(1.0, (at - before) / part) if part > 0.0 else 0.0
        for r in range(3):
            x[j, r] = knots[k, r] + share * (knots[k + 1, r] - knots[k, r])


@kernel
def shrink(kind, size, R, p, x, touched, sweeps, calm):
    """Shrink a string x (n, 3) and fill touched (n,): the surface on which a point lies, or -1.

    It ends after so many sweeps, or if no point moves by more than calm, of the string's length.
    """
    local, g, H, before = scratch(3), scratch(3), scratch((3, 3)), scratch(3)
    n, owner = x.shape[0], np.empty(kind.size, np.int64)
    for k in range(kind.size):
        owner[k] = first_of(kind, size, R, p, k)
    rate = 2.0 / (1.0 + math.sin(math.pi / n))
    least = calm * _length(x)
    for _ in range(sweeps):
        most = 0.0
        for j in range(1, n - 1):
            copy(x[j], before)
            touched[j] = -1
            for r in range(3):
                x[j, r] += rate * (0.5 * (x[j - 1, r] + x[j + 1, r]) - x[j, r])
            for k in range(kind.size):
                if owner[k] != k:
                    continue
                to_local(R[k], p[k], x[j], local)
                if level(kind[k], size[k], local, g, H) < 0.0 and settle(
                    kind[k], size[k], local, g, H
                ):
                    to_ground(R[k], p[k], local, x[j])
                    touched[j] = k
            for r in range(3):
                most = max(most, abs(x[j, r] - before[r]))
        if most < least:
            return


@kernel
def first_of(kind, size, R, p, k):
    """Number under which surface k is listed first: one touched in two places is listed twice."""
    for j in range(k):
        same = kind[j] == kind[k]
        for r in range(3):
            same = same and size[j, r] == size[k, r] and p[j, r] == p[k, r]
            for c in range(3):
                same = same and R[j, r, c] == R[k, r, c]
        if same:
            return j
    return k


@kernel
def _piece(touched, own, begin):
    """First and last point of the next piece on surface own, -1 if there is none.

    Single points off the surface between points on it belong to a piece.
    """
    first, last, number, n = -1, -1, 0, touched.size
    for j in range(begin, n - 1):
        if touched[j] != own:
            continue
        if first >= 0 and j - last - 1 > max(1, number // 4):
            return first, last
        first = j if first < 0 else first
        last = j
        number += 1
    return first, last


@kernel
def _length(x):
    total = 0.0
    for j in range(x.shape[0] - 1):
        total += distance(x[j], x[j + 1])
    return total


@kernel
def _reach(size, p, o, i):
    """How far [m] a string must swing out of the line from o to i to pass all surfaces."""
    reach = 0.0
    for k in range(p.shape[0]):
        radius = size[k, 0] + size[k, 1] + size[k, 2]
        away = min(distance(p[k], o), distance(p[k], i))
        reach = max(reach, radius + 0.5 * away)
    return reach


@kernel
def guess(kind, size, R, p, o, i, hint, hinted, foot, active, points, sweeps, calm):
    """Fill feet (m, 7) and active (m,) from a string of so many points; 0, or a status and surface.

    hint (m, 3): a point in the frame of the surface that the string passes first, where hinted
    (m,). Status -1: a surface is touched in several places; -2: not in the order of the chain.
    """
    m = kind.size
    x, touched = np.empty((points, 3)), np.empty(points, np.int64)
    knots = np.empty((m + 2, 3))
    copy(o, knots[0])
    count = 1
    for k in range(m):
        if hinted[k] and first_of(kind, size, R, p, k) == k:
            to_ground(R[k], p[k], hint[k], knots[count])
            count += 1
    copy(i, knots[count])
    if count > 1:
        _spread(knots[: count + 1], x)
    else:
        _choose(kind, size, R, p, o, i, x)
    shrink(kind, size, R, p, x, touched, sweeps, calm)
    g, H, y = scratch(3), scratch((3, 3)), scratch(3)
    before, begin = 0, np.ones(m, np.int64)
    for k in range(m):
        own = first_of(kind, size, R, p, k)
        first, last = _piece(touched, own, begin[own])
        active[k] = 1 if first >= 0 else 0
        if first < 0:
            continue
        begin[own] = last + 1
        if first < before:
            return -2, k
        before = last
        to_local(R[k], p[k], x[first], foot[k, :3])
        if not settle(kind[k], size[k], foot[k, :3], g, H):
            return -1, k
        ahead = min(first + 1, points - 1)
        for r in range(3):
            y[r] = p[k, r] + x[ahead, r] - x[first - 1, r]
        to_local(R[k], p[k], y, foot[k, 3:6])
        lean(g, foot[k, 3:6])
        foot[k, 6] = _length(x[first : last + 1]) + 0.3 * distance(x[first], x[first - 1])
    for j in range(1, points - 1):
        # a piece more than the surface is listed for
        if touched[j] >= 0 and j >= begin[touched[j]]:
            return -1, touched[j]
    return 0, np.int64(-1)


@kernel
def lean(g, t):
    """Make t (3,) a unit vector tangent to the surface of gradient g."""
    part = g[0] * t[0] + g[1] * t[1] + g[2] * t[2]
    part /= g[0] * g[0] + g[1] * g[1] + g[2] * g[2]
    for r in range(3):
        t[r] -= part * g[r]
    total = math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    for r in range(3):
        t[r] /= total


@kernel
def _choose(kind, size, R, p, o, i, x):
    """Fill x (n, 3): the shortest of coarse strings from all sides, refined."""
    along, u, w = scratch(3), np.zeros(3), scratch(3)
    span = distance(o, i)
    least = 0
    for r in range(3):
        along[r] = (i[r] - o[r]) / span
        if abs(along[r]) < abs(along[least]):
            least = r
    u[least] = 1.0
    lean(along, u)
    for r in range(3):
        k, j = (r + 1) % 3, (r + 2) % 3
        w[r] = along[k] * u[j] - along[j] * u[k]
    reach = _reach(size, p, o, i)
    tried, best = np.empty((COARSE, 3)), np.empty((COARSE, 3))
    touched = np.empty(COARSE, np.int64)
    shortest = math.inf
    for side in range(SIDES + 1):
        angle = 2.0 * math.pi * side / SIDES
        swing = reach if side < SIDES else 0.0
        for j in range(COARSE):
            share = j / (COARSE - 1.0)
            out = swing * math.sin(math.pi * share)
            for r in range(3):
                tried[j, r] = o[r] + share * span * along[r]
                tried[j, r] += out * (math.cos(angle) * u[r] + math.sin(angle) * w[r])
        shrink(kind, size, R, p, tried, touched, 4 * COARSE, COARSE_CALM)
        length = _length(tried)
        if length < shortest:
            shortest = length
            for j in range(COARSE):
                copy(tried[j], best[j])
    _spread(best, x)

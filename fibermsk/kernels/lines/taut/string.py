"""First guess of a taut path: a string of points that shrinks around the surfaces.

The points x (n, 3) move to the middle of their neighbors and back out of the surfaces (projected
over-relaxation, with the best rate of a free string). A string stays on the side of each surface on
which it starts. Nearest points on a flat ellipsoid jump from one side to the other: points that are
inside at the start move out along lines through its center, and points on it move along it.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_ground, to_local
from fibermsk.kernels.lines.taut.surfaces import ELLIPSOID, level, settle


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
def spread(knots, x):
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
    local, start, before, g, H = scratch(3), scratch(3), scratch(3), scratch(3), scratch((3, 3))
    n, owner = x.shape[0], np.empty(kind.size, np.int64)
    for k in range(kind.size):
        owner[k] = first_of(kind, size, R, p, k)
        if kind[k] == ELLIPSOID and owner[k] == k:
            _spread_around(size[k], R[k], p[k], x)
    touched[:] = -1
    rate = 2.0 / (1.0 + math.sin(math.pi / n))
    least = calm * length_of(x)
    for _ in range(sweeps):
        most = 0.0
        for j in range(1, n - 1):
            copy(x[j], before)
            last, touched[j] = touched[j], -1
            for r in range(3):
                x[j, r] += rate * (0.5 * (x[j - 1, r] + x[j + 1, r]) - x[j, r])
            for k in range(kind.size):
                if owner[k] != k:
                    continue
                to_local(R[k], p[k], x[j], local)
                if not level(kind[k], size[k], local, g, H) < 0.0:
                    continue
                if k == last and kind[k] == ELLIPSOID:
                    to_local(R[k], p[k], before, start)
                    _slide(kind[k], size[k], start, local)
                if settle(kind[k], size[k], local, g, H):
                    to_ground(R[k], p[k], local, x[j])
                    touched[j] = k
            for r in range(3):
                most = max(most, abs(x[j, r] - before[r]))
        if most < least:
            return


@kernel
def _spread_around(size, R, p, x):
    """Move points of a string x (n, 3) inside an ellipsoid out along lines through its center."""
    local = scratch(3)
    for j in range(1, x.shape[0] - 1):
        to_local(R, p, x[j], local)
        square = 0.0
        for r in range(3):
            square += (local[r] / size[r]) ** 2
        if 0.0 < square < 1.0:
            for r in range(3):
                local[r] /= math.sqrt(square)
            to_ground(R, p, local, x[j])


@kernel
def _slide(kind, size, start, local):
    """Leave out of a move of a point on the surface, from start to local (3,), what goes inward."""
    g, H, part, square = scratch(3), scratch((3, 3)), 0.0, 0.0
    level(kind, size, start, g, H)
    for r in range(3):
        part += g[r] * (local[r] - start[r])
        square += g[r] * g[r]
    for r in range(3):
        local[r] -= min(part, 0.0) / square * g[r]


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
def length_of(x):
    """Length of a string x (n, 3)."""
    total = 0.0
    for j in range(x.shape[0] - 1):
        total += distance(x[j], x[j + 1])
    return total


@kernel
def guess(kind, size, R, p, knots, foot, active, points, sweeps, calm):
    """Fill feet (m, 7) and active (m,) from a string of so many points; 0, or a status and surface.

    It starts along the polyline through knots (k, 3), ground. Status -1: a surface is touched in
    several places; -2: not in the order of the chain.
    """
    m = kind.size
    x, touched = np.empty((points, 3)), np.empty(points, np.int64)
    spread(knots, x)
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
        foot[k, 6] = length_of(x[first : last + 1]) + 0.3 * distance(x[first], x[first - 1])
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

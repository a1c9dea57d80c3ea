"""The taut path over a chain of surfaces: which are touched, tangent points, checks.

A surface is touched if its arc length is positive. The solution is followed from the last one if
there is one, and otherwise started by a string (`fibermsk.kernels.lines.string`). It is accepted
only if it is taut: the normal curvature presses every arc to its surface, no free line passes
through a surface, and the second variation of the length is positive, so that no sideways
displacement shortens the path. The second variation becomes singular where the matrix of the
tangent points does: only there may a branch end.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.lines.chain import _dot, fill_frames, fill_lines
from fibermsk.kernels.lines.geodesic import pressed
from fibermsk.kernels.lines.newton import fill_derivatives, newton
from fibermsk.kernels.lines.section import to_local
from fibermsk.kernels.lines.string import DENSE, copy, first_of, guess, lean
from fibermsk.kernels.lines.surfaces import TORUS, level, settle

TAUT, INSIDE_START, INSIDE_END, LOST, LOOSE, SHORTER, THROUGH, PIECES, ORDER, NOT_FINITE = range(10)
"""Statuses: taut; an end lies inside a surface; no solution found; the path would leave the surface
in between; a sideways displacement shortens it; a free line passes through a surface; a surface is
touched in several places; surfaces are touched in another order; input not finite."""

CHANGES = 12
"""Most changes of the set of touched surfaces in one solution."""
ATTEMPTS = 3
"""Strings that are tried as a start."""
SAMPLES = 24
"""Points of arcs and lines at which surfaces that are not convex are examined."""
DEPTH = 1e-9
"""Depth of a free line inside a touched surface, of its least radius, that is rounding."""


@kernel
def _go(start, step, share, out):
    """Fill out (3,) with start + share step."""
    for r in range(3):
        out[r] = start[r] + share * step[r]


@kernel
def deepest(kind, size, R, p, a, b, point):
    """Least level F on the segment from a to b, over its slope times least radius.

    point (3,) is the place, in the frame of the surface.
    """
    start, end, step = np.empty(3), np.empty(3), np.empty(3)
    g, H = np.empty(3), np.empty((3, 3))
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
        least, at = math.inf, 0.0
        for k in range(SAMPLES + 1):
            _go(start, step, k / SAMPLES, point)
            F = level(kind, size, point, g, H)
            if F < least:
                least, at = F, k / SAMPLES
        low, high = max(0.0, at - 1.0 / SAMPLES), min(1.0, at + 1.0 / SAMPLES)
        for _ in range(60):
            left, right = low + 0.382 * (high - low), high - 0.382 * (high - low)
            _go(start, step, left, point)
            F = level(kind, size, point, g, H)
            _go(start, step, right, point)
            if F < level(kind, size, point, g, H):
                high = right
            else:
                low = left
        at = 0.5 * (low + high)
    _go(start, step, at, point)
    F = level(kind, size, point, g, H)
    slope = math.sqrt(_dot(g, g)) * min(size[0], min(size[1], size[2]))
    return F / slope if slope > 0.0 else F


@kernel
def _pack(kind, size, R, p, foot, active):
    """Arrays of the active surfaces, and their numbers."""
    n, j = 0, 0
    for k in range(kind.size):
        n += 1 if active[k] else 0
    kinds, where = np.empty(n, np.int64), np.empty(n, np.int64)
    sizes, Rs, ps, feet = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 7))
    for k in range(kind.size):
        if active[k]:
            kinds[j], where[j] = kind[k], k
            copy(size[k], sizes[j])
            copy(p[k], ps[j])
            for r in range(3):
                copy(R[k, r], Rs[j, r])
            for r in range(7):
                feet[j, r] = foot[k, r]
            j += 1
    return kinds, sizes, Rs, ps, feet, where


@kernel
def _ends(o, i, frame, where, k, a, b):
    """Fill a, b (3,): the ends of the free line that passes the surface k, which is not touched."""
    copy(o, a)
    copy(i, b)
    for j in range(where.size):
        if where[j] < k:
            copy(frame[j, 1, 0], a)
    for j in range(where.size - 1, -1, -1):
        if where[j] > k:
            copy(frame[j, 0, 0], b)


@kernel
def _touched_twice(kind, size, R, p, active, k):
    """Whether surface k is listed elsewhere too, and touched there."""
    own = first_of(kind, size, R, p, k)
    for j in range(kind.size):
        if j != k and active[j] and first_of(kind, size, R, p, j) == own:
            return True
    return False


@kernel
def _settle_contacts(kind, size, R, p, o, i, foot, active):
    """Solve for the tangent points and for the surfaces that are touched; a status."""
    m = kind.size
    lifted = np.zeros(m, np.int64)
    a, b, point = np.empty(3), np.empty(3), np.empty(3)
    g, H = np.empty(3), np.empty((3, 3))
    for _ in range(CHANGES):
        kinds, sizes, Rs, ps, feet, where = _pack(kind, size, R, p, foot, active)
        n = where.size
        frame, bend, field = np.empty((n, 2, 4, 3)), np.empty((n, 2, 3)), np.empty((n, 4))
        if n:
            if not newton(kinds, sizes, Rs, ps, o, i, feet) < 1e-10:
                return LOST
            lowest = 0
            for j in range(n):
                for r in range(7):
                    foot[where[j], r] = feet[j, r]
                if feet[j, 6] < feet[lowest, 6]:
                    lowest = j
            if feet[lowest, 6] <= 0.0:
                active[where[lowest]] = 0
                lifted[where[lowest]] += 1
                continue
            fill_frames(kinds, sizes, Rs, ps, feet, frame, bend, field)
        worst, which = 0.0, -1
        for k in range(m):
            if active[k]:
                continue
            _ends(o, i, frame, where, k, a, b)
            depth = deepest(kind[k], size[k], R[k], p[k], a, b, point)
            # one that lifted off here, or from which the line comes, touches only beyond rounding
            again = lifted[k] > 0 or _touched_twice(kind, size, R, p, active, k)
            if depth < worst and (not again or depth < -DEPTH) and lifted[k] < 3:
                worst, which = depth, k
        if which < 0:
            return TAUT
        _ends(o, i, frame, where, which, a, b)
        deepest(kind[which], size[which], R[which], p[which], a, b, foot[which, :3])
        if not settle(kind[which], size[which], foot[which, :3], g, H):
            return LOST
        for r in range(3):
            point[r] = p[which, r] + b[r] - a[r]
        to_local(R[which], p[which], point, foot[which, 3:6])
        lean(g, foot[which, 3:6])
        foot[which, 6] = 0.0
        active[which] = 1
    return LOST


@kernel
def _examine(kind, size, R, p, o, i, foot, active):
    """Status of a solution: taut, or why it is not."""
    kinds, sizes, Rs, ps, feet, where = _pack(kind, size, R, p, foot, active)
    n = where.size
    frame, bend, field = np.empty((n, 2, 4, 3)), np.empty((n, 2, 3)), np.empty((n, 4))
    line, y, a, b = np.empty((n + 1, 4)), np.empty(10), np.empty(3), np.empty(3)
    fill_frames(kinds, sizes, Rs, ps, feet, frame, bend, field)
    fill_lines(o, i, frame, line)
    pivot = 0.0
    for k in range(n):
        least, conjugate = 1.0, 1.0
        length = feet[k, 6]
        radius = min(sizes[k, 0], min(sizes[k, 1], sizes[k, 2]))
        if kinds[k] >= TORUS or length > 2.0 * radius:
            least, conjugate = pressed(
                kinds[k], sizes[k], feet[k, :3], feet[k, 3:6], length, SAMPLES, y
            )
        if not least > 0.0:
            return LOOSE
        if not conjugate > 0.0:
            return SHORTER
        # second variation of line, arc, line in the sideways displacements of P and Q
        c, d, d_slope = field[k, 0], field[k, 2], field[k, 3]
        stiff_P, stiff_Q = 1.0 / line[k, 3], 1.0 / line[k + 1, 3]
        if k > 0:
            side = _dot(frame[k - 1, 1, 3], frame[k, 0, 3]) / line[k, 3]
            stiff_P -= side * side / pivot
        if d <= 1e-9 * radius:
            pivot = stiff_P + stiff_Q  # P and Q move as one
        else:
            stiff_P += c / d
            if not stiff_P > 0.0:
                return SHORTER
            pivot = stiff_Q + d_slope / d - 1.0 / (d * d * stiff_P)
        if not pivot > 0.0:
            return SHORTER
    # free lines stay outside the surfaces that they leave and reach, and those not touched
    point = np.empty(3)
    for k in range(n + 1):
        copy(o if k == 0 else frame[k - 1, 1, 0], a)
        copy(i if k == n else frame[k, 0, 0], b)
        for j in range(kind.size):
            near = (k > 0 and where[k - 1] == j) or (k < n and where[k] == j)
            if active[j] and not near:
                continue
            if deepest(kind[j], size[j], R[j], p[j], a, b, point) < -DEPTH:
                return THROUGH
    return TAUT


@kernel
def solve(kind, size, R, p, o, i, hint, hinted, foot, active, warm):
    """Fill feet (m, 7) and active (m,) of the taut path; returns a status.

    kind (m,), size (m, 3): surfaces; R (m, 3, 3), p (m, 3): their frames in the ground; o, i (3,):
    ends, ground; hint (m, 3), hinted (m,): points that the path passes first, frame of the surface.
    If warm, foot and active hold the last solution, which is followed.
    """
    local, g, H = np.empty(3), np.empty(3), np.empty((3, 3))
    for k in range(kind.size):
        for end in range(2):
            to_local(R[k], p[k], o if end == 0 else i, local)
            F = level(kind[k], size[k], local, g, H)
            if not math.isfinite(F):
                return NOT_FINITE
            if F <= 0.0:
                return INSIDE_START if end == 0 else INSIDE_END
    if warm:
        status = _settle_contacts(kind, size, R, p, o, i, foot, active)
        if status == TAUT:
            status = _examine(kind, size, R, p, o, i, foot, active)
        if status == TAUT:
            return status
    clear = True
    for k in range(kind.size):
        clear = clear and not hinted[k]
    if clear:
        # the straight line, unless it meets a surface
        for k in range(kind.size):
            active[k] = 0
            clear = clear and deepest(kind[k], size[k], R[k], p[k], o, i, local) >= 0.0
        if clear:
            return TAUT
    status = LOST
    for attempt in range(ATTEMPTS):
        # with more patience where a string slides slowly, with more points where it turns sharply
        points = DENSE if attempt < 2 else 3 * DENSE
        sweeps, calm = (20 * points, 1e-6) if attempt == 0 else (100 * points, 1e-9)
        found = guess(kind, size, R, p, o, i, hint, hinted, foot, active, points, sweeps, calm)
        if found == 0:
            status = _settle_contacts(kind, size, R, p, o, i, foot, active)
            if status == TAUT:
                status = _examine(kind, size, R, p, o, i, foot, active)
            if status == TAUT:
                return status
        else:
            status = PIECES if found == -1 else ORDER
    return status


@kernel
def _reset(value, gradient, hessian):
    """Fill gradient (n,) and hessian (n, n) with a value."""
    for r in range(gradient.size):
        gradient[r] = value
        for c in range(gradient.size):
            hessian[r, c] = value


@kernel
def chain(kind, size, R, p, o, i, hint, hinted, foot, active, warm, gradient, hessian):
    """Taut path over a chain of surfaces: status and length, with gradient and Hessian in z.

    Arguments as in `solve`; z = (o, i, xi_1 .. xi_m), n = 6 + 6 m; gradient (n,), hessian (n, n). A
    surface that is not touched has zeros there. All are NaN unless the status is TAUT.
    """
    _reset(math.nan, gradient, hessian)
    status = solve(kind, size, R, p, o, i, hint, hinted, foot, active, warm)
    if status != TAUT:
        return status, math.nan
    kinds, sizes, Rs, ps, feet, where = _pack(kind, size, R, p, foot, active)
    n = where.size
    small = 6 + 6 * n
    by_z, by_zz = np.empty(small), np.empty((small, small))
    length = fill_derivatives(kinds, sizes, Rs, ps, o, i, feet, by_z, by_zz)
    to = np.empty(small, np.int64)
    for r in range(small):
        to[r] = r if r < 6 else 6 + 6 * where[(r - 6) // 6] + (r - 6) % 6
    _reset(0.0, gradient, hessian)
    for r in range(small):
        gradient[to[r]] = by_z[r]
        for c in range(small):
            hessian[to[r], to[c]] = by_zz[r, c]
    return status, length

"""Paths of line muscles on a skeleton: points, sections around surfaces, and lengths.

``drivers`` are coordinates that move or switch points, with the values ``driver`` (n_drivers,).
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.blend import blend
from fibermsk.kernels.lines.compose import add_first, add_second, fill_moves
from fibermsk.kernels.lines.cylinder import around_cylinder, cylinder_angle
from fibermsk.kernels.lines.path_arrays import CYLINDER, SPHERE
from fibermsk.kernels.lines.section import (
    CHAIN,
    COINCIDENT,
    DELTA,
    DIRECTION_P,
    FINE,
    FOUND,
    INSIDE,
    PHI,
    POINT_P,
    add_twist,
    straight,
    to_local,
    turn_derivatives,
)
from fibermsk.kernels.lines.sphere import around_sphere, sphere_angle
from fibermsk.kernels.skeleton.coordinate_map import derivatives


@body
def _placed(link, rotation, position, local, out):
    """Fill out (3,) with a point of a link in the ground frame."""
    for r in range(3):
        if link < 0:
            out[r] = local[r]
        else:
            out[r] = position[link, r]
            for c in range(3):
                out[r] += rotation[link, r, c] * local[c]


@body
def _turned(link, rotation, local, out):
    """Fill out (3,) with a direction of a link in the ground frame."""
    for r in range(3):
        out[r] = local[r]
        if link >= 0:
            out[r] = 0.0
            for c in range(3):
                out[r] += rotation[link, r, c] * local[c]


@kernel
def place_paths(paths, rotation, position, driver, state):
    """Fill points and surfaces of the state from the poses of the links."""
    local, four = scratch(3), scratch(4)
    for k in range(paths.link.size):
        j = paths.condition[k]
        state.active[k] = j < 0 or paths.low[k] <= driver[j] <= paths.high[k]
        for r in range(3):
            local[r] = paths.local[k, r]
        moving = paths.moving[k]
        for c in range(3 if moving >= 0 else 0):
            j, e = paths.driver[moving, c], 3 * moving + c
            low, high = paths.ends[moving, c]
            value = 0.0 if j < 0 else driver[j]
            derivatives(min(max(value, low), high), e, paths, four)
            inside = j >= 0 and low <= value <= high
            _turned(paths.link[k], rotation, paths.axis[moving, c], state.slope[moving, c])
            for r in range(3):
                local[r] += paths.axis[moving, c, r] * four[0]
                way = state.slope[moving, c, r]
                state.slope[moving, c, r] = way * four[1] if inside else 0.0
                state.bend[moving, c, r] = way * four[2] if inside else 0.0
                state.third[moving, c, r] = way * four[3] if inside else 0.0
        _placed(paths.link[k], rotation, position, local, state.x[k])
    for w in range(paths.kind.size):
        link = paths.wrap_link[w]
        _placed(link, rotation, position, paths.position[w], state.p[w])
        for c in range(3):
            for r in range(3):
                state.R[w, r, c] = paths.rotation[w, r, c]
                if link >= 0:
                    state.R[w, r, c] = 0.0
                    for s in range(3):
                        state.R[w, r, c] += rotation[link, r, s] * paths.rotation[w, s, c]


@body
def _angle(paths, state, w, o, i, reference, found):
    """Fill phi and delta of a section around surface w; returns the state."""
    a, b = scratch(3), scratch(3)
    to_local(state.R[w], state.p[w], o, a)
    to_local(state.R[w], state.p[w], i, b)
    if paths.kind[w] == CYLINDER:
        return cylinder_angle(a, b, paths.radius[w], reference, found)
    return sphere_angle(a, b, paths.radius[w], found)


@body
def around(paths, state, w, o, i, second, g, H, found):
    """Length around surface w, whose phi and delta are `found`; fills the rest, ground frame."""
    a, b = scratch(3), scratch(3)
    R, p = state.R[w], state.p[w]
    to_local(R, p, o, a)
    to_local(R, p, i, b)
    if paths.kind[w] == CYLINDER:
        L = around_cylinder(a, b, paths.radius[w], second, g, H, found)
    else:
        L = around_sphere(a, b, paths.radius[w], second, g, H, found)
    kind, r = paths.kind[w], paths.radius[w]
    L = blend(kind, r, paths.blend[w], found[PHI], a, b, second, L, g, H)
    turn_derivatives(R, second, g, H)
    add_twist(o, i, second, g, H)
    for k in range(POINT_P, DIRECTION_P + 6, 3):
        for r in range(3):
            a[r] = found[k + r]
        for r in range(3):
            found[k + r] = R[r, 0] * a[0] + R[r, 1] * a[1] + R[r, 2] * a[2]
            if k < DIRECTION_P:
                found[k + r] += p[r]
    return L


@body
def _blocked(paths, state, w, own, o, i, other):
    """Whether surface w is in the way of the free lines of a section around another one."""
    P, Q = own[POINT_P : POINT_P + 3], own[POINT_P + 3 : POINT_P + 6]
    if _angle(paths, state, w, o, P, 0.0, other) != FINE or other[PHI] > 0.0:
        return True
    return _angle(paths, state, w, Q, i, 0.0, other) != FINE or other[PHI] > 0.0


@body
def _acts(paths, w, k, j):
    """Whether surface w acts in the section from point k to point j."""
    if k < paths.first[w] or j > paths.last[w]:
        return False
    return paths.acts[paths.slot[w] + k - paths.first[w]]


@body
def _solve_section(paths, state, m, k, j, second, g, H):
    """Length of the section of muscle m from its point k to its point j; -1 if unsolved.

    Where the path may touch a surface without closed form, or touches several, it is left to
    `fibermsk.kernels.lines.chained`, with a length of zero.
    """
    o, i, own, other = state.x[k], state.x[j], state.found[k], scratch(FOUND)
    touched, at, chained = -1, FINE, False
    for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
        if not _acts(paths, w, k, j):
            continue
        if paths.kind[w] > SPHERE:
            chained = True
            continue
        slot = paths.slot[w] + k - paths.first[w]
        at = _angle(paths, state, w, o, i, state.reference[slot], other)
        if at == INSIDE and paths.passes[w]:
            continue
        if at == FINE:
            # the reference follows in large steps: results between them do not depend on the past
            if abs(other[DELTA] - state.reference[slot]) > 0.5 * math.pi:
                state.reference[slot] = other[DELTA]
        elif at == INSIDE or other[PHI] > 0.0:
            state.trouble[0], state.trouble[1] = at, k
            return -1.0
        if other[PHI] > 0.0:
            chained = chained or touched >= 0
            touched, own[PHI], own[DELTA] = w, other[PHI], other[DELTA]
    state.wrapped[k] = CHAIN if chained else touched
    if chained:
        return 0.0
    if touched < 0:
        L = straight(o, i, second, g, H)
        if not L > 0.0 and paths.link[k] != paths.link[j]:
            state.trouble[0], state.trouble[1] = COINCIDENT, k
            return -1.0
        return L
    L = around(paths, state, touched, o, i, second, g, H, own)
    for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
        if w != touched and _acts(paths, w, k, j):
            if paths.passes[w] and _angle(paths, state, w, o, i, 0.0, other) == INSIDE:
                continue
            if _blocked(paths, state, w, own, o, i, other):
                state.wrapped[k] = CHAIN
                return 0.0
    return L


@kernel
def solve_paths(paths, S, moves, drives, state, length, by_u, speed_u, tension, bend, curve):
    """Fill lengths (m,) and their derivatives; False if a section has no solution.

    u are the axes of the joints and then the drivers. by_u (m, n_u) is dL/du. With ``speed_u``
    (n_u,), else of size zero: bend (m, n_u) is d2L/du2 speed_u, and curve (n_u, n_u) the sum of
    tension (m,) times d2L/du2. drives (n_points, n_drivers): whether a driver moves a point.
    Sections that are `CHAIN` are left out.
    """
    second = speed_u.size > 0
    g, H, n_axes = scratch(12), scratch((12, 12)), S.shape[0]
    # a section depends on the axes that do not move all of it together
    dz, who = np.empty((n_axes + drives.shape[1], 12)), np.empty(n_axes + drives.shape[1], np.int64)
    part, wraps = scratch(12), np.empty(1, np.int64)
    length[:] = 0.0
    by_u[:] = 0.0
    bend[:] = 0.0
    curve[:] = 0.0
    state.trouble[0] = FINE
    for m in range(length.size):
        last = paths.start[m + 1]
        k = paths.start[m]
        state.wrapped[k] = -1
        while not state.active[k] and k + 1 < last:
            k += 1
        for j in range(k + 1, last):
            state.wrapped[j] = -1
            if not state.active[j]:
                continue
            L = _solve_section(paths, state, m, k, j, second, g, H)
            if L < 0.0:
                return False
            state.length[k] = L
            length[m] += L
            if state.wrapped[k] == CHAIN:
                k = j
                continue
            w = state.wrapped[k]
            surfaces = wraps[:1] if w >= 0 else wraps[:0]
            wraps[0] = w
            size = fill_moves(paths, S, moves, drives, state, k, j, surfaces, dz, who)
            add_first(size, surfaces, g, dz, who, by_u[m])
            if second:
                add_second(
                    paths, S, moves, state, k, j, surfaces, g, H, dz, part, who, size,
                    speed_u, tension[m], bend[m], curve,
                )  # fmt: skip
            k = j
    return True

"""Paths of line muscles on a skeleton: points, sections around surfaces, and lengths.

``drivers`` are coordinates that move or switch points, with the values ``driver`` (n_drivers,).
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import body, kernel, part
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.blend import blend
from fibermsk.kernels.lines.compose import add_first, add_second, fill_moves
from fibermsk.kernels.lines.cylinder import around_cylinder, beyond_ends, cylinder_angle
from fibermsk.kernels.lines.meeting import may_meet
from fibermsk.kernels.lines.path_arrays import CYLINDER, SPHERE
from fibermsk.kernels.lines.section import (
    CHAIN,
    COINCIDENT,
    DELTA,
    DIRECTION_P,
    FINE,
    FOUND,
    INSIDE,
    NETWORK,
    PHI,
    POINT_P,
    add_twist,
    straight,
    to_local,
    turn_derivatives,
)
from fibermsk.kernels.lines.sphere import around_sphere, sphere_angle
from fibermsk.kernels.lines.taut.surfaces import reach
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


@part
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


@kernel
def fill_places(paths, rotation, position, driver, state):
    """As `place_paths`, where nothing is solved."""
    place_paths(paths, rotation, position, driver, state)


@part
def angle_of(kind, radius, R, p, o, i, reference, found):
    """Fill phi and delta of a section around a surface; returns the state."""
    a, b = scratch(3), scratch(3)
    to_local(R, p, o, a)
    to_local(R, p, i, b)
    if kind == CYLINDER:
        return cylinder_angle(a, b, radius, reference, found)
    return sphere_angle(a, b, radius, found)


@part
def around(kind, radius, width, R, p, o, i, second, g, H, found):
    """Length around a surface, whose phi and delta are `found`; fills the rest, ground frame.

    Up to the wrap angle `width` it is blended with the straight length.
    """
    a, b = scratch(3), scratch(3)
    to_local(R, p, o, a)
    to_local(R, p, i, b)
    if kind == CYLINDER:
        L = around_cylinder(a, b, radius, second, g, H, found)
    else:
        L = around_sphere(a, b, radius, second, g, H, found)
    L = blend(kind, radius, width, found[PHI], a, b, second, L, g, H)
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


@part
def past_ends(paths, state, w, o, i, reference):
    """Whether a section would touch surface w beyond the ends of a cylinder only."""
    if paths.half[w] == math.inf:
        return False
    a, b, found = scratch(3), scratch(3), scratch(FOUND)
    to_local(state.R[w], state.p[w], o, a)
    to_local(state.R[w], state.p[w], i, b)
    r = paths.radius[w]
    fine = cylinder_angle(a, b, r, reference, found) == FINE
    return fine and found[PHI] > 0.0 and beyond_ends(a, b, r, paths.half[w], found)


@part
def _blocked(paths, state, w, touched, own, o, i, other):
    """Whether surface w may be in the way of a section around another one."""
    P, Q = own[POINT_P : POINT_P + 3], own[POINT_P + 3 : POINT_P + 6]
    kind, radius, R, p = paths.kind[w], paths.radius[w], state.R[w], state.p[w]
    if angle_of(kind, radius, R, p, o, P, 0.0, other) != FINE:
        return True
    if other[PHI] > 0.0 and not past_ends(paths, state, w, o, P, 0.0):
        return True
    if angle_of(kind, radius, R, p, Q, i, 0.0, other) != FINE:
        return True
    if other[PHI] > 0.0 and not past_ends(paths, state, w, Q, i, 0.0):
        return True
    return may_meet(
        paths.kind[touched], state.R[touched], state.p[touched], own, kind, radius, R, p
    )


@part
def _acts(paths, w, k, j):
    """Whether surface w acts in the section from point k to point j."""
    if k < paths.first[w] or j > paths.last[w]:
        return False
    return paths.acts[paths.slot[w] + k - paths.first[w]]


@part
def _clear(paths, state, m, k, j, other):
    """Whether the straight line is surely a chain's path from point k to j, as it was the last one.

    What has no closed form is as far away as a sphere around it.
    """
    for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
        slot = paths.slot[w] + k - paths.first[w]
        if not _acts(paths, w, k, j) or state.left[slot]:
            continue
        kind, radius, R, p = paths.kind[w], paths.radius[w], state.R[w], state.p[w]
        if kind > SPHERE:
            kind, radius = SPHERE, reach(kind, paths.size[w])
        at = angle_of(kind, radius, R, p, state.x[k], state.x[j], 0.0, other)
        if state.touches[slot] != 0 or at != FINE or other[PHI] > 0.0:
            return False
    return True


@part
def _solve_section(paths, state, m, k, j, g, H):
    """Length of the section of muscle m from its point k to its point j; -1 if unsolved.

    Fills g (12,). H (12, 12) is not used. Where the path may touch a surface without closed form,
    or touches several, it is left to `fibermsk.kernels.lines.chained`, and one of a network to
    `fibermsk.kernels.lines.material.network_paths`, with a length of zero.
    """
    o, i, own, other = state.x[k], state.x[j], state.found[k], scratch(FOUND)
    touched, at, chained, general = -1, FINE, False, False
    for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
        if not _acts(paths, w, k, j):
            continue
        if paths.network[w]:
            state.wrapped[k] = NETWORK
            return 0.0
        if paths.kind[w] > SPHERE:
            chained = general = True
            continue
        slot = paths.slot[w] + k - paths.first[w]
        at = angle_of(
            paths.kind[w], paths.radius[w], state.R[w], state.p[w], o, i, state.reference[slot],
            other,
        )  # fmt: skip
        if at == INSIDE and paths.passes[w]:
            continue
        if at == FINE:
            # the reference follows in large steps: results between them do not depend on the past
            if abs(other[DELTA] - state.reference[slot]) > 0.5 * math.pi:
                state.reference[slot] = other[DELTA]
            state.left[slot] = past_ends(paths, state, w, o, i, state.reference[slot])
            if state.left[slot]:
                continue
        elif at == INSIDE or other[PHI] > 0.0:
            state.trouble[0], state.trouble[1], state.trouble[2] = at, k, w
            return -1.0
        held = state.held[slot]
        if held > 0 or (held < 0 and other[PHI] > 0.0):
            chained = chained or touched >= 0
            touched, own[PHI], own[DELTA] = w, other[PHI], other[DELTA]
    if general and _clear(paths, state, m, k, j, other):
        touched, chained = -1, False
    state.wrapped[k] = CHAIN if chained else touched
    if chained:
        return 0.0
    if touched < 0:
        L = straight(o, i, False, g, H)
        if not L > 0.0 and paths.link[k] != paths.link[j]:
            state.trouble[0], state.trouble[1], state.trouble[2] = COINCIDENT, k, -1
            return -1.0
        return L
    L = around(
        paths.kind[touched], paths.radius[touched], paths.blend[touched], state.R[touched],
        state.p[touched], o, i, False, g, H, own,
    )  # fmt: skip
    for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
        if w != touched and _acts(paths, w, k, j):
            if paths.passes[w]:
                kind, radius, R, p = paths.kind[w], paths.radius[w], state.R[w], state.p[w]
                if angle_of(kind, radius, R, p, o, i, 0.0, other) == INSIDE:
                    continue
            if _blocked(paths, state, w, touched, own, o, i, other):
                state.wrapped[k] = CHAIN
                return 0.0
    return L


@part
def solve_paths(paths, S, moves, drives, state, length, by_u):
    """Fill lengths (m,) and by_u (m, n_u), their derivatives in u; whether all have a solution.

    u are the axes of the joints and then the drivers; drives (n_points, n_drivers): whether a
    driver moves a point. Sections that are `CHAIN` or `NETWORK` are left out.

    Returns -1 if a section has no solution, else the number of those left out.
    """
    g, H, left = scratch(12), scratch((12, 12)), 0
    state.trouble[0] = FINE
    for m in range(length.size):
        length[m] = 0.0
        for u in range(by_u.shape[1]):
            by_u[m, u] = 0.0
        k, last = paths.start[m], paths.start[m + 1]
        state.wrapped[k] = -1
        while not state.active[k] and k + 1 < last:
            k += 1
        for j in range(k + 1, last):
            state.wrapped[j] = -1
            if not state.active[j]:
                continue
            L = _solve_section(paths, state, m, k, j, g, H)
            if L < 0.0:
                return -1
            state.length[k] = L
            length[m] += L
            if state.wrapped[k] <= CHAIN:
                left += 1
            else:
                surfaces = state.wrapped[k : k + (1 if state.wrapped[k] >= 0 else 0)]
                add_first(paths, S, moves, drives, state, k, j, surfaces, g, by_u[m])
            k = j
    return left


@kernel
def fill_lengths(paths, S, moves, drives, rotation, position, driver, state, length, by_u):
    """Place the paths of the state, see `place_paths`, and solve them, see `solve_paths`."""
    place_paths(paths, rotation, position, driver, state)
    return solve_paths(paths, S, moves, drives, state, length, by_u)


@kernel
def bend_paths(paths, S, moves, drives, state, speed_u, tension, bend, curve):
    """Fill the second derivatives of lengths in u, times speeds and summed with tensions.

    Of a solved state: bend (m, n_u) is d2L/du2 speed_u, with speed_u (n_u,), and curve (n_u, n_u)
    the sum of tension (m,) times d2L/du2. Sections that are `CHAIN` or `NETWORK` are left out.
    """
    g, H, n_u = scratch(12), scratch((12, 12)), speed_u.size
    # a section depends on the axes that do not move all of it together
    dz, who, part = np.empty((n_u, 12)), np.empty(n_u, np.int64), scratch(12)
    bend[:] = 0.0
    curve[:] = 0.0
    for m in range(tension.size):
        k, last = paths.start[m], paths.start[m + 1]
        while not state.active[k] and k + 1 < last:
            k += 1
        for j in range(k + 1, last):
            if not state.active[j]:
                continue
            w, o, i = state.wrapped[k], state.x[k], state.x[j]
            if w > CHAIN:
                if w < 0:
                    straight(o, i, True, g, H)
                else:
                    around(
                        paths.kind[w], paths.radius[w], paths.blend[w], state.R[w],
                        state.p[w], o, i, True, g, H, state.found[k],
                    )  # fmt: skip
                surfaces = state.wrapped[k : k + (1 if state.wrapped[k] >= 0 else 0)]
                size = fill_moves(paths, S, moves, drives, state, k, j, surfaces, dz, who)
                add_second(
                    paths, S, moves, state, k, j, surfaces, g, H, dz, part, who, size,
                    speed_u, tension[m], bend[m], curve,
                )  # fmt: skip
            k = j

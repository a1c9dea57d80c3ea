"""Sections of paths that touch surfaces without closed form, or may touch several.

Symbols as in `fibermsk.kernels.lines.taut.solve`: z = (o, i, xi_1 .. xi_m), n = 6 + 6 m. A solution
is sought from the reference of its section, which follows it in large steps only, and is then
solved for ``again``: lengths between such steps do not depend on the past, to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import allocating, inlined, inner, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.acting import end_of_section, pack_surfaces, surfaces_of
from fibermsk.kernels.lines.compose import add_first, add_second, fill_moves
from fibermsk.kernels.lines.cylinder import winding
from fibermsk.kernels.lines.fading import add_fading_first, add_fading_second, has_fading
from fibermsk.kernels.lines.section import CHAIN, UNSOLVED, to_ground, to_local
from fibermsk.kernels.lines.taut.depth import deepest
from fibermsk.kernels.lines.taut.solve import (
    ACROSS,
    ELSEWHERE,
    LOST,
    ORDER,
    TAUT,
    THROUGH,
    fill_bent,
    solve,
)
from fibermsk.kernels.lines.taut.string import copy
from fibermsk.kernels.lines.taut.surfaces import CYLINDER

STEP = 0.1
"""Change of a foot, in least radii and radians, with which the reference follows it."""


@inlined
def _hint(paths, state, w, k, j, out):
    """Fill out (3,) with a point that the path passes, frame of the surface.

    Returns whether it is known, and the angle asked for about the axis of a cylinder, else NaN.
    """
    for r in range(3):
        out[r] = paths.hint[w, r]
    if paths.kind[w] != CYLINDER:
        return paths.hinted[w], math.nan
    # halfway around, on the side of the winding angle
    a, b = scratch(3), scratch(3)
    to_local(state.R[w], state.p[w], state.x[k], a)
    to_local(state.R[w], state.p[w], state.x[j], b)
    angle = winding(a, b, state.reference[paths.slot[w] + k - paths.first[w]])
    half = 0.5 * angle
    away = 0.5 * (math.hypot(a[0], a[1]) + math.hypot(b[0], b[1])) * math.cos(half)
    away = max(away, 1.3 * paths.radius[w])
    at = math.atan2(a[1], a[0]) + half
    out[0], out[1], out[2] = away * math.cos(at), away * math.sin(at), 0.5 * (a[2] + b[2])
    return True, angle


@inner
def _omit_distant(kind, size, R, p, o, i, hint, hinted):
    """Omit the half hinted on a surface that the line between the other hints does not meet.

    As in OpenSim it is the half for a path that wraps. A detour to it could lead the path to the
    wrong side of a cylinder.
    """
    a, b, point = scratch(3), scratch(3), scratch(3)
    for s in range(kind.size):
        if not hinted[s] or kind[s] == CYLINDER:
            continue
        copy(o, a)
        copy(i, b)
        for k in range(s):
            if hinted[k]:
                to_ground(R[k], p[k], hint[k], a)
        for k in range(kind.size - 1, s, -1):
            if hinted[k]:
                to_ground(R[k], p[k], hint[k], b)
        if deepest(kind[s], size[s], R[s], p[s], a, b, point) >= 0.0:
            hinted[s] = 0


@kernel
def _far(size, reference, foot):
    """Whether a foot (7,) has gone far from its reference."""
    least = min(size[0], min(size[1], size[2]))
    most = abs(foot[6] - reference[6]) / least
    for r in range(3):
        most = max(most, abs(foot[r] - reference[r]) / least)
        most = max(most, abs(foot[3 + r] - reference[3 + r]))
    return not most < STEP


@inner
def solve_chain(paths, state, k, j, surfaces, again, loose, gradient):
    """Status and length of a section; fills its gradient (n,), foot and touched of the state.

    ``trouble`` gets the surface that is to blame for the status; -1 if several are.
    """
    n = surfaces.size
    kind, size, R, p = pack_surfaces(paths, state, surfaces)
    hint, hinted, asked = np.empty((n, 3)), np.empty(n, np.int64), np.empty(n)
    foot, active, slots = np.empty((n, 7)), np.empty(n, np.int64), np.empty(n, np.int64)
    warm, o, i = n > 0, state.x[k], state.x[j]
    status, L = TAUT, math.nan
    for s in range(n):
        w = surfaces[s]
        slots[s] = paths.slot[w] + k - paths.first[w]
        hinted[s], asked[s] = _hint(paths, state, w, k, j, hint[s])
        foot[s], active[s] = state.feet[slots[s]], max(0, state.touches[slots[s]])
        warm = warm and state.touches[slots[s]] != UNSOLVED
    _omit_distant(kind, size, R, p, o, i, hint, hinted)
    for attempt in range(2):
        status, L, blamed = solve(
            kind, size, R, p, o, i, hint, hinted, asked, foot, active, warm, loose, gradient
        )
        if status != TAUT:
            state.trouble[2] = surfaces[blamed] if blamed >= 0 else -1
            return status, L
        moved = False
        for s in range(n):
            moved = moved or active[s] != state.touches[slots[s]]
            moved = moved or (active[s] and _far(size[s], state.feet[slots[s]], foot[s]))
        if attempt == 1 or not moved:
            break
        for s in range(n):
            state.feet[slots[s]], state.touches[slots[s]] = foot[s], active[s]
        if not again:
            break
        warm = n > 0
    for s in range(n):
        state.foot[slots[s]], state.touched[slots[s]] = foot[s], active[s]
    return status, L


@inner
def _move(rank, surfaces, s, to):
    """Move surface s to another place of the order; the ranks of all are kept as a set."""
    ranks = np.empty(surfaces.size, rank.dtype)
    for k in range(surfaces.size):
        ranks[k] = rank[surfaces[k]]
    step = 1 if to > s else -1
    moved = surfaces[s]
    for k in range(s, to, step):
        surfaces[k] = surfaces[k + step]
    surfaces[to] = moved
    for k in range(surfaces.size):
        rank[surfaces[k]] = ranks[k]


@inner
def _in_some_order(paths, state, k, j, surfaces, again, g):
    """As `solve_chain`; where surfaces are touched in another order, one is moved within it.

    Where no order has a path, and the surfaces let paths through, it is a loose one.
    """
    n, first, length, blamed = surfaces.size, TAUT, math.nan, -1
    loose, last = 1, n * n + 1
    for s in range(n):
        loose = loose if paths.passes[surfaces[s]] else 0
    for attempt in range(1 + last):
        s, to = (attempt - 1) // n, (attempt - 1) % n
        if attempt == last:
            if not loose:
                break
            loose = 2
        elif attempt > 0:
            if first not in (ORDER, ACROSS, THROUGH, ELSEWHERE):
                continue
            if to == s or to == s - 1:  # a neighbor's move to s is the same
                continue
            _move(state.rank, surfaces, s, to)
        status, L = solve_chain(paths, state, k, j, surfaces, again, loose, g)
        if status == TAUT:
            return status, L
        if attempt == 0:
            first, length, blamed = status, L, state.trouble[2]
        elif attempt < last:
            _move(state.rank, surfaces, to, s)
    state.trouble[2] = blamed
    return first, length


@allocating
def solve_chains(paths, S, moves, drives, state, again, length, by_u, fading):
    """Add the sections that `fibermsk.kernels.lines.paths.solve_paths` left; False if one fails.

    Arguments as there. With None for ``fading`` no arc is blended, and nothing of that is compiled.
    ``trouble`` has in case of failure the status of the chain, start point and surface.
    """
    for m in range(length.size):
        for k in range(paths.start[m], paths.start[m + 1]):
            if state.wrapped[k] != CHAIN:
                continue
            j = end_of_section(paths, state, m, k)
            surfaces = surfaces_of(paths, state, m, k, j)
            g = np.empty(6 + 6 * surfaces.size)
            status, L = _in_some_order(paths, state, k, j, surfaces, again, g)
            if status != TAUT:
                state.trouble[0], state.trouble[1] = status, k
                return False
            blended = False
            if fading is not None:
                blended = has_fading(paths, state, k, surfaces)
                if blended:
                    arguments = paths, S, moves, drives, state, m, k, j, surfaces
                    L = add_fading_first(*arguments, by_u[m])
                    if not math.isfinite(L):
                        state.trouble[0], state.trouble[1], state.trouble[2] = LOST, k, -1
                        return False
            if not blended:
                add_first(paths, S, moves, drives, state, k, j, surfaces, g, by_u[m])
            state.length[k] = L
            length[m] += L
    return True


@kernel
def bend_chains(paths, S, moves, drives, state, speed_u, tension, bend, curve, fading):
    """Add the sections that `fibermsk.kernels.lines.paths.bend_paths` left.

    Arguments as there, and ``fading`` as in `solve_chains`.
    """
    n_u = speed_u.size
    for m in range(tension.size):
        for k in range(paths.start[m], paths.start[m + 1]):
            if state.wrapped[k] != CHAIN:
                continue
            j = end_of_section(paths, state, m, k)
            surfaces = surfaces_of(paths, state, m, k, j)
            if fading is not None:
                if has_fading(paths, state, k, surfaces):
                    arguments = paths, S, moves, drives, state, m, k, j, surfaces
                    add_fading_second(*arguments, speed_u, tension[m], bend[m], curve)
                    continue
            kind, size, R, p = pack_surfaces(paths, state, surfaces)
            foot, active = np.empty((kind.size, 7)), np.empty(kind.size, np.int64)
            for s in range(kind.size):
                slot = paths.slot[surfaces[s]] + k - paths.first[surfaces[s]]
                foot[s], active[s] = state.foot[slot], state.touched[slot]
            n = 6 + 6 * kind.size
            g, H, dz = np.empty(n), np.empty((n, n)), np.empty((n_u, n))
            who, part = np.empty(n_u, np.int64), np.empty(n)
            fill_bent(kind, size, R, p, state.x[k], state.x[j], foot, active, g, H)
            found = fill_moves(paths, S, moves, drives, state, k, j, surfaces, dz, who)
            add_second(
                paths, S, moves, state, k, j, surfaces, g, H, dz, part, who, found,
                speed_u, tension[m], bend[m], curve,
            )  # fmt: skip

"""Sections of paths that touch surfaces without closed form, or may touch several.

Symbols as in `fibermsk.kernels.lines.solve`: z = (o, i, xi_1 .. xi_m). A solution is sought from
the reference of its section, which follows it in large steps only, and is then solved for again:
lengths between such steps do not depend on the past.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.lines.paths import _add_driven, _moved, _turning
from fibermsk.kernels.lines.section import CHAIN, UNSOLVED
from fibermsk.kernels.lines.solve import ORDER, TAUT, chain
from fibermsk.kernels.lines.string import to_local
from fibermsk.kernels.lines.surfaces import CYLINDER, level
from fibermsk.kernels.skeleton.rigid import bracket, cross

STEP = 0.1
"""Change of a foot, in least radii and radians, with which the reference follows it."""


@kernel
def inside(paths, state, w, x):
    """Whether a point x (3,) of the ground lies inside surface w."""
    local, g, H = np.empty(3), np.empty(3), np.empty((3, 3))
    to_local(state.R[w], state.p[w], x, local)
    return level(paths.kind[w], paths.size[w], local, g, H) <= 0.0


@kernel
def surfaces_of(paths, state, m, k, j):
    """Surfaces of muscle m that act in the section from point k to point j, in their order."""
    out, n = np.empty(paths.wrap_start[m + 1] - paths.wrap_start[m], np.int64), 0
    for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
        if k < paths.first[w] or j > paths.last[w]:
            continue
        if not paths.acts[paths.slot[w] + k - paths.first[w]]:
            continue
        if paths.passes[w] and (
            inside(paths, state, w, state.x[k]) or inside(paths, state, w, state.x[j])
        ):
            continue
        at = n
        while at > 0 and state.rank[out[at - 1]] > state.rank[w]:
            out[at] = out[at - 1]
            at -= 1
        out[at] = w
        n += 1
    return out[:n]


@kernel
def _hint(paths, state, w, k, j, out):
    """Fill out (3,) with a point that the path passes, frame of the surface; False if unknown."""
    for r in range(3):
        out[r] = paths.hint[w, r]
    if paths.kind[w] != CYLINDER:
        return paths.hinted[w]
    # halfway around, on the side of the winding angle
    a, b = np.empty(3), np.empty(3)
    to_local(state.R[w], state.p[w], state.x[k], a)
    to_local(state.R[w], state.p[w], state.x[j], b)
    half = 0.5 * state.reference[paths.slot[w] + k - paths.first[w]]
    away = 0.5 * (math.hypot(a[0], a[1]) + math.hypot(b[0], b[1])) * math.cos(half)
    away = max(away, 1.3 * paths.radius[w])
    at = math.atan2(a[1], a[0]) + half
    out[0], out[1], out[2] = away * math.cos(at), away * math.sin(at), 0.5 * (a[2] + b[2])
    return True


@kernel
def _far(size, reference, foot):
    """Whether a foot (7,) has gone far from its reference."""
    least = min(size[0], min(size[1], size[2]))
    most = abs(foot[6] - reference[6]) / least
    for r in range(3):
        most = max(most, abs(foot[r] - reference[r]) / least)
        most = max(most, abs(foot[3 + r] - reference[3 + r]))
    return not most < STEP


@kernel
def solve_chain(paths, state, k, j, surfaces, gradient, hessian):
    """Status and length of a section; fills feet and touched of the state."""
    n = surfaces.size
    kind, size = np.empty(n, np.int64), np.empty((n, 3))
    R, p = np.empty((n, 3, 3)), np.empty((n, 3))
    hint, hinted = np.empty((n, 3)), np.empty(n, np.int64)
    foot, active, slots = np.empty((n, 7)), np.empty(n, np.int64), np.empty(n, np.int64)
    warm = n > 0
    for s in range(n):
        w = surfaces[s]
        slots[s] = paths.slot[w] + k - paths.first[w]
        kind[s], size[s], R[s], p[s] = paths.kind[w], paths.size[w], state.R[w], state.p[w]
        hinted[s] = _hint(paths, state, w, k, j, hint[s])
        foot[s], active[s] = state.feet[slots[s]], max(0, state.touches[slots[s]])
        warm = warm and state.touches[slots[s]] != UNSOLVED
    status, L = TAUT, math.nan
    for attempt in range(2):
        status, L = chain(
            kind, size, R, p, state.x[k], state.x[j], hint, hinted, foot, active, warm,
            gradient, hessian,
        )  # fmt: skip
        if status != TAUT:
            return status, L
        moved = False
        for s in range(n):
            moved = moved or active[s] != state.touches[slots[s]]
            moved = moved or (active[s] and _far(size[s], state.feet[slots[s]], foot[s]))
        if attempt == 1 or not moved:
            break
        for s in range(n):
            state.feet[slots[s]], state.touches[slots[s]] = foot[s], active[s]
        warm = n > 0
    for s in range(n):
        state.foot[slots[s]], state.touched[slots[s]] = foot[s], active[s]
    return status, L


@kernel
def _moves(paths, S, moves, drives, state, k, j, surfaces, dz, who):
    """Fill dz (n_u, n_z) and who (n_u,), as for sections in closed form; returns their number."""
    size, n_axes = 0, S.shape[0]
    for a in range(n_axes):
        at_o, at_i = _moved(moves, paths.link[k], a), _moved(moves, paths.link[j], a)
        same = at_o == at_i
        for w in surfaces:
            same = same and _moved(moves, paths.wrap_link[w], a) == at_o
        if same:
            continue
        who[size] = a
        dz[size] = 0.0
        if at_o:
            cross(S[a, :3], state.x[k], dz[size, :3])
        if at_i:
            cross(S[a, :3], state.x[j], dz[size, 3:6])
        for r in range(3):
            if at_o:
                dz[size, r] += S[a, 3 + r]
            if at_i:
                dz[size, 3 + r] += S[a, 3 + r]
            for s in range(surfaces.size):
                if _moved(moves, paths.wrap_link[surfaces[s]], a):
                    dz[size, 6 + 6 * s + r] = S[a, 3 + r]
                    dz[size, 9 + 6 * s + r] = S[a, r]
        size += 1
    for d in range(drives.shape[1]):
        if drives[k, d] or drives[j, d]:
            who[size] = n_axes + d
            dz[size] = 0.0
            _add_driven(paths, state.slope, k, d, dz[size, :3])
            _add_driven(paths, state.slope, j, d, dz[size, 3:6])
            size += 1
    return size


@kernel
def _second(paths, S, moves, state, k, j, surfaces, g, dz, who, u, v):
    """g times the second derivative of z in who[u] and who[v], u <= v."""
    a, b, n_axes, total = who[u], who[v], S.shape[0], 0.0
    x = np.zeros(6)
    for end in range(2):
        point = k if end == 0 else j
        own = g[3 * end : 3 * end + 3]
        if a >= n_axes:
            if a == b:
                x[:] = 0.0
                _add_driven(paths, state.bend, point, a - n_axes, x[:3])
                total += own[0] * x[0] + own[1] * x[1] + own[2] * x[2]
        elif _moved(moves, paths.link[point], a):
            if b >= n_axes or _moved(moves, paths.link[point], b):
                total += _turning(own, S[a, :3], dz[v, 3 * end : 3 * end + 3])
    for s in range(surfaces.size):
        link = paths.wrap_link[surfaces[s]]
        if a < b < n_axes and _moved(moves, link, a) and _moved(moves, link, b):
            bracket(S[a], S[b], x)
            for r in range(3):
                total += 0.5 * (g[6 + 6 * s + r] * x[3 + r] + g[9 + 6 * s + r] * x[r])
    return total


@kernel
def _swap(rank, surfaces, s):
    """Swap surfaces s and s + 1 in their order."""
    a, b = surfaces[s], surfaces[s + 1]
    rank[a], rank[b] = rank[b], rank[a]
    surfaces[s], surfaces[s + 1] = b, a


@kernel
def _in_some_order(paths, state, k, j, surfaces, g, H):
    """As `solve_chain`; where surfaces are touched in another order, neighbors are swapped."""
    status, L = solve_chain(paths, state, k, j, surfaces, g, H)
    for s in range(surfaces.size - 1):
        if status != ORDER:
            break
        _swap(state.rank, surfaces, s)
        status, L = solve_chain(paths, state, k, j, surfaces, g, H)
        if status != TAUT:
            _swap(state.rank, surfaces, s)
            status = ORDER
    return status, L


@kernel
def solve_chains(paths, S, moves, drives, state, length, by_u, speed_u, tension, bend, curve):
    """Add the sections that `fibermsk.kernels.lines.paths.solve_paths` left; False if one fails.

    Arguments as there. ``trouble`` is then the status of the chain and the start point.
    """
    second = speed_u.size > 0
    n_u = S.shape[0] + drives.shape[1]
    for m in range(length.size):
        last = paths.start[m + 1]
        for k in range(paths.start[m], last):
            if state.wrapped[k] != CHAIN:
                continue
            j = k + 1
            while not state.active[j]:
                j += 1
            surfaces = surfaces_of(paths, state, m, k, j)
            n = 6 + 6 * surfaces.size
            g, H = np.empty(n), np.empty((n, n))
            dz, who = np.empty((n_u, n)), np.empty(n_u, np.int64)
            status, L = _in_some_order(paths, state, k, j, surfaces, g, H)
            if status != TAUT:
                state.trouble[0], state.trouble[1] = status, k
                return False
            state.length[k] = L
            length[m] += L
            size = _moves(paths, S, moves, drives, state, k, j, surfaces, dz, who)
            for u in range(size):
                for r in range(n):
                    by_u[m, who[u]] += g[r] * dz[u, r]
            part = np.empty(n)
            for u in range(size if second else 0):
                for r in range(n):
                    part[r] = 0.0
                    for c in range(n):
                        part[r] += H[r, c] * dz[u, c]
                for v in range(u, size):
                    value = _second(paths, S, moves, state, k, j, surfaces, g, dz, who, u, v)
                    for r in range(n):
                        value += part[r] * dz[v, r]
                    a, b = who[u], who[v]
                    bend[m, a] += value * speed_u[b]
                    curve[a, b] += tension[m] * value
                    if u != v:
                        bend[m, b] += value * speed_u[a]
                        curve[b, a] += tension[m] * value
    return True

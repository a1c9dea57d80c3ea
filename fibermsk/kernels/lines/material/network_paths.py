"""Paths by networks on a skeleton: length, points and mass of a muscle around one surface.

The path of the muscle is one section, from its point k to its point j. Symbols as in
`fibermsk.kernels.lines.section` and `fibermsk.kernels.lines.material.carried`.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import inner, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.compose import add_first, add_second, fill_moves
from fibermsk.kernels.lines.material.carried import carry, fill_link, fill_path_point
from fibermsk.kernels.lines.material.columns import count_pairs, fill_pair, fill_way, pair_at
from fibermsk.kernels.lines.material.jets import minus, plus, scaled, times
from fibermsk.kernels.lines.material.network import ROWS, fill_known, network_length, network_point
from fibermsk.kernels.lines.material.sums import add_nodes
from fibermsk.kernels.lines.material.vectors import get, product, put
from fibermsk.kernels.lines.section import add_twist, to_local, turn_derivatives


@inner
def _local_ends(paths, state, k, j, w, o, i):
    """Fill o and i (3, 6) with the ends in the frame of surface w, over its radius; constant."""
    x = scratch(3)
    for r in range(3):
        for d in range(6):
            o[r, d], i[r, d] = 0.0, 0.0
    for end in range(2):
        to_local(state.R[w], state.p[w], state.x[k if end == 0 else j], x)
        for r in range(3):
            if end == 0:
                o[r, 0] = x[r] / paths.radius[w]
            else:
                i[r, 0] = x[r] / paths.radius[w]


@kernel
def known_of(paths, state, network, k, j, w, known):
    """Fill known (ROWS,) of a section by `fibermsk.kernels.lines.material.network`; its side."""
    o, i, jets = scratch((3, 6)), scratch((3, 6)), np.zeros((ROWS, 6))
    _local_ends(paths, state, k, j, w, o, i)
    reference = state.reference[paths.slot[w] + k - paths.first[w]]
    side = fill_known(network.kind, reference, o, i, jets)
    for n in range(ROWS):
        known[n] = jets[n, 0]
    return side


@inner
def _fill_length(paths, state, network, k, j, w, second, g, H):
    """Length of a section; fills g (12,) and, if `second`, H (12, 12), ground frame."""
    o, i, known = scratch((3, 6)), scratch((3, 6)), np.zeros((ROWS, 6))
    reference, r = state.reference[paths.slot[w] + k - paths.first[w]], paths.radius[w]
    _local_ends(paths, state, k, j, w, o, i)
    value = 0.0
    for a in range(6):
        one = o[a] if a < 3 else i[a - 3]
        one[1] = 1.0
        for b in range(a, 6 if second else a + 1):
            other = o[b] if b < 3 else i[b - 3]
            other[3] = 1.0
            fill_known(network.kind, reference, o, i, known)
            L = network_length(network, o, i, known)
            other[3] = 0.0
            value, g[a] = r * L[0][0], L[0][1]
            H[a, b] = L[1][1] / r
            H[b, a] = H[a, b]
        one[1] = 0.0
    turn_derivatives(state.R[w], second, g, H)
    add_twist(state.x[k], state.x[j], second, g, H)
    return value


@kernel
def add_network(paths, S, moves, drives, state, network, m, k, j, w, length, by_u):
    """Add the section that `fibermsk.kernels.lines.paths.solve_paths` left; arguments as there."""
    g, H = np.empty(12), np.empty((12, 12))
    L = _fill_length(paths, state, network, k, j, w, False, g, H)
    state.length[k] = L
    length[m] += L
    add_first(paths, S, moves, drives, state, k, j, np.full(1, w), g, by_u[m])


@kernel
def bend_network(
    paths, S, moves, drives, state, network, m, k, j, w, speed_u, tension, bend, curve
):
    """Add the section that `fibermsk.kernels.lines.paths.bend_paths` left; arguments as there."""
    g, H, n_u, surfaces = np.empty(12), np.empty((12, 12)), speed_u.size, np.full(1, w)
    dz, who, part = np.empty((n_u, 12)), np.empty(n_u, np.int64), np.empty(12)
    _fill_length(paths, state, network, k, j, w, True, g, H)
    size = fill_moves(paths, S, moves, drives, state, k, j, surfaces, dz, who)
    add_second(
        paths, S, moves, state, k, j, surfaces, g, H, dz, part, who, size,
        speed_u, tension[m], bend[m], curve,
    )  # fmt: skip


@inner
def _fill_frame(paths, S, moves, state, k, j, w, du, ddu, way, frame, o, i):
    """Fill the frame (4, 3, 6) of a surface, axes and center, and the ends o and i (3, 6) in it."""
    motion, x = scratch((5, 6)), scratch((3, 6))
    fill_link(S, moves, paths.wrap_link[w], du, ddu, way, motion)
    for c in range(3):
        carry(motion, np.ascontiguousarray(state.R[w, :, c]), 0.0, frame[c])
    carry(motion, state.p[w], 1.0, frame[3])
    for end in range(2):
        point = k if end == 0 else j
        fill_path_point(paths, S, moves, state, point, du, ddu, way, motion, x)
        for c in range(3):
            put(x, c, scaled(1.0 / paths.radius[w], minus(get(x, c), get(frame[3], c))))
        for c in range(3):
            put(o if end == 0 else i, c, product(x, frame[c]))


@inner
def _to_ground(r, frame, x):
    """Turn a point x (3, 6) over the radius r into one of the ground."""
    y = scratch((3, 6))
    for c in range(3):
        at = get(frame[3], c)
        for a in range(3):
            at = plus(at, scaled(r, times(get(x, a), get(frame[a], c))))
        put(y, c, at)
    for c in range(3):
        put(x, c, get(y, c))


@inner
def _fill_points(
    paths, S, moves, state, network, k, j, w, fractions, du, ddu, way, out
):  # fmt: skip
    """Fill out (n_fractions, 3, 6) with points of a section."""
    frame, o, i = scratch((4, 3, 6)), scratch((3, 6)), scratch((3, 6))
    known, slot = np.zeros((ROWS, 6)), paths.slot[w] + k - paths.first[w]
    _fill_frame(paths, S, moves, state, k, j, w, du, ddu, way, frame, o, i)
    side = fill_known(network.kind, state.reference[slot], o, i, known)
    for n in range(fractions.size):
        network_point(network, fractions[n], side, o, i, known, out[n])
        _to_ground(paths.radius[w], frame, out[n])


@kernel
def fill_network_along(
    paths, S, moves, state, network, k, j, w, fractions, du, ddu, way, out
):  # fmt: skip
    """Fill out (n_fractions, 3, 6) with points as `fibermsk.kernels.lines.material.along` does."""
    _fill_points(paths, S, moves, state, network, k, j, w, fractions, du, ddu, way, out)


@kernel
def fill_network_mass(
    paths, S, moves, state, network, k, j, w, fractions, masses, speed, rate, gravity, axes,
    columns, ways, r, M, dq, dp,
):  # fmt: skip
    """Add generalized forces of masses (n,) at fractions of a path; returns their energies.

    All columns are coordinates; other arguments as those of
    `fibermsk.kernels.lines.material.mass.fill_mass`.
    """
    n_own, n, n_u = columns.size, fractions.size, speed.size
    found, motion, x = np.empty((3, n, 3, n_own)), np.empty((n, 3, 3)), np.empty((n, 3, 6))
    way, one, bent = np.zeros((3, n_u)), np.zeros(n_u), np.zeros(n_u)
    for b in range(n_own):
        fill_way(ways, columns[b] - n_u, axes, way)
        _fill_points(paths, S, moves, state, network, k, j, w, fractions, speed, rate, way, x)
        for p in range(n):
            for c in range(3):
                for d in range(3):
                    found[d, p, c, b] = x[p, c, 3 + d]
                motion[p, 0, c], motion[p, 1, c] = x[p, c, 1], x[p, c, 2] - gravity[c]
                motion[p, 2, c] = x[p, c, 0]
    sums = np.empty((3, n_own, n_own))
    energies = add_nodes(found, motion, n, masses, gravity, columns, sums, r, M, dq, dp)
    for pair in range(count_pairs(n_own) if M.size else 0):
        a, b, once, across = pair_at(n_own, pair)
        related = fill_pair(ways, columns[a] - n_u, columns[b] - n_u, axes, one, bent, way)
        if not (once or (across and related)):
            continue
        _fill_points(paths, S, moves, state, network, k, j, w, fractions, one, bent, way, x)
        twice, varied = 0.0, 0.0
        for p in range(n):
            for c in range(3):
                force = masses[p] * motion[p, 1, c]
                twice += force * x[p, c, 2]
                varied += force * x[p, c, 4]
        if once:
            dq[columns[a], columns[a]] += twice
        if across:
            dq[columns[a], columns[b]] += varied
            dq[columns[b], columns[a]] += varied
    return energies

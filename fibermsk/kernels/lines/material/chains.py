"""Sections over chains of surfaces, prepared for their material points.

A surface of a chain that turns the path by a small angle only, its arc *fades*, is blended as one
alone is: the path is a mean of that with it and of that without it. With several at once, the
variants of a section are all choices of faded arcs left out, with products of the weights; variant
v leaves out those of the bits of v, and variant 0 is the taut path.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._compile import inlined, inner
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.acting import end_of_section, pack_surfaces, surfaces_of
from fibermsk.kernels.lines.section import CHAIN
from fibermsk.kernels.lines.taut.chain import (
    UNKNOWNS,
    eliminate,
    fill_frames,
    fill_lines,
    fill_moves,
    fill_swings,
    fill_system,
)
from fibermsk.kernels.lines.taut.geodesic import ACCURACY
from fibermsk.kernels.lines.taut.newton import newton
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, curvature, level

SOLVED = 1e-8
"""Norm of the residual of a variant that is solved."""


class Chains(NamedTuple):
    """Sections of one muscle, and their variants and arcs.

    Attributes
    ----------
    section : (n, 4) int array
        Of each section: its first variant, their number, its first edge, their number; no variants
        if it touches no chain.
    variant : (n_variants, 2) int array
        First arc, and number of arcs.
    mix : (n_variants, 2, 6) float array
        Jets of the weight and of the length [m].
    edge, share : (n_edges, 3) int and (n_edges, 6) float array
        Edges between pieces of a section: variant, arc, and 0 for its start and 1 for its end; and
        the jet of its share of the length of the variant, increasing.
    wrap, fade : (n_arcs,) int array
        Surface, and the bit of one that fades in the first variant of a section; -1 for others.
    foot, field : (n_arcs, 7), (n_arcs, 4) float array
        First tangent point, direction there and length of the arc [m], frame of the surface; the
        Jacobi fields at its end.
    inverse : (n_variants, 4 k, 4 k) float array
        Inverse of the matrix of the tangent points, of at most k arcs; NaN at a branch point.
    frame, state, run, tip, here, at
        Jets of arcs: frame of the surface (n_arcs, 4, 3, 6), start (n_arcs, 6, 6) and length
        (n_arcs, 3, 6; then those of the variant before and after the arc), tangent points
        (n_arcs, 2, 3, 6), ground; a state on the way and its arc length (n_arcs, 6, 6), (n_arcs,).
    sides, residual : (k, 2, 2, 3, 6), (4 k, 6) float array
        Work space: n and b of the tangent points, and the equations.
    """

    section: Index
    variant: Index
    mix: Array
    edge: Index
    share: Array
    wrap: Index
    fade: Index
    foot: Array
    field: Array
    inverse: Array
    frame: Array
    state: Array
    run: Array
    tip: Array
    here: Array
    at: Array
    sides: Array
    residual: Array


@inlined
def fades(paths, state, w, slot):
    """Whether surface w is touched in a chain, by an arc that is short enough to be blended."""
    if not paths.blend[w] > 0.0 or not state.touched[slot] > 0:
        return False
    foot, g, H = state.foot[slot], scratch(3), scratch((3, 3))
    kind, size = paths.kind[w], paths.size[w]
    level(kind, size, foot, g, H)
    bend = curvature(H, g, foot[3:6], foot[3:6])
    if kind == CYLINDER:
        bend = math.sqrt(bend / size[0])
    return foot[6] * bend < paths.blend[w]


@inner
def _count(paths, state, m, only):
    """Numbers of sections, variants and arcs of muscle m, and the most arcs of a section."""
    n, variants, arcs, most = 0, 0, 0, 0
    for k in range(paths.start[m], paths.start[m + 1] - 1):
        if not state.active[k] or (only >= 0 and k != only):
            continue
        n += 1
        if state.wrapped[k] != CHAIN:
            continue
        touched, faded = 0, 0
        for w in surfaces_of(paths, state, m, k, end_of_section(paths, state, m, k)):
            slot = paths.slot[w] + k - paths.first[w]
            if state.touched[slot] > 0:
                touched += 1
                faded += 1 if fades(paths, state, w, slot) else 0
        if touched:
            variants += 1 << faded
            arcs += touched << faded
            most = max(most, touched)
    return n, variants, arcs, most


@inner
def _new_chains(n, variants, arcs, most):
    return Chains(
        np.zeros((n, 4), np.int64), np.zeros((variants, 2), np.int64), np.zeros((variants, 2, 6)),
        np.zeros((2 * arcs, 3), np.int64), np.zeros((2 * arcs, 6)), np.zeros(arcs, np.int64),
        np.full(arcs, -1), np.zeros((arcs, 7)), np.zeros((arcs, 4)),
        np.zeros((variants, 4 * most, 4 * most)), np.zeros((arcs, 4, 3, 6)),
        np.zeros((arcs, 6, 6)), np.zeros((arcs, 3, 6)), np.zeros((arcs, 2, 3, 6)),
        np.zeros((arcs, 6, 6)), np.zeros(arcs), np.zeros((most, 2, 2, 3, 6)),
        np.zeros((4 * most, 6)),
    )  # fmt: skip


@inner
def _pack_variant(paths, state, chains, v):
    """Kinds, sizes, frames and feet of the arcs of variant v."""
    start, m = chains.variant[v]
    kind, size, R, p = pack_surfaces(paths, state, chains.wrap[start : start + m])
    return kind, size, R, p, chains.foot[start : start + m].copy()


@inner
def _solve_variant(paths, state, chains, v, o, i):
    """Solve for the feet of a variant; arcs are removed that it does not touch.

    It may pass through what is left out, also where that is listed again. Without tangent points
    near those of the whole path the shortest arc is not touched.
    """
    while chains.variant[v, 1]:
        kind, size, R, p, foot = _pack_variant(paths, state, chains, v)
        start, m = chains.variant[v]
        frame, bend, field = np.empty((m, 2, 4, 3)), np.empty((m, 2, 3)), np.empty((m, 4))
        line = np.empty((m + 1, 4))
        solved = newton(kind, size, R, p, o, i, foot, False, frame, bend, field, line) < SOLVED
        if solved:
            chains.foot[start : start + m] = foot
        shortest = start
        for arc in range(start, start + m):
            if chains.foot[arc, 6] < chains.foot[shortest, 6]:
                shortest = arc
        if solved and chains.foot[shortest, 6] > 0.0:
            return
        for arc in range(shortest, start + m - 1):
            chains.foot[arc], chains.wrap[arc] = chains.foot[arc + 1], chains.wrap[arc + 1]
        chains.variant[v, 1] -= 1


@inner
def _fill_constants(paths, state, chains, v, o, i):
    """Fill inverse, fields and lengths of a solved variant."""
    kind, size, R, p, foot = _pack_variant(paths, state, chains, v)
    start, m = chains.variant[v]
    frame, bend, field = np.empty((m, 2, 4, 3)), np.empty((m, 2, 3)), np.empty((m, 4))
    line = np.empty((m + 1, 4))
    fill_frames(kind, size, R, p, foot, ACCURACY, frame, bend, field)
    fill_lines(o, i, frame, line)
    move, swing = np.empty((m, 2, 4, UNKNOWNS, 3)), np.empty((m + 1, 4 * m, 3))
    E, system = np.empty((4 * m, 4 * m)), np.zeros((4 * m, 8 * m))
    fill_moves(frame, bend, field, move)
    fill_swings(line, move, swing)
    fill_system(frame, line, move, swing, E)
    for row in range(4 * m):
        for column in range(4 * m):
            system[row, column] = E[row, column]
        system[row, 4 * m + row] = 1.0
    regular = eliminate(system, 4 * m)
    for row in range(4 * m):
        for column in range(4 * m):
            value = system[row, 4 * m + column] if regular else math.nan
            chains.inverse[v, row, column] = value
    run = 0.0
    for k in range(m):
        chains.field[start + k] = field[k]
        run += line[k, 3]
        chains.run[start + k, 1, 0] = run
        run += foot[k, 6]
        chains.run[start + k, 2, 0] = run
    chains.mix[v, 1, 0] = run + line[m, 3]


@inner
def _sort_edges(chains, j):
    """List the edges of all variants of section j by their shares of the length."""
    first, n, edge, _ = chains.section[j]
    count = 0
    for v in range(first, first + n):
        for arc in range(chains.variant[v, 0], chains.variant[v, 0] + chains.variant[v, 1]):
            for end in range(2):
                share, at = chains.run[arc, 1 + end, 0] / chains.mix[v, 1, 0], edge + count
                while at > edge and chains.share[at - 1, 0] > share:
                    chains.edge[at] = chains.edge[at - 1]
                    chains.share[at, 0] = chains.share[at - 1, 0]
                    at -= 1
                chains.edge[at, 0], chains.edge[at, 1], chains.edge[at, 2] = v, arc, end
                chains.share[at, 0] = share
                count += 1
    chains.section[j, 3] = count


@inner
def chains_of(paths, state, m, only):
    """Sections of muscle m, or the one from point `only` if that is not negative, prepared.

    The state is solved.
    """
    chains = _new_chains(*_count(paths, state, m, only))
    j, variants, arcs, edges = 0, 0, 0, 0
    for k in range(paths.start[m], paths.start[m + 1] - 1):
        if not state.active[k] or (only >= 0 and k != only):
            continue
        j += 1
        if state.wrapped[k] != CHAIN:
            continue
        i = end_of_section(paths, state, m, k)
        first, bits = arcs, 0
        for w in surfaces_of(paths, state, m, k, i):
            slot = paths.slot[w] + k - paths.first[w]
            if not state.touched[slot] > 0:
                continue
            chains.wrap[arcs], chains.foot[arcs] = w, state.foot[slot]
            if fades(paths, state, w, slot):
                chains.fade[arcs] = bits
                bits += 1
            arcs += 1
        n = arcs - first
        if not n:
            continue
        chains.section[j - 1, 0], chains.section[j - 1, 1] = variants, 1 << bits
        chains.section[j - 1, 2] = edges
        for v in range(1 << bits):
            start = first
            if v:
                start = arcs
                for arc in range(first, first + n):
                    if chains.fade[arc] < 0 or not (v >> chains.fade[arc]) & 1:
                        chains.wrap[arcs], chains.foot[arcs] = chains.wrap[arc], chains.foot[arc]
                        arcs += 1
            chains.variant[variants, 0], chains.variant[variants, 1] = start, arcs - start
            o, end = state.x[k], state.x[i]
            if v:
                _solve_variant(paths, state, chains, variants, o, end)
            _fill_constants(paths, state, chains, variants, o, end)
            variants += 1
        _sort_edges(chains, j - 1)
        edges += chains.section[j - 1, 3]
    return chains

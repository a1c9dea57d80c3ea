"""Lengths of sections over chains in which an arc fades: means of variants, see `..chains`.

They have no gradient in z of their own; derivatives in the axes and drivers u are those of the jets
of `fibermsk.kernels.lines.material.tangent`.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import inlined, inner
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.compose import add_pair, fill_moves
from fibermsk.kernels.lines.material.carried import fill_path_point
from fibermsk.kernels.lines.material.chains import chains_of, fades
from fibermsk.kernels.lines.material.tangent import fill_chain


@inlined
def has_fading(paths, state, k, surfaces):
    """Whether an arc of the section from point k fades; surfaces (m,) are those that act there."""
    for w in surfaces:
        if fades(paths, state, w, paths.slot[w] + k - paths.first[w]):
            return True
    return False


@inner
def _movers(paths, S, moves, drives, state, k, j, surfaces, n_u):
    """Axes and drivers that change the section from point k to point j."""
    dz, who = np.empty((n_u, 6 + 6 * surfaces.size)), np.empty(n_u, np.int64)
    return who[: fill_moves(paths, S, moves, drives, state, k, j, surfaces, dz, who)]


@inner
def _length(paths, S, moves, state, chains, k, j, du, way):
    """Jet of the length of the one section of chains."""
    o, i, motion, rest = scratch((3, 6)), scratch((3, 6)), scratch((5, 6)), np.zeros(du.size)
    fill_path_point(paths, S, moves, state, k, du, rest, way, motion, o)
    fill_path_point(paths, S, moves, state, j, du, rest, way, motion, i)
    return fill_chain(paths, S, moves, state, chains, 0, du, rest, way, o, i)


@inner
def add_fading_first(paths, S, moves, drives, state, m, k, j, surfaces, by_u):
    """Length of the section from point k of muscle m to point j; adds its derivatives to by_u.

    NaN if a variant is at a branch point.
    """
    chains = chains_of(paths, state, m, k)
    rest, way = np.zeros(by_u.size), np.zeros((3, by_u.size))
    length = _length(paths, S, moves, state, chains, k, j, rest, way)[0][0]
    for u in _movers(paths, S, moves, drives, state, k, j, surfaces, by_u.size):
        way[0, u] = 1.0
        slope = _length(paths, S, moves, state, chains, k, j, rest, way)[1][0]
        way[0, u] = 0.0
        if not math.isfinite(slope):
            return math.nan
        by_u[u] += slope
    return length


@inner
def add_fading_second(
    paths, S, moves, drives, state, m, k, j, surfaces, speed_u, tension, bend, curve
):  # fmt: skip
    """Add second derivatives of a section; arguments as of `..compose.add_second`."""
    chains, n_u = chains_of(paths, state, m, k), bend.size
    du, way = np.zeros(n_u), np.zeros((3, n_u))
    who = _movers(paths, S, moves, drives, state, k, j, surfaces, n_u)
    for u in range(who.size):
        du[who[u]] = 1.0
        for v in range(u, who.size):
            way[0, who[v]] = 1.0
            value = _length(paths, S, moves, state, chains, k, j, du, way)[1][1]
            way[0, who[v]] = 0.0
            add_pair(who[u], who[v], value, speed_u, tension, bend, curve)
        du[who[u]] = 0.0

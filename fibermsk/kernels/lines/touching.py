"""Wrap angles of sections, by whose sign paths touch surfaces, and their derivatives."""

from __future__ import annotations

import math

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.along import PHI, ROWS, fill_paths
from fibermsk.kernels.lines.paths import angle_of, past_ends
from fibermsk.kernels.lines.section import FINE, FOUND, PHI as FOUND_PHI


@kernel
def wrap_angles(paths, state, out):
    """Fill out (n_slots,) with the wrap angle of each surface in each section; NaN if it has none.

    The state is placed.
    """
    found = scratch(FOUND)
    out[:] = math.nan
    for m in range(paths.start.size - 1):
        for w in range(paths.wrap_start[m], paths.wrap_start[m + 1]):
            last = -1
            for j in range(max(paths.start[m], paths.first[w]), paths.last[w] + 1):
                if not state.active[j]:
                    continue
                k, last = last, j
                if k < 0:
                    continue
                slot, o, i = paths.slot[w] + k - paths.first[w], state.x[k], state.x[j]
                reference = state.reference[slot]
                if not paths.acts[slot] or past_ends(paths, state, w, o, i, reference):
                    continue
                kind, r, R, p = paths.kind[w], paths.radius[w], state.R[w], state.p[w]
                if angle_of(kind, r, R, p, o, i, reference, found) == FINE:
                    out[slot] = found[FOUND_PHI]


@kernel
def fill_angle_slopes(paths, S, moves, state, m, k, speed, ways, out):
    """Fill out (n,) with the derivatives of a wrap angle along ways (n_u, n).

    That of the section from point k of muscle m, which is wrapped.
    """
    n, n_u = paths.start[m + 1] - paths.start[m], speed.size
    points, wraps, ends = np.empty((n, 3, 6)), np.empty((n, ROWS, 6)), np.empty((n, 6))
    way, rest, j = np.zeros((3, n_u)), np.zeros(n_u), 0
    for point in range(paths.start[m], k):
        j += 1 if state.active[point] else 0
    for i in range(ways.shape[1]):
        way[0] = ways[:, i]
        fill_paths(paths, S, moves, state, m, None, speed, rest, way, points, wraps, ends)
        out[i] = wraps[j, PHI, 3]

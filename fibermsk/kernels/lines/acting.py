"""Which surfaces act in a section of a path."""

from __future__ import annotations

import numpy as np

from fibermsk._compile import inlined
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_local
from fibermsk.kernels.lines.taut.surfaces import level


@inlined
def inside(paths, state, w, x):
    """Whether a point x (3,) of the ground lies inside surface w."""
    local, g, H = scratch(3), scratch(3), scratch((3, 3))
    to_local(state.R[w], state.p[w], x, local)
    return level(paths.kind[w], paths.size[w], local, g, H) <= 0.0


@inlined
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
        if state.left[paths.slot[w] + k - paths.first[w]]:
            continue
        at = n
        while at > 0 and state.rank[out[at - 1]] > state.rank[w]:
            out[at] = out[at - 1]
            at -= 1
        out[at] = w
        n += 1
    return out[:n]


@inlined
def end_of_section(paths, state, m, k):
    """The active point after point k of muscle m; the end of the list if there is none."""
    j = k + 1
    while j < paths.start[m + 1] and not state.active[j]:
        j += 1
    return j


@inlined
def pack_surfaces(paths, state, surfaces):
    """Kinds, sizes and frames of surfaces."""
    n = surfaces.size
    kind, size = np.empty(n, np.int64), np.empty((n, 3))
    R, p = np.empty((n, 3, 3)), np.empty((n, 3))
    for s in range(n):
        w = surfaces[s]
        kind[s], size[s], R[s], p[s] = paths.kind[w], paths.size[w], state.R[w], state.p[w]
    return kind, size, R, p

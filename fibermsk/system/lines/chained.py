"""Points of paths with chains of surfaces: positions at fractions of the length, and arcs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.kernels.lines.path_arrays import SPHERE, PathArrays, PathState
from fibermsk.kernels.lines.section import ARC, CHAIN, DIRECTION_P, POINT_P

Built = Callable[[Any], Any]
"""What gives a kernel compiled with the user's surfaces of a model."""


class Section(NamedTuple):
    """A solved section with n touched surfaces.

    Attributes
    ----------
    start, end : int
        Its path points.
    wraps : (n,) int array
        The surfaces.
    feet : (n, 7) float array
        First tangent point and direction there, frame of the surface, and length of the arc [m].
    """

    start: int
    end: int
    wraps: Index
    feet: Array


def has_chain(paths: PathArrays, state: PathState, m: int) -> bool:
    """Whether a section of muscle m was solved as a chain."""
    return bool((state.wrapped[paths.start[m] : paths.start[m + 1]] == CHAIN).any())


def may_chain(paths: PathArrays, m: int) -> bool:
    """Whether a section of muscle m may be solved as a chain."""
    kind = paths.kind[paths.wrap_start[m] : paths.wrap_start[m + 1]]
    return kind.size > 1 or bool((kind > SPHERE).any())


def blends(paths: PathArrays, m: int) -> bool:
    """Whether paths of muscle m around surfaces are blended with those without."""
    return bool((paths.blend[paths.wrap_start[m] : paths.wrap_start[m + 1]] > 0.0).any())


def sections_of(paths: PathArrays, state: PathState, m: int) -> list[Section]:
    """Sections of muscle m."""
    own = [k for k in range(paths.start[m], paths.start[m + 1]) if state.active[k]]
    found = []
    for k, j in zip(own, own[1:], strict=False):
        wraps, feet = [], []
        if (w := int(state.wrapped[k])) >= 0:
            P, t = state.found[k, POINT_P : POINT_P + 3], state.found[k, DIRECTION_P:][:3]
            R = state.R[w]
            wraps.append(w)
            feet.append(np.r_[R.T @ (P - state.p[w]), R.T @ t, state.found[k, ARC]])
        elif w == CHAIN:
            for w in sorted(range(*paths.wrap_start[m : m + 2]), key=state.rank.__getitem__):
                slot = paths.slot[w] + k - paths.first[w]
                if paths.first[w] <= k and j <= paths.last[w] and state.touched[slot]:
                    wraps.append(w)
                    feet.append(state.foot[slot])
        found.append(Section(k, j, np.array(wraps, np.int64), np.reshape(feet, (-1, 7))))
    return found


def points_at(paths: PathArrays, state: PathState, m: int, fractions: Array, built: Built) -> Array:
    """Points of muscle m at fractions of its length, (n, 3) [m]."""
    from fibermsk.kernels.lines.points import fill_points  # compiles only where it is used

    sections = sections_of(paths, state, m)
    ends = np.cumsum([state.length[one.start] for one in sections])
    at = np.asarray(fractions, float) * ends[-1]
    which = np.minimum(np.searchsorted(ends, at), len(sections) - 1)
    out = np.empty((at.size, 3))
    for k, one in enumerate(sections):
        (own,) = np.nonzero(which == k)
        own = own[np.argsort(at[own])]
        length = state.length[one.start]
        if not length > 0.0:
            out[own] = state.x[one.start]
            continue
        share = np.clip((at[own] - ends[k]) / length + 1.0, 0.0, 1.0)
        x, w = np.empty((own.size, 3)), one.wraps
        built(fill_points)(
            paths.kind[w], paths.size[w], state.R[w], state.p[w], state.x[one.start],
            state.x[one.end], one.feet, share, x,
        )  # fmt: skip
        out[own] = x
    return out


def along_chains(
    paths: PathArrays, S: Array, moves: NDArray[np.bool_], state: PathState, m: int,
    fractions: Array, du: Array, ddu: Array, built: Built,
) -> Array:  # fmt: skip
    """Points of muscle m as `fibermsk.kernels.lines.material.along` has, over chains of surfaces.

    Returns (n_fractions, 3, 3): component, then value and derivatives along the motion.
    """
    from fibermsk.kernels.lines.material.carried import (
        ACCELERATION,
        TWIST,
        fill_link,
        fill_path_point,
    )
    from fibermsk.kernels.lines.material.chain_along import (  # compiles where used
        fill_motion,
        fill_moved,
    )

    solved, before = [], np.zeros(3)
    rest, motion, jet = np.zeros((3, du.size)), np.empty((5, 6)), np.empty((3, 6))
    for one in sections_of(paths, state, m):
        n, w = one.wraps.size, one.wraps
        V, A, ends = np.empty((n, 6)), np.empty((n, 6)), np.empty((2 * n + 2, 3, 3))
        for s in range(n):
            fill_link(S, moves, paths.wrap_link[w[s]], du, ddu, rest, motion)
            V[s], A[s] = motion[TWIST], motion[ACCELERATION]
        for at, point in ((0, one.start), (-1, one.end)):
            fill_path_point(paths, S, moves, state, point, du, ddu, rest, motion, jet)
            ends[at] = jet[:, :3]
        u, change = np.empty((n, 4)), np.empty((n, 4))
        chain = paths.kind[w], paths.size[w], state.R[w], state.p[w], V, A, one.feet, u, change
        length = np.array(built(fill_motion)(*chain, ends))
        if length[0] > 0.0:
            solved.append((before, chain, ends))
            before = before + length
    run = np.multiply.outer(np.asarray(fractions, float), before)
    starts = np.array([start[0] for start, _, _ in solved])
    which = np.maximum(np.searchsorted(starts, run[:, 0]) - 1, 0)
    out = np.empty((run.shape[0], 3, 3))
    for k, (start, chain, ends) in enumerate(solved):
        (own,) = np.nonzero(which == k)
        x = np.empty((own.size, 3, 3))
        built(fill_moved)(*chain, ends, run[own] - start, x)
        out[own] = x
    return out


def arc_points(
    paths: PathArrays, state: PathState, w: int, foot: Array, n: int, built: Built
) -> tuple[Array, Array]:
    """Even points (n, 3) [m] of the arc from a foot on surface w, and directions there."""
    from fibermsk.kernels.lines.taut.geodesic import ACCURACY, geodesic

    y, found, move = np.empty(10), np.empty((n, 6)), built(geodesic)
    for k, length in enumerate(np.linspace(0.0, foot[6], n)):
        move(paths.kind[w], paths.size[w], foot[:3], foot[3:6], length, ACCURACY, y)
        found[k] = y[:6]
    R = state.R[w]
    return state.p[w] + found[:, :3] @ R.T, found[:, 3:] @ R.T

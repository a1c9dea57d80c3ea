"""Constraints that follow from others and from the joints, wherever a mechanism goes.

A plane mechanism that is closed in space is constrained more often than it can move: some rows of
its constraints follow from the others at every pose. They are found where the mechanism is closed,
at its start and at poses beside it: rows that depend on others at one pose only, a dead point,
stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import qr

from fibermsk._arrays import Array, Index
from fibermsk.system.skeleton.constraints import Held

DEPENDENT, LEAST_LEVER = 1e-9, 1e-2
"""Smallest part of the largest pivot with which constraints count as independent, and the least
value of that pivot which is not itself round-off [m]."""

_POSES, _AWAY = 3, 0.1
"""Poses beside the start, and how far they are from it [rad or m]."""

_MOST_STEPS, _CLOSED, _LARGEST_STEP, _CUT = 50, 1e-12, 0.3, 1e-6
"""Steps to close a mechanism, the opening that remains, the largest change of a coordinate in a
step, and the share of the largest singular value below which a direction counts as none."""

_NEAREST = 1e-10
"""Motion that would be left to the nearest closed pose [rad or m]."""

HeldAt = Callable[[Array], Held]
"""All constraints at coordinates (n,)."""


def rows_left_out(held_at: HeldAt, q: Array, free: Index, n_fixed: int) -> Index:
    """Rows of constraints that follow from others at all poses near a start.

    Parameters
    ----------
    held_at : callable
        All constraints at coordinates.
    q : (n,) float array
        Coordinates of the start; not changed.
    free : (k,) int array
        Coordinates that may move.
    n_fixed : int
        Rows, the first ones, that stay in any case.

    Returns
    -------
    rows : (m,) int array
        In increasing order; none if the mechanism cannot be closed near its start.
    """
    closed = close(held_at, q, free)
    if closed is None:
        return np.zeros(0, np.int64)
    G = held_at(closed).G
    best = independent_rows(G[:, free], n_fixed)
    if best.size == G.shape[0]:
        return np.zeros(0, np.int64)
    away, rng = null_space(G[:, free]), np.random.default_rng(0)
    for _ in range(_POSES if away.shape[1] else 0):
        beside = closed.copy()
        beside[free] += _AWAY * away @ rng.normal(size=away.shape[1]) / np.sqrt(away.shape[1])
        found = close(held_at, beside, free)
        if found is None:
            continue
        rows = independent_rows(held_at(found).G[:, free], n_fixed)
        if rows.size > best.size:
            best = rows
    return np.setdiff1d(np.arange(G.shape[0]), best)


def close(held_at: HeldAt, q: Array, free: Index) -> Array | None:
    """Coordinates near given ones at which all constraints hold; None if none are found."""
    q, before = q.copy(), np.inf
    for _ in range(_MOST_STEPS):
        held = held_at(q)
        size = float(np.abs(held.g).max(initial=0.0))
        if not np.isfinite(size):
            return None
        if size <= _CLOSED or (size > 0.5 * before and size < 1e3 * _CLOSED):
            return q
        before = size
        change = np.linalg.pinv(held.G[:, free], rcond=_CUT) @ held.g
        q[free] -= change * min(1.0, _LARGEST_STEP / max(np.abs(change).max(), 1e-300))
    return None


def nearest_closed(
    held_at: HeldAt, q: Array, free: Index, first: Index | list[int]
) -> Array | None:
    """Coordinates nearest to given ones at which all constraints hold; None if none are found.

    The coordinates `first` alone are moved if that suffices, at no cost; all that are `free` else.
    """
    chosen = np.asarray(first, np.int64)
    if chosen.size and (found := close(held_at, q, chosen)) is not None:
        return found
    closed = close(held_at, q, free)
    if closed is None:
        return None
    x = closed.copy()
    for _ in range(_MOST_STEPS):
        # the point of the tangent that is nearest to q, and back to the constraints
        G = held_at(x).G[:, free]
        away = (q - x)[free]
        along = away - np.linalg.pinv(G, rcond=_CUT) @ (G @ away)
        along[np.isin(free, chosen)] = 0.0
        if np.abs(along).max(initial=0.0) <= _NEAREST:
            return x
        beside = x.copy()
        beside[free] += along * min(1.0, _LARGEST_STEP / np.abs(along).max())
        found = close(held_at, beside, free)
        if found is None:
            return x
        x = found
    return x


def independent_rows(G: Array, n_fixed: int, rank: int | None = None) -> Index:
    """Rows of G (m, k) that do not depend on each other, the first `n_fixed` among them.

    As many as G has, or `rank` of them, those farthest from dependence.
    """
    fixed, rest = G[:n_fixed], G[n_fixed:]
    if n_fixed:
        basis = np.linalg.qr(fixed.T)[0]
        rest = rest - (rest @ basis) @ basis.T
    factors: Any = qr(rest.T, mode="economic", pivoting=True)
    R, order = factors[1], factors[2]
    if rank is None:
        pivots = np.abs(np.atleast_2d(R).diagonal())
        limit = DEPENDENT * max(pivots.max(initial=0.0), LEAST_LEVER)
        count = int((pivots > limit).sum())
    else:
        count = max(rank - n_fixed, 0)
    return np.r_[np.arange(n_fixed), n_fixed + np.sort(order[:count])].astype(np.int64)


def null_space(G: Array) -> Array:
    """Orthonormal motions (k, n) that leave G (m, k) zero."""
    _, values, right = np.linalg.svd(G, full_matrices=True)
    rank = int((values > 1e-9 * values.max(initial=LEAST_LEVER)).sum())
    return right[rank:].T


def dependence(G: Array) -> Index:
    """Rows of G (m, k) with a part in the combination of rows that is nearest to zero."""
    weights = np.abs(np.linalg.svd(G.T, full_matrices=True)[2][-1])
    return np.flatnonzero(weights > 0.1 * weights.max())

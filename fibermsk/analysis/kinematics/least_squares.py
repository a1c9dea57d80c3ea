"""Nonlinear least squares within bounds and constraints, by Gauss and Newton, damped if that fails.

Each step is the minimum of the linearized problem within the bounds (BVLS of SciPy, an active-set
method), so that a solution at a bound is exact. Where the problem does not determine the unknowns,
the step is the shortest, and they stay where they were. With constraints g = 0 a step is along
their tangent, G d = 0, and the state goes back onto them after it: all states that are compared
hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.redundancy import null_space

MOST_STEPS = 200
"""Steps after which a search ends without convergence."""

_ROUNDOFF = 1e-15
"""Predicted relative decrease of the sum of squares that counts as none."""
_STEP = 1e-11
"""Largest entry of a step that counts as none [rad or m]."""
_LEAST_DAMPING, _MOST_DAMPING = 1e-12, 1e12
"""Damping of steps that are too long, and that with which no step is left."""
_HOLD = 1e5
"""Weight of constraints against residuals where bounds are met."""
_RANK = 1e-10
"""Singular value, relative to the largest, that counts as zero."""


class Found(NamedTuple):
    """A minimum."""

    q: Array
    steps: int
    converged: bool
    J: Array  # derivatives (m, n) of the residuals there


def minimize(
    evaluate: Callable[[Array], tuple[Array, Array]],
    q: Array,
    lower: Array,
    upper: Array,
    longest: Array,
    limit: Callable[[Array, Array], float],
    onto: Callable[[Array], Array | None],
    tangent: Callable[[Array], Array] | None = None,
) -> Found:
    """Minimize the sum of squares of residuals from a start within bounds.

    Parameters
    ----------
    evaluate : callable
        q -> residuals (m,) and derivatives (m, n).
    q, lower, upper : (n,) float array
        Start and bounds, which may be infinite; the start holds.
    longest : (n,) float array
        Largest changes of a step; longer ones are damped, since near a gimbal lock the shortest
        step to the linearized minimum can be many turns.
    limit : callable
        Part of a step that may be taken, of q and step.
    onto : callable
        q -> a valid one nearby, within the bounds, such as with quaternions of length one; None if
        there is none.
    tangent : callable, optional
        q -> derivatives G (k, n) of the constraints, which `onto` fulfils.
    """
    damping = 0.0
    r, J = evaluate(q)
    G = np.zeros((0, q.size)) if tangent is None else tangent(q)
    cost = float(r @ r)
    for steps in range(MOST_STEPS):
        d = _step(J, r, G, lower - q, upper - q, damping)
        while (np.abs(d) > longest).any() and damping < _MOST_DAMPING:
            damping = max(10.0 * damping, _LEAST_DAMPING)
            d = _step(J, r, G, lower - q, upper - q, damping)
        d = d * limit(q, d)
        linear = r + J @ d
        if cost - float(linear @ linear) <= _ROUNDOFF * cost or np.abs(d).max() <= _STEP:
            return Found(q, steps, True, J)
        new = onto(q + d)
        r_new, J_new = (r, J) if new is None else evaluate(new)
        cost_new = np.inf if new is None else float(r_new @ r_new)
        if new is not None and cost_new < cost:
            q, r, J, cost = new, r_new, J_new, cost_new
            G = G if tangent is None else tangent(q)
            damping = 0.1 * damping if damping > 1e-6 else 0.0
        else:
            damping = max(10.0 * damping, 1e-4)
            if damping > _MOST_DAMPING:
                return Found(q, steps, True, J)  # no step decreases it: round-off
    return Found(q, MOST_STEPS, False, J)


def _step(J: Array, r: Array, G: Array, lower: Array, upper: Array, damping: float) -> Array:
    """Minimum of |r + J d|^2 + damping |D d|^2 with G d = 0 within bounds.

    D are the lengths of the columns.
    """
    from scipy.optimize import lsq_linear

    if damping > 0.0:
        length = np.linalg.norm(J, axis=0)
        J = np.concatenate([J, np.diag(np.sqrt(damping) * length)])
        r = np.r_[r, np.zeros(length.size)]
    Z = null_space(G) if G.size else np.eye(lower.size)
    d: Array = np.asarray(Z @ np.linalg.lstsq(J @ Z, -r, rcond=_RANK)[0], float)
    if ((d >= lower) & (d <= upper)).all():
        return d
    free = upper > lower
    d = np.zeros(lower.size)
    if free.any():
        # rows of the constraints weigh so much that they hold to the square of that
        weighted = np.concatenate([J, _HOLD * _size(J) / _size(G) * G])[:, free]
        right = -np.r_[r, np.zeros(len(G))]
        found = lsq_linear(weighted, right, (lower[free], upper[free]), method="bvls")
        d[free] = np.clip(found.x, lower[free], upper[free])
    return d


def _size(A: Array) -> float:
    """Largest entry of a matrix; 1 without any."""
    return float(np.abs(A).max(initial=0.0)) or 1.0


def undetermined(J: Array) -> list[int]:
    """Unknowns that a linearized problem does not determine: the largest of each null direction."""
    length = np.linalg.norm(J, axis=0)
    size = float(length.max(initial=0.0))
    found = np.flatnonzero(length <= _RANK * size).tolist()
    moving = np.flatnonzero(length > _RANK * size)
    if moving.size:
        _, s, V = np.linalg.svd(J[:, moving] / length[moving], full_matrices=True)
        s = np.r_[s, np.zeros(moving.size - s.size)]
        found += [int(moving[np.abs(v).argmax()]) for v in V[s <= 1e-7 * s[0]]]
    return sorted(set(found))

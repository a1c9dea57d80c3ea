"""Least squares in bounds by the method of Levenberg and Marquardt, and by Adam for comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array

Rows = Callable[[Array], tuple[Array, Array]]

_FIRST_DAMPING = 1e-3
_LEAST_DAMPING, _MOST_DAMPING = 1e-15, 1e12
_SLOW = 1e-5
"""Relative change of the sum of squares below which the next step is tried without damping."""
_NEAR = 0.02
"""Distance from the minimum, in deviations that data and prior leave, that is none."""
_AT_KINKS = 0.1
"""Same, where steps change nothing any more."""


class Step(NamedTuple):
    """State of a search: iteration, sum of squares, and the weight of the prior."""

    iteration: int
    cost: float
    weight: float


class Found(NamedTuple):
    """End of a search.

    Attributes
    ----------
    z : (u,) float array
        Unknowns.
    cost : float
        Sum of squares there.
    iterations : int
        Steps tried.
    converged : bool
        Whether no step reduces the sum of squares further, to the tolerance.
    """

    z: Array
    cost: float
    iterations: int
    converged: bool


class Prior(NamedTuple):
    """A guess and its precision, weighted by the square of a deviation of the residuals."""

    guess: Array
    root: Array  # (u, u), root^T root is the precision

    def rows(self, z: Array, weight: float) -> tuple[Array, Array]:
        """Rows that are added to those of the data."""
        return weight * (self.root @ (z - self.guess)), weight * self.root


def levenberg_marquardt(
    rows: Rows,
    z: Array,
    lower: Array,
    upper: Array,
    scale: Array,
    *,
    prior: Prior,
    weight: float = 0.0,
    most: int = 200,
    tolerance: float = 1e-10,
    floor: float = 0.0,
    tell: Callable[[Step], None] | None = None,
) -> Found:
    """Minimize |rows|^2 + weight^2 |prior|^2 in bounds.

    Unknowns at a bound from which the gradient points outwards do not take part in a step; steps
    are projected. The search has converged where steps change the sum of squares, and each unknown
    by its scale, by less than the tolerance, or its root; or where the sum is at most `floor`. With
    a weight, which is the deviation of the rows, it has where the minimum of the linear model is
    within a fiftieth of the deviations that are left, and nowhere else: rows with kinks, or that
    are not finite beside, make steps small. After a step that changes little the next one is tried
    without damping, which rows with kinks keep high.

    References
    ----------
    .. [1] Nielsen, "Damping parameter in Marquardt's method", IMM-REP-1999-05, Technical University
           of Denmark (1999): the rule of the damping.
    """
    z = np.clip(z, lower, upper)

    def all_rows(z: Array) -> tuple[Array, Array]:
        r, J = rows(z)
        if weight > 0.0:
            more, slopes = prior.rows(z, weight)
            r, J = np.concatenate([r, more]), np.vstack([J, slopes])
        return r, J

    r, J = all_rows(z)
    cost = float(r @ r)
    if not np.isfinite(cost):
        return Found(z, np.inf, 0, False)
    damping, growth, iterations, small, slow = _FIRST_DAMPING, 2.0, 0, 0, False
    while iterations < most:
        pull = J.T @ r
        free = ~(((z <= lower) & (pull > 0.0)) | ((z >= upper) & (pull < 0.0)))
        # the triangular factor serves all dampings
        both = np.column_stack([J[:, free] * scale[free], r])
        R = np.asarray(np.linalg.qr(both, mode="r"), float)
        target, R = R[:-1, -1], R[:-1, :-1]
        sizes = np.maximum(np.linalg.norm(R, axis=0), 1e-12 * np.linalg.norm(R))
        nearest = np.linalg.lstsq(R, -target, rcond=None)[0]
        away = float(np.linalg.norm(R @ nearest))
        near = away <= _AT_KINKS * weight if weight > 0.0 else away**2 <= _SLOW * cost
        if weight > 0.0 and away <= _NEAR * weight:
            return Found(z, cost, iterations, True)
        accepted, tried = False, _LEAST_DAMPING if slow else damping
        while iterations < most and damping < _MOST_DAMPING:
            iterations += 1
            full = np.vstack([R, np.sqrt(tried) * np.diag(sizes)])
            step = np.linalg.lstsq(full, np.r_[-target, np.zeros(sizes.size)], rcond=None)[0]
            new = z.copy()
            new[free] = np.clip(z[free] + scale[free] * step, lower[free], upper[free])
            r_new, J_new = all_rows(new)
            cost_new = float(r_new @ r_new)
            if tell is not None:
                tell(Step(iterations, min(cost, cost_new), weight))
            moved = (new - z)[free] / scale[free]
            along = R @ moved
            expected = -2.0 * float(target @ along) - float(along @ along)
            change = cost - cost_new
            tiny = float(np.abs(moved).max(initial=0.0)) < np.sqrt(tolerance)
            if change > 0.0 and expected > 0.0:
                accepted = True
                damping = max(
                    tried * max(1.0 / 3.0, 1.0 - (2.0 * change / expected - 1.0) ** 3),
                    _LEAST_DAMPING,
                )
                growth = 2.0
                slow = change < _SLOW * cost
                small = small + 1 if change < tolerance * cost and tiny else 0
                z, r, J, cost = new, r_new, J_new, cost_new
                break
            if tiny and abs(change) <= tolerance * cost:
                return Found(z, cost, iterations, near)
            if tried == damping:
                damping, growth = damping * growth, 2.0 * growth
            tried = damping
        if cost <= floor or (small >= 2 and near):
            return Found(z, cost, iterations, True)
        if not accepted:
            break
    return Found(z, cost, iterations, False)


def adam(
    rows: Rows,
    z: Array,
    lower: Array,
    upper: Array,
    scale: Array,
    *,
    most: int = 12_000,
    rate: float = 0.02,
    tell: Callable[[Step], None] | None = None,
) -> Found:
    """Minimize |rows|^2 in bounds by Adam, in units of `scale`, for comparison.

    The rate falls linearly to zero over the steps.

    References
    ----------
    .. [1] Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR (2015).
    """
    mean, square = np.zeros_like(z), np.zeros_like(z)
    best, least = z, np.inf
    for k in range(1, most + 1):
        r, J = rows(z)
        cost = float(r @ r)
        if cost < least:
            best, least = z, cost
        if not np.isfinite(cost):
            z, mean = best, 0.0 * mean
            continue
        pull = scale * (J.T @ r)
        mean, square = 0.9 * mean + 0.1 * pull, 0.999 * square + 0.001 * pull**2
        step = mean / (1.0 - 0.9**k) / (np.sqrt(square / (1.0 - 0.999**k)) + 1e-300)
        z = np.clip(z - rate * (1.0 - k / most) * scale * step, lower, upper)
        if tell is not None:
            tell(Step(k, cost, 0.0))
    return Found(best, least, most, False)

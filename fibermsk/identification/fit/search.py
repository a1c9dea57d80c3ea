"""Search for the parameters of a problem: homotopy from the guess, restarts, deviations."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.identification.fit.certainty import independent_samples
from fibermsk.identification.fit.solve import Found, Step, adam, levenberg_marquardt
from fibermsk.identification.problem import IdentificationProblem

LADDER = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)
"""Weights of the guess in turn: deviations of the residuals [N m] with which it is believed.

Without the first ones the search ends far away, since all forces and inertias may shrink together.
"""

_EACH, _LAST = 80, 1000
"""Most steps at each weight, and at the last."""
_ROUGH, _FINE = 1e-4, 1e-10
"""Tolerances of these."""

_EXACT = 1e-10
"""Root mean square of residuals at which nothing is left [N m]."""
_FITTED = 1e-6
"""Same, above which exact data are not explained, so that muscles at bounds start again [N m]."""

_STARTS = 0.85, 1.0
"""Optimal lengths over the guess from which a muscle starts again."""

_ROUNDS = 3
"""How often the deviation of residuals is estimated."""


class Trace(NamedTuple):
    """A step that the search accepted or tried: its number, weight, residual [N m], unknowns."""

    iteration: int
    weight: float
    rms: float
    z: Array


class Solved(NamedTuple):
    """End of a search.

    Attributes
    ----------
    z : (u,) float array
        Unknowns.
    rms : float
        Root mean square of the residuals, in their unit.
    sigma : float
        Deviation of the residuals that weighs the guess at the end, with their correlation in time;
        0 where the guess does not count.
    iterations : int
        Steps.
    converged : bool
        Whether the last search has converged.
    restarted : tuple of str
        Muscles whose second start explained more.
    seconds : float
        Wall time [s].
    history : tuple of Trace
        End of each stage, without second starts that explained no more.
    """

    z: Array
    rms: float
    sigma: float
    iterations: int
    converged: bool
    restarted: tuple[str, ...]
    seconds: float
    history: tuple[Trace, ...]


def search(
    problem: IdentificationProblem,
    sigma: float | None,
    method: str = "lm",
    iterations: int = 4000,
    start: Array | None = None,
    tell: Callable[[Step], None] | None = None,
) -> Solved:
    """Search from the guess of a problem, or from a start that is believed first in its place.

    `sigma` is the deviation of independent residuals; None to estimate it, 0 for exact data, in
    which the guess does not count at the end.
    """
    if start is None and not np.isfinite(problem.residual.rows(problem.guess)[0]).all():
        raise ModelError(
            "identify: the model has no finite forces at the guess; must have: check lengths of "
            "fibers and tendons, and the filter"
        )
    run = _Run(problem, iterations, tell)
    begin = clock.perf_counter()
    z = problem.guess if start is None else start
    run.prior = problem.prior._replace(guess=z)
    if method == "adam":
        found = adam(problem.residual.rows, z, problem.lower, problem.upper,
                     problem.unknowns.scale, most=iterations, tell=tell)  # fmt: skip
        rms = float(np.sqrt(found.cost / sum(problem.residual.sizes)))
        trace = (Trace(found.iterations, 0.0, rms, found.z),)
        return Solved(found.z, rms, 0.0, found.iterations, found.converged, (),
                      clock.perf_counter() - begin, trace)  # fmt: skip
    for weight in LADDER:
        z = run.descend(z, weight, _EACH, _ROUGH)
        if sigma is None and weight <= run.deviation(z):
            break
        if sigma is not None and weight <= sigma:
            break
    run.prior, weight = problem.prior, run.last(sigma, z)
    z = run.descend(z, weight, _LAST, _FINE)
    for _ in range(_ROUNDS if sigma is None else 0):
        weight = run.last(sigma, z)
        z = run.descend(z, weight, _LAST, _FINE)
    z, restarted = run.again(z, weight)
    rms = run.rms(z)
    return Solved(
        z, rms, weight, run.used, run.converged, restarted, clock.perf_counter() - begin,
        tuple(run.history),
    )  # fmt: skip


class _Run:
    """Searches of one problem, with what they took."""

    def __init__(
        self, problem: IdentificationProblem, most: int, tell: Callable[[Step], None] | None
    ) -> None:
        self._problem, self._most, self._tell = problem, most, tell
        self.used, self.converged, self.prior = 0, False, problem.prior
        self.history = list[Trace]()

    def descend(self, z: Array, weight: float, most: int, tolerance: float) -> Array:
        """End of a search from unknowns z."""
        return self._search(z, weight, most, tolerance).z

    def _search(self, z: Array, weight: float, most: int, tolerance: float) -> Found:
        own, before = self._problem, self.used

        def tell(step: Step) -> None:
            if self._tell is not None:
                self._tell(step._replace(iteration=before + step.iteration))

        found = levenberg_marquardt(
            own.residual.rows, z, own.lower, own.upper, own.unknowns.scale, prior=self.prior,
            weight=weight, most=max(min(most, self._most - self.used), 0), tolerance=tolerance,
            floor=sum(own.residual.sizes) * _EXACT**2, tell=tell,
        )  # fmt: skip
        self.used += found.iterations
        self.converged = found.converged
        self.history.append(Trace(self.used, weight, self.rms(found.z), found.z))
        return found

    def rms(self, z: Array) -> float:
        """Root mean square of the residuals."""
        r, _ = self._problem.residual.rows(z)
        return float(np.sqrt(np.mean(r**2)))

    def deviation(self, z: Array) -> float:
        """Deviation with which residuals count once: larger than theirs by their correlation."""
        problem = self._problem
        r, J = problem.residual.rows(z)
        parts = np.split(r, np.cumsum(problem.residual.sizes)[:-1])
        several = [
            independent_samples(part.reshape(one.time.size, -1))[0]
            for part, one in zip(parts, problem.training, strict=True)
        ]
        # what the data tell takes as many independent samples
        singular = np.linalg.svd(J * problem.unknowns.scale, compute_uv=False) ** 2
        independent, sigma = sum(several), np.sqrt((r @ r) / r.size)
        for _ in range(_ROUNDS):
            told = float((singular / (singular + sigma**2 + 1e-300)).sum())
            sigma = np.sqrt((r @ r) / max(independent - told, 1.0))
        return float(sigma)

    def last(self, sigma: float | None, z: Array) -> float:
        """Weight of the guess at the end."""
        if sigma is not None:
            return sigma
        found = self.deviation(z)
        return 0.0 if found < _FITTED else found

    def again(self, z: Array, weight: float) -> tuple[Array, tuple[str, ...]]:
        """Let muscles at bounds start again: fibers may be on the wrong limb of their curve."""
        problem, restarted = self._problem, list[str]()
        for muscle in self._suspects(z, weight):
            found = problem.lengths_of(muscle)
            if found is None:
                continue
            mean, guess = found
            best, cost, converged = z, self._cost(z, weight), self.converged
            before = kept = self.history
            for share in _STARTS:
                first, self.history = z.copy(), list(before)
                at = [
                    problem.unknowns.index(f"{muscle}/{one}")
                    for one in ("optimal_fiber_length", "tendon_slack_length")
                ]
                first[at] = share * guess, max(mean - share * guess, problem.lower[at[1]])
                new = self.descend(first, weight, _LAST, _FINE)
                if self._cost(new, weight) < 0.99 * cost:
                    best, cost, converged = new, self._cost(new, weight), self.converged
                    kept = self.history
            self.converged, self.history = converged, kept
            if best is not z:
                z = best
                restarted.append(muscle)
            if weight == 0.0 and self.rms(z) < _FITTED:
                break
        return z, tuple(restarted)

    def _suspects(self, z: Array, weight: float) -> list[str]:
        """Muscles with a length at a bound; of exact data that are explained, none."""
        problem = self._problem
        if weight == 0.0 and self.rms(z) < _FITTED:
            return []
        at = (z <= problem.lower) | (z >= problem.upper)
        names = [
            name.rpartition("/")[0] for name, bound in zip(problem.names, at, strict=True)
            if bound and name.endswith(("optimal_fiber_length", "tendon_slack_length"))
        ]  # fmt: skip
        return list(dict.fromkeys(names))

    def _cost(self, z: Array, weight: float) -> float:
        r, more = self._problem.residual.rows(z)[0], self.prior.rows(z, weight)[0]
        return float(r @ r + more @ more)

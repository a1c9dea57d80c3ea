"""What an identification has found."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._extras import CURVES, check_drawing
from fibermsk._shown import Described
from fibermsk.identification.equations.inertia import body_of
from fibermsk.identification.equations.movement import Movement
from fibermsk.identification.equations.tendon import Slack, slack_of
from fibermsk.identification.fit.certainty import Certainty, certainty_of, independent_samples
from fibermsk.identification.fit.search import Solved, search
from fibermsk.identification.fit.solve import Step
from fibermsk.identification.problem import IdentificationProblem
from fibermsk.identification.unknowns import OF_A_MUSCLE, Numbers, poles
from fibermsk.model import Model

METHODS = ("lm", "adam")

FAR = 2.0
"""Deviations by which bones are off from what was found, and are others."""

_ZERO = 1e-9
"""Relative size of singular values that are zero."""


@dataclass(frozen=True, eq=False, repr=False)
class MovementFit(Described):
    """Residuals and forces of one movement at the solution.

    Attributes
    ----------
    name : str
        Name of the motion.
    time : (k,) float array
        Instants [s].
    residual : (k, c) float array
        Equations that are left [N m].
    size : float
        Root mean square of their right side [N m].
    torque : (k, n) float array
        Generalized forces of the motion [N m or N].
    activation, force : dict of (k,) float array
        Of muscles with EMG; forces [N].
    deep_force : dict of (k,) float array
        Forces of the muscles without [N] that fit best; of those that the motion and muscles in the
        equations determine. A diagnostic: where they are negative the model is wrong.
    independent : float
        Number of independent samples among the residuals.
    autocorrelation : (k,) float array
        Of the residuals, by lag.
    held_out : bool
        Whether the search left it out.
    by_coordinate : dict of float
        Root mean square of the part of each generalized force that is left [N m or N].
    """

    name: str
    time: Array
    residual: Array
    size: float
    torque: Array
    activation: dict[str, Array]
    force: dict[str, Array]
    deep_force: dict[str, Array]
    independent: float
    autocorrelation: Array
    held_out: bool

    by_coordinate: dict[str, float]

    @property
    def rms(self) -> float:
        """Root mean square of the residuals [N m]."""
        return float(np.sqrt(np.mean(self.residual**2)))

    @property
    def negative(self) -> dict[str, float]:
        """Share of instants in which the force of a muscle without EMG is negative."""
        return {name: float((one < 0.0).mean()) for name, one in self.deep_force.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Described):
    """Parameters that explain the data best.

    Attributes
    ----------
    problem : IdentificationProblem
        What was asked.
    values : dict of float
        Estimates by name, in the units of the problem.
    solved : Solved
        How they were found; `solved.z` are the estimates (u,).
    certainty : Certainty
        Deviations, intervals and correlations.
    movements : tuple of MovementFit
        Residuals and forces by movement.
    at_bounds : tuple of str
        Numbers at their bounds.
    filter : (float, float)
        c_1 <= c_2 of the filter, and `time_constants` [s] of both poles; NaN where it rings.
    guesses : tuple of Solved
        Ends of all searches, the best one first.
    slack : dict of Slack
        In the mode "fiber": slack lengths of the tendons [m] of the muscles that are in the
        equations, from what the fibers leave of the paths, with their deviations over time.
    inertia : dict of (10,) float array
        Mass, first moments and moments of inertia about the origin of its frame, by body: of bones
        with positive mass that obey the triangle inequality, those nearest to the base parameters
        found, in their deviations, and else to the model's.
    inertia_off : dict of float
        Their base parameters less those found, in deviations: where one is beyond 2, no bones have
        what was found, and `model` keeps its own.
    """

    problem: IdentificationProblem
    values: dict[str, float]
    solved: Solved
    certainty: Certainty
    movements: tuple[MovementFit, ...]
    at_bounds: tuple[str, ...]
    filter: tuple[float, float]
    time_constants: tuple[float, float]
    guesses: tuple[Solved, ...]
    slack: dict[str, Slack]
    inertia: dict[str, Array]
    inertia_off: dict[str, float]

    def model(self) -> Model:
        """The model with the muscles that were found, and with the bones if they have what was."""
        own = self.problem.preparation
        found = self.problem.unknowns.at(self.solved.z).muscles
        changes: dict[Any, Any] = {}
        for muscle, row in zip(own.seen, found, strict=True):
            change: dict[str, float] = dict(zip(OF_A_MUSCLE[:3], row[:3].tolist(), strict=True))
            change["pennation_angle"] = float(np.sqrt(row[3]))
            change["max_contraction_velocity"] = float(row[4] / row[1])
            changes[muscle] = change
        if max(map(abs, self.inertia_off.values()), default=0.0) <= FAR:
            changes |= {own.model.body(name): body_of(one) for name, one in self.inertia.items()}
        return own.model.edit(add=[*own.seen, *own.deep]).edit(changes)

    def report(self, folder: str | PathLike[str]) -> None:
        """Write a report (`report.html`) with its figures and tables into a folder.

        Raises
        ------
        ModelError
            If the extra ``view`` is not installed, which draws the figures.
        """
        check_drawing("the figures of a report", CURVES)
        from fibermsk.identification.report.page import write_report

        write_report(self, folder)


def identify(
    model: Model | IdentificationProblem,
    motion: Any = None,
    emg: Any = None,
    *,
    sigma: float | str = "estimate",
    guesses: int = 1,
    spread: float = 0.1,
    seed: int = 0,
    method: str = "lm",
    iterations: int = 4000,
    workers: int = 1,
    client: Any = None,
    progress: Callable[[Step], None] | None = None,
    **options: Any,
) -> Identification:
    """Find the parameters of muscles and bones that explain motions by EMG.

    Parameters
    ----------
    model : Model or IdentificationProblem
        A model with `motion`, `emg` and the options of an `IdentificationProblem`; or a problem.
    motion, emg
        As for `IdentificationProblem`.
    sigma : float or "estimate"
        Deviation of the residuals [N m], as if they were independent; 0 for exact data. By default
        it is estimated, with their correlation in time.
    guesses : int
        Number of searches: from the guess, and from others around it.
    spread : float
        Relative deviation of these.
    seed : int
        Of the random numbers.
    method : {"lm", "adam"}
        Levenberg and Marquardt with the homotopy from the guess; or Adam, a first-order method, for
        comparison, in which neither `sigma` nor the prior count.
    iterations : int
        Most steps of a search.
    workers : int
        Searches at a time, by joblib (``pip install "fibermsk[fit]"``).
    client : dask.distributed.Client, optional
        Runs the searches elsewhere.
    progress : callable, optional
        Called with each step; not where several searches run at a time.
    **options
        Of an `IdentificationProblem`.

    Returns
    -------
    found : Identification

    Raises
    ------
    ModelError
        If an argument is refused; see `IdentificationProblem`.
    """
    owner = "identify"
    if isinstance(model, IdentificationProblem):
        problem = model
        if motion is not None or emg is not None or options:
            given = "motion" if motion is not None else "emg" if emg is not None else [*options][0]
            _check.refuse(owner, given, "given", "be left out with a problem, which has it")
    else:
        known = inspect.signature(IdentificationProblem).parameters
        for name in options:
            if name not in known:
                near = _check.suggestion(name, list(known))
                _check.refuse(owner, "argument", name, f"be one of an IdentificationProblem{near}")
        problem = IdentificationProblem(model, motion, emg, **options)
    deviation: float | None = None
    if not (isinstance(sigma, str) and sigma == "estimate"):
        deviation = _check.non_negative(owner, "sigma", sigma, "N m")
    _check.choice(owner, "method", method, METHODS)
    guesses, workers = (
        _check.count(owner, name, value)
        for name, value in (("guesses", guesses), ("workers", workers))
    )
    spread = _check.positive(owner, "spread", spread)
    iterations = _check.count(owner, "iterations", iterations)
    _check.function(owner, "progress", progress)
    if client is not None and not (hasattr(client, "submit") and hasattr(client, "gather")):
        _check.refuse(owner, "client", client, "be a client of dask.distributed, or None")
    _check.whole(owner, "seed", seed)
    starts: list[Array | None] = [None]
    rng = np.random.default_rng(seed)
    starts += [problem.unknowns.of(scatter(problem, rng, spread)) for _ in range(guesses - 1)]
    calls = [(problem, deviation, method, iterations, one) for one in starts]
    found = _run(calls, workers, client, progress)
    weight = min(one.sigma for one in found)

    def merit(one: Solved) -> float:
        r, more = problem.residual.rows(one.z)[0], problem.prior.rows(one.z, weight)[0]
        return float(r @ r + more @ more)

    found.sort(key=merit)
    return found_of(problem, found[0], tuple(found))


def scattered(
    problem: IdentificationProblem, rng: np.random.Generator, spread: float
) -> IdentificationProblem:
    """The problem of one who knows but a guess that is off by a relative deviation."""
    numbers = scatter(problem, rng, spread)
    inertia = problem.preparation.regressor.values
    return problem.started(problem.unknowns_from(numbers, inertia))


def scatter(problem: IdentificationProblem, rng: np.random.Generator, spread: float) -> Numbers:
    """Numbers around the guess of a problem, all off by a relative deviation."""
    first = problem.unknowns.numbers
    inertia = problem.preparation.regressor.values
    off = inertia * (1.0 + spread * rng.normal(size=inertia.size))
    muscles = first.muscles * (1.0 + spread * rng.normal(size=first.muscles.shape))
    shortest = np.min([one.path.min(axis=0) for one in problem.training], axis=0)
    muscles[:, 2] = np.minimum(muscles[:, 2], shortest - 2.5e-3)
    c = np.real(poles(first.common)) * (1.0 + spread * rng.normal(size=2))
    c = np.clip(c, -0.99, -0.01)
    rest = first.common[2:] * (1.0 + spread * rng.normal(size=3))
    common = np.array([c[0] + c[1], c[0] * c[1], *rest])
    return first._replace(muscles=muscles, base=problem.base.of(off), common=common)


def _run(
    calls: Sequence[tuple[Any, ...]], workers: int, client: Any,
    progress: Callable[[Step], None] | None,
) -> list[Solved]:  # fmt: skip
    """Ends of searches with these arguments, here or elsewhere."""
    if client is not None:
        return list(client.gather([client.submit(search, *one) for one in calls]))
    if workers > 1 and len(calls) > 1:
        try:
            from joblib import Parallel, delayed
        except ImportError:
            must = "be 1 without joblib"
            remedy = "pip install 'fibermsk[fit]'"
            _check.refuse("identify", "workers", workers, must, remedy=remedy)
        ends: Any = Parallel(n_jobs=workers)(delayed(search)(*one) for one in calls)
        return list(ends)
    return [search(*one, tell=progress) for one in calls]


def found_of(
    problem: IdentificationProblem, solved: Solved, guesses: tuple[Solved, ...]
) -> Identification:
    """Estimates with all that is told of them."""
    z = solved.z
    J = problem.residual.rows(z)[1]
    movements = [along(problem, one, z, False) for one in problem.training]
    movements += [along(problem, one, z, True) for one in problem.held_out]
    sigma = solved.sigma or max(solved.rms, 1e-9)
    at = (z <= problem.lower) | (z >= problem.upper)
    common = problem.unknowns.at(z).common
    c, interval = poles(common), problem.training[0].emg.interval
    real = all(abs(one.imag) < 1e-12 and one.real < 0.0 for one in c)
    pair = (float(c[0].real), float(c[1].real)) if real else (np.nan, np.nan)
    times = [-interval / np.log(-one) if real else np.nan for one in pair]
    certainty = certainty_of(J, z, problem.unknowns, sigma)
    return Identification(
        problem, dict(zip(problem.names, z.tolist(), strict=True)), solved,
        certainty, tuple(movements),
        tuple(name for name, one in zip(problem.names, at, strict=True) if one), pair,
        (float(times[0]), float(times[1])), guesses, _slack(problem, z),
        *problem.bones(z, certainty),
    )  # fmt: skip


def _slack(problem: IdentificationProblem, z: Array) -> dict[str, Slack]:
    """Slack lengths of tendons beside measured fibers."""
    numbers, found = problem.unknowns.at(z), dict[str, Slack]()
    forces = [problem.residual.forces(one, numbers).force for one in problem.training]
    for m, muscle in enumerate(problem.preparation.seen):
        if problem.mode != "fiber" or not problem.used[m]:
            continue
        F, l0, _, p, _ = numbers.muscles[m]
        height = l0 * np.sin(np.sqrt(p))
        left = np.concatenate([
            one.path[:, m] - np.sqrt(one.length[:, m] ** 2 - height**2) for one in problem.training
        ])  # fmt: skip
        row = problem.laws[m].constants(muscle)
        row[0] = F
        force = np.concatenate([one[:, m] for one in forces])
        found[muscle.name] = slack_of(problem.laws[m], row, left, force)
    return found


def along(
    problem: IdentificationProblem, movement: Movement, z: Array, held_out: bool
) -> MovementFit:
    """Residuals and forces of a movement."""
    numbers, own = problem.unknowns.at(z), problem.residual
    forces = own.forces(movement, numbers)
    x = own.torques(movement, numbers, forces)
    torque = movement.derivatives @ numbers.base + movement.known
    left = movement.reach.rest(x)
    deep, determined = np.empty((movement.time.size, len(problem.deep))), np.ones(len(problem.deep))
    unknown = movement.arms[:, [not used for used in problem.used]]
    for k, arms in enumerate(movement.deep_arms):
        # what is missing: R_d^T f_d = tau - R_s^T f_s
        inverse = np.linalg.pinv(arms.T, rcond=_ZERO)
        deep[k] = inverse @ -x[k]
        determined = np.minimum(determined, np.diag(inverse @ arms.T))
        # muscles of which nothing is found stand in for these
        others = np.abs(inverse @ unknown[k].T).max(axis=1, initial=0.0)
        determined[others > _ZERO] = 0.0
    told = np.flatnonzero(determined > 1.0 - _ZERO)
    seen = [one.name for one in problem.preparation.seen]
    independent, rho = independent_samples(left)
    size = movement.reach.rest(torque)
    joint = np.sqrt((np.einsum("knc,kc->kn", movement.reach.left, left) ** 2).mean(axis=0))
    return MovementFit(
        movement.name, movement.time, left, float(np.sqrt(np.mean(size**2))), torque,
        dict(zip(seen, forces.activation.T, strict=True)),
        dict(zip(seen, forces.force.T, strict=True)),
        {problem.deep[k]: deep[:, k] for k in told}, independent, rho, held_out,
        dict(zip(problem.preparation.skeleton.independent, joint.tolist(), strict=True)),
    )  # fmt: skip

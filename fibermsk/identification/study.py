"""Studies: parameters that are known are found again from data that a model with them has made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.identification.choices import texts
from fibermsk.identification.fit.certainty import QUANTILE
from fibermsk.identification.fit.solve import Step
from fibermsk.identification.found import Identification, identify, scattered
from fibermsk.identification.problem import IdentificationProblem
from fibermsk.identification.unknowns import COMMON, OF_A_MUSCLE, poles
from fibermsk.kernels.identification.fibers import PENNATION
from fibermsk.model import Model
from fibermsk.read import drive
from fibermsk.results import Result
from fibermsk.results.columns import Column
from fibermsk.solvers import FixedSteps, simulate
from fibermsk.system import build

NOISE = {"torque": 0.1, "length": 5e-4, "arm": 0.02, "emg": 0.05}
"""Deviations: of torques [N m], lengths of paths [m], moment arms and EMG, the latter two relative.
"""
_CORRELATED = 0.075
"""Time over which errors of EMG are correlated [s]."""


class Recording(NamedTuple):
    """Data of one movement: columns by name, with "time" [s]."""

    motion: Mapping[str, Array]
    emg: Mapping[str, Array]
    fibers: Mapping[str, Array] | None = None


@dataclass(frozen=True)
class IdentificationStudy:
    """Known parameters, found again.

    Parameters
    ----------
    model : Model
        The model whose muscles and bones made the data.
    common : (5,) sequence of float
        True b_1, b_2, delay [s], and time constants of activation [s].
    record : callable
        Of a function that is told the progress; returns the recordings.
    options : mapping
        Of the `IdentificationProblem`.
    scored : sequence of str
        Names of the muscles over whose numbers the criteria are taken, with all that muscles share;
        by default all.
    noise : mapping of str to float
        Multiples of `NOISE`, by "torque", "length", "arm" and "emg".
    spread : float
        Relative deviation of the guess.
    seed : int
        Of guess and noise.
    sigma : float or "estimate"
        As for `identify`.
    guesses, workers : int
        As for `identify`.
    frames : int
        Frames of the movement that is shown.
    """

    model: Model
    common: Sequence[float]
    record: Callable[[Callable[[str], None]], list[Recording]]
    options: Mapping[str, Any] = field(default_factory=dict)
    scored: Sequence[str] = ()
    noise: Mapping[str, float] = field(default_factory=dict)
    spread: float = 0.1
    seed: int = 1
    sigma: float | str = 0.0
    guesses: int = 1
    workers: int = 1
    frames: int = 200

    def __post_init__(self) -> None:
        owner = "IdentificationStudy"
        _check.instance(owner, "model", self.model, Model, "a Model")
        _check.array(owner, "common", self.common, (5,))
        if not callable(self.record):
            _check.refuse(owner, "record", self.record, "be a function that returns recordings")
        _check.instance(owner, "options", self.options, Mapping, "a dict of options by name")
        texts(owner, "scored", self.scored)
        _check.instance(owner, "noise", self.noise, Mapping, "a dict by kind")
        for name, size in self.noise.items():
            _check.choice(owner, "noise", name, [*NOISE])
            _check.non_negative(owner, f"noise[{name!r}]", size)
        _check.positive(owner, "spread", self.spread)
        _check.whole(owner, "seed", self.seed)
        if not (isinstance(self.sigma, str) and self.sigma == "estimate"):
            _check.non_negative(owner, "sigma", self.sigma, "N m")
        for name in ("guesses", "workers", "frames"):
            _check.count(owner, name, getattr(self, name))

    def problem(self, records: Sequence[Recording]) -> IdentificationProblem:
        """The problem, with the true parameters as guess and noise in its data."""
        rng = np.random.default_rng([self.seed, 1])
        emg = [_noisy(one.emg, self.noise.get("emg", 0.0) * NOISE["emg"], rng) for one in records]
        options = dict(self.options)
        if options.get("mode") == "fiber":
            options["fibers"] = [one.fibers for one in records]
        c = np.real(poles(np.array(self.common)))
        problem = IdentificationProblem(
            self.model, [one.motion for one in records], emg, filter=(c[0], c[1]),
            emg_delay=self.common[2], activation_times=(self.common[3], self.common[4]), **options,
        )  # fmt: skip
        self._disturb(problem, rng)
        return problem

    def solve(self, progress: Callable[[str], None] | None = None) -> StudyResult:
        """Record, search from a scattered guess, and compare.

        `progress` is called with lines of text.
        """
        tell = progress or (lambda line: None)
        records = self.record(tell)
        problem = self.problem(records)
        rng = np.random.default_rng([self.seed, 0])
        start = scattered(problem, rng, self.spread)

        def step(now: Step) -> None:
            tell(f"step {now.iteration}, weight of the guess {now.weight:g} N m, "
                 f"sum of squares {now.cost:.3g}")  # fmt: skip

        found = identify(
            start, sigma=self.sigma, guesses=self.guesses, spread=self.spread, seed=self.seed,
            workers=self.workers, progress=step,
        )  # fmt: skip
        summary = self._summary(problem, found)
        result = self._played(records[0])
        names, estimates = physical(problem, found.solved.z)
        columns = {
            "truth": physical(problem, problem.guess)[1],
            "guess": physical(problem, found.problem.guess)[1], "estimate": estimates,
        }  # fmt: skip
        tables = {"identification": {name: Column(one) for name, one in columns.items()}}
        stats = result.stats | {"identification": summary | {"parameters": list(names)}}
        return StudyResult(
            replace(result, stats=stats, tables=result.tables | tables), problem, found
        )

    def _summary(self, problem: IdentificationProblem, found: Identification) -> dict[str, Any]:
        own, deviation = found.solved, found.certainty.deviation
        half = QUANTILE * deviation
        return self.criteria(problem, own.z) | {
            "base_rank": int(problem.base.independent.size), "seconds": own.seconds,
            "iterations": own.iterations, "restarts": len(own.restarted), "rms": own.rms,
            "unknowns": len(problem.names), "sigma": own.sigma,
            "within_95": float(np.mean(np.abs(own.z - problem.guess) < half)),
            "error_in_deviations": float(np.median(np.abs(own.z - problem.guess) / deviation)),
            "guesses": [
                self.criteria(problem, one.z)
                | {"seconds": one.seconds, "restarts": len(one.restarted)}
                for one in found.guesses
            ],
        }  # fmt: skip

    def criteria(self, problem: IdentificationProblem, z: Array) -> dict[str, float]:
        """Cr_1, Cr_2, Cr_2^m and the median error [%] at unknowns z, over what is scored.

        Sanderink and others, eqs. 22 and 23: the distance to the truth over its size, the mean of
        the relative errors, and that of the muscles alone.
        """
        names, value = physical(problem, z)
        exact = physical(problem, problem.guess)[1]
        muscles = {one.name for one in problem.preparation.seen}
        owners = [name.partition("/")[0] for name in names]
        kept = np.array([
            owner not in muscles or not self.scored or owner in self.scored for owner in owners
        ])  # fmt: skip
        of_muscles = np.array([owner in muscles for owner in owners])[kept]
        value, exact = value[kept], exact[kept]
        off = 100.0 * np.abs(value - exact) / np.abs(exact)
        return {
            "cr1": 100.0 * float(np.linalg.norm(value - exact) / np.linalg.norm(exact)),
            "cr2": float(off.mean()), "cr2m": float(off[of_muscles].mean()),
            "median": float(np.median(off)),
        }  # fmt: skip

    def _disturb(self, problem: IdentificationProblem, rng: np.random.Generator) -> None:
        """Noise of torques, lengths of paths and moment arms, in place."""
        torque, length, arm = (
            self.noise.get(name, 0.0) * NOISE[name] for name in ("torque", "length", "arm")
        )
        if not (torque or length or arm):
            return
        shape = problem.movements[0].arms.shape[1:]
        offsets, factors = length * rng.normal(size=shape[0]), arm * rng.normal(size=shape)
        for movement in problem.movements:
            movement.known[:] += torque * rng.normal(size=movement.known.shape)
            if movement.length is not movement.path:
                movement.length[:] += offsets
            movement.path[:] += offsets
            movement.arms[:] *= 1.0 + factors
        # what was computed of the arrays is computed again
        problem.residual = problem.started(problem.unknowns).residual

    def _played(self, record: Recording) -> Result:
        """A movement as a run that can be looked at."""
        names = [one.name for one in self.model.coordinates]
        motion = {key: record.motion[key] for key in ("time", *names) if key in record.motion}
        time = np.asarray(motion["time"])
        arm = self.model.edit(
            {one: {"law": None, "activation": None} for one in self.model.muscles}
        )
        return simulate(
            build(drive(arm, motion)), t_end=float(time[-1] - time[0]),
            dt=float(time[-1] - time[0]) / self.frames, control=FixedSteps(), time_error=False,
        )  # fmt: skip


class StudyResult(NamedTuple):
    """What a study gives.

    Attributes
    ----------
    result : Result
        The first movement, with a summary in ``stats["identification"]`` and a table of truth,
        guess and estimate.
    problem : IdentificationProblem
        The problem with the truth as guess.
    found : Identification
        What was found.
    """

    result: Result
    problem: IdentificationProblem
    found: Identification


def physical(problem: IdentificationProblem, z: Array) -> tuple[tuple[str, ...], Array]:
    """Names and values with c_1 <= c_2 and angles in place of what is sought for them."""
    names, values = list(problem.names), z.copy()
    for k, name in enumerate(names):
        if name.endswith(f"/{OF_A_MUSCLE[PENNATION]}"):
            names[k] = name.removesuffix("_squared")
            values[k] = np.sqrt(values[k])
    at = [problem.unknowns.index(one) for one in COMMON[:2]]
    if min(at) >= 0:
        c = poles(problem.unknowns.at(z).common)
        for k, name, one in zip(at, ("emg/c1", "emg/c2"), c, strict=True):
            names[k], values[k] = name, one.real
    return tuple(names), values


def _noisy(emg: Mapping[str, Array], size: float, rng: np.random.Generator) -> dict[str, Array]:
    """EMG with relative errors that are correlated in time, in [0, 1]."""
    time = np.asarray(emg["time"])
    stay = float(np.exp(-(time[1] - time[0]) / _CORRELATED))
    found = {"time": time}
    for name, values in emg.items():
        if name == "time":
            continue
        error = np.empty(time.size)
        kicks = rng.normal(size=time.size)
        error[0] = kicks[0]
        for k in range(1, time.size):
            error[k] = stay * error[k - 1] + np.sqrt(1.0 - stay**2) * kicks[k]
        found[name] = np.clip(values * (1.0 + size * error), 0.0, 1.0)
    return found

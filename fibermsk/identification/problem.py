"""Identification problems: a model, recorded movements, and what is sought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.analysis.frame import refuse_other_forces
from fibermsk.analysis.laws import rigid_law
from fibermsk.forces import ExternalForce
from fibermsk.identification.choices import Choices
from fibermsk.identification.conditions import Conditions, conditions_of
from fibermsk.identification.equations.bones import bones_of
from fibermsk.identification.equations.curves import tables_of
from fibermsk.identification.equations.geometry import refuse_full
from fibermsk.identification.equations.movement import Movement
from fibermsk.identification.equations.preparing import (
    DELAY,
    OWNER,
    base_parameters,
    checked_count,
    common_guess,
    coordinates_of_accelerations,
    known_of,
    loads_of,
    prepare,
    several_of,
)
from fibermsk.identification.equations.recordings import (
    Emg,
    at_samples,
    emg_of,
    fibers_of,
    resampled,
    series_of,
)
from fibermsk.identification.equations.residual import LOSSES, Residual
from fibermsk.identification.fit.certainty import Certainty, certainty_of
from fibermsk.identification.fit.solve import Prior
from fibermsk.identification.unknowns import (
    OF_A_MUSCLE,
    Numbers,
    Unknowns,
    deviations_of_inertia,
    numbers_of,
    unknowns_of,
)
from fibermsk.kernels.identification import fibers
from fibermsk.model import Model
from fibermsk.read.osim.acting import law_of

MODES = ("rigid", "elastic", "fiber")
DELAYS = ("smooth", "linear")

_USED = 1e-9
"""Moment arm [m] of a muscle in the equations that are left, below which it is not in them."""
_LEAD = 0.1
"""Time [s] in which fibers with elastic tendons forget how they began."""
_KNOWN = 1e-3
"""Deviation of base parameters that are known, over that of guesses."""
_SAME_RATE = 1e-3
"""Share by which sampling intervals of movements may differ, as by rounded times."""


class IdentificationProblem:
    """Parameters of muscles and bones that are to explain recorded motions by EMG.

    Muscles without EMG are deep: nothing is assumed of them, and what they may do is taken out of
    the equations of motion (`fibermsk.identification.equations.geometry`).

    Parameters
    ----------
    model : Model
        Bodies, joints and line muscles with numbers from which the search starts. External forces
        (`ExternalForce`) are known.
    motion, emg : path, Signals or mapping, or sequences of these
        One or more movements. Motion as for `fm.inverse_dynamics`, of all free coordinates; its
        speeds and accelerations come from a spline, or from columns ``<coordinate>/speed`` and
        ``<coordinate>/acceleration``. EMG in [0, 1], any rate, a column for each muscle, from 0.5 s
        before the first instant that is used.
    loads : sequence of sequences of ExternalForce, optional
        Known external forces of each movement, such as a weight in the hand: what
        `read_external_loads` reads. They anchor the scale.
    columns : mapping of str to str, optional
        Names of muscles by column of the EMG.
    bodies : sequence of str, optional
        Bodies whose inertia is sought; by default all that move and have mass.
    mode : {"rigid", "elastic", "fiber"}
        How the lengths of the fibers follow: from paths with rigid tendons; from the balance with
        elastic ones (of muscles whose law has one), without the first 0.1 s of each movement, in
        which fibers forget how they began; or measured.
    fibers : path, Signals or mapping, or a sequence of these, optional
        Lengths [m] of the fibers of the muscles with EMG, for the mode "fiber".
    loss : {"normalized", "torque", "acceleration"}
        Residual. With "normalized" errors of EMG do not pull down all forces and inertias; where
        errors of torques prevail, "torque" is right; without inertias that are sought both are the
        same. "acceleration" is that of Sanderink and
        others, in accelerations.
    delay : {"smooth", "linear"}
        How EMG is interpolated between its samples.
    prior : float or mapping of str to float
        Relative deviation of the guess: of all numbers, or by name or pattern, such as
        ``{"humerus/m": 0.01}``; 0.1 for others. Later patterns count. Of first moments or moments
        of inertia that are zero, relative to the largest of the body.
    bounds : mapping of str to (float, float), optional
        Bounds by name or pattern, in units of the numbers.
    groups : mapping of str to str or sequence of str, optional
        Numbers that share one factor on their guesses: patterns by the name of the factor.
    fixed : sequence of str, optional
        Names or patterns of numbers that are known.
    filter : (float, float), optional
        Guess of c_1, c_2, in (-1, 0), of the filter of the EMG with poles -c_1, -c_2.
    emg_delay : float
        Guess of the delay from EMG to excitation [s].
    activation_times : (float, float), optional
        Guess of the time constants of activation and deactivation [s]; by default those of the
        muscles, or 0.010 and 0.040 s.
    held_out : int
        How many movements, the last ones, are left out of the search and predicted.
    lowpass : float, optional
        Cut-off frequency of a filter of the motions [Hz], as for `fm.inverse_dynamics`.
    in_degrees : bool, optional
        As for `fm.drive`.

    Attributes
    ----------
    names, units : tuple of str
        Of the unknowns: ``<muscle>/max_isometric_force`` and so on, base parameters such as
        ``humerus/my``, and common numbers such as ``emg/delay``.
    guess, lower, upper : (u,) float array
        Guess and bounds.
    deep : tuple of str
        Muscles without EMG.
    rates : str
        Where speeds and accelerations come from.
    conditions : Conditions
        What the data can tell, without a solution.

    Raises
    ------
    ModelError
        If no equation is left, EMG and motion do not overlap in time, a column maps to no muscle,
        values look as if they had another unit, or an argument is refused.
    """

    def __init__(
        self,
        model: Model,
        motion: Any,
        emg: Any,
        *,
        loads: Sequence[Sequence[ExternalForce]] | None = None,
        columns: Mapping[str, str] | None = None,
        bodies: Sequence[str] | None = None,
        mode: str = "rigid",
        fibers: Any = None,
        loss: str = "normalized",
        delay: str = "smooth",
        prior: float | Mapping[str, float] = 0.1,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        groups: Mapping[str, str | Sequence[str]] | None = None,
        fixed: Sequence[str] = (),
        filter: tuple[float, float] | None = None,
        emg_delay: float = DELAY,
        activation_times: tuple[float, float] | None = None,
        held_out: int = 0,
        lowpass: float | None = None,
        in_degrees: bool | None = None,
    ) -> None:
        _check.instance(OWNER, "model", model, Model, "a Model")
        refuse_other_forces(model, "identification", (ExternalForce,))
        self.mode = _check.choice(OWNER, "mode", mode, MODES)
        self.loss = _check.choice(OWNER, "loss", loss, LOSSES)
        self._smooth = _check.choice(OWNER, "delay", delay, DELAYS) == "smooth"
        if lowpass is not None:
            lowpass = _check.positive(OWNER, "lowpass", lowpass, "Hz")
        choices = Choices.of(OWNER, prior, bounds, groups, fixed)
        if columns is not None:
            _check.instance(OWNER, "columns", columns, Mapping, "a dict of muscles by column")
        motions, records = several_of(motion), several_of(emg)
        if not motions:
            _check.refuse(OWNER, "motion", motion, "be one movement or more")
        if len(motions) != len(records):
            must = f"be as many as the motions, {len(motions)}"
            _check.refuse(OWNER, "emg", len(records), must)
        lengths = [None] * len(motions) if fibers is None else several_of(fibers)
        if (fibers is not None) != (mode == "fiber") or len(lengths) != len(motions):
            must = 'be given for the mode "fiber", for every motion, and for no other mode'
            _check.refuse(OWNER, "fibers", len(lengths) if fibers is not None else None, must)
        loaded = loads_of(loads, len(motions))
        held_out = checked_count(held_out, len(motions))
        names = [one.name for one in model.muscles]
        found = [emg_of(one, columns, names) for one in records]
        seen = found[0][1]
        for k, (_, own) in enumerate(found):
            if own != seen:
                must = f"have the muscles of the first one: {', '.join(seen)}"
                _check.refuse(OWNER, f"emg[{k}]", own, must)
        interval = found[0][0].interval
        for k, (record, own) in enumerate(found):
            if abs(record.interval - interval) > _SAME_RATE * interval:
                must = f"have the sampling interval of the first one, {interval:g} s"
                remedy = "the filter belongs to one rate: resample it"
                _check.refuse(OWNER, f"emg[{k}]", record.interval, must, unit="s", remedy=remedy)
            found[k] = (resampled(record, interval) if k else record), own
        self.rates = (
            "of a spline of fifth order, or as given, without a filter" if lowpass is None
            else f"of a spline of fifth order after a low-pass filter of {lowpass:g} Hz"
        )  # fmt: skip
        self.preparation = prepare(model, seen, bodies)
        self.base = base_parameters(self.preparation)
        self.movements = [
            self._movement(*one, lowpass, in_degrees)
            for one in zip(motions, [one for one, _ in found], lengths, loaded, strict=True)
        ]
        several = [one.name for one in self.movements]
        self.movements = [
            one._replace(name=f"{one.name} {k + 1}") if several.count(one.name) > 1 else one
            for k, one in enumerate(self.movements)
        ]
        self.deep = tuple(one.name for one in self.preparation.deep)
        for one in self.movements:
            refuse_full(one.reach, self.preparation.skeleton.n, self.deep)
        self.training = self.movements[: len(motions) - held_out]
        self.held_out = self.movements[len(motions) - held_out :]
        self.laws = [self._law(one) for one in self.preparation.seen]
        kinds = [self._kind(law) for law in self.laws]
        tables, own = tables_of(self.preparation.seen, self.laws)
        self.muscles = known_of(kinds, self.laws, own, tables)
        guess = Numbers(
            np.array([numbers_of(one) for one in self.preparation.seen]),
            self.base.of(self.preparation.regressor.values),
            common_guess(model, seen, filter, emg_delay, activation_times, interval),
        )
        self.choices = choices
        self.unknowns = self.unknowns_from(guess, self.preparation.regressor.values)
        self.residual = self._residual(self.training)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the unknowns."""
        return self.unknowns.names

    @property
    def units(self) -> tuple[str, ...]:
        """Their units; empty for none."""
        return self.unknowns.units

    @property
    def guess(self) -> Array:
        """Guess (u,)."""
        return self.unknowns.guess

    @property
    def lower(self) -> Array:
        """Lower bounds (u,)."""
        return self.unknowns.lower

    @property
    def upper(self) -> Array:
        """Upper bounds (u,)."""
        return self.unknowns.upper

    def rows(self, z: Any) -> tuple[Array, Array]:
        """Residuals (r,) and their Jacobian (r, u), for an optimizer of one's own."""
        return self.residual.rows(_check.array(OWNER, "z", z, self.guess.shape))

    @cached_property
    def prior(self) -> Prior:
        """The guess and a root of its precision."""
        return Prior(self.guess, np.asarray(np.linalg.cholesky(self.unknowns.prior).T, float))

    @cached_property
    def conditions(self) -> Conditions:
        """What the data can tell, without a solution."""
        names = [one.name for one in self.preparation.seen]
        idle = tuple(name for name, used in zip(names, self.used, strict=True) if not used)
        return conditions_of(self.training, self.unknowns.at(self.guess).base, idle)

    def expected(self, sigma: float) -> Certainty:
        """What is known of the unknowns at the guess from residuals of a deviation [N m]."""
        sigma = _check.positive(OWNER, "sigma", sigma, "N m")
        return certainty_of(self.rows(self.guess)[1], self.guess, self.unknowns, sigma)

    def bones(self, z: Array, certainty: Certainty) -> tuple[dict[str, Array], dict[str, float]]:
        """Bones nearest to unknowns, by body, and how far off they are, by base parameter.

        See `Identification.inertia`.
        """
        own = self.preparation.regressor
        if not own.names:
            return {}, {}
        at = slice(-5 - self.base.independent.size, -5)
        of_z = np.outer(certainty.deviation, certainty.deviation) * certainty.correlation
        covariance = self.unknowns.map[at] @ of_z @ self.unknowns.map[at].T
        size = deviations_of_inertia(own.names, own.values, self.choices)
        # of numbers that are known, a share of what the guess of others is off by
        covariance += _KNOWN**2 * np.diag(self.base.matrix**2 @ size**2)
        found = bones_of(self.base, self.unknowns.at(z).base, covariance, own.values)
        bodies = [name.rpartition("/")[0] for name in own.names[::10]]
        names = [own.names[k] for k in self.base.independent.tolist()]
        return (
            dict(zip(bodies, found.values.reshape(-1, 10), strict=True)),
            dict(zip(names, found.off.tolist(), strict=True)),
        )

    def started(self, unknowns: Unknowns) -> IdentificationProblem:
        """The same problem with another guess."""
        other = object.__new__(type(self))
        other.__dict__ = {
            k: v for k, v in self.__dict__.items() if k not in ("prior", "conditions")
        }
        other.unknowns = unknowns
        other.residual = other._residual(self.training)
        return other

    def unknowns_from(self, guess: Numbers, inertia: Array) -> Unknowns:
        """Unknowns with a guess, of which `inertia` are all inertial parameters."""
        m = len(self.preparation.seen)
        shortest = np.min([one.path.min(axis=0) for one in self.training], axis=0)
        if self.mode == "rigid":
            for k, muscle in enumerate(self.preparation.seen):
                if not guess.muscles[k, 2] < shortest[k]:
                    must = f"be below the shortest path in the motions, {shortest[k]:.4g} m"
                    remedy = 'use mode="elastic", or a shorter tendon'
                    _check.refuse(
                        f"line muscle {muscle.name!r}", "tendon_slack_length",
                        float(guess.muscles[k, 2]), must, unit="m", remedy=remedy,
                    )  # fmt: skip
        slack = [self.mode != "fiber"] * m
        return unknowns_of(
            guess, [one.name for one in self.preparation.seen], shortest, self.base,
            self.preparation.regressor.names, inertia, self.choices, slack, self.used,
        )  # fmt: skip

    def lengths_of(self, muscle: str) -> tuple[float, float] | None:
        """Mean path length and guess of the optimal length of a muscle with both unknown [m]."""
        names = [one.name for one in self.preparation.seen]
        m = names.index(muscle)
        if {f"{muscle}/{OF_A_MUSCLE[k]}" for k in (1, 2)} - set(self.names):
            return None
        mean = float(np.concatenate([one.path[:, m] for one in self.training]).mean())
        return mean, float(self.guess[self.unknowns.index(f"{muscle}/{OF_A_MUSCLE[1]}")])

    @cached_property
    def used(self) -> list[bool]:
        """Whether each muscle with EMG is in an equation that is left."""
        return [
            any(
                np.abs(np.einsum("kn,knc->kc", one.arms[:, m], one.reach.left)).max() > _USED
                for one in self.training
            )
            for m in range(len(self.preparation.seen))
        ]

    def _residual(self, movements: Sequence[Movement]) -> Residual:
        T = None
        if self.loss == "acceleration":
            T = coordinates_of_accelerations(self.preparation.skeleton)
        return Residual(movements, self.muscles, self.unknowns, self.loss, self._smooth, T)

    def _movement(
        self, motion: Any, emg: Emg, lengths: Any, loads: Sequence[ExternalForce],
        lowpass: float | None, degrees: bool | None,
    ) -> Movement:  # fmt: skip
        own = self.preparation
        names = list(own.skeleton.independent)
        name, series = series_of(own.model, motion, names, lowpass, degrees)
        lead = int(np.ceil(_LEAD / emg.interval)) if self.mode == "elastic" else 0
        first, series = at_samples(name, series, emg, lead)
        base = self.base.independent
        found = own.movement(
            name, first, series, emg, lambda A: np.ascontiguousarray(A[..., base]),
            self.loss == "acceleration", loads,
        )  # fmt: skip
        if lengths is not None:
            length, rate = fibers_of(lengths, [one.name for one in own.seen], series.time)
            found = found._replace(length=length, rate=rate)
        return found.after(lead)

    def _law(self, muscle: Any) -> Any:
        """Law of a muscle; with its own tendon, but for the mode "rigid"."""
        law, own = rigid_law(muscle), muscle.law
        if self.mode == "rigid":
            return law
        if own is None:
            found = law_of(muscle)
            own = None if found is None else found.law
        return law if own is None else own

    def _kind(self, law: Any) -> int:
        if self.mode == "fiber":
            return fibers.FIBER
        return fibers.RIGID if law.tendon == "rigid" else fibers.ELASTIC

"""One recorded movement: motion and EMG, and what they leave as equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.analysis.series import Series, smooth
from fibermsk.errors import ModelError
from fibermsk.identification.equations.geometry import Reach, beyond, paths_along
from fibermsk.identification.equations.inertia import Regressor
from fibermsk.model import LineMuscle, Model
from fibermsk.read import Signals, read_signals
from fibermsk.read.motion import motion_of, warn_of
from fibermsk.system.build import build
from fibermsk.system.skeleton.skeleton import Skeleton

FASTEST = 250.0
"""Sampling rate of EMG above which it is interpolated at `USUAL` [Hz]: envelopes are smooth."""
USUAL = 200.0

LEAD = 0.5
"""Time [s] that delay, filter and activation take to forget how they began."""

_UNIT = 1.0 + 1e-9
_SILENT = 0.02
"""Largest EMG of all muscles below which its unit is another."""
_WHOLE_TURNS = 4.0 * np.pi
"""Angle that no joint has [rad]."""
_SPEEDS = 0.3
"""Share by which given speeds may be off from those of the angles."""
_JITTER = 1e-3
"""Relative deviation of a sampling interval from the mean."""


class Emg(NamedTuple):
    """EMG at equal intervals: values (K, m) of m muscles in [0, 1], from time `start` [s]."""

    start: float
    interval: float
    values: Array


class Movement(NamedTuple):
    """A movement at k instants, which are samples of the EMG.

    Attributes
    ----------
    name : str
        Name of the motion.
    time : (k,) float array
        Instants [s].
    first : int
        Sample of the EMG at the first instant.
    emg : Emg
        Of the muscles with EMG, in the order of `arms`.
    length, rate : (k, m) float array
        Of the paths [m, m/s]; or of the fibers, if these were measured.
    path : (k, m) float array
        Length of the paths [m].
    arms : (k, m, n) float array
        Moment arms of the muscles with EMG [m].
    deep_arms : (k, d, n) float array
        Those of the muscles without.
    reach : Reach
        What the muscles without EMG cannot do.
    derivatives : (k, n, b) float array
        Of the generalized forces in the base parameters.
    known : (k, n) float array
        Generalized forces of all that is known.
    mass : (k, n, n, b) float array or None
        Derivatives of the mass matrix in the base parameters; for the loss of accelerations.
    known_mass : (k, n, n) float array or None
        The rest of the mass matrix.
    """

    name: str
    time: Array
    first: int
    emg: Emg
    length: Array
    rate: Array
    path: Array
    arms: Array
    deep_arms: Array
    reach: Reach
    derivatives: Array
    known: Array
    mass: Array | None
    known_mass: Array | None


def signals_of(source: Any, name: str) -> Signals:
    """Signals from a file, arrays by name, or signals."""
    if isinstance(source, Signals):
        return source
    if not isinstance(source, Mapping):
        return read_signals(source)
    if "time" not in source:
        _check.refuse(name, "arrays", sorted(map(str, source)), "have 'time' among their names")
    rest = {key: value for key, value in source.items() if key != "time"}
    return Signals(name, source["time"], rest)


def resampled(emg: Emg, interval: float) -> Emg:
    """The same EMG at another interval [s]."""
    time = emg.start + emg.interval * np.arange(emg.values.shape[0])
    even = np.arange(time[0], time[-1] + 1e-9 * interval, interval)
    values = np.stack([np.interp(even, time, one) for one in emg.values.T], axis=1)
    return Emg(emg.start, interval, values)


def emg_of(
    source: Any, columns: Mapping[str, str] | None, muscles: Sequence[str]
) -> tuple[Emg, list[str]]:
    """EMG at equal intervals, and the muscles that it is of, in the order of `muscles`.

    Raises
    ------
    ModelError
        If a column is of no muscle, or a value is beyond [0, 1].
    """
    signals = signals_of(source, "EMG")
    owner = f"EMG {signals.name!r}"
    own = dict[str, str]()
    for column in signals.values:
        muscle = (columns or {}).get(column, column)
        if muscle not in muscles:
            near = _check.suggestion(muscle, list(muscles))
            remedy = f"give columns={{{column!r}: <name of a muscle>}}, or remove it{near}"
            must = f"be of a muscle of the model, which {muscle!r} is not"
            _check.refuse(owner, "column", column, must, remedy=remedy)
        if muscle in own:
            _check.refuse(owner, "column", column, f"be the only one of {muscle!r}")
        own[muscle] = column
    for column in columns or {}:
        if column not in signals.values:
            _check.refuse(owner, "columns", column, f"be one of {', '.join(signals.values)}")
    names = [name for name in muscles if name in own]
    if not names or signals.time.size < 2:
        _check.refuse(owner, "columns", list(signals.values), "have a muscle and two samples")
    values = np.stack([signals.values[own[name]] for name in names], axis=1)
    for m, name in enumerate(names):
        wrong = np.flatnonzero(~((values[:, m] >= 0.0) & (values[:, m] <= _UNIT)))
        if wrong.size:
            k = int(wrong[0])
            _check.refuse(
                owner, f"{own[name]} at t = {signals.time[k]:g} s", float(values[k, m]),
                f"lie in [0, 1] ({wrong.size} of {values.shape[0]} samples do not)",
                remedy="divide envelopes by that of a maximal contraction: fm.emg_activation",
            )  # fmt: skip
    if values.max() < _SILENT:
        remedy = "divide envelopes by that of a maximal contraction: fm.emg_activation"
        must = f"reach {_SILENT:g} in one muscle: it looks as if it had another unit"
        _check.refuse(owner, "largest value", float(values.max()), must, remedy=remedy)
    time, steps = signals.time, np.diff(signals.time)
    mean = float(steps.mean())
    if np.abs(steps - mean).max() > _JITTER * mean or 1.0 / mean > FASTEST:
        even = np.arange(time[0], time[-1], 1.0 / min(USUAL, 1.0 / mean))
        values = np.stack([np.interp(even, time, one) for one in values.T], axis=1)
        time, mean = even, float(even[1] - even[0])
    return Emg(float(time[0]), mean, values), names


def series_of(
    model: Model, motion: Any, names: Sequence[str], lowpass: float | None, degrees: bool | None
) -> tuple[str, Series]:
    """Values, rates and accelerations of all free coordinates, given or from a spline.

    Columns ``<coordinate>/speed`` and ``<coordinate>/acceleration`` are used if all are there.
    """
    signals = signals_of(motion, "movement")
    endings = "/speed", "/acceleration"
    rates = [[f"{name}{one}" for name in names] for one in endings]
    others = {key for key in signals.values if key.endswith(endings)}
    values = {key: value for key, value in signals.values.items() if key not in others}
    plain = Signals(
        signals.name, signals.time, values, {key: signals.units[key] for key in values},
        signals.in_degrees, signals.degrees_said,
    )  # fmt: skip
    found = motion_of(model, plain, in_degrees=degrees)
    warn_of(model, found)
    known = {one.name: one for one in model.coordinates}
    missing = [name for name in names if name not in found.values]
    if missing:
        remedy = "add the columns, or lock the coordinates: Coordinate(locked=True)"
        must = f"have all free coordinates: {', '.join(names)}"
        _check.refuse(f"motion {found.name!r}", "columns", list(found.values), must, remedy=remedy)
    for name in names:
        largest = float(np.abs(found.values[name]).max())
        if known[name].kind == "rotation" and largest > _WHOLE_TURNS:
            must = "lie within two turns: it looks like degrees"
            remedy = "say in_degrees=True, or correct the header of the file"
            _check.refuse(f"motion {found.name!r}", name, largest, must, unit="rad", remedy=remedy)
    if not others:
        return found.name, smooth(found, list(names), lowpass)
    for one in (*rates[0], *rates[1]):
        if one not in others:
            must = f"have {one!r}, since it has {sorted(others)[0]!r}"
            _check.refuse(f"motion {found.name!r}", "columns", sorted(others), must)
    if lowpass is not None:
        must = "be left out for a motion with speeds and accelerations"
        _check.refuse(f"motion {found.name!r}", "lowpass", lowpass, must, unit="Hz")
    angle = np.array([
        np.pi / 180.0 if _in_degrees(signals, degrees) and known[name].kind == "rotation" else 1.0
        for name in names
    ])  # fmt: skip
    speed, acceleration = (
        np.stack([signals.values[one] for one in own], axis=1) * angle for own in rates
    )
    value = np.stack([found.values[name] for name in names], axis=1)
    own = smooth(found, list(names), None)
    for what, given, exact in (
        ("speed", speed, own.speed), ("acceleration", acceleration, own.acceleration),
    ):  # fmt: skip
        # away from the ends, where splines are less exact; noise of accelerations is let pass
        inner = slice(given.shape[0] // 10, -(given.shape[0] // 10) or None)
        slope = (given[inner] * exact[inner]).sum(axis=0) / (exact[inner] ** 2).sum(axis=0)
        for k in np.flatnonzero(np.abs(slope - 1.0) > _SPEEDS).tolist():
            if np.ptp(exact[inner, k]) > 1e-6:
                must = f"be the rate of change of its values: it is {slope[k]:.3g} times that"
                remedy = "check units: rad/s, or deg/s in a file in degrees"
                column = f"{names[k]}/{what}"
                _check.refuse(f"motion {found.name!r}", column, "given", must, remedy=remedy)
    return found.name, Series(found.time, value, speed, acceleration)


def _in_degrees(signals: Signals, asked: bool | None) -> bool:
    return signals.in_degrees if asked is None else asked


def at_samples(name: str, series: Series, emg: Emg) -> tuple[int, Series]:
    """First sample, and series at the samples of EMG within a motion.

    Raises
    ------
    ModelError
        If both do not overlap by more than the lead of the EMG.
    """
    from scipy.interpolate import make_interp_spline

    begin, end = float(series.time[0]), float(series.time[-1])
    h, K = emg.interval, emg.values.shape[0]
    tiny = 1e-6 * h
    first = max(int(np.ceil((begin - emg.start - tiny) / h)), int(np.ceil((LEAD - tiny) / h)), 0)
    last = min(int(np.floor((end - emg.start + tiny) / h)), K - 1)
    if last - first < 10:
        raise ModelError(
            f"motion {name!r} is from {begin:g} to {end:g} s, EMG from {emg.start:g} to "
            f"{emg.start + h * (K - 1):g} s; must overlap, after the first {LEAD:g} s of EMG, in "
            "more than 10 samples: check their clocks and units of time"
        )
    time = np.asarray(emg.start + h * np.arange(first, last + 1), float)
    if series.time.size == time.size and np.abs(series.time - time).max() < tiny:
        return first, Series(time, *series[1:])
    at = np.clip(time, begin, end)
    splines = (make_interp_spline(series.time, one, k=5) for one in series[1:])
    return first, Series(time, *(spline(at) for spline in splines))


def fibers_of(source: Any, muscles: Sequence[str], time: Array) -> tuple[Array, Array]:
    """Lengths of fibers (k, m) [m] at instants, and their rates, given or from a spline."""
    from scipy.interpolate import make_interp_spline

    signals = signals_of(source, "fiber lengths")
    values = np.stack([signals.signal(name) for name in muscles], axis=1)
    begin, end = signals.time[0], signals.time[-1]
    if begin > time[0] + 1e-9 or end < time[-1] - 1e-9:
        must = f"cover the motion, {time[0]:g} to {time[-1]:g} s"
        _check.refuse(f"fiber lengths {signals.name!r}", "time", (begin, end), must, unit="s")
    if not (values > 0.0).all() or values.max() > 1.0:
        must = "be positive lengths below 1 m"
        _check.refuse(f"fiber lengths {signals.name!r}", "values", float(values.max()), must)
    spline = make_interp_spline(signals.time, values, k=5)
    speeds = [f"{name}/speed" for name in muscles]
    if not set(speeds) <= set(signals.values):
        return spline(time), spline(time, 1)
    rates = np.stack([signals.signal(name) for name in speeds], axis=1)
    return spline(time), make_interp_spline(signals.time, rates, k=5)(time)


class Preparation(NamedTuple):
    """What movements of one model share.

    Attributes
    ----------
    model : Model
        Bodies without muscles; elements give known forces.
    skeleton : Skeleton
        Its skeleton.
    seen, deep : tuple of LineMuscle
        Muscles with EMG, and those without.
    regressor : Regressor
        Of the bodies with unknown inertia.
    """

    model: Model
    skeleton: Skeleton
    seen: tuple[LineMuscle, ...]
    deep: tuple[LineMuscle, ...]
    regressor: Regressor

    def forces(self, series: Series, loads: Sequence[Any] = ()) -> tuple[Array, Array]:
        """Derivatives (k, n, 10 b) of the forces of a motion, and known forces (k, n).

        External forces (`ExternalForce`), those of the model and `loads`, act at its times.
        """
        Y, known = self.regressor.at(series.value, series.speed, series.acceleration)
        loaded = self.model.edit(add=list(loads))
        if loaded.elements:
            system = build(loaded)
            for k, t in enumerate(series.time.tolist()):
                q, p, a = series.value[k], series.speed[k], series.acceleration[k]
                total = system.evaluate(t, q, p, a, tangent=False).residual[: self.skeleton.n]
                known[k] = total - Y[k] @ self.regressor.values
        return Y, known

    def movement(
        self, name: str, first: int, series: Series, emg: Emg, to_base: Any, with_mass: bool,
        loads: Sequence[Any] = (),
    ) -> Movement:  # fmt: skip
        """Paths and forces of a movement; `to_base` reduces derivatives to base parameters."""
        length, arms = paths_along(self.skeleton, (*self.seen, *self.deep), series.value)
        m = len(self.seen)
        Y, known = self.forces(series, loads)
        mass = known_mass = None
        if with_mass:
            mass, known_mass = self._mass(series.value)
            mass = to_base(mass)
        rate = -np.einsum("kmn,kn->km", arms, series.speed)
        path = np.ascontiguousarray(length[:, :m])
        return Movement(
            name=name, time=series.time, first=first, emg=emg, length=path,
            rate=np.ascontiguousarray(rate[:, :m]), path=path,
            arms=np.ascontiguousarray(arms[:, :m]), deep_arms=arms[:, m:],
            reach=beyond(arms[:, m:]), derivatives=to_base(Y), known=known, mass=mass,
            known_mass=known_mass,
        )  # fmt: skip

    def _mass(self, q: Array) -> tuple[Array, Array]:
        """Derivatives (k, n, n, 10 b) of the mass matrix, and the part (k, n, n) that is known."""
        n, none = self.skeleton.n, np.zeros_like(q)
        rest, at_rest = self.regressor.at(q, none, none)
        columns = [self.regressor.at(q, none, none + unit) for unit in np.eye(n)]
        return (
            np.stack([Y - rest for Y, _ in columns], axis=2),
            np.stack([known - at_rest for _, known in columns], axis=2),
        )

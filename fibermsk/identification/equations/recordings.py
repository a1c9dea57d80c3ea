"""Recorded motions, EMG and lengths of fibers, checked and at common instants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._warn import warn
from fibermsk.analysis.series import Series, smooth
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.model import Model
from fibermsk.read import Signals, read_signals
from fibermsk.read.motion import motion_of, warn_of

FASTEST = 250.0
"""Sampling rate of EMG above which it is interpolated at `USUAL` [Hz]: envelopes are smooth."""
USUAL = 200.0

LEAD = 0.5
"""Time [s] that delay, filter and activation take to forget how they began."""

_UNIT = 1.0 + 1e-9
_SILENT = 0.02
"""Largest EMG of all muscles below which its unit is another; of one, below which it is told."""
_SLOWEST = 0.1
"""Longest interval of EMG, and shortest gap [s]: delay and activation are faster."""
_GAP = 5.0
"""Interval over the usual one from which it is a gap."""
_STILL = 1e-6, 1e-2
"""Range of rates of what does not move, and rates that are none of it [rad/s or m/s, and /s^2]."""
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
            remedy = (
                f"name its muscle: columns={{{column!r}: ...}}, or --column {column}=MUSCLE on the "
                f"command line; or remove it{near}"
            )
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
    silent = [own[name] for m, name in enumerate(names) if values[:, m].max() < _SILENT]
    if silent:
        text = f"{owner}: {', '.join(silent)} never reach {_SILENT:g} of a maximal contraction"
        warn(ModelWarning(text))
    time, steps = signals.time, np.diff(signals.time)
    _refuse_gaps(owner, time)
    mean = float(steps.mean())
    if mean > _SLOWEST:
        must = f"be at most {_SLOWEST:g} s: delay and activation are faster"
        remedy = "times are in seconds; record EMG at 100 Hz or more"
        _check.refuse(owner, "interval of samples", mean, must, unit="s", remedy=remedy)
    if np.abs(steps - mean).max() > _JITTER * mean or 1.0 / mean > FASTEST:
        even = np.arange(time[0], time[-1], 1.0 / min(USUAL, 1.0 / mean))
        values = np.stack([np.interp(even, time, one) for one in values.T], axis=1)
        time, mean = even, float(even[1] - even[0])
    return Emg(float(time[0]), mean, values), names


def _refuse_gaps(owner: str, time: Array) -> None:
    steps = np.diff(time)
    k = int(steps.argmax())
    if steps[k] > max(_GAP * float(np.median(steps)), _SLOWEST):
        must = f"be below {_GAP:g} usual intervals: nothing is known in between"
        remedy = "make two movements of it, or fill the gap"
        _check.refuse(
            owner, f"interval at t = {time[k]:g} s", float(steps[k]), must, unit="s", remedy=remedy
        )


def _refuse_other_rates(
    owner: str, columns: Sequence[str], given: Array, exact: Array, units: str
) -> None:
    """Refuse rates (k, n) that are not those of the values, as by another unit."""
    # away from the ends, where splines are less exact; noise is let pass
    inner = slice(given.shape[0] // 10, -(given.shape[0] // 10) or None)
    given, exact = given[inner], exact[inner]
    for k, column in enumerate(columns):
        still = np.abs(exact[:, k]).max() < _STILL[0]
        if still and np.abs(given[:, k]).max() < _STILL[1]:
            continue
        must = "be the rate of change of its values, which do not change"
        if not still:
            slope = float(given[:, k] @ exact[:, k] / (exact[:, k] @ exact[:, k]))
            if abs(slope - 1.0) <= _SPEEDS:
                continue
            must = f"be the rate of change of its values: it is {slope:.3g} times that"
        _check.refuse(owner, column, "given", must, remedy=f"check units: {units}")


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
    _refuse_gaps(f"motion {found.name!r}", found.time)
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
    for columns, given, exact in (
        (rates[0], speed, own.speed), (rates[1], acceleration, own.acceleration),
    ):  # fmt: skip
        units = "rad/s, or deg/s in a file in degrees"
        _refuse_other_rates(f"motion {found.name!r}", columns, given, exact, units)
    return found.name, Series(found.time, value, speed, acceleration)


def _in_degrees(signals: Signals, asked: bool | None) -> bool:
    return signals.in_degrees if asked is None else asked


def at_samples(name: str, series: Series, emg: Emg, more: int = 0) -> tuple[int, Series]:
    """First sample, and series at the samples of EMG within a motion: ten, and `more`, at least.

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
    if last - first < 10 + more:
        raise ModelError(
            f"motion {name!r} is from {begin:g} to {end:g} s, EMG from {emg.start:g} to "
            f"{emg.start + h * (K - 1):g} s; must overlap, after the first {LEAD:g} s of EMG, in "
            f"more than {10 + more} samples: check their clocks and units of time"
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
    owner = f"fiber lengths {signals.name!r}"
    _refuse_gaps(owner, signals.time)
    values = np.stack([signals.signal(name) for name in muscles], axis=1)
    begin, end = signals.time[0], signals.time[-1]
    if begin > time[0] + 1e-9 or end < time[-1] - 1e-9:
        must = f"cover the motion, {time[0]:g} to {time[-1]:g} s"
        _check.refuse(owner, "time", (begin, end), must, unit="s")
    if not (values > 0.0).all() or values.max() > 1.0:
        must = "be positive lengths below 1 m"
        _check.refuse(owner, "values", float(values.max()), must)
    spline = make_interp_spline(signals.time, values, k=5)
    speeds = [f"{name}/speed" for name in muscles]
    if not set(speeds) <= set(signals.values):
        return spline(time), spline(time, 1)
    rates = np.stack([signals.signal(name) for name in speeds], axis=1)
    _refuse_other_rates(owner, speeds, rates, spline(signals.time, 1), "m/s")
    return spline(time), make_interp_spline(signals.time, rates, k=5)(time)

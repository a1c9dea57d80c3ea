"""Activations from electromyograms.

The chain of Buchanan, Lloyd, Manal and Besier, J. Appl. Biomech. 20 (2004), 367-395: a high-pass
filter takes off what moves the electrodes, the signal is rectified and smoothed, divided by that of
a maximal voluntary contraction, and delayed, for force comes later than its electric sign.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import Table
from fibermsk.read.signals import Signals

__all__ = ["emg_activation", "emg_envelope"]

Array = NDArray[np.float64]

_ORDER = 2
"""Of each filter; passed forwards and backwards, it acts as one of twice the order."""

_JITTER = 0.01
"""Largest deviation of a sampling interval from the mean, over it."""

_SAMPLES_PER_PERIOD = 20
"""Samples of an activation in a period of the low-pass frequency: what straight lines between them
miss is below 1.3 percent there."""


def emg_envelope(
    signals: Signals, name: str, *, high_pass: float = 20.0, low_pass: float = 6.0
) -> Array:
    """Envelope of a raw electromyogram: high-pass filtered, rectified, low-pass filtered.

    Both filters are Butterworth filters passed forwards and backwards, so that nothing is delayed;
    their corners are moved so that the two passes together weaken by 3 dB at the frequencies given.

    Parameters
    ----------
    signals : Signals
        Raw, at equal intervals; from `read_signals`.
    name : str
        The column.
    high_pass : float
        Corner below which movement of the electrodes is taken off [Hz]; 20 Hz [2]_.
    low_pass : float
        Corner of the smoothing [Hz]; 3 to 10 Hz [1]_.

    Returns
    -------
    envelope : (m,) float array
        New array, at the times of the signals and in their unit; zero or above: where the filter
        undershoots, zero.

    Raises
    ------
    ModelError
        If there is no such column, intervals differ, the sampling is too coarse or too short for
        the corners, or the signal is not raw.

    References
    ----------
    .. [1] Buchanan, Lloyd, Manal and Besier, J. Appl. Biomech. 20 (2004), 367-395.
    .. [2] De Luca, Gilmore, Kuznetsov and Roy, J. Biomech. 43 (2010), 1573-1579.
    .. [3] Robertson and Dowling, J. Electromyogr. Kinesiol. 13 (2003), 569-573: the corners.
    """
    from scipy.signal import butter, sosfiltfilt  # takes a while, and only this needs it

    _check.instance("emg", "signals", signals, Signals, "Signals, from fm.read_signals")
    _check.instance("emg", "name", name, str, "the name of a column")
    owner = f"emg {name!r} of signals {signals.name!r}"
    time = _check.array(owner, "time", signals.time, ("m",), "s")
    values = _check.array(owner, "values", signals.signal(name), (time.size,))
    rate = _sampling_rate(owner, time)
    high = _check.positive(owner, "high_pass", high_pass, "Hz")
    low = _check.positive(owner, "low_pass", low_pass, "Hz")
    if low >= high:
        _check.refuse(owner, "low_pass", low, f"be below high_pass = {high:g} Hz", unit="Hz")
    if rate <= 4.0 * high:
        must = f"be above 4 high_pass = {4.0 * high:g} Hz"
        remedy = "record raw signals at 1000 Hz or more"
        _check.refuse(owner, "sampling rate", rate, must, unit="Hz", remedy=remedy)
    duration = float(signals.time[-1] - signals.time[0])
    if duration * low < 2.0:
        must = f"be two periods of low_pass, {2.0 / low:g} s, or more"
        _check.refuse(owner, "duration", duration, must, unit="s")
    least, largest = float(values.min()), float(values.max())
    if least == largest:
        _check.refuse(
            owner, "value at all times", least, "change, as that of a raw signal",
            remedy="look whether the channel was recorded",
        )  # fmt: skip
    if not (least < 0.0 < largest):
        _check.refuse(
            owner,
            "least and largest value",
            np.array([least, largest]),
            "lie on both sides of zero, as those of a raw signal",
            remedy="take off its mean if it was recorded with an offset: fm.Signals(name, time, "
            "{column: values - values.mean()}); if it is an envelope already, "
            "signals.activation() takes it",
        )

    def filtered(x: Array, corner: float, kind: str) -> Array:
        sections = butter(_ORDER, _of_one_pass(corner, rate, kind), kind, fs=rate, output="sos")
        return np.asarray(sosfiltfilt(sections, x))

    envelope = filtered(np.abs(filtered(values, high, "highpass")), low, "lowpass")
    return np.maximum(envelope, 0.0)


def emg_activation(
    signals: Signals,
    name: str,
    *,
    max_voluntary: float,
    high_pass: float = 20.0,
    low_pass: float = 6.0,
    delay: float = 0.05,
    shape: float = 0.0,
    scale: float = 1.0,
) -> Table:
    """Activation of a muscle from its raw electromyogram.

    Parameters
    ----------
    signals, name, high_pass, low_pass
        As for `emg_envelope`.
    max_voluntary : float
        Largest envelope in a maximal voluntary contraction, in the unit of the signal:
        ``fm.emg_envelope(trial, name).max()`` of such a trial, with the same corners.
    delay : float
        Time from the electric signal to the force [s]; 0.05 s as measured in the biceps [2]_, and
        10 to 100 ms in general [1]_.
    shape : float
        Curvature A of the way from signal to force, -3 to 0 [1]_; zero is a straight line.
    scale : float
        Activation of the model at the maximal voluntary contraction, in (0, 1].

    Returns
    -------
    activation : Table
        Straight lines between samples, twenty in a period of `low_pass`; the first and last value
        hold before and after.

    Raises
    ------
    ModelError
        As for `emg_envelope`, or if a parameter lies outside its range, or the envelope rises above
        `max_voluntary`: nothing is clipped.

    Notes
    -----
    With the envelope e, u(t) = e(t - delay) / max_voluntary and
    a = scale (exp(A u) - 1) / (exp(A) - 1), eq. 6 of [1]_ for A below zero.

    References
    ----------
    .. [1] Buchanan, Lloyd, Manal and Besier, J. Appl. Biomech. 20 (2004), 367-395.
    .. [2] Cavanagh and Komi, Eur. J. Appl. Physiol. 42 (1979), 159-163.
    """
    owner = f"emg {_check.instance('emg', 'name', name, str, 'the name of a column')!r}"
    largest = _check.positive(owner, "max_voluntary", max_voluntary)
    delay = _check.non_negative(owner, "delay", delay, "s")
    scale = _check.number(
        owner, "scale", scale, accept=lambda x: 0.0 < x <= 1.0, must="lie above 0, and at most at 1"
    )
    shape = _check.number(
        owner, "shape", shape, accept=lambda x: -3.0 <= x <= 0.0, must="lie in [-3, 0]"
    )
    envelope = emg_envelope(signals, name, high_pass=high_pass, low_pass=low_pass)
    over = np.flatnonzero(envelope > largest)
    if over.size:
        k = int(over[0])
        raise ModelError(
            f"{owner}: envelope at t = {signals.time[k]:g} s = {envelope[k]:.4g}; must be at most "
            f"max_voluntary = {largest:.4g}; the largest of this signal is {envelope.max():.4g}: "
            "give what a maximal contraction has"
        )
    start, end = float(signals.time[0]), float(signals.time[-1])
    n = math.ceil((end - start) * low_pass * _SAMPLES_PER_PERIOD)
    times = np.linspace(start, end, min(n, signals.time.size - 1) + 1)
    u = np.interp(times, signals.time, envelope) / largest
    if shape < 0.0:
        u = np.expm1(shape * u) / math.expm1(shape)
    return Table(times + delay, scale * u)


def _sampling_rate(owner: str, time: Array) -> float:
    """Samples a second; the intervals are equal."""
    if time.size < 2:
        _check.refuse(owner, "samples", time.size, "be two or more")
    steps = np.diff(time)
    mean = float(steps.mean())
    off = np.abs(steps - mean)
    k = int(off.argmax())
    if off[k] > _JITTER * mean:
        must = f"differ from the mean, {mean:g} s, by less than a hundredth"
        remedy = "sample again at equal intervals, or cut at the gap"
        field = f"interval after t = {time[k]:g} s"
        _check.refuse(owner, field, float(steps[k]), must, unit="s", remedy=remedy)
    return 1.0 / mean


def _of_one_pass(corner: float, rate: float, kind: str) -> float:
    """Corner of one pass [Hz], of which two weaken by 3 dB at the corner given.

    Of the squared gain 1 / (1 + (W / W_c)^2n), W = tan(pi f / rate), the square is 1/2 there.
    """
    move = (math.sqrt(2.0) - 1.0) ** (1.0 / (2 * _ORDER))
    bent = math.tan(math.pi * corner / rate)
    bent = bent / move if kind == "lowpass" else bent * move
    return rate / math.pi * math.atan(bent)

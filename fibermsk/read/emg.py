"""Activations from electromyograms.

A high-pass filter removes motion artifacts, the signal is rectified and smoothed, divided by that
of a maximal voluntary contraction, and shifted by the electromechanical delay.
"""

from __future__ import annotations

import math

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.model import Table
from fibermsk.read.signals import Signals

_ORDER = 2
"""Order of each filter; both passes together have twice the order."""

_JITTER = 0.01
"""Largest relative deviation of a sampling interval from the mean."""

_SAMPLES_PER_PERIOD = 20
"""Samples per low-pass period: the error of linear interpolation is below 1.3 percent."""


def emg_envelope(
    signals: Signals, name: str, *, high_pass: float = 20.0, low_pass: float = 6.0
) -> Array:
    """Compute the envelope of a raw electromyogram: high-pass filter, rectifier, low-pass filter.

    Both filters are Butterworth filters applied forward and backward, without phase lag; their
    corner frequencies are corrected so that both passes together attenuate by 3 dB at the given
    ones.

    Parameters
    ----------
    signals : Signals
        Raw signals at equal intervals, from `read_signals`.
    name : str
        Name of the column.
    high_pass : float
        Corner frequency below which motion artifacts are removed [Hz]; 20 Hz [2]_.
    low_pass : float
        Corner frequency of the smoothing [Hz]; 3 to 10 Hz [1]_.

    Returns
    -------
    envelope : (m,) float array
        New array, at the times of the signals and in their unit; non-negative: undershoots of the
        filter are set to zero.

    Raises
    ------
    ModelError
        If there is no such column, intervals differ, the sampling is too coarse or too short for
        the corner frequencies, or the signal is not raw.

    References
    ----------
    .. [1] Buchanan, Lloyd, Manal and Besier, J. Appl. Biomech. 20 (2004), 367-395.
    .. [2] De Luca, Gilmore, Kuznetsov and Roy, J. Biomech. 43 (2010), 1573-1579.
    .. [3] Robertson and Dowling, J. Electromyogr. Kinesiol. 13 (2003), 569-573: corner frequencies.
    """
    from scipy.signal import butter, sosfiltfilt  # slow import, needed here only

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
            owner, "value at all times", least, "vary, as in a raw signal",
            remedy="check that the channel was recorded",
        )  # fmt: skip
    if not (least < 0.0 < largest):
        _check.refuse(
            owner,
            "smallest and largest value",
            np.array([least, largest]),
            "lie on both sides of zero, as in a raw signal",
            remedy="subtract its mean if it was recorded with an offset: fm.Signals(name, time, "
            "{column: values - values.mean()}); for an envelope use "
            "signals.activation()",
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
    """Compute the activation of a muscle from its raw electromyogram.

    Parameters
    ----------
    signals, name, high_pass, low_pass
        As for `emg_envelope`.
    max_voluntary : float
        Largest envelope in a maximal voluntary contraction, in the unit of the signal:
        ``fm.emg_envelope(trial, name).max()`` of such a trial, with the same corner frequencies.
    delay : float
        Electromechanical delay [s]; 0.05 s as measured in the biceps [2]_, 10 to 100 ms in general
        [1]_.
    shape : float
        Shape factor A of the nonlinearity, -3 to 0 [1]_; zero is linear.
    scale : float
        Activation of the model at the maximal voluntary contraction, in (0, 1].

    Returns
    -------
    activation : Table
        Linear interpolation of twenty samples per period of `low_pass`; constant before the first
        and after the last.

    Raises
    ------
    ModelError
        As for `emg_envelope`, or if a parameter lies outside its range, or the envelope exceeds
        `max_voluntary`: values are not clipped.

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
        owner, "scale", scale, accept=lambda x: 0.0 < x <= 1.0, must="lie in (0, 1]"
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
            "give that of a maximal contraction"
        )
    start, end = float(signals.time[0]), float(signals.time[-1])
    n = math.ceil((end - start) * low_pass * _SAMPLES_PER_PERIOD)
    times = np.linspace(start, end, min(n, signals.time.size - 1) + 1)
    u = np.interp(times, signals.time, envelope) / largest
    if shape < 0.0:
        u = np.expm1(shape * u) / math.expm1(shape)
    return Table(times + delay, scale * u)


def _sampling_rate(owner: str, time: Array) -> float:
    """Sampling rate [Hz] of equal intervals."""
    if time.size < 2:
        _check.refuse(owner, "samples", time.size, "be two or more")
    steps = np.diff(time)
    mean = float(steps.mean())
    off = np.abs(steps - mean)
    k = int(off.argmax())
    if off[k] > _JITTER * mean:
        must = f"differ from the mean, {mean:g} s, by less than 1 percent"
        remedy = "resample at equal intervals, or cut at the gap"
        field = f"interval after t = {time[k]:g} s"
        _check.refuse(owner, field, float(steps[k]), must, unit="s", remedy=remedy)
    return 1.0 / mean


def _of_one_pass(corner: float, rate: float, kind: str) -> float:
    """Corner frequency of one pass [Hz] such that two passes attenuate by 3 dB at the given one.

    The square of the squared gain 1 / (1 + (W / W_c)^2n), W = tan(pi f / rate), is 1/2 there.
    """
    move = (math.sqrt(2.0) - 1.0) ** (1.0 / (2 * _ORDER))
    bent = math.tan(math.pi * corner / rate)
    bent = bent / move if kind == "lowpass" else bent * move
    return rate / math.pi * math.atan(bent)

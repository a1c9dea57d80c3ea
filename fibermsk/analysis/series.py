"""Values, speeds and accelerations of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.analysis.motion import Motion

_ORDER = 5
"""Order of the interpolating spline, whose fourth derivative is continuous."""


class Series(NamedTuple):
    """A motion of j coordinates at k instants."""

    time: Array
    value: Array  # (k, j)
    speed: Array
    acceleration: Array


def smooth(motion: Motion, names: list[str], lowpass: float | None) -> Series:
    """Series of some coordinates from a spline through their samples, filtered if asked."""
    from scipy.interpolate import make_interp_spline

    owner, time = f"motion {motion.name!r}", motion.time
    if time.size <= _ORDER:
        _check.refuse(owner, "samples", time.size, f"be {_ORDER + 1} or more to have accelerations")
    values = np.stack([motion.values[name] for name in names], axis=1)
    if lowpass is not None:
        values = _filtered(owner, time, values, lowpass)
    spline = make_interp_spline(time, values, k=_ORDER)
    return Series(time, spline(time), spline(time, 1), spline(time, 2))


def _filtered(owner: str, time: Array, values: Array, lowpass: float) -> Array:
    """Values without fast changes, by a Butterworth filter forward and backward."""
    from scipy.signal import butter, sosfiltfilt

    steps = np.diff(time)
    mean = float(steps.mean())
    if np.abs(steps - mean).max() > 1e-3 * mean:
        must = "have equal intervals for a filter"
        _check.refuse(owner, "time", time, must, remedy="resample it, or leave lowpass out")
    lowpass = _check.positive(owner, "lowpass", lowpass, "Hz")
    if lowpass >= 0.5 / mean:
        must = f"be below half the sampling rate, {0.5 / mean:g} Hz"
        _check.refuse(owner, "lowpass", lowpass, must, unit="Hz")
    sections = butter(3, 2.0 * lowpass * mean, output="sos")
    pad = min(len(time) - 1, int(3.0 / (lowpass * mean)))
    return sosfiltfilt(sections, values, axis=0, padlen=pad)

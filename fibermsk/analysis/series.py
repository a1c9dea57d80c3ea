"""Values, speeds and accelerations of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.read.motion import Motion

_ORDER = 5
"""Order of the interpolating spline, whose fourth derivative is continuous."""


class Series(NamedTuple):
    """A motion of j coordinates at k instants."""

    time: Array
    value: Array  # (k, j)
    speed: Array
    acceleration: Array


def smooth(motion: Motion, names: list[str], lowpass: float | None) -> Series:
    """Series of some coordinates from a spline through their samples, filtered if asked.

    The spline is natural: its third and fourth derivatives are zero at both ends, since those of
    one without conditions amplify noise there. A filtered one ends outside of the motion.
    """
    from scipy.interpolate import make_interp_spline

    owner, time = f"motion {motion.name!r}", motion.time
    if time.size <= _ORDER:
        _check.refuse(owner, "samples", time.size, f"be {_ORDER + 1} or more to have accelerations")
    knots, values = time, np.stack([motion.values[name] for name in names], axis=1)
    if lowpass is not None:
        knots, values = _filtered(owner, time, values, lowpass)
    ends = [(order, np.zeros(len(names))) for order in (3, 4)]
    spline = make_interp_spline(knots, values, k=_ORDER, bc_type=(ends, ends))
    return Series(time, spline(time), spline(time, 1), spline(time, 2))


def _filtered(owner: str, time: Array, values: Array, lowpass: float) -> tuple[Array, Array]:
    """Times and values without fast changes, by a Butterworth filter forward and backward.

    The motion is first continued at both ends by half its duration, reflected at the end points.
    """
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
    more = time.size // 2
    times, longer = (
        np.concatenate([2.0 * x[0] - x[more:0:-1], x, 2.0 * x[-1] - x[-2 : -more - 2 : -1]])
        for x in (time, values)
    )
    return times, sosfiltfilt(sections, longer, axis=0, padlen=0)

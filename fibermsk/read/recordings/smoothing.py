"""Filters and splines of measured series, with their settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array

FILTER_ORDER = 3
"""Order of OpenSim's low-pass filter."""

_MOST = 10
"""Highest order of a filter; sections of second order remain exact."""


class Treatment(NamedTuple):
    """What was done to a recording."""

    what: str  # such as "low-pass filter"
    settings: Mapping[str, Any]  # by name, in SI units

    def __str__(self) -> str:
        settings = ", ".join(f"{key} {value}" for key, value in self.settings.items())
        return f"{self.what}: {settings}"


def lowpass_treatment(cutoff: float, order: int) -> Treatment:
    """A low-pass filter as an entry of the treatment of a recording."""
    settings = {
        "kind": "Butterworth", "order": order, "cutoff": f"{cutoff:g} Hz",
        "applied": "forward and backward", "ends": "reflected by half of the duration",
    }  # fmt: skip
    return Treatment("low-pass filter", settings)


def spline_treatment(order: int, samples: int) -> Treatment:
    """A natural spline as an entry of the treatment of a recording."""
    return Treatment("spline", {"order": order, "ends": "natural", "samples": samples})


def check_filter(owner: str, time: Array, cutoff: Any, order: Any, field: str) -> tuple[float, int]:
    """Checked cut-off frequency [Hz], below half the rate of equal intervals, and order."""
    steps = np.diff(time)
    if steps.size == 0:
        _check.refuse(owner, "samples", time.size, "be two or more for a filter")
    mean = float(steps.mean())
    if np.abs(steps - mean).max() > 1e-3 * mean:
        must = "have equal intervals for a filter"
        _check.refuse(owner, "time", time, must, remedy=f"resample it, or leave {field} out")
    cutoff = _check.positive(owner, field, cutoff, "Hz")
    if cutoff >= 0.5 / mean:
        must = f"be below half the sampling rate, {0.5 / mean:g} Hz"
        _check.refuse(owner, field, cutoff, must, unit="Hz")
    return cutoff, _check.count(owner, "order", order, _MOST)


def filtered(
    time: Array, values: Array, cutoff: float, order: int, mean: float
) -> tuple[Array, Array]:
    """Times and values (n, m) without fast changes, by a Butterworth filter forward and backward.

    Series are first continued at both ends by half of their duration, reflected at the end points,
    and so are the results. `mean` is the interval [s].
    """
    from scipy.signal import butter, sosfiltfilt

    sections = butter(order, 2.0 * cutoff * mean, output="sos")
    more = time.size // 2
    times, longer = (
        np.concatenate([2.0 * x[0] - x[more:0:-1], x, 2.0 * x[-1] - x[-2 : -more - 2 : -1]])
        for x in (time, values)
    )
    return times, sosfiltfilt(sections, longer, axis=0, padlen=0)


def smoothed(time: Array, values: Array, cutoff: float, order: int) -> Array:
    """`filtered` at the given times only; each run of samples without gaps by itself."""
    out = np.array(values)
    mean = float(np.diff(time).mean())
    for first, last in runs(np.isfinite(values).all(axis=1)):
        if last - first < 2:
            continue
        own = slice(first, last)
        more = (last - first) // 2
        _, longer = filtered(time[own], values[own], cutoff, order, mean)
        out[own] = longer[more : more + last - first]
    return out


def runs(present: Any) -> Iterator[tuple[int, int]]:
    """First sample, and the one after the last, of each run of samples that are present."""
    edges = np.flatnonzero(np.diff(np.r_[False, present, False].astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def natural_spline(owner: str, time: Array, values: Array, order: int) -> Any:
    """Interpolating spline of odd order of values (n, m), natural at its ends.

    Derivatives from (order + 1) / 2 to order - 1 are zero there, since those of a spline without
    conditions amplify noise.
    """
    from scipy.interpolate import make_interp_spline

    if time.size <= order:
        _check.refuse(
            owner, "samples", time.size, f"be {order + 1} or more for a spline of order {order}"
        )
    ends = [(d, np.zeros(values.shape[1])) for d in range((order + 1) // 2, order)]
    return make_interp_spline(time, values, k=order, bc_type=(ends, ends))


def check_new_times(owner: str, time: Array, new: Any, order: Any) -> tuple[Array, int]:
    """Checked times inside of a recording, and order of a spline, 3 or 5."""
    new = _check.array(owner, "time", new, ("m",), "s")
    if _check.count(owner, "order", order) not in (3, 5):
        _check.refuse(owner, "order", order, "be 3 or 5")
    if new.size == 0 or (np.diff(new) <= 0.0).any():
        _check.refuse(owner, "time", new, "be one instant or more, and increase", unit="s")
    slack = 1e-9 * (time[-1] - time[0])
    if new[0] < time[0] - slack or new[-1] > time[-1] + slack:
        must = f"lie in [{time[0]:g}, {time[-1]:g}] s"
        _check.refuse(owner, "time", new, must, unit="s")
    return new, order

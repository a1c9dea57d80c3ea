"""Values, speeds and accelerations of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.read.motion import Motion
from fibermsk.read.recordings.smoothing import (
    FILTER_ORDER,
    check_filter,
    filtered,
    natural_spline,
)

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
    owner, time = f"motion {motion.name!r}", motion.time
    if time.size <= _ORDER:
        _check.refuse(owner, "samples", time.size, f"be {_ORDER + 1} or more to have accelerations")
    knots, values = time, np.stack([motion.values[name] for name in names], axis=1)
    if lowpass is not None:
        lowpass, order = check_filter(owner, time, lowpass, FILTER_ORDER, "lowpass")
        knots, values = filtered(time, values, lowpass, order, float(np.diff(time).mean()))
    spline = natural_spline(owner, knots, values, _ORDER)
    return Series(time, spline(time), spline(time, 1), spline(time, 2))

"""Slack lengths of tendons from measured lengths of fibers, after all else is known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.laws.hill.law import HillLaw
from fibermsk.laws.hill.millard import tendon


class Slack(NamedTuple):
    """Slack length of a tendon [m], and the deviation of it over the instants."""

    length: float
    deviation: float


def slack_of(law: HillLaw, row: Array, tendon_length: Array, force: Array) -> Slack:
    """Slack length that explains lengths (k,) of a tendon under forces (k,) [N].

    With a rigid tendon it is the length; else the root of F_0 f_T(length / slack) = force at each
    instant, of which this is the mean. `row` has the constants of the law and the largest force
    that was found.
    """
    if law.tendon == "rigid":
        return Slack(float(tendon_length.mean()), float(tendon_length.std()))
    stretch = np.array([_stretch(row, float(one / row[0])) for one in force])
    lengths = tendon_length / stretch
    return Slack(float(lengths.mean()), float(lengths.std()))


def _stretch(row: Array, force: float) -> float:
    """Relative length of a tendon under a relative force; 1 under none."""
    from scipy.optimize import brentq

    if force <= 0.0:
        return 1.0
    high = 1.1
    while tendon(row, high)[0] < force:
        high += 0.1
    found: Any = brentq(lambda x: float(tendon(row, x)[0]) - force, 1.0, high, xtol=1e-15)
    return float(found)

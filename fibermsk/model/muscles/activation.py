"""Activation of muscle as a function of time: callables t -> [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import FRACTION, Checked, number

Activation = Callable[[float], float]

_CORNER = 0.1
"""Smallest jump of a table's slope that is a corner, relative to its largest slope."""


@dataclass(frozen=True)
class Constant(Checked):
    """Constant activation.

    Parameters
    ----------
    value : float
        Activation, in [0, 1].
    """

    value: float = number("", FRACTION, path="")

    def __call__(self, t: float) -> float:
        """Activation at time `t` [s]."""
        return self.value


@dataclass(frozen=True)
class Ramp(Checked):
    """Linear ramp from zero to a value, constant before and after.

    Parameters
    ----------
    start, end : float
        Times at which the rise begins and ends [s]; `end` is later.
    value : float
        Activation at the end of the rise, in [0, 1].
    """

    start: float = number("s")
    end: float = number("s")
    value: float = number("", FRACTION)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.end <= self.start:
            must = f"be later than start = {self.start} s"
            _check.refuse("Ramp", "end", self.end, must, unit="s")

    def __call__(self, t: float) -> float:
        """Activation at time `t` [s]."""
        return self.value * min(max((t - self.start) / (self.end - self.start), 0.0), 1.0)

    @property
    def breakpoints(self) -> tuple[float, float]:
        """Times at which the signal has corners [s]."""
        return self.start, self.end


@dataclass(frozen=True, eq=False)
class Table(Checked):
    """Linear interpolation of samples, constant before the first and after the last.

    Parameters
    ----------
    times : (m,) array_like
        Times [s]; strictly increasing, two or more.
    values : (m,) array_like
        Activations at these times, in [0, 1].
    """

    times: ArrayLike = number("s", shape=("m",))
    values: ArrayLike = number("", FRACTION, shape=("m",), path="knots")

    def __post_init__(self) -> None:
        super().__post_init__()
        times: Any = self.times
        if times.size < 2:
            _check.refuse("Table", "times", times, "be two or more", unit="s")
        late = np.flatnonzero(np.diff(times) <= 0.0)
        if late.size:
            k = int(late[0]) + 1
            must = f"be later than times[{k - 1}] = {times[k - 1]} s"
            _check.refuse("Table", f"times[{k}]", times[k], must, unit="s")
        _check.array("Table", "values", self.values, (times.size,))

    def __call__(self, t: float) -> float:
        """Activation at time `t` [s]."""
        return float(np.interp(t, np.asarray(self.times), np.asarray(self.values)))

    @property
    def breakpoints(self) -> np.ndarray:
        """Times at which the signal has corners [s].

        There its slope jumps by more than a tenth of the largest slope. A smooth signal of more
        than 63 samples a period has none inside, so that steps need not end at every sample.
        """
        times, values = np.asarray(self.times), np.asarray(self.values)
        slopes = np.r_[0.0, np.diff(values) / np.diff(times), 0.0]
        return times[np.abs(np.diff(slopes)) > _CORNER * np.abs(slopes).max()]

"""Activation of muscle as a function of time: values that are called with t and give [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check

__all__ = ["Activation", "Constant", "Ramp", "Table"]

Activation = Callable[[float], float]

_CORNER = 0.1
"""Jump of a table's slope, over its largest slope, that is a corner."""


@dataclass(frozen=True)
class Constant:
    """The same activation at all times.

    Parameters
    ----------
    value : float
        Activation, in [0, 1].

    Raises
    ------
    ModelError
        If the value lies outside [0, 1].
    """

    value: float

    def __post_init__(self) -> None:
        """Check the value and store it as a float."""
        _check.store(self, value=_check.fraction("Constant", "value", self.value))

    def __call__(self, t: float) -> float:
        """Activation at time `t` [s]."""
        return self.value


@dataclass(frozen=True)
class Ramp:
    """Zero up to a start, a straight rise, and the reached value from then on.

    Parameters
    ----------
    start, end : float
        Times at which the rise begins and ends [s]; `end` is later.
    value : float
        Activation at the end of the rise, in [0, 1].

    Raises
    ------
    ModelError
        If the times do not increase or the value lies outside [0, 1].
    """

    start: float
    end: float
    value: float

    def __post_init__(self) -> None:
        """Check the numbers and store them as floats."""
        start = _check.number("Ramp", "start", self.start, "s")
        end = _check.number("Ramp", "end", self.end, "s")
        if end <= start:
            _check.refuse("Ramp", "end", end, f"be later than start = {start} s", unit="s")
        value = _check.fraction("Ramp", "value", self.value)
        _check.store(self, start=start, end=end, value=value)

    def __call__(self, t: float) -> float:
        """Activation at time `t` [s]."""
        return self.value * min(max((t - self.start) / (self.end - self.start), 0.0), 1.0)

    @property
    def breakpoints(self) -> tuple[float, float]:
        """Times at which the signal has corners [s]."""
        return self.start, self.end


@dataclass(frozen=True, eq=False)
class Table:
    """Straight lines between given times; the first and last value hold outside them.

    Parameters
    ----------
    times : (m,) array_like
        Times [s]; strictly increasing, two or more.
    values : (m,) array_like
        Activations at these times, in [0, 1].

    Raises
    ------
    ModelError
        If the times do not increase, a value lies outside [0, 1] or the lengths differ.
    """

    times: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        """Check the samples and store them as float64."""
        times = _check.array("Table", "times", self.times, ("m",), "s")
        if times.size < 2:
            _check.refuse("Table", "times", times, "be two or more", unit="s")
        late = np.flatnonzero(np.diff(times) <= 0.0)
        if late.size:
            k = int(late[0]) + 1
            must = f"be later than times[{k - 1}] = {times[k - 1]} s"
            _check.refuse("Table", f"times[{k}]", times[k], must, unit="s")
        values = _check.array("Table", "values", self.values, (times.size,))
        for k, value in enumerate(values):
            _check.fraction("Table", f"values[{k}]", value)
        _check.store(self, times=times, values=values)

    def __call__(self, t: float) -> float:
        """Activation at time `t` [s]."""
        return float(np.interp(t, np.asarray(self.times), np.asarray(self.values)))

    @property
    def breakpoints(self) -> np.ndarray:
        """Times at which the signal has corners [s].

        There its slope jumps by more than a tenth of the largest slope. A smooth signal of more
        than 63 samples a period has none inside, and does not ask for a step at each sample.
        """
        times, values = np.asarray(self.times), np.asarray(self.values)
        slopes = np.r_[0.0, np.diff(values) / np.diff(times), 0.0]
        return times[np.abs(np.diff(slopes)) > _CORNER * np.abs(slopes).max()]

"""Recorded past of a measured quantity, interpolated between accepted steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError

_ROUND_OFF = 1e-9
"""Time beyond the last record, over the delay, that counts as round-off."""


@dataclass(frozen=True, eq=False)
class Past:
    """Values and rates at the ends of accepted steps; immutable.

    Attributes
    ----------
    delay : float
        Time from a measurement to its use [s].
    start : float
        Time of the first record of the run [s]; before it the value was that of this record.
    times, values, rates : (n,) float array
        Records that are still needed, at increasing times [s].
    """

    delay: float
    start: float
    times: Array
    values: Array
    rates: Array

    @classmethod
    def held(cls, delay: float, t: float, value: float, rate: float = 0.0) -> Past:
        """Past of a run that starts at a time [s] with a value and its rate."""
        return cls(delay, t, *(np.array([x]) for x in (t, value, rate)))

    def after(self, t: float, value: float, rate: float | None) -> Past:
        """Past with one more record, at a time [s].

        A rate that is not known is that of the parabola through the last three values.
        """
        if rate is None:
            rate = _slope(np.append(self.times, t)[-3:], np.append(self.values, value)[-3:])
        # the last record at least a delay ago, and all later ones
        first = max(int(np.searchsorted(self.times, t - self.delay, side="right")) - 2, 0)
        return replace(
            self,
            times=np.append(self.times[first:], t),
            values=np.append(self.values[first:], value),
            rates=np.append(self.rates[first:], rate),
        )

    def at(self, t: float) -> tuple[float, float]:
        """Value and rate a delay before a time [s].

        Cubic Hermite polynomials through values and rates. If nothing was recorded since the start,
        the value is that at the start.

        Raises
        ------
        ModelError
            If this time lies after the last record, or before the first one that is kept.
        """
        s, last = t - self.delay, float(self.times[-1])
        if s <= self.start or self.times.size == 1 and last == self.start:
            if self.times[0] == self.start:
                return float(self.values[0]), 0.0
        if s > last + _ROUND_OFF * self.delay or s < self.times[0]:
            raise ModelError(
                f"a delay of {self.delay:g} s before t = {t:g} s lies at {s:g} s; must lie in the "
                f"recorded past, from {self.times[0]:g} to {last:g} s"
            )
        k = int(np.clip(np.searchsorted(self.times, s, side="right") - 1, 0, self.times.size - 2))
        h = float(self.times[k + 1] - self.times[k])
        u = min((s - float(self.times[k])) / h, 1.0)
        x0, x1, v0, v1 = map(
            float, (self.values[k], self.values[k + 1], h * self.rates[k], h * self.rates[k + 1])
        )
        rise, w = x1 - x0, 1.0 - u
        value = x0 + u * u * (3.0 - 2.0 * u) * rise + u * w * (w * v0 - u * v1)
        rate = 6.0 * u * w * rise + w * (1.0 - 3.0 * u) * v0 + u * (3.0 * u - 2.0) * v1
        return value, rate / h

    @property
    def arrays(self) -> dict[str, Array]:
        """Arrays that determine the past, for checkpoints."""
        start = np.array([self.start])
        return {"start": start, "times": self.times, "values": self.values, "rates": self.rates}

    def restored(self, arrays: dict[str, Array]) -> Past:
        """Past with the `arrays` of a checkpoint."""
        rest = {name: arrays[name] for name in ("times", "values", "rates")}
        return replace(self, start=float(arrays["start"][0]), **rest)


def _slope(t: Array, x: Array) -> float:
    """Slope at the last of two or three points, of the polynomial through them."""
    chord = np.diff(x) / np.diff(t)
    if chord.size == 1:
        return float(chord[0])
    return float(chord[1] + (chord[1] - chord[0]) * (t[2] - t[1]) / (t[2] - t[0]))

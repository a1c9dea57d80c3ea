"""Stretch reflex: an excitation that follows what was measured a delay ago."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from fibermsk import _check
from fibermsk._numbers import FRACTION, POSITIVE, checked, number
from fibermsk._shown import Described
from fibermsk.model.muscles import profile
from fibermsk.model.muscles.activation import Activation, Constant

_SENSORS = "fiber", "coordinate", "measure"


@dataclass(frozen=True, eq=False, repr=False)
class Reflex(Described):
    """Excitation of a stretch reflex, from the length and its rate a delay ago.

    e(t) = base(t) + max(gain (x - threshold) + rate_gain dx/dt, 0) with x and dx/dt at t - delay,
    limited to [0, 1]. Accepted steps are recorded and interpolated; before the start of a run the
    measured value is that at its start, at rest. Within a step the excitation is thus known: no
    step may be longer than the delay. Adaptive steps are limited to it, longer fixed steps are
    refused. `equilibrium` finds the state that the reflex holds; `stability` keeps its excitation.

    Exactly one of `fiber`, `coordinate` and `measure` is given.

    Parameters
    ----------
    gain : float
        Excitation per unit of the measured value.
    threshold : float
        Measured value above which the muscle responds.
    delay : float
        Time from the measurement to the excitation [s]; positive.
    fiber : str, optional
        Fiber whose length over its reference length is measured [-].
    coordinate : str, optional
        Coordinate that is measured [rad or m].
    measure : callable, optional
        Function of an accepted state, an `fm.Moment` such as in `StopWhen`: returns the measured
        value, or a tuple of it and its rate. Without a rate, that of a parabola through the last
        recorded values is used.
    rate_gain : float
        Excitation per unit of the rate of the measured value.
    base : float or callable
        Excitation without feedback, in [0, 1]: a number or a function t -> float.

    Raises
    ------
    ModelError
        If a field lies outside its range, or not exactly one quantity is measured.

    Notes
    -----
    With the threshold lambda and rate_gain = mu gain it is the model of [1]_, in which the rate
    lowers the threshold; without a rate_gain that of [2]_, eq. 1.

    References
    ----------
    .. [1] Feldman, Journal of Motor Behavior 18 (1986), 17-54.
    .. [2] Geyer and Herr, IEEE Transactions on Neural Systems and Rehabilitation Engineering 18
           (2010), 263-273.
    """

    _: KW_ONLY
    gain: float = number("1/unit of the measured value")
    threshold: float = number("unit of the measured value")
    delay: float = number("s", POSITIVE)
    fiber: str | None = None
    coordinate: str | None = None
    measure: Callable[[Any], Any] | None = None
    rate_gain: float = number("s/unit of the measured value", default=0.0)
    base: float | Activation = number("", FRACTION, varies=True, default=0.0)

    varying = True  # in time, for `fibermsk._numbers`

    def __post_init__(self) -> None:
        owner = "Reflex"
        given = [name for name in _SENSORS if getattr(self, name) is not None]
        if len(given) != 1:
            shown = ", ".join(given) or "none"
            must = f"be one of {', '.join(_SENSORS)}"
            _check.refuse(owner, "measured quantity", shown, must)
        if self.measure is not None:
            _check.function(owner, "measure", self.measure)
        else:
            _check.name(f"{owner}: {given[0]}", getattr(self, given[0]))
        _check.store(self, **checked(self, owner))
        if not callable(self.base):
            _check.store(self, base=Constant(self.base))
        self.base_at(0.0)

    @property
    def measured(self) -> str:
        """What is measured, for messages."""
        if self.fiber is not None:
            return f"the length of fiber {self.fiber!r}"
        if self.coordinate is not None:
            return f"coordinate {self.coordinate!r}"
        return f"the function {getattr(self.measure, '__qualname__', 'measure')}"

    def base_at(self, t: float) -> float:
        """Excitation without feedback at time `t` [s]."""
        return profile.fraction_at("Reflex", "base", self.base, t)

    def excitation(self, t: float, value: float, rate: float) -> float:
        """Excitation at time `t` [s] for a value and a rate that were measured a delay before."""
        response = self.gain * (value - self.threshold) + self.rate_gain * rate
        return min(max(self.base_at(t) + max(response, 0.0), 0.0), 1.0)

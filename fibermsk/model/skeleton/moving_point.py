"""A point with prescribed motion, for the end of a fiber."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fibermsk import _check
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.model.muscles import profile

Motion = Callable[[float], np.ndarray]

_OWNER = "moving point"

_SPAN = 1e-3
"""Time between values for finite differences [s]; round-off of about 1e-9 m/s^2."""

_CHECK = 1e-5
"""Time between values for checks of given derivatives [s]: it resolves 1e4 rad/s."""

_AGREE = 1e-3
"""Largest error of a given derivative, relative to its largest value at the times compared."""


@dataclass(frozen=True, eq=False, repr=False)
class MovingPoint(Described):
    """A point with prescribed motion, as an attachment of a fiber.

    The fiber's end has the velocity of the point, and with SDIRK2 and generalized-alpha its
    acceleration; backward Euler and BDF2 use differences of the velocity, as at every other node.

    Parameters
    ----------
    motion : callable
        t -> position (3,), ground frame [m]; continuous and piecewise smooth.
    velocity : callable, optional
        t -> velocity (3,) [m/s], the derivative of the motion. Without it, finite differences of
        positions 1 ms apart are used, and with backward Euler the difference over the step: at
        uneven steps, the inertia of the end is then missing or doubled in its force.
    acceleration : callable, optional
        t -> acceleration (3,) [m/s^2]; without it, finite differences of the velocity if given,
        else of the position.

    Raises
    ------
    ModelError
        If a function does not return three finite numbers at t = 0. A velocity or acceleration that
        is not the derivative is refused when a system is built and run.
    """

    motion: Motion
    velocity: Motion | None = None
    acceleration: Motion | None = None

    def __post_init__(self) -> None:
        for name in ("motion", "velocity", "acceleration"):
            function = getattr(self, name)
            if not callable(function) and (name == "motion" or function is not None):
                _check.refuse(_OWNER, name, function, "be a function t -> (3,)")
        self.given_at(0.0)

    def position_at(self, t: float) -> np.ndarray:
        """Position at time `t` [s]: new array (3,), ground frame [m].

        Raises
        ------
        ModelError
            If the motion raises or does not return three finite numbers.
        """
        return _value("motion", self.motion, t, "m")

    @property
    def gives_rates(self) -> bool:
        """Whether a velocity or an acceleration is given."""
        return self.velocity is not None or self.acceleration is not None

    def velocity_at(self, t: float) -> np.ndarray:
        """Velocity at one time t >= 0 (3,) [m/s]; raises as `position_at`."""
        if self.velocity is not None:
            return _value("velocity", self.velocity, t, "m/s")
        return _derivative(self.position_at, t, 1)

    def acceleration_at(self, t: float) -> np.ndarray:
        """Acceleration at one time t >= 0 (3,) [m/s^2]; raises as `position_at`."""
        if self.acceleration is not None:
            return _value("acceleration", self.acceleration, t, "m/s^2")
        if self.velocity is not None:
            return _derivative(self.velocity_at, t, 1)
        return _derivative(self.position_at, t, 2)

    def given_at(self, t: float) -> np.ndarray:
        """Position and given derivatives at one time (n, 3); raises as `position_at`."""
        values = [self.position_at(t)]
        if self.velocity is not None:
            values.append(self.velocity_at(t))
        if self.acceleration is not None:
            values.append(self.acceleration_at(t))
        return np.array(values)

    def check_at(self, times: np.ndarray) -> None:
        """Refuse a motion that fails at any of the times (n,) [s], or has wrong derivatives.

        Raises
        ------
        ModelError
            The error names the first time at which a given derivative agrees neither with backward
            nor with forward differences (at a corner one suffices).
        """
        for t in times:
            self.given_at(float(t))
        base, of, order = "motion", self.position_at, 2
        if self.velocity is not None:
            _compare("velocity", self.velocity_at, base, of, 1, times)
            base, of, order = "velocity", self.velocity_at, 1
        if self.acceleration is not None:
            _compare("acceleration", self.acceleration_at, base, of, order, times)


def _value(field: str, function: Motion, t: float, unit: str) -> np.ndarray:
    at = f"{field} at t = {t:g} s"
    return _check.array(_OWNER, at, profile.call(_OWNER, at, function, t), (3,), unit).copy()


def _derivative(values_at: Motion, t: float, order: int) -> np.ndarray:
    """Derivative of the quartic through five values up to t, all at t >= 0."""
    around = np.arange(5) - min(t / _SPAN, 4.0)
    values = np.array([values_at(t + _SPAN * s) for s in around])
    # coefficients of the quartic in powers of the time from t, over the span
    powers = np.linalg.solve(np.vander(around, increasing=True), values)
    return math.factorial(order) * powers[order] / _SPAN**order


def _compare(
    field: str, given: Motion, base: str, of: Motion, order: int, times: np.ndarray
) -> None:
    """Refuse a derivative that differs from finite differences."""
    values = [given(float(t)) for t in times]
    allowed = _AGREE * max((float(np.abs(value).max()) for value in values), default=0.0)
    for t, value in zip(map(float, times), values, strict=True):
        found = []
        for side in (-1, 1):
            if t + 3 * side * _CHECK < 0.0:
                continue  # no evaluation before t = 0
            try:
                slope, noise = _one_sided(of, t, side, order)
            except ModelError:
                if side < 0 or t < times.max() or not found:
                    raise
                continue  # no evaluation after the last time
            found.append(slope)
            if np.abs(slope - value).max() <= allowed + noise:
                break
        else:
            _check.refuse(
                _OWNER,
                f"{field} at t = {t:g} s",
                value,
                f"be the derivative of the {base}, whose differences are {found[0]}",
                remedy=f"correct it, or leave {field} out",
            )


def _one_sided(of: Motion, t: float, side: int, order: int) -> tuple[np.ndarray, float]:
    """One-sided derivative from four values, and its round-off."""
    step = side * _CHECK
    x0, x1, x2, x3 = (of(t + n * step) for n in range(4))
    size = max(float(np.abs(x).max()) for x in (x0, x1, x2, x3))
    # values and times are both rounded
    fast = max(float(np.abs(b - a).max()) for a, b in ((x0, x1), (x1, x2), (x2, x3))) / _CHECK
    noise = 50.0 * np.finfo(float).eps * (size + fast * abs(t)) / _CHECK**order
    if order == 1:
        return (-11.0 * x0 + 18.0 * x1 - 9.0 * x2 + 2.0 * x3) / (6.0 * step), noise
    return (2.0 * x0 - 5.0 * x1 + 4.0 * x2 - x3) / step**2, noise

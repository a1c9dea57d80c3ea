"""A point that moves as prescribed, to pull a fiber's end along."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fibermsk.laws import _check
from fibermsk.model import profile

__all__ = ["MovingPoint"]

_SPAN = 1e-3
"""Between the positions from which derivatives are taken [s]; round-off of about 1e-9 m/s^2."""


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point with a prescribed motion, as an attachment of a fiber.

    Parameters
    ----------
    motion : callable
        t -> position (3,), ground frame [m]; smooth. The velocity of the fiber's end is the
        integrator's own difference of it (backward Euler, BDF2), or its derivative, which is taken
        from positions 1 ms apart (SDIRK2, generalized-alpha).

    Raises
    ------
    ModelError
        If the motion does not give three finite numbers at t = 0.
    """

    motion: Callable[[float], np.ndarray]

    def __post_init__(self) -> None:
        """Try the motion at the start."""
        if not callable(self.motion):
            _check.refuse("moving point", "motion", self.motion, "be a function t -> position (3,)")
        self.position_at(0.0)

    def position_at(self, t: float) -> np.ndarray:
        """Position at one time.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        position : (3,) float array
            New array, ground frame [m].

        Raises
        ------
        ModelError
            If the motion raises or does not give three finite numbers.
        """
        owner, field = "moving point", f"motion at t = {t:g} s"
        values = profile.call(owner, field, self.motion, t)
        return _check.array(owner, field, values, (3,), "m").copy()

    def velocity_at(self, t: float) -> np.ndarray:
        """Velocity at one time t >= 0 (3,) [m/s], see `_derivative`."""
        return self._derivative(t, 1)

    def acceleration_at(self, t: float) -> np.ndarray:
        """Acceleration at one time t >= 0 (3,) [m/s^2], see `_derivative`."""
        return self._derivative(t, 2)

    def _derivative(self, t: float, order: int) -> np.ndarray:
        """Derivative of the quartic through five positions up to t, none before t = 0."""
        around = np.arange(5) - min(t / _SPAN, 4.0)
        values = np.array([self.position_at(t + _SPAN * s) for s in around])
        # coefficients of the quartic in powers of the time from t, over the span
        powers = np.linalg.solve(np.vander(around, increasing=True), values)
        return math.factorial(order) * powers[order] / _SPAN**order

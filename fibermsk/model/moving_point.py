"""A point that moves as prescribed, to pull a fiber's end along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fibermsk.laws import _check
from fibermsk.model import profile

__all__ = ["MovingPoint"]


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point with a prescribed motion, as an attachment of a fiber.

    Parameters
    ----------
    motion : callable
        t -> position (3,), ground frame [m]. The velocity of the fiber's end is the time
        integrator's own difference of it.

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

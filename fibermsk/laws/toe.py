"""Stress of a tendon with a toe region: the curve of the tendon of a Hill muscle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk.laws.own import law_constant

STEEPEST = math.log(10.0)
"""Exponent from which the curve is continued by its tangent: that of 1.8 F_0."""


@dataclass(frozen=True)
class ToeTendon:
    """Exponential stress of a tendon, for a tissue with prestress.

    Parameters
    ----------
    stress_of_toe : float
        Stress c of the toe, a fifth of that under F_0 for the tendon of De Groote et al. [N/m^2].
    rate : float
        Rate b of the exponential [-].
    start : float
        Exponent u_0 at a stretch of one [-].
    prestress : float
        Prestress sigma_0 of the tissue [N/m^2], which the curve includes.
    viscosity : float
        As of `KelvinVoigt` [N s/m^2].

    Notes
    -----
    P = c (exp(u) - 1) - sigma_0 / l + 3 eta l' / l^2 with u = b (l - 1) + u_0; exp is continued by
    its tangents below zero, where the tendon is slack, and above `STEEPEST`. The tissue adds
    sigma_0 / l.
    """

    stress_of_toe: float = law_constant("N/m^2", above=0.0)
    rate: float = law_constant("", above=0.0)
    start: float = law_constant("", least=0.0)
    prestress: float = law_constant("N/m^2", least=0.0)
    viscosity: float = law_constant("N s/m^2", least=0.0)

    def stress(self, stretch: Any, stretch_rate: Any, activation: Any) -> Any:
        """Nominal stress, its derivatives in stretch and rate; see the class."""
        u = self.rate * (stretch - 1.0) + self.start
        low = min(max(u, 0.0), STEEPEST)
        slope = self.stress_of_toe * np.exp(low)
        per_rate = 3.0 * self.viscosity / (stretch * stretch)
        P = slope * (1.0 + u - low) - self.stress_of_toe
        P += per_rate * stretch_rate - self.prestress / stretch
        P_stretch = self.rate * slope + self.prestress / (stretch * stretch)
        P_stretch -= 2.0 * per_rate * stretch_rate / stretch
        return P, P_stretch, per_rate

    def energy(self, stretch: Any) -> Any:
        """Energy per reference volume, zero at a stretch of one [J/m^3]."""
        u = self.rate * (stretch - 1.0) + self.start
        low = min(max(u.real, 0.0), STEEPEST)
        above = u - low
        grown = np.exp(low) * (1.0 + above * (1.0 + 0.5 * above)) - np.exp(self.start)
        elastic = self.stress_of_toe * (grown / self.rate - (stretch - 1.0))
        return elastic - self.prestress * np.log(stretch)

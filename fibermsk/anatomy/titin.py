"""Titin of a bundle, with the passive curve of its Hill muscle."""

from __future__ import annotations

import math
from dataclasses import replace

from fibermsk.laws import Stiffening, Titin
from fibermsk.laws.titin import SHORTEST


def with_passive_curve(
    titin: Titin, passive: Stiffening, stress: float, optimal_stretch: float
) -> Titin:
    """Titin that at rest has the stress of an exponential curve, less its value at 0.2.

    `stress` is that of the whole muscle at its largest force [N/m^2]. With x = stretch /
    optimal_stretch the curve c exp(b (stretch - 1)) is S exp(b optimal_stretch (x - 1)) times its
    value at the optimum over S.
    """
    rate = passive.rate * optimal_stretch
    scale = passive.stress / stress * math.exp(passive.rate * (optimal_stretch - 1.0))
    # scale = 1 / (exp(shape) - offset)
    shape = math.log(1.0 / scale + math.exp(rate * (SHORTEST - 1.0)))
    return replace(
        titin, stress=stress, optimal_stretch=optimal_stretch, strain=shape / rate, shape=shape
    )

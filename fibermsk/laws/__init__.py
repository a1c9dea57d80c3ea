"""Constitutive laws: constants and scalar functions.

The functions are plain Python on floats, so that the kernels of all backends compile the same
source.
"""

from fibermsk.laws.coordinate import CoordinateForce, Damper, QuadraticLimit, SmoothLimit, Spring
from fibermsk.laws.own import ContactLaw, CoordinateLaw, StressLaw, law_constant
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.laws.stress import ActiveStress, KelvinVoigt, Stiffening

__all__ = [
    "ActiveStress",
    "ContactLaw",
    "CoordinateForce",
    "CoordinateLaw",
    "Damper",
    "KelvinVoigt",
    "PenaltyContact",
    "QuadraticLimit",
    "SmoothLimit",
    "Spring",
    "Stiffening",
    "StressLaw",
    "law_constant",
]

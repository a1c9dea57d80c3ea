"""Constitutive laws: per file one idea, its constants and its scalar function.

The functions are plain Python over floats, so that the kernels of every backend compile the same
source.
"""

from fibermsk.laws.coordinate import Damper, QuadraticLimit, SmoothLimit, Spring
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.laws.stress import ActiveStress, KelvinVoigt, Stiffening

__all__ = [
    "ActiveStress",
    "Damper",
    "KelvinVoigt",
    "PenaltyContact",
    "QuadraticLimit",
    "SmoothLimit",
    "Spring",
    "Stiffening",
]

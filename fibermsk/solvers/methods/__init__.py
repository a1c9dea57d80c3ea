"""Time integrators."""

from fibermsk.solvers.methods.backward_euler import BackwardEuler
from fibermsk.solvers.methods.bdf2 import BDF2
from fibermsk.solvers.methods.generalized_alpha import GeneralizedAlpha
from fibermsk.solvers.methods.sdirk2 import SDIRK2

METHODS = {
    method.name: method for method in (BackwardEuler(), BDF2(), SDIRK2(), GeneralizedAlpha())
}
"""Integrators by their name on the command line."""

__all__ = [
    "BDF2",
    "BackwardEuler",
    "GeneralizedAlpha",
    "SDIRK2",
]

"""Time integrators."""

from fibermsk.solvers.methods.backward_euler import BackwardEuler as BackwardEuler
from fibermsk.solvers.methods.bdf2 import BDF2 as BDF2
from fibermsk.solvers.methods.generalized_alpha import GeneralizedAlpha as GeneralizedAlpha
from fibermsk.solvers.methods.sdirk2 import SDIRK2 as SDIRK2
from fibermsk.solvers.methods.sdirk4 import SDIRK4 as SDIRK4

METHODS = {
    method.name: method
    for method in (BackwardEuler(), BDF2(), SDIRK2(), GeneralizedAlpha(), SDIRK4())
}
"""Integrators by their name on the command line."""

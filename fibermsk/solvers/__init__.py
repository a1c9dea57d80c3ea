"""Time integration, Newton's method, linear solves and equilibrium of any `System`."""

from fibermsk.solvers.initial import accelerations
from fibermsk.solvers.methods import BDF2, METHODS, SDIRK2, BackwardEuler, GeneralizedAlpha
from fibermsk.solvers.newton.newton import Newton, NewtonReport
from fibermsk.solvers.newton.stage import State
from fibermsk.solvers.observers import Accepted, Observer, Stop, StopWhen
from fibermsk.solvers.simulate import simulate
from fibermsk.solvers.statics.equilibrium import equilibrium
from fibermsk.solvers.statics.stability import Stability, stability
from fibermsk.solvers.steps.adaptive import AdaptiveSteps
from fibermsk.solvers.steps.control import FixedSteps

__all__ = [
    "Accepted",
    "AdaptiveSteps",
    "BDF2",
    "BackwardEuler",
    "FixedSteps",
    "GeneralizedAlpha",
    "METHODS",
    "Newton",
    "NewtonReport",
    "Observer",
    "SDIRK2",
    "Stability",
    "State",
    "Stop",
    "StopWhen",
    "accelerations",
    "equilibrium",
    "simulate",
    "stability",
]

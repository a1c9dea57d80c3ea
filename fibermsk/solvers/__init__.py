"""Time integration, Newton's method, linear solves and equilibrium of any `System`."""

from fibermsk.solvers.adaptive import AdaptiveSteps
from fibermsk.solvers.control import FixedSteps
from fibermsk.solvers.equilibrium import equilibrium
from fibermsk.solvers.initial import accelerations
from fibermsk.solvers.methods import BDF2, METHODS, SDIRK2, BackwardEuler, GeneralizedAlpha
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.observers import Accepted, Observer, Stop, StopWhen
from fibermsk.solvers.simulate import simulate
from fibermsk.solvers.stability import Stability, stability
from fibermsk.solvers.stage import State

__all__ = [
    "BDF2",
    "METHODS",
    "SDIRK2",
    "Accepted",
    "AdaptiveSteps",
    "BackwardEuler",
    "FixedSteps",
    "GeneralizedAlpha",
    "Newton",
    "NewtonReport",
    "Observer",
    "Stability",
    "State",
    "Stop",
    "StopWhen",
    "accelerations",
    "equilibrium",
    "simulate",
    "stability",
]

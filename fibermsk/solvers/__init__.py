"""Time integration, Newton's method, linear solves and equilibrium of any `System`."""

from fibermsk.solvers.compiled import COMPILED as COMPILED, NDF as NDF, Explicit as Explicit
from fibermsk.solvers.initial import accelerations as accelerations
from fibermsk.solvers.methods import (
    BDF2 as BDF2,
    METHODS as METHODS,
    SDIRK2 as SDIRK2,
    SDIRK4 as SDIRK4,
    BackwardEuler as BackwardEuler,
    GeneralizedAlpha as GeneralizedAlpha,
)
from fibermsk.solvers.newton.newton import Newton as Newton, NewtonReport as NewtonReport
from fibermsk.solvers.newton.stage import State as State
from fibermsk.solvers.observers import (
    Accepted as Accepted,
    Observer as Observer,
    Stop as Stop,
    StopWhen as StopWhen,
)
from fibermsk.solvers.simulate import simulate as simulate
from fibermsk.solvers.statics.equilibrium import equilibrium as equilibrium
from fibermsk.solvers.statics.stability import Stability as Stability, stability as stability
from fibermsk.solvers.steps.adaptive import AdaptiveSteps as AdaptiveSteps
from fibermsk.solvers.steps.control import FixedSteps as FixedSteps

"""Time integration, Newton's method, linear solves and equilibrium of any `System`."""

from fibermsk.solvers.backward_euler import BackwardEuler, State
from fibermsk.solvers.equilibrium import equilibrium
from fibermsk.solvers.newton import Newton, NewtonReport
from fibermsk.solvers.simulate import simulate

__all__ = ["BackwardEuler", "Newton", "NewtonReport", "State", "equilibrium", "simulate"]

"""From a model to numbers: dof numbering, residual, tangent, constraints, energy and outputs."""

from fibermsk.system.inverse import ForceCheck, check
from fibermsk.system.system import FiberSystem, build

__all__ = ["FiberSystem", "ForceCheck", "build", "check"]

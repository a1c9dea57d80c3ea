"""From a model to numbers: dof numbering, residual, tangent, constraints, energy and outputs."""

from fibermsk.system.inverse import ForceCheck, check
from fibermsk.system.skeleton import Skeleton, skeleton
from fibermsk.system.system import KEEP_STRETCH, FiberSystem, build

__all__ = [
    "KEEP_STRETCH",
    "FiberSystem",
    "ForceCheck",
    "Skeleton",
    "build",
    "check",
    "skeleton",
]

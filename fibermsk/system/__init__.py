"""Discrete equations of a model: numbering, residual, tangent, constraints, energy, reports."""

from fibermsk.system.build import build
from fibermsk.system.reports.inverse import ForceCheck, check
from fibermsk.system.reports.tangent import check_contribution
from fibermsk.system.skeleton.skeleton import Skeleton, skeleton
from fibermsk.system.system import FiberSystem

__all__ = [
    "FiberSystem",
    "ForceCheck",
    "Skeleton",
    "build",
    "check",
    "check_contribution",
    "skeleton",
]

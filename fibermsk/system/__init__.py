"""Discrete equations of a model: numbering, residual, tangent, constraints, energy, reports."""

from fibermsk.system.build import build as build
from fibermsk.system.reports.inverse import ForceCheck as ForceCheck, check as check
from fibermsk.system.reports.tangent import check_contribution as check_contribution
from fibermsk.system.skeleton.skeleton import Skeleton as Skeleton, skeleton as skeleton
from fibermsk.system.system import FiberSystem as FiberSystem

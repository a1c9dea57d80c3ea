"""Derivatives of whole runs: objectives, parameters by path, and one sweep back for all."""

from fibermsk.gradients.gradient import (
    GradientProblem as GradientProblem,
    RunGradient as RunGradient,
    gradient as gradient,
)
from fibermsk.gradients.objective import Objective as Objective
from fibermsk.gradients.sensitivity import (
    Sensitivities as Sensitivities,
    sensitivity as sensitivity,
)
from fibermsk.gradients.simulation import Simulation as Simulation

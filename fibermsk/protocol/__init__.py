"""What a time integrator or a Newton solver may ask of a system, and nothing else."""

from fibermsk.protocol.optional import Collides, HasStates, Legible, Offloaded, Projects, offers
from fibermsk.protocol.system import System
from fibermsk.protocol.values import (
    NO_MULTIPLIERS,
    BorderedMatrix,
    Evaluation,
    Frames,
    SolvesItself,
    StateBlock,
    Tangent,
    Tolerance,
    Verdict,
)

__all__ = [
    "BorderedMatrix",
    "Collides",
    "Evaluation",
    "Frames",
    "HasStates",
    "Legible",
    "NO_MULTIPLIERS",
    "Offloaded",
    "Projects",
    "SolvesItself",
    "StateBlock",
    "System",
    "Tangent",
    "Tolerance",
    "Verdict",
    "offers",
]

"""A model together with how to simulate it: what a scene file returns."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk import _check
from fibermsk.model.model import Model

__all__ = ["METHODS", "STARTS", "Scene"]

STARTS = ("initial", "equilibrium")
METHODS = ("backward_euler", "bdf2", "sdirk2", "generalized_alpha")


@dataclass(frozen=True)
class Scene:
    """A model with the time span, the number of frames, the start, the method and its tolerance.

    Parameters
    ----------
    model : Model
        What is simulated.
    duration : float
        Simulated time [s]; positive.
    steps : int
        Number of frames, and with a tolerance of 0 of equal time steps; one or more.
    start : {"initial", "equilibrium"}
        From the described configuration and speeds, or from the static equilibrium at t = 0.
    method : {"backward_euler", "bdf2", "sdirk2", "generalized_alpha"}
        Time integration.
    tolerance : float
        Relative tolerance of adaptive steps between the frames; 0 for fixed steps, one a frame.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    model: Model
    duration: float
    steps: int
    start: str = "initial"
    method: str = "sdirk2"
    tolerance: float = 3e-4

    def __post_init__(self) -> None:
        """Check the fields."""
        _check.instance("scene", "model", self.model, Model, "a Model")
        owner = f"scene of model {self.model.name!r}"
        duration = _check.positive(owner, "duration", self.duration, "s")
        steps = _check.count(owner, "steps", self.steps)
        _check.choice(owner, "start", self.start, STARTS)
        _check.choice(owner, "method", self.method, METHODS)
        tolerance = _check.non_negative(owner, "tolerance", self.tolerance)
        _check.store(self, duration=duration, steps=steps, tolerance=tolerance)

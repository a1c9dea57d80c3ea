"""What a running computation tells about itself."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes
    ----------
    time : float
        Simulated time reached [s].
    duration : float
        Simulated time to reach [s].
    step : int
        Time steps done.
    newton_iterations : int
        Newton iterations done, over all steps.
    message : str
        What is being done when it is not stepping, e.g. ``"finding the equilibrium"``.
    """

    time: float
    duration: float
    step: int = 0
    newton_iterations: int = 0
    message: str = ""

    @property
    def fraction(self) -> float:
        """Part of the duration that is done, between 0 and 1."""
        if self.duration <= 0.0:
            return 1.0
        return min(max(self.time / self.duration, 0.0), 1.0)

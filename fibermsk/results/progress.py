"""Progress of a running computation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Attributes
    ----------
    time : float
        Simulated time reached [s].
    duration : float
        Total simulated time [s].
    step : int
        Time steps done.
    newton_iterations : int
        Newton iterations done, over all steps.
    message : str
        Current task if not time stepping, e.g. ``"finding the equilibrium"``.
    part : str
        How much of that task is done, e.g. ``"120 of 246"``, or empty.
    done : float
        Completed fraction of that task, if it is known.
    step_size : float
        Length of the last step [s].
    obstacle : str
        Why it was not longer; empty if nothing was in its way.
    """

    time: float
    duration: float
    step: int = 0
    newton_iterations: int = 0
    message: str = ""
    part: str = ""
    done: float = 0.0
    step_size: float = 0.0
    obstacle: str = ""

    @property
    def fraction(self) -> float:
        """Completed fraction of the duration, or of the task, between 0 and 1."""
        if self.part:
            return self.done
        if self.duration <= 0.0:
            return 1.0
        return min(max(self.time / self.duration, 0.0), 1.0)

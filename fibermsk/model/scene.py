"""Scenes: a model with the settings of its simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk.model.model import Model

STARTS = ("initial", "equilibrium")
METHODS = (
    "backward_euler", "bdf2", "sdirk2", "generalized_alpha", "sdirk4", "explicit", "ndf",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Scene:
    """A model with its duration, number of frames, initial state, method and tolerance.

    Parameters
    ----------
    model : Model
        Model to simulate.
    duration : float
        Simulated time [s]; positive.
    steps : int
        Number of frames, one or more; with tolerance 0 also of equal time steps.
    start : {"initial", "equilibrium"}
        Initial state: the described configuration and speeds, or static equilibrium at t = 0.
    method : str or Method
        Time integration: "backward_euler", "bdf2", "sdirk2", "generalized_alpha" or "sdirk4", or
        for bodies with line muscles alone "explicit" or "ndf"; or a value such as
        ``fm.GeneralizedAlpha(0.8)`` or a user-defined `fibermsk.solvers.newton.stage.Method`.
    tolerance : float
        Relative tolerance of adaptive steps between the frames; 0 for one fixed step per frame.
    rate_tolerance : float, optional
        Tolerance of the rates of coordinates in adaptive steps [rad/s, m/s for sliders]; None: they
        are not controlled. For motions with short strong accelerations.
    observers : tuple
        Called after every accepted step, such as `StopWhen`, which ends the run; see `simulate`.
    """

    model: Model
    duration: float
    steps: int
    start: str = "initial"
    method: Any = "sdirk2"
    tolerance: float = 3e-4
    rate_tolerance: float | None = None
    observers: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Scene(Model({self.model.name!r}), {self.duration:g} s in {self.steps} steps, "
            f"start={self.start!r}, method={self.method!r}, tolerance={self.tolerance:g})"
        )

    def __post_init__(self) -> None:
        _check.instance("scene", "model", self.model, Model, "a Model")
        owner = f"scene of model {self.model.name!r}"
        duration = _check.positive(owner, "duration", self.duration, "s")
        steps = _check.count(owner, "steps", self.steps)
        _check.choice(owner, "start", self.start, STARTS)
        if isinstance(self.method, str):
            _check.choice(owner, "method", self.method, METHODS)
        else:
            _check.method(owner, self.method)
        tolerance = _check.non_negative(owner, "tolerance", self.tolerance)
        rate_tolerance = self.rate_tolerance
        if rate_tolerance is not None:
            rate_tolerance = _check.positive(owner, "rate_tolerance", rate_tolerance, "rad/s")
            if tolerance == 0.0:
                _check.refuse(owner, "rate_tolerance", rate_tolerance, "be None with tolerance = 0")
        observers = _check.instance(owner, "observers", self.observers, (tuple, list), "a tuple")
        _check.store(
            self,
            duration=duration,
            steps=steps,
            tolerance=tolerance,
            rate_tolerance=rate_tolerance,
            observers=tuple(observers),
        )

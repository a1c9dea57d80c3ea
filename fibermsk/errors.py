"""Exceptions and warnings of fibermsk."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class ModelError(ValueError):
    """A description that cannot be simulated.

    Descriptions raise it when they are made, for a field of another type or outside its range. The
    message names the object, the value, the allowed range and the remedy.
    """


class ConstraintError(ModelError):
    """Constraints that depend on each other, or are not met nearby.

    A step that meets them fails; a shorter one may not.
    """


class PathError(ConstraintError):
    """A path of a line muscle without a taut course, such as with a point inside a wrap surface.

    A step that meets it fails; a shorter one may not.

    Attributes
    ----------
    reason : str
        "inside", "lost", "loose", "shorter", "through", "across", "side", "pieces", "order" or
        "not finite" of a path around surfaces without a closed form, or several; empty for others.
    pose : int or None
        Number of the pose, from 0, of `MuscleGeometry.at`; None elsewhere.
    """

    def __init__(self, message: str, *, reason: str = "", pose: int | None = None) -> None:
        super().__init__(message)
        self.reason, self.pose = reason, pose


class ModelWarning(UserWarning):
    """A model or run that is valid but implausible.

    Attributes
    ----------
    kind : str
        Category: "plausibility", "line_muscles", "contact_points", "compression", "softening",
        "slack_tendon", "length_jump", "network" (a path of a muscle by one), "stability",
        "checkpoint", "disk", "export" (what a file of another program does not say), "refused" and
        "remarks" (muscles of a model as bundles), or "model" for all others.
    fiber : str or None
        Fiber concerned, the worst of several; or the muscle.
    time : float or None
        Simulated time at which it occurred [s].
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "model",
        fiber: str | None = None,
        time: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.fiber, self.time = kind, fiber, time


class WriteError(ModelError):
    """A file that could not be written, such as on a full disk.

    No computed data is lost: the contents are still in memory, and in `kept`.

    Attributes
    ----------
    kept : tuple of pathlib.Path
        Files written to another folder instead; empty if no folder was writable.
    again : callable or None
        Of a run with ``save=``, writes its result to another path, and returns it.
    """

    def __init__(self, message: str, *, kept: tuple[Path, ...] = ()) -> None:
        super().__init__(message)
        self.kept = kept
        self.again: Any = None


class ConvergenceError(RuntimeError):
    """A computation that did not reach its tolerance.

    Attributes
    ----------
    time : float or None
        Simulated time at which the solve failed [s].
    step : int or None
        Number of the interval between frames, from 1, in which it failed.
    where : str
        Fiber, node and axis, or coordinate, of the largest residual.
    result : Result or None
        Partial result up to the failure.
    history : list of float
        Norms of the increments of the last Newton solve, one per iteration.
    solution : ControlSolution or None
        Last iterate of a search by optimal control.
    """

    def __init__(
        self,
        message: str,
        *,
        time: float | None = None,
        step: int | None = None,
        where: str = "",
        result: Any = None,
        history: list[float] | None = None,
    ) -> None:
        super().__init__(message)
        self.time = time
        self.step = step
        self.where = where
        self.result = result
        self.history = history or []
        self.solution: Any = None

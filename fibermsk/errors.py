"""The errors that fibermsk raises on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["ConvergenceError", "ModelError", "ModelWarning", "WriteError"]


class ModelError(ValueError):
    """A description that cannot be simulated.

    The message names the object, the value, the allowed range and the remedy.
    """


class ModelWarning(UserWarning):
    """A description that can be simulated, but hardly as it is meant.

    Attributes
    ----------
    kind : str
        What it is about: "plausibility", "line_muscles", "contact_points", "compression",
        "stability", "checkpoint", or "model" where nothing more is said.
    fiber : str or None
        The fiber that it is about, the worst of several.
    time : float or None
        When it happened in a run [s].
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
    """A file that could not be written once its contents were there, such as on a full disk.

    Nothing computed is lost with it: what was to be written is in memory still, and in `kept`.

    Attributes
    ----------
    kept : tuple of pathlib.Path
        Files that were written to another folder instead; none where no folder could be written to.
    """

    def __init__(self, message: str, *, kept: tuple[Path, ...] = ()) -> None:
        super().__init__(message)
        self.kept = kept


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
        Everything computed up to there.
    history : list of float
        Norms of the last Newton solve's increments, one an iteration.
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

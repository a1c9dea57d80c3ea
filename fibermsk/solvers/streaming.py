"""Runs whose result is written part by part, and that hold no history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelWarning
from fibermsk.protocol import Frames, ObservesParts, PartObserver, System, offers
from fibermsk.results import Result
from fibermsk.results.result import COMPLETE
from fibermsk.solvers.observers import SpooledFrames


class Run(Protocol):
    """A run that has ended, as what writes it sees it."""

    @property
    def n_frames(self) -> int:
        """Number of its frames."""
        ...

    @property
    def is_complete(self) -> bool:
        """Whether it ended as intended."""
        ...

    def parts(self) -> Iterator[Result]:
        """Consecutive parts of the result; texts and values of the last are those of the whole."""
        ...


class Sink(Protocol):
    """Interface of what writes the result of a run, such as `ResultFile`."""

    def begin(self) -> Path:
        """Folder for the frames during the run, after a check that the result can be written."""
        ...

    def write(self, run: Run, /) -> Result:
        """Write the result of a run that has ended, and return it."""
        ...


class StreamedRun:
    """A run with its frames in a file; satisfies `Run`.

    Parameters
    ----------
    system : System
        The system of the run.
    frames : SpooledFrames
        All frames.
    status : str
        That of the result.
    about : callable
        Texts and values of the result, from the constraint drift of positions and velocities.
    """

    def __init__(
        self,
        system: System,
        frames: SpooledFrames,
        status: str,
        about: Callable[[Array], dict[str, Any]],
    ) -> None:
        self._system, self._frames, self._status, self._about = system, frames, status, about
        self._observer: PartObserver | None = None

    @property
    def n_frames(self) -> int:
        """Number of its frames."""
        return self._frames.count

    @property
    def is_complete(self) -> bool:
        """Whether it ended as intended."""
        return self._status in COMPLETE

    def parts(self) -> Iterator[Result]:
        """Consecutive parts of the result; texts and values of the last are those of the whole."""
        system: Any = self._system
        self._observer = observer = system.observation()
        drift = np.zeros(2)
        for frames in self._frames.parts():
            drift = np.maximum(drift, largest_drift(system, frames))
            part = observer.part(frames)
            yield replace(part, **self._about(drift))

    def remarks(self) -> list[ModelWarning]:
        """Warnings about the result, once it was written."""
        return [] if self._observer is None else self._observer.remarks()


def largest_drift(system: System, frames: Frames) -> Array:
    """Largest constraint drift of positions and velocities over frames, (2,)."""
    found = [system.drift(*one) for one in zip(*frames[:3], strict=True)]
    return np.array(found).max(axis=0)


def folder_of(system: System, save: Any) -> Path:
    """Check what a run is to be written by; its folder for the frames."""
    must, remedy = "be an fm.ResultFile", "such as fm.ResultFile('run.h5')"
    methods = [getattr(save, name, None) for name in ("begin", "write")]
    if isinstance(save, type) or not all(map(callable, methods)):
        _check.refuse("simulate", "save", save, must, remedy=remedy)
    if not offers(system, ObservesParts):
        must = "be left out for this system, which is not one of fm.build"
        _check.refuse("simulate", "save", save, must, remedy="fm.save(result, path)")
    folder = save.begin()
    if not isinstance(folder, Path):
        _check.refuse("simulate", "save", save, must, remedy=remedy)
    return folder

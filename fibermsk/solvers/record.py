"""Frames of a run as they are made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.protocol import Evaluation, Frames, System
from fibermsk.solvers.stage import State
from fibermsk.solvers.vectors import to_host

__all__ = ["Frame", "Record"]

Array = NDArray[np.float64]


class Frame(NamedTuple):
    """One frame: state, evaluation there, length of the last step [s], iterations since the last.

    A step that passes several frames counts its iterations to the first of them.
    """

    state: State
    evaluation: Evaluation
    h: float
    iterations: int


class Record:
    """Frames one after the other, in NumPy; those after the first `count` can be dropped again."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._frames: list[tuple[float, Array, Array, Array, float, int, float]] = []

    def __len__(self) -> int:
        """Number of frames."""
        return len(self._frames)

    @property
    def last_time(self) -> float:
        """Time of the last frame [s]."""
        return self._frames[-1][0]

    def add(self, frame: Frame) -> None:
        """Add a frame at the end."""
        t, y, v = to_host(self._system, frame.state)
        reactions = to_host(self._system, frame.evaluation.reactions)
        admissibility = frame.evaluation.admissibility
        self._frames.append((t, y, v, reactions, frame.h, frame.iterations, admissibility))

    def keep(self, count: int) -> None:
        """Drop all but the first `count` frames."""
        del self._frames[count:]

    def extend(self, frames: Frames) -> None:
        """Add frames of an earlier run."""
        self._frames.extend(
            (float(t), y, v, reactions, float(h), int(iterations), float(admissibility))
            for t, y, v, reactions, h, iterations, admissibility in zip(*frames, strict=True)
        )

    def frames(self, count: int | None = None) -> Frames:
        """All frames, or the first `count`, as arrays."""
        kinds = (float, float, float, float, float, np.int64, float)
        columns = zip(*self._frames[:count], strict=True)
        return Frames(
            *(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))
        )

"""Frames of a run, collected during the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.protocol import Evaluation, Frames, HasCuts, System, offers
from fibermsk.solvers.newton.stage import State
from fibermsk.solvers.vectors import to_host

if TYPE_CHECKING:
    from fibermsk.solvers.observers.observer import Accepted


class Frame(NamedTuple):
    """One frame, a row of `fibermsk.protocol.Frames`.

    If a step passes several frames, its iterations count for the first.
    """

    t: float
    y: Array
    v: Array
    reactions: Array
    multipliers: Array
    step_size: float
    newton_iterations: int
    admissibility: float
    cuts: Array


def frame_of(
    system: System, state: State, evaluation: Evaluation, h: float, iterations: int
) -> Frame:
    """Frame of a state, with the last step's length [s] and the iterations since the last frame."""
    t, y, v = to_host(system, state)
    reactions = to_host(system, evaluation.reactions)
    cuts = system.cuts(t, y, v, reactions) if offers(system, HasCuts) else np.zeros(0)
    forces, least = (reactions, evaluation.multipliers), evaluation.admissibility
    return Frame(t, y, v, *forces, h, iterations, least, cuts)


class KeptFrames:
    """Immutable list of frames; `add` returns a longer one that shares its rows.

    It is stored as `Frames`.
    """

    _fields = Frames._fields
    _KINDS = (float, float, float, float, float, float, np.int64, float, float)

    def __init__(self, rows: list[Frame]) -> None:
        self._rows, self._count = rows, len(rows)

    @property
    def last_time(self) -> float:
        """Time of the last frame [s]."""
        return self._rows[self._count - 1].t

    def add(self, frames: Iterable[Frame]) -> KeptFrames:
        """Return a list with more frames at the end."""
        rows = self._rows if len(self._rows) == self._count else self._rows[: self._count]
        rows.extend(frames)
        return KeptFrames(rows)

    def frames(self) -> Frames:
        """All frames as arrays."""
        columns = zip(*self._rows[: self._count], strict=True)
        return Frames(
            *(np.array(column, kind) for column, kind in zip(columns, self._KINDS, strict=True))
        )

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter(self.frames())

    def _asdict(self) -> dict[str, Any]:
        return self.frames()._asdict()

    @staticmethod
    def _make(columns: Iterable[NDArray[Any]]) -> KeptFrames:
        return KeptFrames(
            [
                Frame(float(t), y, v, reactions, lam, float(h), int(iterations), float(least), cuts)
                for t, y, v, reactions, lam, h, iterations, least, cuts in zip(
                    *columns, strict=True
                )
            ]
        )


class FrameKeeper:
    """Observer that collects the frames for the result."""

    name = "frames"

    def start(self, now: Accepted) -> KeptFrames:
        """Frame at the start."""
        return KeptFrames(list(now.frames))

    def step(self, kept: KeptFrames, now: Accepted) -> KeptFrames:
        """Add the frames that the step passed."""
        return kept.add(now.frames) if now.frames else kept

    def finish(self, kept: KeptFrames, now: Accepted) -> Frames:
        """All frames, and the last state if the run ended between two frames."""
        if now.t > kept.last_time:
            spent = now.counters.newton_iterations - now.iterations
            kept = kept.add([frame_of(now.system, now.memory.state, now.evaluation, now.h, spent)])
        return kept.frames()

"""Leaving a run and going on with it, the same to the bit."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.errors import ModelError, ModelWarning
from fibermsk.protocol import Frames, System
from fibermsk.results.snapshot import Snapshot, code_version, library_versions, pack, unpack
from fibermsk.solvers.control import Control, Counters
from fibermsk.solvers.march import Point
from fibermsk.solvers.newton import Newton
from fibermsk.solvers.record import Record
from fibermsk.solvers.stage import Method
from fibermsk.solvers.vectors import from_host, to_host

__all__ = ["Checkpoints", "identify", "resume"]

Array = NDArray[np.float64]

_VERSION = "fibermsk"
"""Name of the version in an identity, which is compared first."""


def identify(
    system: System,
    method: Method,
    newton: Newton,
    control: Control,
    times: Array,
    time_error: bool,
) -> dict[str, str]:
    """What a run is of, part by part: two runs with equal parts are the same to the bit."""
    return {
        _VERSION: code_version(),
        "the method": repr(method),
        "the Newton settings": repr(newton),
        "the step control": repr(control),
        "the estimate of the error in time": repr(time_error),
        "t_end": f"{float(times[-1])!r} s",
        "the number of frames": str(times.size),
        **system.identity(times),
    }


class Checkpoints:
    """Snapshots of a run as it goes.

    Parameters
    ----------
    system : System
        Whose run it is.
    write : callable or None
        Takes each snapshot; None for no checkpoints.
    every : float
        Wall time between two [s].
    times : (n_frames,) float array
        Output times of the run [s].
    record : Record
        Its frames.
    identity : dict of str
        From `identify`.
    began : float
        When the run began by `time.perf_counter`, earlier by what it had taken before [s].
    """

    def __init__(
        self,
        system: System,
        write: Callable[[Snapshot], object] | None,
        every: float,
        times: Array,
        record: Record,
        identity: dict[str, str],
        began: float,
    ) -> None:
        self._system, self._write, self._every, self._times = system, write, every, times
        self._record, self._identity, self._began = record, identity, began
        self._last = clock.perf_counter()

    def when_due(self, at: Point) -> None:
        """Take a snapshot if it is time."""
        if clock.perf_counter() - self._last >= self._every:
            self.now(at)
            self._last = clock.perf_counter()

    def now(self, at: Point) -> None:
        """Take a snapshot."""
        if self._write is not None:
            self._write(self._take(at))

    def _take(self, at: Point) -> Snapshot:
        run = {
            "h": at.h,
            "iterations": at.iterations,
            "n_frames": at.n_frames,
            "wall_seconds": clock.perf_counter() - self._began,
        }
        arrays = {
            **pack("method", to_host(self._system, at.memory)),
            **pack("control", at.control),
            **pack("counters", vars(at.counters)),
            **pack("run", run),
            **pack("frames", self._record.frames(at.n_frames)),
            **pack("system", at.system),
            **pack("slack", at.slack),
            **pack("error", to_host(self._system, at.error)),
        }
        t, t_end = at.memory.state.t, float(self._times[-1])
        return Snapshot(t, t_end, arrays, self._identity, library_versions())


def resume(
    system: System, start: Point, record: Record, taken: Snapshot, identity: dict[str, str]
) -> tuple[Point, float]:
    """Point at which a snapshot was taken, with the system and the record as they were there.

    Parameters
    ----------
    system : System
        The same as that of the snapshot.
    start : Point
        Start of the run, whose memories have the structure of those in the snapshot.
    record : Record
        Its frames are replaced.
    taken : Snapshot
        Where to go on.
    identity : dict of str
        From `identify`.

    Returns
    -------
    at : Point
        Where to go on.
    seconds : float
        Wall time up to there.

    Raises
    ------
    ModelError
        If the snapshot is of another run; names the part that differs.
    """
    _check(taken, identity)
    arrays = taken.arrays
    memory = from_host(system, unpack("method", to_host(system, start.memory), arrays))
    t, y, v = memory.state
    control = unpack("control", start.control, arrays)
    counters = Counters(
        **{
            name: unpack(f"counters.{name}", value, arrays)
            for name, value in vars(start.counters).items()
        }
    )
    frames = Frames._make(unpack(f"frames.{name}", np.zeros(0), arrays) for name in Frames._fields)
    record.keep(0)
    record.extend(frames)
    prefix = "system."
    memories = {
        name.removeprefix(prefix): np.array(value)
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
    evaluation = system.evaluate(t, y, v, memory.v_dot, tangent=False)
    system.restore(memories)
    at = Point(
        memory=memory,
        control=control,
        evaluation=evaluation,
        h=unpack("run.h", 0.0, arrays),
        counters=counters,
        iterations=unpack("run.iterations", 0, arrays),
        n_frames=unpack("run.n_frames", 0, arrays),
        system=memories,
        slack=unpack("slack", start.slack, arrays),
        error=from_host(system, unpack("error", to_host(system, start.error), arrays)),
    )
    return at, unpack("run.wall_seconds", 0.0, arrays)


def _check(taken: Snapshot, identity: dict[str, str]) -> None:
    """Refuse a snapshot of another run, and warn where libraries differ."""
    known = taken.identity
    if known.get(_VERSION) != identity[_VERSION]:
        raise ModelError(
            f"the checkpoint was written by fibermsk {known.get(_VERSION)}; must be of this "
            f"version, {identity[_VERSION]}; run from the start, or install that version"
        )
    for part in (*identity, *known):
        if known.get(part) != identity.get(part):
            # settings can be shown, fingerprints tell a reader nothing
            shown = _shown(known.get(part, "none"), identity.get(part, "none"))
            raise ModelError(
                f"the checkpoint is of another run: it differs in {part}{shown}; must be the same "
                "model and settings; restore them, or run from the start"
            )
    now = library_versions()
    others = [
        f"{name} {taken.libraries.get(name)} (now {now[name]})"
        for name in now
        if taken.libraries.get(name) != now[name]
    ]
    if others:
        warnings.warn(
            f"the checkpoint was written with {', '.join(others)}: what follows may differ from an "
            "uninterrupted run in the last bits",
            ModelWarning,
            stacklevel=5,
        )


def _shown(known: Any, value: str) -> str:
    digest = len(value) == 64 and not value.strip("0123456789abcdef")
    return "" if digest else f" ({known} there, {value} now)"

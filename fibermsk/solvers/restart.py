"""Checkpoints of a run and bitwise identical restart."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fibermsk._first_use import working_time
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.results.snapshot import Snapshot, code_version, library_versions, pack, unpack
from fibermsk.solvers.march import March
from fibermsk.solvers.observers import Accepted
from fibermsk.solvers.past import confirm
from fibermsk.solvers.steps.control import Counters
from fibermsk.solvers.vectors import from_host, to_host

_VERSION = "fibermsk"
"""Name of the version in an identity, which is compared first."""


_LONG = 1.0
"""Interval from which on checkpoints take a limited share of the wall time [s]."""
_SHARE = 0.05
"""Largest share of the wall time that writing checkpoints takes."""


def identify(march: March, time_error: bool) -> dict[str, str]:
    """Identity of a run, part by part: runs with equal parts are bitwise identical."""
    times = march.times
    return {
        _VERSION: code_version(),
        "the method": _settings(march.method),
        "the Newton settings": repr(march.newton),
        "the step control": repr(march.control),
        "the estimate of the error in time": repr(time_error),
        "the observers": ", ".join(one.name for one in march.users) or "none",
        "t_end": f"{float(times[-1])!r} s",
        "the number of frames": str(times.size),
        **march.system.identity(times),
    }


def _settings(value: Any) -> str:
    """What a value is, the same in another process: its repr, or its class and attributes."""
    kind = type(value)
    if kind.__repr__ is not object.__repr__:
        return repr(value)
    own = (f"{name}={_settings(one)}" for name, one in vars(value).items() if name[0] != "_")
    return f"{kind.__qualname__}({', '.join(own)})"


class Checkpoints:
    """Write snapshots during a run, at intervals of `every` [s] of wall time.

    Intervals of a second or more become longer where writing would take more than a twentieth of
    the time. `write` receives each snapshot, or is None for no checkpoints. `began` is the start of
    the run by `working_time`, minus the wall time before a resume [s].
    """

    def __init__(
        self,
        write: Callable[[Snapshot], object] | None,
        every: float,
        t_end: float,
        identity: dict[str, str],
        began: float,
    ) -> None:
        self._write, self._every, self._t_end = write, every, t_end
        self._identity, self._began = identity, began
        self._last, self._wait = clock.perf_counter(), every

    def step(self, now: Accepted) -> None:
        """Take a snapshot if one is due."""
        begin = clock.perf_counter()
        if begin - self._last >= self._wait:
            self.take(now)
            self._last = clock.perf_counter()
            if self._every >= _LONG:
                self._wait = max(self._every, (self._last - begin) / _SHARE)

    def take(self, now: Accepted) -> None:
        """Take a snapshot: memories by name, with all vectors in NumPy."""
        if self._write is None:
            return
        run = {
            "h": now.h,
            "admissibility": now.evaluation.admissibility,
            "reactions": to_host(now.system, now.evaluation.reactions),
            "multipliers": now.evaluation.multipliers,
            "iterations": now.iterations,
            "n_frames": now.n_frames,
            "ending": np.frombuffer(now.ending.encode(), np.uint8),
            "wall_seconds": working_time() - self._began,
        }
        memories = {"method": now.memory, "control": now.control, **now.memories}
        arrays = {**pack("counters", vars(now.counters)), **pack("run", run)}
        arrays |= pack("system", now.left)
        for name, memory in memories.items():
            arrays |= pack(name, to_host(now.system, memory))
        self._write(Snapshot(now.t, self._t_end, arrays, self._identity, library_versions()))


def resume(start: Accepted, taken: Snapshot, identity: dict[str, str]) -> tuple[Accepted, float]:
    """Restore a run and the memory of its system from a snapshot; return it and its wall time [s].

    The memories of `start` have the same structure as those in the snapshot. A snapshot of another
    run is refused.
    """
    _check(taken, identity)
    arrays, system = taken.arrays, start.system

    def part(name: str, template: Any) -> Any:
        found = unpack(name, to_host(system, template), arrays)
        return from_host(system, found, template)

    memory = part("method", start.memory)
    counters = {
        name: part(f"counters.{name}", value) for name, value in vars(start.counters).items()
    }
    prefix = "system."
    left = {
        name.removeprefix(prefix): np.array(value)
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
    system.restore(left)  # the past that the evaluation may need
    confirm(system, memory.state)
    t, y, v = memory.state
    evaluation = system.evaluate(t, y, v, memory.v_dot, tangent=False)
    # as the step left them: with its rates, and the least admissibility over its motion
    evaluation = evaluation._replace(
        admissibility=part("run.admissibility", 0.0),
        reactions=part("run.reactions", evaluation.reactions),
        multipliers=part("run.multipliers", evaluation.multipliers),
    )
    system.restore(left)
    now = replace(
        start,
        memory=memory,
        control=part("control", start.control),
        evaluation=evaluation,
        h=part("run.h", 0.0),
        counters=Counters(**counters),
        n_frames=part("run.n_frames", 0),
        iterations=part("run.iterations", 0),
        frames=(),
        left=left,
        memories={name: part(name, value) for name, value in start.memories.items()},
        ending=part("run.ending", np.zeros(0, np.uint8)).tobytes().decode(),
    )
    return now, part("run.wall_seconds", 0.0)


def _check(taken: Snapshot, identity: dict[str, str]) -> None:
    """Reject a snapshot of another run; warn if library versions differ."""
    known = taken.identity
    if known.get(_VERSION) != identity[_VERSION]:
        raise ModelError(
            f"the checkpoint was written by fibermsk {known.get(_VERSION)}; must be of this "
            f"version, {identity[_VERSION]}; run from the start, or install that version"
        )
    for part in (*identity, *known):
        if known.get(part) != identity.get(part):
            # settings are shown, fingerprints are not
            shown = _shown(known.get(part, "none"), identity.get(part, "none"))
            raise ModelError(
                f"the checkpoint belongs to another run: it differs in {part}{shown}; must be the "
                "same model and settings; restore them, or run from the start"
            )
    now = library_versions()
    others = [
        f"{name} {taken.libraries.get(name)} (now {now[name]})"
        for name in now
        if taken.libraries.get(name) != now[name]
    ]
    if others:
        warn(
            f"the checkpoint was written with {', '.join(others)}: results may differ from an "
            "uninterrupted run by round-off",
            ModelWarning,
        )


def _shown(known: Any, value: str) -> str:
    digest = len(value) == 64 and not value.strip("0123456789abcdef")
    return "" if digest else f" ({known} there, {value} now)"

"""The accepted steps of a run, kept for its derivatives."""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk._arrays import Array
from fibermsk.protocol import System


class KeptStep(NamedTuple):
    """What repeats one step of a run."""

    before: Any  # the method's memory before it, restarted at a corner
    after: Any  # and after it
    h: float  # length [s]
    solutions: tuple[Array, ...]  # positions (n,) of its stages
    memory: dict[str, Array]  # of the system while it was solved
    frames: tuple[int, ...]  # numbers of the frames that it passed
    frozen: bool  # whether contact points were frozen in it


class _Link(NamedTuple):
    """A step and those before it: steps that are repeated leave no trace."""

    step: KeptStep
    earlier: _Link | None


class Trajectory:
    """Keeps every accepted step of the run that it is given to, see `fibermsk.simulate`.

    Attributes
    ----------
    first : NamedTuple
        The method's memory at the start.
    memory : dict
        That of the system at the start.
    steps : list of KeptStep
        All steps; empty before the run has ended.
    near : float
        Times closer than this count as one [s]; see `fibermsk.solvers.steps.corners`.
    method : Method
        The time integrator.
    """

    name = "trajectory"

    def __init__(self) -> None:
        self.first: Any = None
        self.memory: dict[str, Array] = {}
        self.method: Any = None
        self.steps: list[KeptStep] = []
        self.near = 0.0

    def start(self, now: Any) -> _Link | None:
        """Keep the start."""
        self.first, self.memory, self.steps = now.memory, now.system.memory(), []
        return None

    def step(self, memory: _Link | None, now: Any) -> _Link:
        """Keep a step."""
        system: System = now.system
        reports = now.step.reports
        kept = KeptStep(
            now.before,
            now.memory,
            now.h,
            tuple(report.solution for report in reports),
            system.memory(),
            tuple(range(now.n_frames - len(now.frames), now.n_frames)),
            any(report.frozen for report in reports),
        )
        return _Link(kept, memory)

    def finish(self, memory: _Link | None, now: Any) -> int:
        """Put the steps in order; return their number."""
        self.steps = []
        while memory is not None:
            self.steps.append(memory.step)
            memory = memory.earlier
        self.steps.reverse()
        return len(self.steps)

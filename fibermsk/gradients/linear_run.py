"""A run, with products of the derivatives of what is read from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.gradients.changes.entries import Entry
from fibermsk.gradients.changes.variations import changes_of
from fibermsk.gradients.objective import Objective, Reader
from fibermsk.gradients.readings import ALL, FIXED, Frame, Reading, readings_of, sampled
from fibermsk.gradients.simulation import Simulation
from fibermsk.results import Progress
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.adjoint.variation import Change, DirectReading, Varied
from fibermsk.system import FiberSystem

_silent = np.errstate(over="ignore", invalid="ignore")
"""Without the warnings of NumPy: what is not finite is refused by name."""


class LinearRun:
    """A run of a system whose accepted steps are kept.

    Attributes
    ----------
    result : Result
        The run.
    samples : dict of array
        Quantities that the objective reads, at all frames.
    """

    def __init__(
        self,
        simulation: Simulation,
        system: FiberSystem,
        objective: Objective,
        entries: tuple[Entry, ...] = (),
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._system, self._objective = system, objective
        self._at_rest = simulation.start == "equilibrium"
        self._reader, self._trajectory = Reader(system, objective), Trajectory()
        self._progress = progress
        self.result = simulation.run(system, self._trajectory, progress)
        run = self._trajectory
        self._frames = [Frame(run.first.state, run.memory)]
        for kept in run.steps:
            self._frames += [Frame(kept.after.state, kept.memory) for _ in kept.frames]
        self.samples = self._reader.samples(self._frames)
        self._entries, self._names = entries, [one.name for one in entries]
        self._direct = [name for name, one in self._reader.readings.items() if one.depends != FIXED]

    @cached_property
    def _changes(self) -> list[Change]:
        """How the system changes with the parameters; built with the first derivative."""
        return changes_of(self._system, self._entries) if self._entries else []

    @cached_property
    def _one_by_one(self) -> list[Change]:
        """The same for readings that depend on any number."""
        return changes_of(self._system, self._entries, alone=True)

    def _changes_for(self, name: str) -> list[Change]:
        depends = self._reader.readings[name].depends
        return self._one_by_one if depends == ALL else self._changes

    @property
    def value(self) -> float:
        """The objective."""
        return self._objective.evaluate(self.result.time, self.samples)

    def slopes(self) -> dict[str, Array]:
        """Derivatives of the objective in the quantities."""
        return self._objective.derivatives(self.result.time, self.samples)

    @_silent
    def vjp(self, cotangents: Mapping[str, Array]) -> Array:
        """Sum of cotangents times derivatives of the quantities in each parameter, (n,)."""
        given = self._given(cotangents)
        at_frames = self._reader.cotangents(self._frames, given)
        _, _, found = sweeps.pull(
            self._system, self._trajectory, at_frames, self._changes, len(self._names),
            at_rest=self._at_rest, names=self._names, tell=self._tell,
        )  # fmt: skip
        for name in self._direct:
            reading = self._reading(name)
            for one in self._changes_for(name):
                one.pull_reading(given[name], reading, found)
            bad = np.flatnonzero(~np.isfinite(found))
            if bad.size:
                where = f"the readings of {name!r}"
                raise sweeps.not_finite(f"in {self._names[bad[0]]!r}", where, None)
        return found

    def _tell(self, time: float) -> None:
        """Tell how far a sweep has come back."""
        if self._progress is not None:
            end = float(self.result.time[-1])
            self._progress(Progress(end - time, end, message="derivatives, back from the end"))

    @_silent
    def jvp(self, direction: Array) -> dict[str, Array]:
        """Derivatives of the quantities along a direction (n,) of the parameters."""
        own = _check.array("jvp", "direction", direction, (len(self._names),))
        still = np.zeros(self._system.n), np.zeros(self._system.n)
        moved = sweeps.push(
            self._system, self._trajectory, still, own, self._changes,
            at_rest=self._at_rest, names=self._names,
        )  # fmt: skip
        found = self._reader.tangents(self._frames, moved)
        for name in self._direct:
            reading = self._reading(name)
            for one in self._changes_for(name):
                found[name] = found[name] + one.push_reading(own, reading)
        self._check_finite(found, own)
        return found

    def jacobian(self, ways: Array | None = None) -> dict[str, Array]:
        """Derivatives (m, n_frames, ...) of the quantities along ways (m, n); see `RunGradient`."""
        n = len(self._names)
        ways = np.eye(n) if ways is None else _check.array("jacobian", "ways", ways, ("m", n))
        if not len(ways):
            _check.refuse("jacobian", "ways", ways, "be one or more")
        moved = [self.jvp(way) for way in ways]
        return {name: np.stack([one[name] for one in moved]) for name in self.samples}

    def _check_finite(self, found: Mapping[str, Array], direction: Array) -> None:
        """Refuse derivatives of quantities that overflow though those of the unknowns do not."""
        for name, one in found.items():
            bad = np.argwhere(~np.isfinite(one))
            if bad.size:
                frame = int(bad[0][0])
                time = float(self.result.time[frame])
                varied = Varied.of((), direction, self._names).varied_names
                where = f"frame {frame} of {len(one) - 1}, at t = {time:g} s"
                raise sweeps.not_finite(f"of {name!r} in {varied}", where, time)

    def _reading(self, name: str) -> DirectReading:
        """A quantity at all frames, by system, and whose numbers it depends on."""
        reads = {name: self._objective.reads[name]}

        def on(own: FiberSystem) -> Reading:
            return readings_of(own, reads)[name]

        one = self._reader.readings[name]
        return DirectReading(
            lambda own: sampled(on(own), self._frames), one.owner, one.path, self.result.time, on,
            self._frames,
        )  # fmt: skip

    def _given(self, cotangents: Mapping[str, Array]) -> dict[str, Array]:
        _check.instance("vjp", "cotangents", cotangents, Mapping, "a mapping of arrays by name")
        unknown = sorted(map(str, set(cotangents) - set(self.samples)))
        if unknown:
            _check.refuse("vjp", "cotangents of", unknown, f"be of {sorted(self.samples)}")
        return {
            name: _check.array("vjp", f"cotangents of {name!r}", cotangents[name], one.shape)
            if name in cotangents else np.zeros_like(one)
            for name, one in self.samples.items()
        }  # fmt: skip

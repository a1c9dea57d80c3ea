"""A run, with products of the derivatives of what is read from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.gradients.objective import Objective, Reader
from fibermsk.gradients.simulation import Simulation
from fibermsk.gradients.variations import Entry, changes_of
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.adjoint.variation import Placing
from fibermsk.system import FiberSystem


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
    ) -> None:
        self._system, self._objective = system, objective
        self._at_rest = simulation.start == "equilibrium"
        self._reader, self._trajectory = Reader(system, objective), Trajectory()
        self.result = simulation.run(system, self._trajectory)
        self._states = [self._trajectory.first.state]
        for kept in self._trajectory.steps:
            self._states += [kept.after.state for _ in kept.frames]
        self.samples = self._reader.samples(self._states)
        self._n, self._changes = len(entries), changes_of(system, entries) if entries else []

    @property
    def value(self) -> float:
        """The objective."""
        return self._objective.evaluate(self.result.time, self.samples)

    def slopes(self) -> dict[str, Array]:
        """Derivatives of the objective in the quantities."""
        return self._objective.derivatives(self.result.time, self.samples)

    def vjp(self, cotangents: Mapping[str, Array]) -> Array:
        """Sum of cotangents times derivatives of the quantities in each parameter, (n,)."""
        given = self._given(cotangents)
        at_frames = self._reader.cotangents(self._states, given)
        _, _, found = sweeps.pull(
            self._system, self._trajectory, at_frames, self._changes, self._n,
            at_rest=self._at_rest,
        )  # fmt: skip
        for name in self._reader.points:
            placing = self._placing(name)
            for one in self._changes:
                one.pull(given[name].ravel(), placing, found)
        return found

    def jvp(self, direction: Array) -> dict[str, Array]:
        """Derivatives of the quantities along a direction (n,) of the parameters."""
        own = _check.array("jvp", "direction", direction, (self._n,))
        still = np.zeros(self._system.n), np.zeros(self._system.n)
        moved = sweeps.push(
            self._system, self._trajectory, still, own, self._changes, at_rest=self._at_rest
        )
        found = self._reader.tangents(self._states, moved)
        for name in self._reader.points:
            moved = np.zeros(found[name].size)
            for one in self._changes:
                moved += one.push(own, self._placing(name))
            found[name] += moved.reshape(found[name].shape)
        return found

    def _placing(self, name: str) -> Placing:
        """Function that gives where a point of a body is at all frames, by system."""
        return lambda own: Reader(own, self._objective).samples(self._states)[name].ravel()

    def _given(self, cotangents: Mapping[str, Array]) -> dict[str, Array]:
        unknown = sorted(set(cotangents) - set(self.samples))
        if unknown:
            _check.refuse("vjp", "cotangents of", unknown, f"be of {sorted(self.samples)}")
        return {
            name: _check.array("vjp", f"cotangents of {name!r}", cotangents[name], one.shape)
            if name in cotangents else np.zeros_like(one)
            for name, one in self.samples.items()
        }  # fmt: skip

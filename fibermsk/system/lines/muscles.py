"""Forces of line muscles on the coordinates, with the states of their fibers.

Symbols: ``l`` and ``v`` length of the path and its rate, ``a`` activation, ``x`` state and ``r``
its rate, ``F`` tendon force. The tendon pulls with -F dl/dq on the coordinates q; the row of the
state is that of the law, see `fibermsk.laws.hill`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.model import ActivationDynamics, Model
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Signal, Sums
from fibermsk.system.lines.frames import PathsOfFrames
from fibermsk.system.lines.hill import HillGroups, LawsAt
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.lines.placed import PlacedPaths
from fibermsk.system.lines.reports import MuscleReports


class MusclesAt(NamedTuple):
    """Line muscles at one state.

    Attributes
    ----------
    paths : PlacedPaths
        Lengths, their rates and derivatives.
    activation, state, rate : (m,) float array
        Of each muscle; state and rate are zero for a rigid tendon.
    tension : (m, 6) float array
        Tendon force and its derivatives in l, v, a, x and r.
    row : (m, 6) float array
        Row of the state and its derivatives.
    """

    paths: PlacedPaths
    activation: Array
    state: Array
    rate: Array
    tension: Array
    row: Array


class LineMuscles:
    """Contribution of all line muscles that have a law.

    Parameters
    ----------
    model, configuration
        Of the system.
    state_of : (m,) int array
        Number of the state that is each muscle's activation; -1 for a function of time.

    Attributes
    ----------
    shift : float
        Added to all activations that are functions of time, for derivatives.
    """

    def __init__(self, model: Model, configuration: Configuration, state_of: Index) -> None:
        self.muscles = model.acting_muscles
        self.paths = LinePaths(configuration, self.muscles)
        self.hill = HillGroups(self.muscles)
        self._activated_by, self.shift = state_of, 0.0
        self._beside: LawsAt | None = None
        self._driven = np.flatnonzero(state_of >= 0)
        self._states: Index = np.full(len(self.muscles), -1, np.int64)
        self._start_states(configuration)
        self._own = np.flatnonzero(self._states >= 0)  # muscles with a state
        self._last: tuple[At, MusclesAt] | None = None
        self._of_frames = PathsOfFrames(self.paths)

    def _start_states(self, configuration: Configuration) -> None:
        """Create the states; they start in equilibrium with the pose at the start."""
        y, v = configuration.start()
        self._start_lengths = self.paths.at(configuration.kinematics(0.0, y, 0.0 * v)).length
        self._start_activations = np.zeros(len(self.muscles))
        for k, muscle in enumerate(self.muscles):
            start = self._start(k)  # refuses a path without one
            state = self.hill.state(k)
            if state is not None:
                name, unit, scale = state
                self._states[k] = configuration.states.n_free
                configuration.states.new(muscle.name, [name], [unit], [scale], [start])

    def _start(self, k: int) -> float:
        """State of a muscle in equilibrium at the start; NaN for a rigid tendon."""
        muscle = self.muscles[k]
        driven = muscle.activation
        dynamic = isinstance(driven, ActivationDynamics)
        self._start_activations[k] = driven.start if dynamic else muscle.activation_at(0.0)
        length = float(self._start_lengths[k])
        return self.hill.start(k, length, float(self._start_activations[k]))

    def start_slopes(self, states: Array) -> tuple[Array, Array]:
        """Derivatives of start values of the states in activations in time, and in path lengths.

        For the muscles that have a state, zero for activations that are states. By the implicit
        function theorem: at the start the row of a state is zero. states (n_states,) are all start
        values.
        """
        still, x = np.zeros((2, len(self.muscles)))
        x[self._own] = states[self._states[self._own]]
        row = self.hill.forces(self._start_lengths, still, self._start_activations, x, still)[:, 1]
        row = row[self._own]
        # fibers that carry nothing are at rest over a range, whose end does not move
        scale = np.divide(-1.0, row[:, 4], out=np.zeros(len(row)), where=row[:, 4] != 0.0)
        in_time = ~np.isin(self._own, self._driven)
        return in_time * row[:, 3] * scale, row[:, 1] * scale

    def own_forces(self, at: At, placed: PlacedPaths, laws: LawsAt) -> tuple[Array, Array]:
        """Tensions (m,) [N] on given paths, and rows of the muscles that have a state."""
        found = laws.forces(self.hill, self._given(at, placed))
        return found[:, 0, 0], found[self._own, 1, 0]

    def laws_at(self, at: At) -> LawsAt:
        """Laws at a state."""
        return LawsAt(self.hill, self.given(at))

    @contextmanager
    def beside(self, laws: LawsAt) -> Iterator[None]:
        """Context with forces of first order beside those of other laws at a state."""
        self._beside, self._last = laws, None
        try:
            yield
        finally:
            self._beside = self._last = None

    def given(self, at: At) -> Array:
        """What the laws depend on at a state: length, speed, activation, state and rate, (5, m)."""
        return self._given(at, self.paths.at(at))

    def _given(self, at: At, placed: PlacedPaths) -> Array:
        """What the laws depend on, (5, m)."""
        given = placed.length, placed.speed, self._activations(at), *self._own_states(at)
        return np.array(given)

    def evaluate(self, at: At) -> MusclesAt:
        """Lengths, forces and rows, computed once for a state."""
        if self._last is not None and self._last[0] is at:
            return self._last[1]
        placed = self.paths.at(at)
        given = self._given(at, placed)
        near = self._beside
        found = self.hill.forces(*given) if near is None else near.forces(self.hill, given)
        _, _, a, x, rate = given
        now = MusclesAt(placed, a, x, rate, found[:, 0], found[:, 1])
        self._last = at, now
        return now

    @property
    def state_of(self) -> tuple[Index, Index]:
        """States of each muscle's fibers and of its activation (m,); -1 without one."""
        return self._states, self._activated_by

    def _own_states(self, at: At) -> tuple[Array, Array]:
        """State of each muscle and its rate, (m,); zero without one."""
        x, rate = np.zeros((2, len(self.muscles)))
        states = self._states[self._own]
        x[self._own], rate[self._own] = at.states[states], at.rates[states]
        return x, rate

    def _activations(self, at: At) -> Array:
        """Activation of each muscle, (m,)."""
        found = np.empty(len(self.muscles))
        for k, muscle in enumerate(self.muscles):
            if self._activated_by[k] < 0:
                found[k] = muscle.activation_at(at.t) + self.shift
        found[self._driven] = at.states[self._activated_by[self._driven]]
        return found

    def states_over(self, times: Sequence[float], states: Array, rates: Array) -> Array:
        """Activation, state and rate of each muscle in frames, (3, m, n_frames).

        states, rates (n_frames, n_states): all of the system at the times [s].
        """
        found, own = np.zeros((3, len(self.muscles), len(times))), self._own
        for k, muscle in enumerate(self.muscles):
            if self._activated_by[k] < 0:
                found[0, k] = [muscle.activation_at(t) + self.shift for t in times]
        found[0, self._driven] = states[:, self._activated_by[self._driven]].T
        found[1, own], found[2, own] = (one[:, self._states[own]].T for one in (states, rates))
        return found

    def add(self, at: At, sums: Sums) -> None:
        """Add the pull of the tendons and the rows of the states."""
        now = self.evaluate(at)
        F, F_l, F_v, F_a, F_x, F_r = now.tension.T
        self.paths.push(at, now.paths, sums, F, F_l, F_v)
        own, states = self._own, self._states[self._own]
        if not at.states.size:
            return
        sums.states.row[states] += now.row[own, 0]
        if sums.slopes is None:
            return
        _, by_l, by_v, by_a, by_x, by_r = now.row.T
        X, V = self.paths.follow(at, now.paths, sums.slopes)
        b = sums.slopes.dv_dy
        to = sums.states
        to.by_q[states] += by_l[own, None] * X[own] + by_v[own, None] * V[own]
        to.by_state[states, states] += by_x[own] + b * by_r[own]
        to.on_q[:, states] += X[own].T * (F_x + b * F_r)[own]
        for k in self._driven:  # several muscles may share an activation
            activation = self._activated_by[k]
            to.on_q[:, activation] += X[k] * F_a[k]
            if self._states[k] >= 0:
                to.by_state[self._states[k], activation] += by_a[k]

    def energy(self, at: At) -> dict[str, float]:
        """Elastic energy of tendons and passive fibers [J]."""
        length, (state, _) = self.paths.at(at).length, self._own_states(at)
        return {"elastic": self.hill.energy(length, state)}

    def muscle_reports(self) -> MuscleReports:
        """Table of what results report of each muscle."""
        return MuscleReports(self, self._of_frames)

    def memory(self) -> dict[str, Array]:
        """Winding angles of the paths."""
        return self.paths.branches.memory()

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a `memory`."""
        self.paths.restore(memory)
        self._last = None

    def inputs(self) -> Iterator[Signal]:
        """Activations that are functions of time."""
        for muscle in self.muscles:
            if not isinstance(muscle.activation, ActivationDynamics):
                yield Signal(
                    f"line muscle {muscle.name!r}", "activation", muscle.activation,
                    lambda t, muscle=muscle: np.array(muscle.activation_at(t)),
                )  # fmt: skip

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Paths, laws and activations."""
        found: list[Any] = [self._activated_by, *self.paths.fingerprint, *self.hill.fingerprint]
        for muscle in self.muscles:
            if not isinstance(muscle.activation, ActivationDynamics):
                found.append([muscle.activation_at(float(t)) for t in times])
        return {"the line muscles": found}

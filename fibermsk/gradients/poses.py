"""Numbers that move bones, and paths of line muscles: derivatives of all at once.

At given shapes of the fibers they enter through one tangent, that of `fibermsk.gradients.loose`;
for the shapes, see `fibermsk.gradients.chained`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.loose import Loose
from fibermsk.gradients.readings import Frame
from fibermsk.protocol import Followers
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import DirectReading, Placing
from fibermsk.solvers.newton.stage import State
from fibermsk.system import FiberSystem
from fibermsk.system.own_forces import OwnForces


class Poses:
    """Numbers that move bones and paths; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    system : FiberSystem
        The system.
    numbers : sequence of int
        Of the numbers (m,) in the gradient.
    loose
        System with held coordinates for them.
    """

    def __init__(self, system: FiberSystem, numbers: Sequence[int], loose: Loose) -> None:
        self._system, self._loose = system, loose
        self._numbers: Index = np.array(numbers, np.int64)
        self._start = Placing(None, *system.initial_state())
        self._states, self._start_slopes = self._of_states()

    def _of_states(self) -> tuple[Index, Array]:
        """States (k,) of line muscles, and derivatives (m, k) of their equilibria at the start."""
        own, apart, muscles = OwnForces(self._system), self._loose.system, self._system.line_muscles
        states = own.muscle_states
        if muscles is None or apart.line_muscles is None:
            return states, np.zeros((len(self._numbers), 0))
        whole = self._loose.whole(self._start.y)
        at = apart.configuration.kinematics(0.0, whole, 0.0 * whole)
        lengths = np.zeros((len(muscles.muscles), apart.n))
        first = 6 * apart.cables.n_nodes
        lengths[:, first : first + apart.skeleton.n] = apart.line_muscles.paths.at(at).by_q
        held = muscles.state_of[0] >= 0
        by_number = self._loose.ways @ lengths[held][:, self._loose.held].T
        in_length = muscles.start_slopes(self._system.configuration.states.start)[1]
        return states, by_number * in_length

    def pull(self, cotangent: Array, placing: Placing, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        own = self._followers(placing)
        parts = cotangent.reshape(-1, self._system.n)
        total = np.zeros(self._loose.system.n)
        if placing.v is None or placing.projected:
            total[own.on] += own.by_position.T @ parts[0][own.entries]
        if placing.v is not None:
            total[own.on] += own.by_speed.T @ parts[-1][own.entries]
        gradient[self._numbers] += self._loose.products(total)

    def push(self, direction: Array, placing: Placing) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        own, moved = self._followers(placing), self._loose.moved(direction[self._numbers])
        found = list[Array]()
        if placing.v is None or placing.projected:
            found.append(self._placed(own, own.by_position @ moved[own.on]))
        if placing.v is not None:
            found.append(self._placed(own, own.by_speed @ moved[own.on]))
        return np.concatenate(found)

    def _placed(self, own: Followers, values: Array) -> Array:
        found = np.zeros(self._system.n)
        found[own.entries] = values
        return found

    def _followers(self, placing: Placing) -> Followers:
        """How attached ends follow held coordinates; nodes have the same numbers as without."""
        y = placing._replace(v=None, projected=False)(self._system)
        v = np.zeros_like(y)
        if placing.v is not None:
            v = placing._replace(projected=False)(self._system)
        return self._loose.system.followers(self._loose.whole(y), self._loose.whole(v))

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if reading.owner in self._system.fiber_names:
            return
        own, (y, v) = reading.on(self._loose.system), np.zeros((2, self._loose.system.n))
        for frame, slope in zip(reading.frames, cotangent, strict=True):
            own.pull(self._frame(frame), slope, y, v)
        gradient[self._numbers] += self._loose.products(y)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if reading.owner in self._system.fiber_names:
            return 0.0
        own, dy = reading.on(self._loose.system), self._loose.moved(direction[self._numbers])
        return np.array([own.push(self._frame(one), dy, 0.0 * dy) for one in reading.frames])

    def _frame(self, frame: Frame) -> Frame:
        """A frame of the run with held coordinates."""
        t, y, v = frame.state
        memory = self._loose.system.memory_apart(frame.memory)
        return Frame(State(t, self._loose.whole(y), self._loose.whole(v)), memory)

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        y, v = cotangents
        gradient[self._numbers] += self._start_slopes @ y[self._states]
        self.pull(v, self._start, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        dy = np.zeros(self._system.n)
        dy[self._states] = direction[self._numbers] @ self._start_slopes
        return dy, self.push(direction, self._start)

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        slopes = self._tangent(at).T @ self._loose.whole(x)
        gradient[self._numbers] += self._loose.products(slopes)

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        moved = self._loose.moved(direction[self._numbers])
        return at.only((self._tangent(at) @ moved)[self._loose.own])

    def _tangent(self, at: Linearized) -> Any:
        self._loose.system.follow_apart(at.system)
        return self._loose.tangent(at.point)

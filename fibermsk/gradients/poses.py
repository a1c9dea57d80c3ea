"""Numbers that move bones, and paths of line muscles: derivatives of all at once.

At given shapes of the fibers they enter through one tangent, that of `fibermsk.gradients.loose`;
for the shapes, see `fibermsk.gradients.chained`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.loose import Loose
from fibermsk.gradients.starts import Starts
from fibermsk.protocol import Followers
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import DirectReading, Placing, Variation
from fibermsk.system import FiberSystem


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
    vary : sequence of callable
        Each number by itself, for readings, and for states that start in equilibrium.
    """

    def __init__(
        self, system: FiberSystem, numbers: Sequence[int], loose: Loose,
        vary: Sequence[Callable[[], Variation]],
    ) -> None:  # fmt: skip
        self._system, self._loose = system, loose
        self._numbers: Index = np.array(numbers, np.int64)
        self._alone = [cache(one) for one in vary]
        self._settles = system.line_muscles is not None and bool(
            (system.line_muscles.state_of[0] >= 0).any()
        )

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
        if reading.owner not in self._system.fiber_names:
            for one in self._alone:
                one().pull_reading(cotangent, reading, gradient)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if reading.owner in self._system.fiber_names:
            return 0.0
        return sum([one().push_reading(direction, reading) for one in self._alone])

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._settles:
            self._each.pull_start(cotangents, gradient)
            return
        self.pull(cotangents[1], self._start, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._settles:
            return self._each.push_start(direction)
        return 0.0, self.push(direction, self._start)

    @property
    def _each(self) -> Starts:
        return Starts(self._system, [one() for one in self._alone])

    @property
    def _start(self) -> Placing:
        return Placing(None, *self._system.initial_state())

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

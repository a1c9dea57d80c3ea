"""Numbers that move bones, and paths of line muscles: derivatives of all at once.

At given unknowns they enter through one tangent, that of `fibermsk.gradients.loose`. Fibers that
are straight at the start between ends on moved bones have other reference shapes, as if their
attachments moved instead: that part is passed on from those, see `fibermsk.gradients.shapes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.entries import Entry, entries_of
from fibermsk.gradients.loose import Loose
from fibermsk.gradients.shapes import Shapes
from fibermsk.model import Station
from fibermsk.protocol import Followers
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import DirectReading, Placing, Variation
from fibermsk.system import FiberSystem

_SIDES = "origin", "insertion"


def ends_moved_by(system: FiberSystem, loose: Loose) -> tuple[list[tuple[int, Entry]], Array]:
    """Coordinates of attachments that stand for the motion of attached ends at the start.

    Returns
    -------
    moved : list of (int, Entry)
        Fiber by number, and coordinate, of those that some number changes.
    chain : (m, k) float array
        Their derivatives in the numbers.
    """
    start, tree, model = system.initial_state()[0], loose.system.tree, loose.system.model
    whole = loose.whole(start)
    own = loose.system.followers(whole, 0.0 * whole)
    columns = np.zeros((own.entries.size, loose.system.n))
    columns[:, own.on] = own.by_position
    by_number = (columns[:, loose.held] @ loose.ways.T).reshape(-1, 3, len(loose.ways))
    links = loose.system.skeleton.at(loose.system.split(whole)[1]).links
    moved, chain, cables = list[tuple[int, Entry]](), list[Array](), system.cables
    for fiber, side, on_ground in zip(cables.point_fiber, cables.end_side, by_number, strict=True):
        station = model.fibers[fiber].attach[side]
        if on_ground.any() and isinstance(station, Station):
            turn, _ = tree.place(station.body.name, links)
            path = f"{system.fiber_names[fiber]}/attach/{_SIDES[side]}"
            chain += [*(turn.T @ on_ground)]
            moved += [(int(fiber), entry) for entry in entries_of(system, path)]
    return moved, np.array(chain).reshape(-1, len(loose.ways)).T


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
    ends : Shapes, optional
        Coordinates of k attachments that they move at the start; without any, no shape changes.
    chain : (m, k) float array
        Derivatives of these coordinates in the numbers.
    vary : sequence of callable
        Each number by itself, for readings, and for states that start in equilibrium.
    """

    def __init__(
        self, system: FiberSystem, numbers: Sequence[int], loose: Loose, ends: Shapes | None,
        chain: Array, vary: Sequence[Callable[[], Variation]],
    ) -> None:  # fmt: skip
        self._system, self._loose, self._ends, self._chain = system, loose, ends, chain
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
        for one in self._alone:
            one().pull_reading(cotangent, reading, gradient)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return sum([one().push_reading(direction, reading) for one in self._alone])

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._settles:
            for one in self._alone:
                one().pull_start(cotangents, gradient)
            return
        y_bar, v_bar = cotangents
        if self._ends is not None:
            local = np.zeros(self._chain.shape[1])
            self._ends.pull_start((y_bar, 0.0 * v_bar), local)
            gradient[self._numbers] += self._chain @ local
        self.pull(v_bar, self._start, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._settles:
            moved = [one().push_start(direction) for one in self._alone]
            return sum([y for y, _ in moved]), sum([v for _, v in moved])
        dy: Array | float = 0.0
        if self._ends is not None:
            dy, _ = self._ends.push_start(direction[self._numbers] @ self._chain)
        return dy, self.push(direction, self._start)

    @property
    def _start(self) -> Placing:
        return Placing(None, *self._system.initial_state())

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        slopes = self._tangent(at).T @ self._loose.whole(x)
        gradient[self._numbers] += self._loose.products(slopes)
        if self._ends is not None:
            local = np.zeros(self._chain.shape[1])
            self._ends.pull_shapes(at, x, local)
            gradient[self._numbers] += self._chain @ local

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        own = direction[self._numbers]
        rows = at.only((self._tangent(at) @ self._loose.moved(own))[self._loose.own])
        if self._ends is None:
            return rows
        return rows + self._ends.shapes_along(at, own @ self._chain)

    def _tangent(self, at: Linearized) -> Any:
        self._loose.system.follow_apart(at.system)
        return self._loose.tangent(at.point)

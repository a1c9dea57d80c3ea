"""Numbers that move bones, and paths of line muscles: derivatives of all at once.

At given shapes of the fibers they enter through the tangent of `fibermsk.gradients.changes.loose`;
for the shapes, see `fibermsk.gradients.changes.chained`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.changes.functions import Scale, Scales
from fibermsk.gradients.changes.loose import Loose
from fibermsk.gradients.changes.shapes import SCALES, slopes_of
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
    scales
        How far these move with the numbers.
    """

    def __init__(
        self, system: FiberSystem, numbers: Sequence[int], loose: Loose, scales: Scales
    ) -> None:
        self._system, self._loose, self._scales = system, loose, scales
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
        by_number *= self._scale(self._start.y).place[:, None]
        in_length = muscles.start_slopes(self._system.configuration.states.start)[1]
        return states, by_number * in_length

    def _scale(self, y: Array, v: Array | None = None, v_dot: Array | None = None) -> Scale:
        """How far held coordinates move with the numbers, at positions (n,) and their rates."""
        split = self._system.split
        rates = [None if one is None else split(one)[1] for one in (v, v_dot)]
        return self._scales.at(split(y)[1], *rates)

    def pull(self, cotangent: Array, placing: Placing, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        own, scale = self._followers(placing)
        parts = cotangent.reshape(-1, self._system.n)
        total, on_speed = np.zeros((2, self._loose.system.n))
        if placing.v is None or placing.projected:
            total[own.on] += own.by_position.T @ parts[0][own.entries]
        if placing.v is not None:
            total[own.on] += own.by_speed.T @ parts[-1][own.entries]
            on_speed[own.on] += own.by_position.T @ parts[-1][own.entries]
        self._add(scale, total, on_speed, gradient)

    def _add(self, scale: Scale, on_place: Array, on_speed: Array, gradient: Array) -> None:
        """Add products with cotangents of the unknowns of the loose system, and of their rates."""
        products = scale.place * self._loose.products(on_place)
        if self._scales.any:
            products += scale.speed * self._loose.products(on_speed)
        gradient[self._numbers] += products

    def push(self, direction: Array, placing: Placing) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        own, scale = self._followers(placing)
        given, found = direction[self._numbers], list[Array]()
        moved = self._loose.moved(scale.place * given)[own.on]
        if placing.v is None or placing.projected:
            found.append(self._placed(own, own.by_position @ moved))
        if placing.v is not None:
            faster = self._loose.moved(scale.speed * given)[own.on]
            found.append(self._placed(own, own.by_speed @ moved + own.by_position @ faster))
        return np.concatenate(found)

    def _placed(self, own: Followers, values: Array) -> Array:
        found = np.zeros(self._system.n)
        found[own.entries] = values
        return found

    def _followers(self, placing: Placing) -> tuple[Followers, Scale]:
        """How attached ends follow held coordinates, and these the numbers.

        Nodes have the same numbers as without.
        """
        y = placing._replace(v=None, projected=False)(self._system)
        v = np.zeros_like(y)
        if placing.v is not None:
            v = placing._replace(projected=False)(self._system)
        own = self._loose.system.followers(self._loose.whole(y), self._loose.whole(v))
        return own, self._scale(y, v)

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if reading.owner in self._system.fiber_names:
            return
        own, (y, v) = reading.on(self._loose.system), np.zeros((2, self._loose.system.n))
        for frame, slope in zip(reading.frames, cotangent, strict=True):
            own.pull(self._frame(frame), slope, y, v)
            if self._scales.any:
                self._add(self._scale(*frame.state[1:]), y, v, gradient)
                y[:], v[:] = 0.0, 0.0
        if not self._scales.any:
            gradient[self._numbers] += self._loose.products(y)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if reading.owner in self._system.fiber_names:
            return 0.0
        own, given, moved = reading.on(self._loose.system), direction[self._numbers], list[Any]()
        for frame in reading.frames:
            scale = self._scale(*frame.state[1:])
            ways = (self._loose.moved(one * given) for one in (scale.place, scale.speed))
            moved.append(own.push(self._frame(frame), *ways))
        return np.array(moved)

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
        scale, whole = self._scale(*at.point[1:4]), self._loose.whole(x)
        tangents, force = self._tangents(at)
        before, products = 0.0, scale.slope * (scale.on @ self._system.split(x)[1]) * force
        for order, tangent in enumerate(tangents):
            product = tangent.transposed_product(whole)
            if order == 0:
                at.know_stiffness(x, at.only(product[self._loose.own]))
            here = self._loose.products(product)
            products += SCALES[order] * scale[order] * (here - before)
            before = here
        gradient[self._numbers] += products

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        scale, given = self._scale(*at.point[1:4]), direction[self._numbers]
        tangents, force = self._tangents(at)
        rates = [self._loose.moved(one * given) for one in (*scale[:3], np.zeros_like(given))]
        total, before = np.zeros(self._loose.system.n), np.zeros(self._loose.system.n)
        for order, tangent in enumerate(tangents):
            total += SCALES[order] * (tangent @ rates[order] - before)
            before = tangent @ rates[order + 1]
        found = total[self._loose.own]
        self._system.split(found)[1][:] += (scale.slope * force * given) @ scale.on
        return at.only(found)

    def _tangents(self, at: Linearized) -> tuple[Iterator[Any], Array]:
        """Tangents that hold stiffness, and of functions damping and mass, one after another.

        With the forces (m,) along the held coordinates of the numbers.
        """
        loose, point = self._loose, at.point
        loose.system.follow_apart(at.system)
        slopes = slopes_of(point) if self._scales.any else slopes_of(point)[:1]
        first, residual = loose.tangent(point, slopes[0])

        def tangents() -> Iterator[Any]:
            yield first
            for one in slopes[1:]:
                yield loose.tangent(point, one)[0]

        return tangents(), loose.products(residual)

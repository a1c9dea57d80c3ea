"""What a step does besides sums: solve a stage, follow attachments, begin; with derivatives.

Each operation takes forms and makes a source. `pull` passes the cotangent of the source on to what
it was made from, and to the parameters; `push` makes its tangent from theirs. See
`fibermsk.solvers.newton.stage.solve_stage` for the equations of a stage.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from fibermsk._arrays import Array
from fibermsk.protocol import ProjectionSlopes
from fibermsk.solvers.adjoint.form import Slots, value_of
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.solvers.adjoint.variation import Placing, Varied


class Operation(Protocol):
    """One operation of a step."""

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass cotangents on."""
        ...

    def push(self, slots: Slots, varied: Varied) -> None:
        """Make the tangents of its sources."""
        ...


class Retracted(NamedTuple):
    """Positions after an increment: their dependent entries follow."""

    system: Any
    source: int
    t: float
    y: Any
    increment: Any
    value: Array

    def _at(self) -> Linearized:
        return Linearized(self.system, Point(self.t, self.value, 0.0 * self.value, None))

    @property
    def _placing(self) -> Placing:
        return Placing(self.t, self.value)

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass the cotangent on to positions and increment."""
        cotangent = slots.get(self.source)
        if cotangent is None:
            return
        at = self._at()
        varied.add(cotangent * ~at.independent, self._placing)
        own = at.pulled(cotangent)
        slots.spread(self.y, own)
        slots.spread(self.increment, own)

    def push(self, slots: Slots, varied: Varied) -> None:
        """Tangent of the positions."""
        at = self._at()
        moved = slots.gather(self.y) + slots.gather(self.increment)
        slots.set(self.source, at.followed(moved) + varied.along(self._placing) * ~at.independent)


class Enforced(NamedTuple):
    """Velocities whose dependent entries follow."""

    system: Any
    source: int
    t: float | None
    derive: bool
    y: Any
    v: Any
    value: Array

    def _at(self) -> Linearized:
        return Linearized(self.system, Point(self.t or 0.0, value_of(self.y), self.value, None))

    @property
    def _placing(self) -> Placing:
        return Placing(self.t, value_of(self.y), self.value, self.derive)

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass the cotangent on to positions and independent velocities."""
        cotangent = slots.get(self.source)
        if cotangent is None:
            return
        at = self._at()
        varied.add(cotangent * ~at.independent, self._placing)
        on_y, on_v = at.pulled_rates(cotangent)
        slots.spread(self.y, on_y)
        slots.spread(self.v, on_v)

    def push(self, slots: Slots, varied: Varied) -> None:
        """Tangent of the velocities."""
        at = self._at()
        moved = at.followed_rates(slots.gather(self.y), slots.gather(self.v))
        slots.set(self.source, moved + varied.along(self._placing) * ~at.independent)


class Projected(NamedTuple):
    """Positions and velocities that are put where constraints hold; both are sources."""

    system: Any
    sources: tuple[int, int]
    t: float
    y: Any
    v: Any
    values: tuple[Array, Array]

    def _at(self) -> tuple[Linearized, ProjectionSlopes]:
        given = value_of(self.y), value_of(self.v)
        slopes = self.system.projection_slopes(self.t, *given)
        return Linearized(self.system, Point(self.t, *self.values, None)), slopes

    @property
    def _placing(self) -> Placing:
        return Placing(self.t, value_of(self.y), value_of(self.v), projected=True)

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass the cotangents on to positions and velocities before."""
        y_bar, v_bar = (slots.get(one) for one in self.sources)
        if y_bar is None and v_bar is None:
            return
        zero = np.zeros_like(self.values[0])
        y_bar, v_bar = zero if y_bar is None else y_bar, zero if v_bar is None else v_bar
        varied.add(np.concatenate([y_bar, v_bar]), self._placing)
        at, (on, by_position, by_speed, by_rate) = self._at()
        on_y, on_v = at.pulled_rates(v_bar)
        on_y += at.pulled(y_bar)
        on_y[on] = by_position.T @ on_y[on] + by_speed.T @ on_v[on]
        on_v[on] = by_rate.T @ on_v[on]
        slots.spread(self.y, at.only(on_y))
        slots.spread(self.v, at.only(on_v))

    def push(self, slots: Slots, varied: Varied) -> None:
        """Tangents of positions and velocities."""
        at, (on, by_position, by_speed, by_rate) = self._at()
        dy, dv = at.only(slots.gather(self.y)), at.only(slots.gather(self.v))
        dv[on] = by_speed @ dy[on] + by_rate @ dv[on]
        dy[on] = by_position @ dy[on]
        by_y, by_v = np.split(varied.along(self._placing) + np.zeros(2 * dy.size), 2)
        slots.set(self.sources[0], at.followed(dy) + by_y)
        slots.set(self.sources[1], at.followed_rates(dy, dv) + by_v)


class Accelerated(NamedTuple):
    """Rates of velocities whose dependent entries follow: only the others are passed on.

    Equations with rates that follow are differentiated as a whole (`Point.rates`), and methods set
    dependent entries anew.
    """

    source: int
    v_dot: Any
    independent: Any  # function that gives the mask

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass the cotangent on to the independent rates."""
        cotangent = slots.get(self.source)
        if cotangent is not None:
            slots.spread(self.v_dot, np.where(self.independent(), cotangent, 0.0))

    def push(self, slots: Slots, varied: Varied) -> None:
        """Tangent of the independent rates."""
        slots.set(self.source, np.where(self.independent(), slots.gather(self.v_dot), 0.0))


class Solved(NamedTuple):
    """Positions of a stage, from F(y, v, v_dot) = 0 with rates that follow the positions.

    With T the derivative along dv = b dy, dv_dot = a dv: x = -T^-T of the cotangent of y; the
    equations have x as their cotangent, v and v_dot those of F^T x, and what these depend on
    besides y gets its share through their own forms. What these give back to y is in T already: its
    source is read before, and not again.
    """

    system: Any
    source: int
    point: Point
    v: Any
    v_dot: Any
    b: float
    a: float

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass the cotangent on to the forms of the rates."""
        cotangent = slots.get(self.source)
        if cotangent is None or not cotangent.any():
            return
        at = Linearized(self.system, self.point)
        dependent = cotangent * ~at.independent
        varied.add(dependent, self._placing)
        right = -at.pulled(cotangent)
        x = at.solve_transposed(right, self.b, self.a)
        varied.add_forces(at, x)
        damping, mass = at.rate_products(x, self.b, self.a, right)
        slots.spread(self.v, damping)
        slots.spread(self.v_dot, at.inertia(x, mass))

    def push(self, slots: Slots, varied: Varied) -> None:
        """Tangent of the positions; those of the rates are at fixed positions here."""
        at = Linearized(self.system, self.point)
        changed = at.forces(slots.gather(self.v), slots.gather(self.v_dot), self.b)
        changed = changed + at.only(varied.forces_along(at) + 0.0 * changed)
        moved = at.followed(-at.solve(changed, self.b, self.a))
        slots.set(self.source, moved + varied.along(self._placing) * ~at.independent)

    @property
    def _placing(self) -> Placing:
        return Placing(self.point.t, self.point.y)


class Rested(NamedTuple):
    """Positions of a static equilibrium, F(y, 0, 0) = 0, by the implicit function theorem.

    It depends on parameters alone.
    """

    system: Any
    t: float
    y: Array

    def _at(self) -> Linearized:
        still = np.zeros_like(self.y)
        return Linearized(
            self.system, Point(self.t, self.y, still, still, rates=False, at_rest=True)
        )

    @property
    def _placing(self) -> Placing:
        return Placing(self.t, self.y)

    def pull(self, cotangent: Array, varied: Varied) -> None:
        """Pass the cotangent of the positions on to the parameters."""
        at = self._at()
        varied.add(cotangent * ~at.independent, self._placing)
        x = at.solve_transposed(-at.pulled(cotangent), 0.0, 0.0)
        varied.add_forces(at, x)

    def push(self, varied: Varied) -> Array:
        """Increment of the positions."""
        at = self._at()
        changed = at.only(varied.forces_along(at) + 0.0 * self.y)
        moved = at.followed(-at.solve(changed, 0.0, 0.0))
        return moved + varied.along(self._placing) * ~at.independent


class Began(NamedTuple):
    """Rates of velocities, and of first-order states, that satisfy the equations at a state.

    Both are sources; the velocities before them have dependent entries that follow.
    """

    system: Any
    sources: tuple[int, int]  # of the velocities and of their rates
    point: Point
    y: Any
    v: Any
    states: slice

    def _scale(self) -> Array:
        """Factors of the unknowns: with large slopes the tangent holds their derivatives alone."""
        factors = np.full(self.point.y.size, _B * _A)
        factors[self.states] = _B
        return factors

    def pull(self, slots: Slots, varied: Varied) -> None:
        """Pass cotangents on to the state."""
        v_bar, rate_bar = (slots.get(one) for one in self.sources)
        if v_bar is None and rate_bar is None:
            return
        at = Linearized(self.system, self.point)
        zero = np.zeros_like(self.point.y)
        v_bar = zero if v_bar is None else v_bar
        found = zero.copy() if rate_bar is None else at.only(rate_bar)
        found[self.states] = v_bar[self.states]
        x = at.solve_transposed(-found * self._scale(), _B, _A)
        varied.add_forces(at, x)
        still, damping, _ = at.transposed_products(x, 1.0, 1.0)
        damping[self.states] = 0.0
        rest = v_bar.copy()
        rest[self.states] = 0.0
        varied.add(rest * ~at.independent, self._placing)
        on_y, on_v = at.pulled_rates(rest)
        slots.spread(self.y, still + on_y)
        slots.spread(self.v, damping + on_v)

    def push(self, slots: Slots, varied: Varied) -> None:
        """Tangents of velocities and their rates."""
        at = Linearized(self.system, self.point)
        dy, dv = slots.gather(self.y), slots.gather(self.v)
        own = at.only(dv)
        own[self.states] = 0.0
        changed = at.stiffness(dy) + at.forces(own, 0.0 * own, 1.0)
        changed = changed + at.only(varied.forces_along(at) + 0.0 * changed)
        found = -at.solve(changed, _B, _A) * self._scale()
        rates = found.copy()
        rates[self.states] = 0.0
        own[self.states] = found[self.states]
        placed = varied.along(self._placing) * ~at.independent
        slots.set(self.sources[0], at.followed_rates(dy, own) + placed)
        slots.set(self.sources[1], rates)

    @property
    def _placing(self) -> Placing:
        t, y, v, *_ = self.point
        return Placing(t, y, v, self.point.derive)


_B, _A = 1e10, 1e20
"""Slopes [1/s] at which inertia, and the rates of states, are all of the tangent."""

"""Parameters of a sweep: how the equations of a system, and what it places, change with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from fibermsk._arrays import Array
from fibermsk._check import first_names
from fibermsk.protocol import Differentiable
from fibermsk.solvers.adjoint.linearized import Linearized

_SMOOTH = 1e-6
"""Share by which differences over one and two steps may differ: more is a kink between them."""


class Placing(NamedTuple):
    """What a system places: dependent and prescribed entries of positions and velocities.

    As a function of a system it is the vector of positions, of velocities where v is given, or of
    both where they are put onto constraints.
    """

    t: float | None  # time of prescribed entries; None: these, and positions, are as given
    y: Array
    v: Array | None = None
    derive: bool = True  # see `System.enforce`
    projected: bool = False

    def __call__(self, system: Any) -> Array:
        """Positions or velocities (n,), or both (2 n,)."""
        y = self.y if self.t is None else system.retract(self.t, self.y, 0.0 * self.y)
        if self.v is None:
            return y
        v = system.enforce(y, self.v, self.t, derive=self.derive)
        return np.concatenate(system.project(self.t, y, v)) if self.projected else v


class DirectReading(NamedTuple):
    """A quantity of a run at all frames, at given unknowns."""

    of: Callable[[Any], Array]  # of a system
    owner: str  # fiber or muscle whose inner numbers it depends on; empty if on none
    path: str  # line muscle on whose path it depends; empty if on none
    times: Array  # of the frames [s]
    # of a system, the quantity with its derivatives, and the states at the frames: see
    # `fibermsk.gradients.readings`
    on: Callable[[Any], Any]
    frames: Sequence[Any]


class Change(Protocol):
    """One parameter or several: adds their derivatives to a gradient, or sums them in a direction.

    Gradients and directions (n_parameters,) are those of all parameters of a sweep.
    """

    def pull(self, cotangent: Array, placing: Placing, gradient: Array) -> None:
        """Add the products of a cotangent (n,) with derivatives of what a system places."""
        ...

    def push(self, direction: Array, placing: Placing) -> Array | float:
        """Derivative (n,) along a direction of what a system places."""
        ...

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """Add the products of a cotangent with derivatives of a quantity at given unknowns."""
        ...

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """Derivative along a direction of a quantity at given unknowns."""
        ...

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """Add the products of cotangents of positions and velocities with those of the start."""
        ...

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """Derivatives of positions and velocities of the start along a direction."""
        ...

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """Add the products of a cotangent of the equations F at a point with dF."""
        ...

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """Derivative (n,) of F along a direction."""
        ...


class ForcesOnly:
    """Parameters of a `Change` that alter nothing but the equations."""

    def pull(self, cotangent: Array, placing: Placing, gradient: Array) -> None:
        """See `Change.pull`."""

    def push(self, direction: Array, placing: Placing) -> Array | float:
        """See `Change.push`."""
        return 0.0

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `Change.pull_reading`."""

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `Change.push_reading`."""
        return 0.0

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `Change.pull_start`."""

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `Change.push_start`."""
        return 0.0, 0.0


class Variation(NamedTuple):
    """One parameter: systems at values around its own, with weights of a difference [1/unit].

    The derivatives are those of single evaluations at given unknowns, not of runs: with steps of
    1e-5 they are exact to about ten digits. `finer` gives the same with smaller steps, for vectors
    with kinks: it is asked where a central difference of fourth order passes one.
    """

    number: int
    systems: tuple[Differentiable, ...]
    weights: tuple[float, ...]
    finer: Callable[[], Variation] | None = None

    def of(self, function: Callable[[Any], Array]) -> Array:
        """Derivative of a vector that a system gives."""
        if self.finer is None:
            return self._total([function(system) for system in self.systems])
        return self._smoothest(function)[0]

    def _total(self, values: Sequence[Array]) -> Any:
        return sum(w * one for w, one in zip(self.weights, values, strict=True))

    def _smoothest(self, function: Callable[[Any], Array]) -> tuple[Array, float]:
        """Derivative, and how far those over one step and over two differ, of which it is made.

        With smaller steps where that is more than of a smooth vector, if it is less then: round-off
        grows with smaller steps.
        """
        values = [function(system) for system in self.systems]
        total = self._total(values)
        narrow = 0.75 * self.weights[2] * (values[2] - values[1])
        wide = 3.0 * self.weights[0] * (values[3] - values[0])
        off = float(np.abs(narrow - wide).max() / max(np.abs(total).max(), 1e-300))
        if off <= _SMOOTH or self.finer is None:
            return total, off
        other, less = self.finer()._smoothest(function)
        return (other, less) if less < off else (total, off)

    def pull(self, cotangent: Array, placing: Callable[[Any], Array], gradient: Array) -> None:
        """See `Change.pull`."""
        gradient[self.number] += cotangent @ self.of(placing)

    def push(self, direction: Array, placing: Callable[[Any], Array]) -> Array | float:
        """See `Change.push`."""
        part = direction[self.number]
        return part * self.of(placing) if part else 0.0

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `Change.pull_reading`."""
        gradient[self.number] += (cotangent * self.of(reading.of)).sum()

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `Change.push_reading`."""
        return self.push(direction, reading.of)

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `Change.pull_start`."""
        both = np.concatenate(cotangents)
        self.pull(both, lambda own: np.concatenate(own.initial_state()), gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `Change.push_start`."""
        if not direction[self.number]:
            return 0.0, 0.0
        moved = self.push(direction, lambda own: np.concatenate(own.initial_state()))
        y, v = np.split(np.asarray(moved), 2)
        return y, v

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `Change.pull_forces`."""
        self.pull(x, lambda system: residual_at(system, at), gradient)

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `Change.push_forces`."""
        return self.push(direction, lambda system: residual_at(system, at))


def residual_at(system: Differentiable, at: Linearized) -> Array:
    """F at given independent unknowns."""
    t, y, v, v_dot, rates, derive, at_rest = at.point
    system.follow(at.system)
    system.keep_held(at.followers.held)
    y = system.retract(t, y, 0.0 * y)
    if not at_rest:
        v = system.enforce(y, v, t, derive=derive)
    if rates:
        v_dot = system.enforce_rate(y, v, v_dot, t)
    with system.beside(at.laws):
        return system.evaluate(t, y, v, v_dot, rates=rates, tangent=False).residual


class Varied(NamedTuple):
    """Parameters of a sweep, with the gradient that `pull` adds to, or the direction of `push`."""

    changes: tuple[Change, ...]
    gradient: Array  # (n_parameters,)
    direction: Array  # (n_parameters,)
    names: tuple[str, ...]  # of the parameters, in errors; may be empty

    @classmethod
    def of(cls, changes: Sequence[Change], direction: Array, names: Sequence[str] = ()) -> Varied:
        """Parameters with a zero gradient."""
        return cls(tuple(changes), np.zeros(direction.size), direction, tuple(names))

    def name(self, number: int) -> str:
        """Name of a parameter, for an error."""
        return repr(self.names[number]) if self.names else f"parameter {number}"

    @property
    def varied_names(self) -> str:
        """Names of those that the direction changes, for an error."""
        numbers = np.flatnonzero(self.direction).tolist()
        return first_names([self.name(k) for k in numbers], 3) or "the start"

    def add(self, cotangent: Array, placing: Placing) -> None:
        """Add the products of a cotangent with derivatives of what a system places."""
        if cotangent.any():
            for one in self.changes:
                one.pull(cotangent, placing, self.gradient)

    def add_start(self, y: Array, v: Array) -> None:
        """Add those with derivatives of the start."""
        for one in self.changes:
            one.pull_start((y, v), self.gradient)

    def add_forces(self, at: Linearized, x: Array) -> None:
        """Add those with derivatives of the equations."""
        if x.any():
            for one in self.changes:
                one.pull_forces(at, x, self.gradient)

    def along(self, placing: Placing) -> Array | float:
        """Derivative along the direction of what a system places."""
        return self._sum([one.push(self.direction, placing) for one in self.changes])

    def start_along(self) -> tuple[Array | float, Array | float]:
        """That of positions and velocities of the start."""
        moved = [one.push_start(self.direction) for one in self.changes]
        return self._sum([y for y, _ in moved]), self._sum([v for _, v in moved])

    def forces_along(self, at: Linearized) -> Array | float:
        """That of the equations."""
        return self._sum([one.push_forces(at, self.direction) for one in self.changes])

    @staticmethod
    def _sum(parts: Sequence[Array | float]) -> Array | float:
        return sum(parts, 0.0)

"""Numbers inside of fibers and line muscles: derivatives of all at once.

Tissue, laws and activations change only rows of the equations, and tensions, that belong to their
own fiber or muscle; see `fibermsk.system.own_forces`. So one difference, with the numbers of all
owners changed together, holds the derivatives in each, and knots of a signal share that in its
value at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.solvers.adjoint.variation import DirectReading, ForcesOnly
from fibermsk.system import FiberSystem
from fibermsk.system.own_forces import ForceSlopes, OwnForces, Place

_SHIFT = 1e-4
"""Step of activations."""

Stencil = tuple[tuple[int, float], ...]

PAIR: Stencil = ((-1, -6.0), (1, 6.0))
CENTRAL: Stencil = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
AHEAD: Stencil = ((0, -25.0), (1, 48.0), (2, -36.0), (3, 16.0), (4, -3.0))
"""Steps, and twelfths of the weights, of differences: of second order, and of fourth order to both
sides, and to one.

Activations are shifted to larger ones: below the least one of a law its forces are constant.
"""


class Places:
    """Kinematics of a system at points of a sweep, each computed once."""

    def __init__(self, system: FiberSystem) -> None:
        self.own = OwnForces(system)
        self._last: tuple[Point, Place] | None = None

    def at(self, point: Point) -> Place:
        """Kinematics at a point."""
        if self._last is None or self._last[0] is not point:
            self._last = point, self.own.place(point.t, point.y, point.v, point.v_dot)
        return self._last[1]


class _Inside(ForcesOnly):
    """Parameters of several owners; what a system places does not depend on them.

    Those of one group are changed at once.

    Parameters
    ----------
    places
        Of the system.
    owners, numbers, groups : sequence of int
        Owner of each parameter, its number in the gradient, and its group.
    """

    def __init__(
        self, places: Places, owners: Sequence[int], numbers: Sequence[int], groups: Sequence[int]
    ) -> None:
        self._places, self._own = places, places.own
        self._owners, self._numbers = np.array(owners, int), np.array(numbers, int)
        self._groups, self._n_groups = np.array(groups, int), max(groups) + 1
        self._start: Array | None = None

    def _weights(self, t: float) -> Array:
        """Derivative of what is changed in each parameter, at a time [s]."""
        raise NotImplementedError

    def _slopes(self, place: Place, groups: Index) -> Array:
        """Derivatives of rows and tensions (n_groups, n + m) in what is changed, of all owners.

        Those of groups that are not asked for are zero.
        """
        raise NotImplementedError

    def _start_slopes(self) -> Array:
        """Those of the states at the start, (n_groups, n + m)."""
        raise NotImplementedError

    def _read(self, reading: DirectReading, group: int) -> Array:
        """Derivative of a quantity of one owner in what is changed of it, at all frames."""
        raise NotImplementedError

    def _named_by(self, reading: DirectReading) -> str:
        """The owner on whose numbers a quantity depends; empty if on none."""
        return reading.owner

    def _of_owner(self, reading: DirectReading) -> tuple[Index, Array]:
        """Parameters of a quantity's owner, and its derivatives in them (m, n_frames)."""
        names, name = self._own.names, self._named_by(reading)
        own = np.flatnonzero([names[owner] == name for owner in self._owners])
        if not own.size:
            return own, np.zeros((0, reading.times.size))
        weights = np.array([self._weights(t)[own] for t in reading.times]).T
        groups = self._groups[own]
        slopes = {group: self._read(reading, group) for group in np.unique(groups).tolist()}
        return own, weights * np.array([slopes[group] for group in groups.tolist()])

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._named_by(reading):
            own, slopes = self._of_owner(reading)
            np.add.at(gradient, self._numbers[own], slopes @ cotangent)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if not self._named_by(reading):
            return 0.0
        own, slopes = self._of_owner(reading)
        return direction[self._numbers[own]] @ slopes

    def _add(self, t: float, products: Array, gradient: Array) -> None:
        """Add products (n_groups, n + m) to the gradient."""
        by_owner = self._own.by_owner(products)[self._groups, self._owners]
        np.add.at(gradient, self._numbers, self._weights(t) * by_owner)

    def _along(self, t: float, slopes: Array, direction: Array) -> Array:
        """Sum (n + m,) of slopes (n_groups, n + m) along a direction."""
        # the last one is that of no owner
        part = np.zeros((self._n_groups, len(self._own.names) + 1))
        way = self._weights(t) * direction[self._numbers]
        np.add.at(part, (self._groups, self._owners), way)
        total: Array = (part[:, self._own.owner] * slopes).sum(axis=0)
        return total

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._start is None:
            self._start = self._start_slopes()
        self._add(0.0, self._start * self._padded(cotangents[0]), gradient)

    def _padded(self, vectors: Array) -> Array:
        """Vectors (..., n), with zeros for the tensions."""
        found = np.zeros((*vectors.shape[:-1], self._own.owner.size))
        found[..., : self._own.n] = vectors
        return found

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._start is None:
            self._start = self._start_slopes()
        return self._along(0.0, self._start, direction)[: self._own.n], 0.0

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if not self._weights(at.point.t).any():
            return
        place = self._places.at(at.point)
        slopes = self._slopes(place, np.arange(self._n_groups))
        products = self._own.gathered(place, at.whole(x)) * slopes
        self._add(at.point.t, products, gradient)

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        changes = self._weights(at.point.t) * direction[self._numbers] != 0.0
        if not changes.any():
            return 0.0
        place, groups = self._places.at(at.point), np.unique(self._groups[changes])
        changed = self._along(at.point.t, self._slopes(place, groups), direction)
        return at.held(at.pulled(self._own.spread(place, changed)))


class Group(NamedTuple):
    """Numbers of one kind of several fibers or muscles, changed at once.

    Attributes
    ----------
    owners, numbers : sequence of int
        Owner of each, and its number in the gradient.
    sizes : sequence of float
        Change of each over that of the difference.
    systems : sequence of FiberSystem
        Systems at the steps of the difference.
    weights : sequence of float
        Weights of the difference.
    """

    owners: Sequence[int]
    numbers: Sequence[int]
    sizes: Sequence[float]
    systems: Sequence[FiberSystem]
    weights: Sequence[float]

    def difference(self, function: Callable[[Any], Array]) -> Array:
        """Derivative of a vector that a system gives, in what is changed."""
        values = zip(self.weights, self.systems, strict=True)
        total: Any = sum(weight * function(system) for weight, system in values)
        return total


class _Grouped(_Inside):
    """Numbers of several kinds; parameters as of `Family`."""

    def __init__(self, places: Places, members: Sequence[Group]) -> None:
        super().__init__(
            places,
            [owner for group in members for owner in group.owners],
            [number for group in members for number in group.numbers],
            [k for k, group in enumerate(members) for _ in group.owners],
        )
        sizes = [size for group in members for size in group.sizes]
        self._members, self._factors = members, 1.0 / np.array(sizes)

    def _weights(self, t: float) -> Array:
        return self._factors

    def difference(self, function: Callable[[Any], Array]) -> Array:
        """Derivatives (n_groups, ...) of a vector that a system gives, in what is changed."""
        return np.stack([group.difference(function) for group in self._members])

    def _read(self, reading: DirectReading, group: int) -> Array:
        return self._members[group].difference(reading.of)

    def _start_slopes(self) -> Array:
        return self._padded(self.difference(lambda system: system.initial_state()[0]))


class Family(_Grouped):
    """Numbers of several kinds of several fibers or muscles, each kind changed at once.

    Parameters
    ----------
    places
        Of the system.
    members : sequence of Group
        The numbers, by kind.
    """

    def __init__(self, places: Places, members: Sequence[Group]) -> None:
        super().__init__(places, members)
        self._last: tuple[bytes, ForceSlopes] | None = None

    def _slopes(self, place: Place, groups: Index) -> Array:
        key = groups.tobytes()
        if self._last is None or self._last[0] != key:
            own = [self._members[k] for k in groups]
            systems, weights = zip(*((one.systems, one.weights) for one in own), strict=True)
            self._last = key, ForceSlopes(self._own.system, systems, weights)
        found = np.zeros((self._n_groups, self._own.owner.size))
        found[groups] = self._last[1].at(place)
        return found


class Sizes(_Grouped):
    """A number of surfaces, each around paths of its own, all changed at once.

    The owners are muscles: a surface has one parameter for each muscle that it may touch.

    Parameters
    ----------
    places
        Of the system.
    group : Group
        The numbers.
    """

    def __init__(self, places: Places, group: Group) -> None:
        super().__init__(places, [group])
        self._group = group
        self._forces = [OwnForces(system) for system in group.systems]

    def _named_by(self, reading: DirectReading) -> str:
        return reading.path

    def _placed(self, at: Linearized) -> list[tuple[OwnForces, Place, Array]]:
        """Each system, with its paths at the kinematics of a point, and its weighted forces."""
        place = self._places.at(at.point)
        found = list[tuple[OwnForces, Place, Array]]()
        for own, weight in zip(self._forces, self._group.weights, strict=True):
            own.system.follow_paths(self._own.system)
            here = own.on_paths(place)
            found.append((own, here, weight * own.forces(here)))
        return found

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        whole = at.whole(x)
        parts = [own.gathered(here, whole) * forces for own, here, forces in self._placed(at)]
        self._add(at.point.t, sum(parts[1:], parts[0])[None], gradient)

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if not direction[self._numbers].any():
            return 0.0
        total = np.zeros(self._own.n)
        for own, here, forces in self._placed(at):
            total += own.spread(here, self._along(at.point.t, forces[None], direction))
        return at.held(at.pulled(total))


class Knot(NamedTuple):
    """A number of an activation or excitation in time: its derivative at a time [s]."""

    owner: int
    number: int
    weight: Callable[[float], float]


class Driven(_Inside):
    """Activations and excitations that are functions of time: numbers and knots of tables."""

    def __init__(self, places: Places, knots: Sequence[Knot]) -> None:
        owners, numbers = [one.owner for one in knots], [one.number for one in knots]
        super().__init__(places, owners, numbers, [0] * len(knots))
        self._knots, self._last = knots, (math.nan, np.zeros(0))

    def _weights(self, t: float) -> Array:
        if self._last[0] != t:
            self._last = t, np.array([one.weight(t) for one in self._knots])
        return self._last[1]

    def _difference(self, function: Callable[[], Array]) -> Array:
        """Derivative of a vector in all activations."""
        total: Any = 0.0
        for k, weight in AHEAD:
            with self._own.shifted(k * _SHIFT):
                total = total + weight * function()
        return total / (12.0 * _SHIFT)

    def _slopes(self, place: Place, groups: Index) -> Array:
        return self._difference(lambda: self._own.forces(place))[None]

    def _read(self, reading: DirectReading, group: int) -> Array:
        return self._difference(lambda: reading.of(self._own.system))

    def _start_slopes(self) -> Array:
        return self._own.start_slopes()[None]

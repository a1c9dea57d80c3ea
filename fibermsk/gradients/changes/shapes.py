"""Numbers of the shape of fibers, attachments and radii: derivatives of all at once.

They enter in three ways, each of them separate by fiber. With nodes held, through its own rows: one
difference gives those of all fibers. Through its ends, which follow attachments: by the tangent in
which ends are nodes as others. And through contact; see `fibermsk.gradients.changes.contact`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gradients.changes.contact import ContactNumbers
from fibermsk.gradients.changes.inside import Family, Places
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.solvers.adjoint.variation import DirectReading, Placing
from fibermsk.system import FiberSystem
from fibermsk.system.contribution import At, Slopes
from fibermsk.system.skeleton.link_points import LinkPoints

_SLOPE = 1e3
"""Slope of rates in tangents whose differences give the products with damping and mass [1/s]."""

SCALES = 1.0, 1.0 / _SLOPE, 1.0 / _SLOPE**2
"""Factors of differences of successive tangents: stiffness, damping and mass."""


class Section(Family):
    """A number of one kind of several fibers, with nodes held; parameters as of `Family`.

    Attributes
    ----------
    moved : (n_points, 3) float array
        Derivatives of the attached ends, in the frames of their links, in what is changed.
    """

    def __init__(
        self, places: Places, owners: Sequence[int], numbers: Sequence[int],
        sizes: Sequence[float], systems: Sequence[FiberSystem], weights: Sequence[float],
    ) -> None:  # fmt: skip
        super().__init__(places, owners, numbers, sizes, systems, weights)
        self.moved: Array = self.difference(lambda system: system.cables.point_local)
        self._of_point = places.own.system.cables.point_fiber

    def pull(self, cotangent: Array, placing: Callable[[Any], Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self.moved.any():
            self._add_placed(cotangent * self.difference(placing), gradient)

    def push(self, direction: Array, placing: Callable[[Any], Array]) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return self._placed(self.difference(placing), direction) if self.moved.any() else 0.0

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        self.pull(np.concatenate(cotangents), _start, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if not self.moved.any():
            return 0.0, 0.0
        y, v = np.split(np.asarray(self.push(direction, _start)), 2)
        return y, v

    def add_ends(self, slopes: Array, gradient: Array) -> None:
        """Add products (n_points, 3) with derivatives in the ends' places on their links."""
        by_owner = np.bincount(
            self._of_point, (self.moved * slopes).sum(axis=1), len(self._own.names)
        )
        gradient[self._numbers] += self._factors * by_owner[self._owners]

    def ends_along(self, direction: Array) -> Array:
        """Motion (n_points, 3) of the ends on their links along a direction."""
        part = np.zeros(len(self._own.names))
        np.add.at(part, self._owners, self._factors * direction[self._numbers])
        return part[self._of_point, None] * self.moved

    def _add_placed(self, products: Array, gradient: Array) -> None:
        """Add products of one vector of the unknowns, or of several in a row."""
        whole = np.zeros(self._own.owner.size)
        whole[: self._own.n] = products.reshape(-1, self._own.n).sum(axis=0)
        self._add(0.0, whole, gradient)

    def _placed(self, slopes: Array, direction: Array) -> Array:
        n, m = self._own.n, self._own.owner.size
        parts = [
            self._along(0.0, np.r_[part, np.zeros(m - n)], direction)[:n]
            for part in slopes.reshape(-1, n)
        ]
        return np.concatenate(parts)


def _start(system: Any) -> Array:
    return np.concatenate(system.initial_state())


class _Way(NamedTuple):
    """What ends (n_points, 3) do when they move along an axis of their link by a unit."""

    rates: tuple[Array, Array, Array]  # positions, velocities, accelerations
    C: Array  # derivatives of their velocities in those of the axes (n_points, 3, n_axes)


class Shapes:
    """Numbers of the shape of fibers; with methods of `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    places
        Of the system.
    sections : sequence of Section
        The numbers, by kind.
    contact : ContactNumbers
        What contact has of them.
    """

    def __init__(
        self, places: Places, sections: Sequence[Section], contact: ContactNumbers
    ) -> None:
        self.contact, self._places, self._sections = contact, places, sections
        self._system = places.own.system
        self._moving = [one for one in sections if one.moved.any()]
        own = self._system.attached
        self._units = [
            LinkPoints(self._system.skeleton, own.link, own.local + axis) for axis in np.eye(3)
        ]

    @property
    def moves(self) -> bool:
        """Whether any of the numbers moves an end."""
        return bool(self._moving)

    def pull(self, cotangent: Array, placing: Placing, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self._sections:
            one.pull(cotangent, placing, gradient)

    def push(self, direction: Array, placing: Placing) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return sum([one.push(direction, placing) for one in self._sections])

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self._sections:
            one.pull_reading(cotangent, reading, gradient)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return sum([one.push_reading(direction, reading) for one in self._sections])

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self._sections:
            one.pull_start(cotangents, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        moved = [one.push_start(direction) for one in self._sections]
        return sum([y for y, _ in moved]), sum([v for _, v in moved])

    def pull_shapes(self, at: Linearized, x: Array, gradient: Array) -> None:
        """Add the products of a cotangent of F with its derivatives where ends stay in place."""
        for one in self._sections:
            one.pull_forces(at, x, gradient)
        self.contact.pull_forces(at, x, gradient)

    def shapes_along(self, at: Linearized, direction: Array) -> Array | float:
        """Derivative (n,) of F along a direction where ends stay in place."""
        own = [one.push_forces(at, direction) for one in self._sections]
        return sum(own) + self.contact.push_forces(at, direction)

    def pull_ends(self, at: Linearized, x: Array, gradient: Array) -> None:
        """Add the products of a cotangent of F with its derivatives in the places of ends."""
        place, whole = self._places.at(at.point), at.followed(at.unheld(x))
        slopes = self._end_slopes(at.point, place.at, whole)
        for one in self._moving:
            one.add_ends(slopes, gradient)

    def ends_along(self, at: Linearized, direction: Array) -> Array | float:
        """Derivative (n,) of F along a direction in the places of ends."""
        moved = sum([one.ends_along(direction) for one in self._moving])
        rows = self._moved_rows(at.point, self._places.at(at.point).at, np.asarray(moved))
        return at.held(at.pulled(rows))

    def _end_slopes(self, point: Point, at: At, whole: Array) -> Array:
        """Products of a cotangent with derivatives in the ends' places on links (n_points, 3)."""
        nodes, n_x = self._system.cables.attached_nodes, at.nodes.size
        found, force = list[Array](), np.zeros(0)
        for slopes in slopes_of(point):
            matrix, force = self._system.unreduced(point[:4], slopes)
            found.append((matrix.T @ whole)[:n_x].reshape(-1, 6)[nodes, :3])
        by_rate = [found[0], *np.diff(found, axis=0)]
        speed = self._system.skeleton.to_axes(at.motion, self._system.split(whole)[1])
        total = np.empty((nodes.size, 3))
        for axis, way in enumerate(self._ways(at)):
            total[:, axis] = ((way.C @ speed) * force).sum(axis=1)
            for scale, own, rate in zip(SCALES, by_rate, way.rates, strict=False):
                total[:, axis] += scale * (own * rate).sum(axis=1)
        return total

    def _moved_rows(self, point: Point, at: At, moved: Array) -> Array:
        """Rows (n,) of the equations from ends that move on their links by (n_points, 3)."""
        system, ways = self._system, self._ways(at)
        nodes = system.cables.attached_nodes
        rates = np.zeros((3, system.n))
        for order, vector in enumerate(rates):
            on_nodes = system.split(vector)[0]
            on_nodes[nodes, :3] = sum(
                moved[:, axis, None] * way.rates[order] for axis, way in enumerate(ways)
            )
        rows, force, before = np.zeros(system.n), np.zeros(0), np.zeros(system.n)
        for order, slopes in enumerate(slopes_of(point)):
            matrix, force = system.unreduced(point[:4], slopes)
            rows += SCALES[order] * (matrix @ rates[order] - before)
            before = matrix @ rates[order + 1] if order < 2 else before
        turned = sum(moved[:, axis, None, None] * way.C for axis, way in enumerate(ways))
        on_axes = np.einsum("mrj,mr->j", turned, force)
        system.split(rows)[1][:] += system.skeleton.from_axes(at.motion, on_axes)
        return rows

    def _ways(self, at: At) -> list[_Way]:
        """Motions of the ends along the three axes of their links."""
        motion, found = at.motion, list[_Way]()
        for unit in self._units:
            moved = unit.place(motion)
            C = moved.C - at.ends.C
            slope = self._system.attached.velocity_slope(motion, C)
            acceleration = C @ motion.rate + slope @ motion.speed
            found.append(_Way((moved.c - at.ends.c, C @ motion.speed, acceleration), C))
        return found


def slopes_of(point: Point) -> list[Slopes]:
    """Slopes of the tangents that hold stiffness, damping and mass, as far as ends have rates."""
    orders = 1 if point.at_rest else 3 if point.rates else 2
    pairs = (0.0, 0.0), (_SLOPE, 0.0), (_SLOPE, _SLOPE)
    return [Slopes(b, a, point.rates) for b, a in pairs[:orders]]

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
from fibermsk.gradients.changes.inside import Family, Group, Places
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.system.contribution import At, Slopes
from fibermsk.system.skeleton.link_points import LinkPoints

_SLOPE = 1e3
"""Slope of rates in tangents whose differences give the products with damping and mass [1/s]."""

SCALES = 1.0, 1.0 / _SLOPE, 1.0 / _SLOPE**2
"""Factors of differences of successive tangents: stiffness, damping and mass."""


class Sections(Family):
    """Numbers of several kinds of several fibers, with nodes held; parameters as of `Family`.

    Attributes
    ----------
    moves : bool
        Whether any of them moves an end.
    """

    def __init__(self, places: Places, members: Sequence[Group]) -> None:
        super().__init__(places, members)
        # of the attached ends (n_groups, n_points, 3), in the frames of their links
        self._moved = self.difference(lambda system: system.cables.point_local)
        self._moving = np.flatnonzero(self._moved.any(axis=(1, 2))).tolist()
        self._of_point = places.own.system.cables.point_fiber
        self.moves = bool(self._moving)

    def pull(self, cotangent: Array, placing: Callable[[Any], Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self.moves:
            slopes = self._placed(placing) * cotangent.reshape(-1, 1, self._own.n)
            self._add(0.0, self._padded(slopes.sum(axis=0)), gradient)

    def push(self, direction: Array, placing: Callable[[Any], Array]) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if not self.moves:
            return 0.0
        parts = self._padded(self._placed(placing))
        return np.concatenate([self._along(0.0, one, direction)[: self._own.n] for one in parts])

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        self.pull(np.concatenate(cotangents), _start, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if not self.moves:
            return 0.0, 0.0
        y, v = np.split(np.asarray(self.push(direction, _start)), 2)
        return y, v

    def add_ends(self, slopes: Array, gradient: Array) -> None:
        """Add products (n_points, 3) with derivatives in the ends' places on their links."""
        products, m = (self._moved * slopes).sum(axis=2), len(self._own.names)
        by_owner = np.array([np.bincount(self._of_point, one, m) for one in products], float)
        gradient[self._numbers] += self._factors * by_owner[self._groups, self._owners]

    def ends_along(self, direction: Array) -> Array:
        """Motion (n_points, 3) of the ends on their links along a direction."""
        part = np.zeros((self._n_groups, len(self._own.names)))
        way = self._factors * direction[self._numbers]
        np.add.at(part, (self._groups, self._owners), way)
        return (part[:, self._of_point, None] * self._moved).sum(axis=0)

    def _placed(self, placing: Callable[[Any], Array]) -> Array:
        """Derivatives (k, n_groups, n) of k vectors of the unknowns that are placed in a row."""
        moved = [
            self._members[k].difference(placing).reshape(-1, self._own.n) for k in self._moving
        ]
        found = np.zeros((len(moved[0]), self._n_groups, self._own.n))
        found[:, self._moving] = np.stack(moved, axis=1)
        return found


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
    sections : Sections
        The numbers.
    contact : ContactNumbers
        What contact has of them.

    Attributes
    ----------
    moves : bool
        Whether any of the numbers moves an end.
    pull, push, pull_reading, push_reading, pull_start, push_start
        As those of the sections.
    """

    def __init__(self, places: Places, sections: Sections, contact: ContactNumbers) -> None:
        self.contact, self._places, self._sections = contact, places, sections
        self.moves, self.pull, self.push = sections.moves, sections.pull, sections.push
        self.pull_reading, self.push_reading = sections.pull_reading, sections.push_reading
        self.pull_start, self.push_start = sections.pull_start, sections.push_start
        self._system = places.own.system
        own = self._system.attached
        self._units = [
            LinkPoints(self._system.skeleton, own.link, own.local + axis) for axis in np.eye(3)
        ]

    def pull_shapes(self, at: Linearized, x: Array, gradient: Array) -> None:
        """Add the products of a cotangent of F with its derivatives where ends stay in place."""
        self._sections.pull_forces(at, x, gradient)
        self.contact.pull_forces(at, x, gradient)

    def shapes_along(self, at: Linearized, direction: Array) -> Array | float:
        """Derivative (n,) of F along a direction where ends stay in place."""
        own = self._sections.push_forces(at, direction)
        return own + self.contact.push_forces(at, direction)

    def pull_ends(self, at: Linearized, x: Array, gradient: Array) -> None:
        """Add the products of a cotangent of F with its derivatives in the places of ends."""
        slopes = self._end_slopes(at, x)
        self._sections.add_ends(slopes, gradient)

    def ends_along(self, at: Linearized, direction: Array) -> Array | float:
        """Derivative (n,) of F along a direction in the places of ends."""
        moved = self._sections.ends_along(direction)
        rows = self._moved_rows(at.point, self._places.at(at.point).at, moved)
        return at.held(at.pulled(rows))

    def _end_slopes(self, at: Linearized, x: Array) -> Array:
        """Products of a cotangent with derivatives in the ends' places on links (n_points, 3)."""
        system, place, whole = self._system, self._places.at(at.point).at, at.whole(x)
        nodes, force, by_rate = system.cables.attached_nodes, np.zeros(0), list[Array]()
        before: Any = 0.0
        slopes = slopes_of(at.point)
        tangents = system.unreduced(at.point[:4], slopes[:2])
        for scale, (matrix, reactions) in zip(SCALES, tangents, strict=False):
            product = matrix.transposed_product(whole)
            by_rate.append(scale * (product - before))
            before, force = product, reactions
        on_ends = [system.split(one)[0][nodes, :3] for one in by_rate]
        if len(slopes) == len(SCALES):
            on_ends.append(system.cables.end_inertia(system.split(whole)[0]))
            if not system.multipliers.any:
                at.know_damping(x, at.pulled(by_rate[1]))
        speed = system.skeleton.to_axes(place.motion, system.split(whole)[1])
        total = np.empty((nodes.size, 3))
        for axis, way in enumerate(self._ways(place)):
            total[:, axis] = ((way.C @ speed) * force).sum(axis=1)
            for own, rate in zip(on_ends, way.rates, strict=False):
                total[:, axis] += (own * rate).sum(axis=1)
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
        tangents = system.unreduced(point[:4], slopes_of(point))
        for order, (matrix, reactions) in enumerate(tangents):
            force = reactions
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

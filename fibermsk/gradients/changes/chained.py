"""Numbers that change the shapes of fibers, by those of attachments and radii.

Fibers are straight between their ends at the start. So numbers that move ends there, such as those
of joints, change the shapes of fibers as if attachments moved instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.changes.entries import Entry, entries_of
from fibermsk.gradients.changes.shapes import Shapes
from fibermsk.model import Station
from fibermsk.parameters.lookup import find
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import DirectReading, Placing
from fibermsk.system import FiberSystem

_SIDES = "origin", "insertion"


class ChainedShapes:
    """Numbers that change shapes; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    shapes
        k coordinates of attachments and radii, numbered from zero.
    numbers : sequence of int
        Of m numbers in the gradient.
    chain : (m, k) float array
        Derivatives of the coordinates in the numbers, as far as fibers are and start elsewhere.
    own : (m, k) float array
        The same where numbers are such coordinates themselves: these move ends also in a run.
    """

    def __init__(self, shapes: Shapes, numbers: Sequence[int], chain: Array, own: Array) -> None:
        self.shapes, self._chain, self._own = shapes, chain, own
        self._numbers: Index = np.array(numbers, np.int64)
        self._moves = shapes.moves and bool(own.any())

    def pull(self, cotangent: Array, placing: Placing, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._moves:
            self.shapes.pull(cotangent, placing, part := self._part())
            gradient[self._numbers] += self._own @ part

    def push(self, direction: Array, placing: Placing) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        moved = direction[self._numbers] @ self._own
        return self.shapes.push(moved, placing) if self._moves else 0.0

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        self.shapes.pull_reading(cotangent, reading, part := self._part())
        gradient[self._numbers] += self._chain @ part

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return self.shapes.push_reading(direction[self._numbers] @ self._chain, reading)

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        y, v = cotangents
        self.shapes.pull_start((y, 0.0 * v), part := self._part())
        gradient[self._numbers] += self._chain @ part
        if self._moves:
            self.shapes.pull_start((0.0 * y, v), part := self._part())
            gradient[self._numbers] += self._own @ part

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        given = direction[self._numbers]
        dy, _ = self.shapes.push_start(given @ self._chain)
        return dy, self.shapes.push_start(given @ self._own)[1] if self._moves else 0.0

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        self.shapes.pull_shapes(at, x, part := self._part())
        gradient[self._numbers] += self._chain @ part
        if self._moves:
            self.shapes.pull_ends(at, x, part := self._part())
            gradient[self._numbers] += self._own @ part

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        given = direction[self._numbers]
        found = self.shapes.shapes_along(at, given @ self._chain)
        return found + self.shapes.ends_along(at, given @ self._own) if self._moves else found

    def _part(self) -> Array:
        return np.zeros(self._chain.shape[1])


class MovedEnds:
    """Coordinates of attachments, and others, that numbers of a gradient change.

    Attributes
    ----------
    members : list of (int, Entry)
        Fiber by number, and coordinate or radius, of each.
    """

    def __init__(self, system: FiberSystem) -> None:
        self._system, self._known = system, dict[tuple[Any, ...], int]()
        self.members = list[tuple[int, Entry]]()
        self._numbers = list[int]()
        self._chain, self._own = list[dict[int, float]](), list[bool]()

    def add(self, number: int, fiber: int, entry: Entry) -> None:
        """Add a number that is one of them itself."""
        self._put(number, {self._index(fiber, entry): 1.0}, own=True)

    def add_moving(self, numbers: Sequence[int], on_ground: Array) -> None:
        """Add m numbers that move attached ends by (n_points, 3, m) at the start, ground frame."""
        system, cables = self._system, self._system.cables
        links = system.skeleton.at(system.skeleton.start).links
        rows: list[dict[int, float]] = [{} for _ in numbers]
        for fiber, side, motion in zip(cables.point_fiber, cables.end_side, on_ground, strict=True):
            station = system.model.fibers[fiber].attach[side]
            if not motion.any() or not isinstance(station, Station):
                continue
            turn, _ = system.tree.place(station.body.name, links)
            path = f"{system.fiber_names[fiber]}/attach/{_SIDES[side]}"
            for entry, ways in zip(entries_of(system, path), turn.T @ motion, strict=True):
                index = self._index(int(fiber), entry)
                for row, way in zip(rows, ways.tolist(), strict=True):
                    row[index] = way
        for number, row in zip(numbers, rows, strict=True):
            self._put(number, row, own=False)

    def _put(self, number: int, row: dict[int, float], *, own: bool) -> None:
        if row:
            self._numbers.append(number)
            self._chain.append(row)
            self._own.append(own)

    def _index(self, fiber: int, entry: Entry) -> int:
        place = find(self._system.model, entry.path)[0]
        key = fiber, place.steps, *place.entry, *entry.place
        if key not in self._known:
            self._known[key] = len(self.members)
            if place.entry:  # by the path of its array, as others of that may be
                at = (*place.entry, *entry.place)
                entry = entry._replace(path=entry.path.rpartition("/")[0], place=at)
            self.members.append((fiber, entry))
        return self._known[key]

    def change(self, shapes: Shapes) -> ChainedShapes:
        """The numbers, by shapes of the members."""
        chain = np.zeros((len(self._numbers), len(self.members)))
        for k, row in enumerate(self._chain):
            chain[k, list(row)] = list(row.values())
        own = chain * np.array(self._own)[:, None]
        return ChainedShapes(shapes, self._numbers, chain, own)

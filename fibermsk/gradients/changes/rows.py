"""Numbers that change nothing but the rows of some contributions at given unknowns and places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.gradients.changes.inside import Places
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import DirectReading, ForcesOnly, Variation
from fibermsk.system.own_forces import Place
from fibermsk.system.varying import Kind


class Rows(NamedTuple):
    """A number, as a difference of systems, and kinds of contributions whose rows it changes."""

    variation: Variation
    kinds: tuple[Kind, ...]


class RowSlopes(ForcesOnly):
    """Derivatives of rows of some contributions; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    places
        Of the system.
    members : sequence of Rows
        The numbers.
    """

    def __init__(self, places: Places, members: Sequence[Rows]) -> None:
        self._places, self._members = places, members
        self._acting = [one for one in members if one.kinds]
        self._system = places.own.system

    def _slopes(self, place: Place, one: Rows) -> Array:
        base, kinds = self._system, one.kinds
        return one.variation.of(lambda own: own.rows_of(kinds, place.at, base, place.laws))

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        place, whole = self._places.at(at.point), at.whole(x)
        for one in self._acting:
            gradient[one.variation.number] += whole @ self._slopes(place, one)

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        place, total = self._places.at(at.point), np.zeros(self._system.n)
        for one in self._acting:
            part = float(direction[one.variation.number])
            if part:
                total += part * self._slopes(place, one)
        return at.held(at.pulled(total))


class PathRows(RowSlopes):
    """Numbers of paths of line muscles, which also change readings and where states start."""

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self._members:
            one.variation.pull_reading(cotangent, reading, gradient)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return sum([one.variation.push_reading(direction, reading) for one in self._members])

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self._members:
            one.variation.pull_start(cotangents, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        moved = [one.variation.push_start(direction) for one in self._members]
        return sum([y for y, _ in moved]), sum([v for _, v in moved])

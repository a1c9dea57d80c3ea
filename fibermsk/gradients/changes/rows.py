"""Numbers that change nothing but the rows of some contributions at given unknowns and places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.gradients.changes.inside import Places
from fibermsk.solvers.adjoint.linearized import Linearized
from fibermsk.solvers.adjoint.variation import DirectReading, ForcesOnly, Variation
from fibermsk.system.own_forces import Place
from fibermsk.system.varying import Kind


class Shared(NamedTuple):
    """Numbers that share a difference.

    Attributes
    ----------
    variation : Variation
        The difference.
    kinds : tuple of Kind
        Kinds of contributions that it concerns.
    numbers : (m,) int array
        Of the numbers in the gradient.
    factors : (m,) float array
        Derivative in each over that of the difference.
    """

    variation: Variation
    kinds: tuple[Kind, ...]
    numbers: Index
    factors: Array


class RowSlopes(ForcesOnly):
    """Derivatives of rows of some contributions; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    places
        Of the system.
    shared : sequence of Shared
        The numbers.
    """

    def __init__(self, places: Places, shared: Sequence[Shared]) -> None:
        self._places, self.shared = places, shared
        self._acting = [one for one in shared if one.kinds]
        self._system = places.own.system

    def _slopes(self, place: Place, one: Shared) -> Array:
        base, kinds = self._system, one.kinds
        return one.variation.of(lambda own: own.rows_of(kinds, place.at, base, place.laws))

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        place, whole = self._places.at(at.point), at.followed(at.unheld(x))
        for one in self._acting:
            gradient[one.numbers] += one.factors * (whole @ self._slopes(place, one))

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        place, total = self._places.at(at.point), np.zeros(self._system.n)
        for one in self._acting:
            part = float(one.factors @ direction[one.numbers])
            if part:
                total += part * self._slopes(place, one)
        return at.held(at.pulled(total))


class PathRows(RowSlopes):
    """Numbers of paths of line muscles, which also change readings and where states start."""

    def pull_reading(self, cotangent: Array, reading: DirectReading, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self.shared:
            one.variation.pull_reading(cotangent, reading, gradient)

    def push_reading(self, direction: Array, reading: DirectReading) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        return sum([one.variation.push_reading(direction, reading) for one in self.shared])

    def pull_start(self, cotangents: tuple[Array, Array], gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        for one in self.shared:
            one.variation.pull_start(cotangents, gradient)

    def push_start(self, direction: Array) -> tuple[Array | float, Array | float]:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        moved = [one.variation.push_start(direction) for one in self.shared]
        return sum([y for y, _ in moved]), sum([v for _, v in moved])

"""Numbers that contact depends on, with the unknowns and what moves held: all at once.

These are lengths of elements, reference radii and products of reference tangents; constants of
laws and of friction; radii of bones and lengths of capsules. One pass over the contact points, from
a cotangent of the equations, gives the derivatives in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from fibermsk._arrays import Array, Index
from fibermsk.gradients.changes.entries import Entry
from fibermsk.gradients.changes.inside import Places
from fibermsk.kernels.contact.own_contact import N_BUILT_IN
from fibermsk.laws.own import constant_names
from fibermsk.model import Body, Contact
from fibermsk.parameters.lookup import find
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.solvers.adjoint.variation import ForcesOnly, Variation
from fibermsk.system import FiberSystem
from fibermsk.system.contact.slopes import law_steps
from fibermsk.system.varying import CONTACT

_SIDES = "start", "end"


class Columns:
    """Places of the numbers of contact in one row."""

    def __init__(self, system: FiberSystem) -> None:
        self._system, partners = system, system.configuration.partners
        self._partners, n_shapes = partners, partners.shape_link.size
        shapes = (system.cables.h.size, 15), partners.constants.shape, partners.friction.shape
        sizes = [int(np.prod(one)) for one in (*shapes, (n_shapes,), (n_shapes, 2))]
        _, self._constants, self._friction, self._radius, self._ends = np.cumsum([0, *sizes[:-1]])
        self.n = sum(sizes)

    def of_shape(self, change: Array, fiber: int) -> dict[int, float]:
        """Columns of a change of a fiber's shape, by `fibermsk.system.contact.slopes.shape_of`."""
        start = self._system.cables.element_start
        own = change[start[fiber] : start[fiber + 1]].ravel()
        kept = np.flatnonzero(own)
        return dict(zip((15 * int(start[fiber]) + kept).tolist(), own[kept].tolist(), strict=True))

    def of_entry(self, entry: Entry) -> dict[int, float]:
        """Column of a number of a law, of friction, or of the radius of a shape; else none."""
        place = find(self._system.model, entry.path)[0]
        root, steps = place.root, place.steps
        if isinstance(root, Contact):
            law = next(k for k, one in enumerate(self._system.model.contacts) if one is root)
            if steps[0] == "friction":
                return {self._friction + 2 * law + ("coefficient", "speed").index(steps[1]): 1.0}
            names: Sequence[Any] = ("stiffness", "limit")
            first = 0
            if root.own_law is not None:
                names, first = constant_names(root.own_law), N_BUILT_IN
            if steps[0] != "law" or len(steps) != 2 or steps[1] not in names:
                return {}
            width = self._partners.constants.shape[1]
            return {self._constants + width * law + first + names.index(steps[1]): 1.0}
        if isinstance(root, Body) and len(steps) == 3 and steps[2] == "radius":
            return {self._radius + self._number(root, steps[1]): 1.0} if self._touched(root) else {}
        return {}

    def of_end(self, entry: Entry, cosine: float) -> dict[int, float]:
        """Column of a coordinate of an end of a capsule, as far as it moves along the axis."""
        place = find(self._system.model, entry.path)[0]
        if not self._touched(place.root):
            return {}
        number = self._number(place.root, place.steps[1])
        return {self._ends + 2 * number + _SIDES.index(str(place.steps[2])): cosine}

    def _touched(self, body: Body) -> bool:
        return body.name in self._partners.shape_body

    def _number(self, body: Body, shape: Any) -> int:
        return self._partners.shape_body.index(body.name) + int(shape)


class ContactSlopes:
    """Derivatives of the product of a cotangent with the rows of contact, at points of a sweep.

    Parameters
    ----------
    places
        Of the system.
    """

    def __init__(self, places: Places) -> None:
        self.places, self.system = places, places.own.system
        self.columns = Columns(self.system)
        self._steps = law_steps(self.system.configuration.partners.constants)
        self._last: tuple[Point, Array, Array] | None = None

    def at(self, at: Linearized, x: Array) -> Array:
        """Derivatives in all `columns`, of a cotangent (n,) of the equations."""
        if self._last is None or self._last[0] is not at.point or self._last[1] is not x:
            whole = at.whole(x)
            found = self.system.contact_slopes(at.point[:4], whole, self._steps)
            row = np.concatenate([part.ravel() for part in found])
            self._last = at.point, x, row
        return self._last[2]


class Touching(NamedTuple):
    """A number that contact depends on.

    Attributes
    ----------
    number : int
        Of the gradient.
    by : dict of int to float
        Derivatives of `Columns` in it.
    """

    number: int
    by: dict[int, float]


class ContactNumbers(ForcesOnly):
    """Numbers that contact depends on; a `fibermsk.solvers.adjoint.variation.Change`.

    Parameters
    ----------
    slopes : ContactSlopes
        Derivatives in what contact depends on.
    members : sequence of Touching
        The m numbers.
    vary : callable
        Gives, for a direction (m,), variations of systems along it, whose derivatives sum up.
    """

    def __init__(
        self,
        slopes: ContactSlopes,
        members: Sequence[Touching],
        vary: Callable[[Array], Sequence[Variation]],
    ) -> None:
        self._slopes, self._vary = slopes, vary
        self._numbers: Index = np.array([one.number for one in members], np.int64)
        entries = [(k, at, by) for k, one in enumerate(members) for at, by in one.by.items()]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        shape = len(members), slopes.columns.n
        self._matrix: Any = csr_array((values, (rows, columns)), shape, dtype=float)
        self._along: tuple[bytes, Sequence[Variation]] = b"", ()

    def pull_forces(self, at: Linearized, x: Array, gradient: Array) -> None:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        if self._numbers.size:
            np.add.at(gradient, self._numbers, self._matrix @ self._slopes.at(at, x))

    def push_forces(self, at: Linearized, direction: Array) -> Array | float:
        """See `fibermsk.solvers.adjoint.variation.Change`."""
        part = direction[self._numbers]
        if not part.any():
            return 0.0
        if self._along[0] != part.tobytes():
            self._along = part.tobytes(), self._vary(part)
        base, place = self._slopes.system, self._slopes.places.at(at.point)
        total = np.zeros(base.n)
        for one in self._along[1]:
            total += one.of(lambda own: own.rows_of(CONTACT, place.at, base, place.laws))
        return at.held(at.pulled(total))

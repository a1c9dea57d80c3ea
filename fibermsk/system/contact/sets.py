"""Contact points of one formulation: state, and contributions to residual and tangent.

Four sets with one interface: fibers, and bones (`fibermsk.system.contact.bone_sets`), by half
passes (each fiber integrates its own line force) or from pair potentials (`variational`). A set
holds the runs of one kind of contact law, and one contact point for each of their quadrature
points.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index, Short
from fibermsk._ranges import begins, sizes
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_rows
from fibermsk.kernels.contact import scatter
from fibermsk.kernels.contact.own_contact import contact_kernels
from fibermsk.kernels.contact.pairs import mark_pairs
from fibermsk.kernels.contact.shares import N_FORCE, N_SHARE
from fibermsk.kernels.contact_arrays import (
    BoneShapes,
    FiberPoints,
    FiberShapes,
    PairRows,
    QuadraturePoints,
)
from fibermsk.system.contact.broad_phase import FiberRuns
from fibermsk.system.contact.fiber_pairs import FiberPairs, RunsOfPairs, TouchingPairs
from fibermsk.system.contact.partners import Partners
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import TreeState

Blocks = tuple[Array, Array]
"""Upper and lower blocks of the couplings; see `fibermsk.linalg.Couplings`."""

_JUMP = 0.02
"""Way of a closest point along its fiber that counts as a jump, over the length of an element."""

_AT_ONCE = 2**13
"""Number of contact points whose loads are listed at once."""

# half passes have no shares, and potentials only while forces are added
_NONE, _NO_SHARES = np.zeros(0, np.int64), np.zeros((0, 0, N_SHARE))
_NO_RUNS = np.zeros((0, 2))


class Geometry(NamedTuple):
    """A configuration."""

    fibers: FiberShapes
    widest: Array  # bound (n_elements,) of the radius of the element's fiber [m]
    shapes: BoneShapes  # in the ground frame
    state: TreeState


def at_once(points: Index) -> Iterator[Index]:
    """Parts of some points, so that what is computed for them takes little memory."""
    for begin in range(0, points.size, _AT_ONCE):
        yield points[begin : begin + _AT_ONCE]


def _copied(arrays: Any) -> Any:
    """A named tuple of arrays with copies of these."""
    return type(arrays)(*map(np.copy, arrays))


class Border(NamedTuple):
    """Residual and matrix that the sets add to; see `fibermsk.protocol.BorderedMatrix`."""

    residual: Array
    residual_q: Array
    lines: Array
    B: Array
    R: Array
    D: Array


class PointSet:
    """Contact points of one formulation (`potential` or half passes) and one kind of law."""

    points: Any
    potential = False

    def __init__(self, kind: int, cables: Cables, partners: Partners) -> None:
        self.kind, self.cables, self.partners = kind, cables, partners
        self.kernels = contact_kernels(partners.kinds[kind])

    def copied(self) -> Any:
        """The same with new arrays."""
        other = copy(self)
        own = {name: one.copy() for name, one in vars(self).items() if isinstance(one, np.ndarray)}
        vars(other).update(own, points=_copied(self.points))
        return other

    def beside(self, cables: Cables, partners: Partners) -> Any:
        """Contact points of the same runs, of other cables and laws; in the same arrays."""
        other = copy(self)
        vars(other).update(cables=cables, partners=partners)
        return other

    @property
    def own(self) -> NDArray[np.bool_]:
        """Mask (n_laws,) of the laws of this formulation and kind."""
        return (self.partners.variational == self.potential) & (self.partners.kind == self.kind)

    @property
    def touches(self) -> NDArray[np.bool_]:
        """Whether the contact points are closed, (n_points,)."""
        raise NotImplementedError

    @property
    def admissibility(self) -> Array:
        """1 + gamma g of the contact points, (n_points,)."""
        raise NotImplementedError

    def lengths(self, points: Index) -> Array:
        """|a1| (n,) of the integrated fiber at contact points (n,) [m]."""
        raise NotImplementedError

    @property
    def closed(self) -> Index:
        """Closed contact points."""
        return np.flatnonzero(self.touches)

    def forces(self, at: Geometry) -> Array:
        """Force on the own fiber per theta at the contact points, (n_points, 3)."""
        return self.points.force

    def force_parts(self, at: Geometry) -> Iterator[tuple[Index, Array]]:
        """Closed contact points (n,), and the force on the own fiber per theta there (n, 3).

        Some at a time, in increasing order.
        """
        for closed in at_once(self.closed):
            yield closed, self.points.force[closed]

    def line_forces(self, at: Geometry) -> Iterator[tuple[Index, Array]]:
        """Closed contact points (n,), and the force on the own fiber per current length (n, 3).

        Some at a time, in increasing order.
        """
        for closed, force in self.force_parts(at):
            yield closed, force / self.lengths(closed)[:, None]


class _FiberSet(PointSet):
    """Contact points of fiber-fiber runs.

    Attributes
    ----------
    runs : FiberRuns
        Runs of this formulation.
    points : FiberPoints
        Their contact points.
    of_pairs : RunsOfPairs
        Which runs belong to each pair of fibers.
    of_run : (n_runs, 2) float array
        Least 1 + gamma g and energy of each run; empty once they are no longer needed.
    quadrature : QuadraturePoints
        Quadrature points that runs share.
    held : (n_points,) bool array
        Points fixed along the partner, of potentials.
    touching : TouchingPairs
        Pairs in contact.
    """

    def allocate(self, runs: FiberRuns) -> None:
        """Set new runs and allocate their contact points."""
        self.runs, n = runs, int(runs.point_start[-1])
        self.points = FiberPoints(
            np.full(n, -1, np.int32), np.empty(n), np.full((n, 3), np.inf),
            np.zeros((0 if self.potential else n, 3)), np.zeros(n, bool),
        )  # fmt: skip
        self.of_run = _NO_RUNS
        self._jacobian = np.empty((0 if self.potential else n, 4, 3, 3))
        self.held = np.zeros(n, bool)
        # successive runs of one element with one law have the same quadrature points
        new = begins(runs.element) | begins(runs.law)
        own = np.flatnonzero(new)
        element, size = runs.element[own], (own.size, self.partners.xi.shape[1])
        self.quadrature = QuadraturePoints(
            new.cumsum(dtype=np.int32) - np.int32(1),
            np.searchsorted(element, self.cables.element_start) if self.potential else _NONE,
            element,
            runs.law[own],
            np.empty((*size, 8)),
            _NO_SHARES,
        )

    def copied(self) -> Any:
        """As of all sets."""
        other = super().copied()
        other.quadrature = _copied(self.quadrature)
        return other

    @property
    def touches(self) -> NDArray[np.bool_]:
        """As of all sets."""
        return self.points.state[:, 0] < self.points.state[:, 1]

    @property
    def admissibility(self) -> Array:
        """As of all sets."""
        d, R, _ = self.points.state.T
        gamma = np.repeat(self.partners.constants[self.runs.law, 1], sizes(self.runs.point_start))
        return 1.0 + gamma * (d / R - 1.0)

    def lengths(self, points: Index) -> Array:
        """As of all sets."""
        return self._own(7, points)

    def radii(self) -> Array:
        """Radii (n_points,) of the integrated fibers at the contact points [m]."""
        return self._own(6, np.arange(self.points.xi.size))

    def _own(self, column: int, points: Index) -> Array:
        """What the quadrature points of contact points (n,) have in a column, (n,)."""
        run = np.searchsorted(self.runs.point_start, points, side="right") - 1
        of_run, at = self.quadrature.of_run[run], points - self.runs.point_start[run]
        return self.quadrature.values[of_run, at, column]

    def _rows(self, at: Geometry) -> Array:
        """Data of every element for the closest point search; new array."""
        rows = np.empty((self.cables.h.size, N_COLUMNS))
        fill_rows(*at.fibers[:5], rows)
        return rows

    def pair_up(self, pairs: FiberPairs, touching: TouchingPairs, own: RunsOfPairs) -> None:
        """Set the pairs of fibers, and this set's runs of each pair."""
        self._pairs, self.touching, self.of_pairs = pairs, touching, own

    def take_least(self) -> Array:
        """Least 1 + gamma g of each run (n_runs,), which is forgotten."""
        found, self.of_run = self.of_run, _NO_RUNS
        return found[:, 0]

    def mark(self, rows: PairRows) -> None:
        """Widen the coupling rows to cover all closed contact points; see `mark_pairs`."""
        mark_pairs(
            self.touching.groups.order, self.cables.elements, self.cables.fiber, self.runs,
            self.partners.laws, self.points.element, self.points.state, self.of_pairs, rows,
        )  # fmt: skip

    def places(self) -> tuple[Array, NDArray[np.bool_]]:
        """Where along their fibers the partners' points are (n,), in elements, and which touch."""
        return self.points.element + self.points.xi, self.touches

    def freeze(self, place: Array, touched: NDArray[np.bool_]) -> list[str]:
        """Freeze the contact points that have jumped since other `places`; names of the pairs."""
        now, touches = self.places()
        jumped = np.flatnonzero((np.abs(now - place) > _JUMP) & (touches | touched))
        self.points.frozen[jumped] = True
        return sorted({self.names(point) for point in jumped.tolist()})

    def names(self, point: int) -> str:
        """Names of the pair at a contact point."""
        cables = self.cables
        run = int(np.searchsorted(self.runs.point_start, point, side="right")) - 1
        a, b = (cables.fiber[e] for e in (self.runs.element[run], self.points.element[point]))
        return f"fiber {cables.names[a]!r} and fiber {cables.names[b]!r}"


class HalfPassFibers(_FiberSet):
    """Each fiber integrates its own line force against the other: Gfrerer and Simeon, eq. 39."""

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and an energy of zero: half passes have no potential."""
        self.of_run = np.empty((self.runs.element.size, 2))
        return self.kernels.fiber_runs(
            at.fibers, self._rows(at), self.runs, self.partners.laws, self.quadrature,
            self.points, self.of_run,
        )  # fmt: skip

    def scatter(
        self, at: Geometry, out: Border, rows: PairRows, blocks: Blocks, tangent: bool
    ) -> None:
        """Add forces and tangent."""
        runs, laws, points, jacobian = self.runs, self.partners.laws, self.points, self._jacobian
        if tangent:
            self.kernels.fiber_slopes(at.fibers, runs, laws, self.quadrature, points, jacobian)
        scatter.add_half_passes(
            self.touching.groups, at.fibers, runs, laws, points, jacobian, self.of_pairs, rows,
            tangent, out.residual, out.lines, blocks,
        )  # fmt: skip


class PotentialFibers(_FiberSet):
    """One energy for each pair of fibers; forces are its negative gradient."""

    potential = True

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and the energy [J]."""
        self.of_run = np.empty((self.runs.element.size, 2))
        return self.kernels.find_gaps(
            at.fibers, at.widest, self._rows(at), self.runs, self.partners.laws, self.quadrature,
            self.points, self.held, self.of_run,
        )  # fmt: skip

    def forces(self, at: Geometry) -> Array:
        """Force on the own fiber per theta at the contact points, (n_points, 3); a new array."""
        force = np.empty((self.points.xi.size, 3))
        self.kernels.fill_forces(
            at.fibers, self.runs, self.partners.laws, self.quadrature, self.points, force
        )
        return force

    def force_parts(self, at: Geometry) -> Iterator[tuple[Index, Array]]:
        """As of half passes."""
        first = begin = 0
        for runs in self.runs.parts(_AT_ONCE):
            last, end = first + runs.element.size, begin + int(runs.point_start[-1])
            points = FiberPoints(*(one[begin:end] for one in self.points))
            quadrature = self.quadrature._replace(of_run=self.quadrature.of_run[first:last])
            force = np.empty((end - begin, 3))
            self.kernels.fill_forces(at.fibers, runs, self.partners.laws, quadrature, points, force)
            closed = np.flatnonzero(points.state[:, 0] < points.state[:, 1])
            yield begin + closed, force[closed]
            first, begin = last, end

    def line_forces(self, at: Geometry) -> Iterator[tuple[Index, Array]]:
        """Closed contact points (n,), and the force on the own fiber per current length (n, 3).

        A contact point holds the share of the own reference radius; the reaction of the partner's
        points adds, for parallel fibers and per length, the share of the partner's.
        """
        runs, points = self.runs, self.points
        for closed, line_force in super().line_forces(at):
            run = np.searchsorted(runs.point_start, closed, side="right") - 1
            xi = self.partners.xi[runs.law[run], closed - runs.point_start[run]]
            share = self._reference_radius(runs.element[run], xi)
            other = self._reference_radius(points.element[closed], points.xi[closed])
            yield closed, line_force * (1.0 + other / share)[:, None]

    def with_shares(self, tangent: bool) -> QuadraturePoints:
        """Quadrature points with room for what they add to their own element."""
        size = *self.quadrature.values.shape[:2], N_SHARE if tangent else N_FORCE
        return self.quadrature._replace(shares=np.empty(size))

    def _reference_radius(self, element: Short, xi: Array) -> Array:
        cables = self.cables
        powers = np.vander(xi, cables.radius_rows.shape[1], increasing=True)
        return np.sum(cables.radius_rows[cables.shape_of[element]] * powers, axis=1)

    def scatter(
        self, at: Geometry, out: Border, rows: PairRows, blocks: Blocks, tangent: bool
    ) -> None:
        """Add forces and tangent."""
        common = (
            self.touching.groups, at.fibers, self.runs, self.partners.laws,
            self.with_shares(tangent), self.points,
        )  # fmt: skip
        if not tangent:
            self.kernels.fill_gradients(*common, self.of_pairs, out.residual)
            return
        self.kernels.fill_tangents(
            *common, self.held, self.of_pairs, rows, out.residual, out.lines, blocks[0]
        )

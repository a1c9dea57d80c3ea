"""Contact points of one formulation: state, and contributions to residual and tangent.

Four sets with one interface: fibers and bones, by half passes (each fiber integrates its own line
force) or from pair potentials (`variational`). A set holds the runs of one kind of contact law, and
one slot (contact point) for each of their quadrature points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels.closest.rows import N_COLUMNS
from fibermsk.kernels.contact import bone_passes, scatter
from fibermsk.kernels.contact.own_contact import contact_kernels
from fibermsk.kernels.contact.pairs import mark_pairs
from fibermsk.kernels.contact.shares import N_SHARE
from fibermsk.linalg import Couplings
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.fiber_pairs import FiberPairs, RunsOfPairs, TouchingPairs
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.shapes import ShapesAt
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree, TreeState

__all__ = [
    "Border",
    "Geometry",
    "HalfPassBones",
    "HalfPassFibers",
    "PotentialBones",
    "PotentialFibers",
]

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class Geometry(NamedTuple):
    """A configuration.

    Attributes
    ----------
    power : (n_elements, 4, 3) float array
        Centerlines in powers of xi.
    widest : (n_elements,) float array
        Bound of the radius of the element's fiber [m].
    shapes : tuple of arrays
        Bone shapes in the ground frame; see `fibermsk.kernels.bones.bone_shape`.
    state : TreeState
        Of the bodies.
    """

    power: Array
    widest: Array
    shapes: ShapesAt
    state: TreeState


class Border(NamedTuple):
    """Residual and matrix that the sets add to; see `fibermsk.protocol.BorderedMatrix`."""

    residual: Array
    residual_q: Array
    lines: Array
    B: Array
    R: Array
    D: Array


class _Set:
    """Contact points of one formulation (`potential` or half passes) and one kind of law."""

    potential = False

    def __init__(self, kind: int, cables: Cables, partners: Partners) -> None:
        self.kind, self.cables, self.partners = kind, cables, partners
        self.kernels = contact_kernels(partners.kinds[kind])

    @property
    def own(self) -> NDArray[np.bool_]:
        """Mask (n_laws,) of the laws of this formulation and kind."""
        return (self.partners.variational == self.potential) & (self.partners.kind == self.kind)


class _FiberSet(_Set):
    """Slots of fiber-fiber runs.

    Attributes
    ----------
    runs : FiberRuns
        Runs of this formulation.
    element, xi : (n_slots,) array
        Closest point of the partner.
    state, force : (n_slots, 6) and (n_slots, 3) float array
        See `fibermsk.kernels.contact.contact`.
    of_pairs : RunsOfPairs
        Which runs belong to each pair of fibers.
    of_run : (n_runs, 2) float array
        Results of kernels for each run.
    """

    def allocate(self, runs: FiberRuns) -> None:
        """Set new runs and allocate their contact points."""
        self.runs = runs
        n = int(runs.slot_start[-1])
        self.element, self.xi = np.full(n, -1), np.empty(n)
        self.state, self.force = np.full((n, 6), np.inf), np.zeros((n, 3))
        # successive runs of one element with one law have the same quadrature points
        same = (np.diff(runs.element, prepend=-1) == 0) & (np.diff(runs.law, prepend=-1) == 0)
        sections = np.flatnonzero(~same)
        self._sections = (runs.element[sections], runs.law[sections], np.cumsum(~same) - 1)
        self.of_run = np.empty((runs.element.size, 2))
        self._points = np.empty((sections.size, self.partners.xi.shape[1], 8))

    @property
    def _search(self) -> tuple[Any, ...]:
        runs, cables, partners = self.runs, self.cables, self.partners
        return (
            cables.reference_power, cables.radius_poly, cables.h, cables.end_flag, runs.element,
            runs.start, runs.candidates, runs.law, partners.constants, partners.points, partners.xi,
        )  # fmt: skip

    def pair_up(self, pairs: FiberPairs, touching: TouchingPairs, own: RunsOfPairs) -> None:
        """Set the pairs of fibers, and this set's runs of each pair."""
        self._pairs, self._touching, self.of_pairs = pairs, touching, own

    def mark(self, column: Index, count: Index) -> None:
        """Widen the coupling rows to cover all closed contact points; see `mark_pairs`."""
        pairs, runs, cables = self._pairs, self.runs, self.cables
        mark_pairs(
            self._touching.order, cables.elements, cables.fiber, runs.element, runs.slot_start,
            self.element, self.state, *self.of_pairs, pairs.first, pairs.row_start, pairs.row_node,
            column, count,
        )  # fmt: skip

    @property
    def _order(self) -> tuple[Index, Index]:
        return self._touching.order, self._touching.group_start

    @property
    def _places(self) -> tuple[Index, ...]:
        pairs = self._pairs
        return pairs.first, pairs.row_start, pairs.row_node

    @property
    def _slots(self) -> tuple[Any, ...]:
        # rows are needed for the search alone; their memory is reused
        rows = np.empty((self.cables.h.size if self.runs.element.size else 0, N_COLUMNS))
        return (
            *self._sections, self.runs.slot_start, rows, self._points, self.of_run, self.element,
            self.xi,
        )  # fmt: skip

    def line_force(self) -> Array:
        """Contact force on the own fiber per current length, (n_slots, 3) [N/m]."""
        return self.force / self.state[:, 4:5]

    def names(self, slot: int) -> str:
        """Names of the pair at a slot."""
        cables = self.cables
        run = int(np.searchsorted(self.runs.slot_start, slot, side="right")) - 1
        a = cables.names[cables.fiber[self.runs.element[run]]]
        return f"fiber {a!r} and fiber {cables.names[cables.fiber[self.element[slot]]]!r}"


class HalfPassFibers(_FiberSet):
    """Each fiber integrates its own line force against the other: Gfrerer and Simeon, eq. 39."""

    def allocate(self, runs: FiberRuns) -> None:
        """Set new runs and allocate their contact points."""
        super().allocate(runs)
        self._jacobian = np.empty((self.xi.size, 4, 3, 3))

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and an energy of zero: half passes have no potential."""
        reference, radius_poly, h, _, *search = self._search
        slots = (*self._slots, self.state, self.force)
        least = self.kernels.fiber_runs(*(at.power, reference, radius_poly, h, *search, *slots))
        return least, 0.0

    def scatter(self, at: Geometry, out: Border, blocks: Couplings, tangent: bool) -> None:
        """Add forces and tangent."""
        runs, cables, partners = self.runs, self.cables, self.partners
        if runs.element.size == 0:
            return
        if tangent:
            self.kernels.fiber_slopes(
                at.power, cables.reference_power, cables.radius_poly, cables.h, cables.end_flag,
                runs.law, partners.constants, partners.points, self._sections[2], runs.slot_start,
                self._points, self.element, self.xi, self.state, self._jacobian,
            )  # fmt: skip
        scatter.add_half_passes(
            *self._order, cables.h, cables.elements, cables.fiber, runs.element, runs.law,
            partners.points, partners.xi, partners.weight, runs.slot_start, self.element, self.xi,
            self.state, self.force, self._jacobian, *self.of_pairs, *self._places, blocks.column,
            blocks.block_start, tangent, out.residual, out.lines, blocks.upper,
            blocks.lower,
        )  # fmt: skip


class PotentialFibers(_FiberSet):
    """One energy for each pair of fibers; forces are its negative gradient."""

    potential = True

    def allocate(self, runs: FiberRuns) -> None:
        """Set new runs and allocate their contact points."""
        super().allocate(runs)
        self._held = np.zeros(self.xi.size, bool)
        own, cables = self._sections[0], self.cables
        self._section_start = np.searchsorted(own, cables.element_start)

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and the energy [J]."""
        search = (at.power, at.widest, *self._search, self.partners.weight)
        return self.kernels.find_gaps(*(*search, *self._slots, self._held, self.state, self.force))

    def line_force(self) -> Array:
        """Contact force on the own fiber per current length, (n_slots, 3) [N/m].

        The slot holds the share of the own reference radius; the reaction of the partner's points
        adds, for parallel fibers and per length, the share of the partner's.
        """
        own = np.repeat(self.runs.element, np.diff(self.runs.slot_start))
        law = np.repeat(self.runs.law, np.diff(self.runs.slot_start))
        number = np.arange(own.size) - np.repeat(
            self.runs.slot_start[:-1], np.diff(self.runs.slot_start)
        )
        closed = np.any(self.force != 0.0, axis=1)
        share = self._reference_radius(own[closed], self.partners.xi[law, number][closed])
        other = self._reference_radius(self.element[closed], self.xi[closed])
        line_force = super().line_force()
        line_force[closed] *= 1.0 + (other / share)[:, None]
        return line_force

    def _reference_radius(self, element: Index, xi: Array) -> Array:
        powers = np.vander(xi, self.cables.radius_poly.shape[1], increasing=True)
        return np.sum(self.cables.radius_poly[element] * powers, axis=1)

    def scatter(self, at: Geometry, out: Border, blocks: Couplings, tangent: bool) -> None:
        """Add forces and tangent."""
        runs, cables, partners = self.runs, self.cables, self.partners
        if runs.element.size == 0:
            return
        search = (
            *self._order, at.power, cables.reference_power, cables.radius_poly, cables.h,
            cables.elements,
        )  # fmt: skip
        points = (
            runs.element, runs.law, partners.constants, partners.points, partners.xi,
            partners.weight, self._sections[2], self._points, runs.slot_start, self.element,
            self.xi,
        )  # fmt: skip
        shares = np.empty((*self._points.shape[:2], N_SHARE))
        shares = (self._section_start, *self._sections[:2], shares, out.residual)
        if not tangent:
            self.kernels.fill_gradients(*search, *points, self.state, *self.of_pairs, *shares)
            return
        self.kernels.fill_tangents(
            *search, cables.fiber, *points, self._held, self.state, *self.of_pairs, *self._places,
            blocks.column, blocks.block_start, *shares, out.lines, blocks.upper,
        )  # fmt: skip


class _BoneSet(_Set):
    """Slots of fiber-bone runs; ``point`` (n_slots, 3) on the fiber, the rest as in `_FiberSet`."""

    def __init__(self, kind: int, cables: Cables, partners: Partners, tree: Tree) -> None:
        super().__init__(kind, cables, partners)
        self.tree = tree

    def allocate(self, runs: BoneRuns) -> None:
        """Set new runs and allocate their contact points."""
        self.runs = runs
        n = int(runs.slot_start[-1])
        self.point, self.state = np.empty((n, 3)), np.full((n, 6), np.inf)
        self.force = np.zeros((n, 3))
        self._begin = runs.of_fibers(self.cables.fiber)
        n_tasks, n_q = self._begin.size - 1, self.tree.n
        self._moments, self._corners = np.empty((n_tasks, n_q)), np.empty((n_tasks, n_q, n_q))

    def _search(self, at: Geometry) -> tuple[Any, ...]:
        runs, cables, partners = self.runs, self.cables, self.partners
        return (
            cables.reference_power, cables.radius_poly, cables.h, runs.element, runs.shape,
            runs.law, *at.shapes, partners.constants, partners.points, partners.xi,
        )  # fmt: skip

    def _receives(self, out: Border, tangent: bool) -> tuple[Any, ...]:
        """Arguments of scatter kernels: the arrays that the runs of each fiber add to."""
        return tangent, out.residual, out.lines, out.B, out.R, self._moments, self._corners

    def _add_shares(self, out: Border, tangent: bool) -> None:
        """Add the contributions of the fibers to the coordinates, in order."""
        out.residual_q[:] += self._moments.sum(axis=0)
        if tangent:
            out.D[:] += self._corners.sum(axis=0)

    def line_force(self) -> Array:
        """Contact force on the fiber per current length, (n_slots, 3) [N/m]."""
        return self.force / self.state[:, 4:5]

    def names(self, slot: int) -> str:
        """Names of the pair at a slot."""
        run = int(np.searchsorted(self.runs.slot_start, slot, side="right")) - 1
        a = self.cables.names[self.cables.fiber[self.runs.element[run]]]
        return f"fiber {a!r} and body {self.partners.shape_body[self.runs.shape[run]]!r}"

    def wrenches(self) -> Array:
        """Force on each shape and its moment about the ground origin, (n_shapes, 6) [N, N m]."""
        cables, partners, runs = self.cables, self.partners, self.runs
        total = np.zeros((partners.shape_link.size, 6))
        for run, (element, shape, law) in enumerate(
            zip(runs.element, runs.shape, runs.law, strict=True)
        ):
            n = partners.points[law]
            own = slice(runs.slot_start[run], runs.slot_start[run] + n)
            force = -(partners.weight[law, :n] * cables.h[element])[:, None] * self.force[own]
            total[shape, :3] += force.sum(axis=0)
            total[shape, 3:] += np.cross(self.point[own], force).sum(axis=0)
        return total


class HalfPassBones(_BoneSet):
    """The line force on the fiber, and its exact reaction on the bone."""

    def allocate(self, runs: BoneRuns) -> None:
        """Set new runs and allocate their contact points."""
        super().allocate(runs)
        self._jacobian = np.empty((self.point.shape[0], 2, 3, 3))

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and an energy of zero: the line force has no potential."""
        if self.runs.element.size == 0:
            return np.inf, 0.0
        least = self.kernels.bone_runs(
            at.power, *self._search(at), self.runs.slot_start, self.point, self.state, self.force,
            self._jacobian,
        )  # fmt: skip
        return least, 0.0

    def scatter(self, at: Geometry, out: Border, tangent: bool) -> None:
        """Add forces and tangent."""
        runs, cables, partners = self.runs, self.cables, self.partners
        if runs.element.size == 0:
            return
        bone_passes.scatter_bones(
            self._begin, cables.elements, cables.h, runs.element, runs.shape, runs.law,
            partners.points, partners.xi, partners.weight, runs.slot_start, self.point, self.state,
            self.force, self._jacobian, partners.shape_link, self.tree.moves, at.state.S,
            *self._receives(out, tangent),
        )  # fmt: skip
        self._add_shares(out, tangent)


class PotentialBones(_BoneSet):
    """One energy for each pair of fiber and bone."""

    potential = True

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and the energy [J]."""
        if self.runs.element.size == 0:
            return np.inf, 0.0
        return self.kernels.find_bone_gaps(
            at.power, *self._search(at), self.partners.weight, self.runs.slot_start, self.point,
            self.state, self.force,
        )  # fmt: skip

    def scatter(self, at: Geometry, out: Border, tangent: bool) -> None:
        """Add forces and tangent."""
        runs, cables, partners = self.runs, self.cables, self.partners
        if runs.element.size == 0:
            return
        self.kernels.scatter_bone_potential(
            self._begin, at.power, cables.reference_power, cables.radius_poly, cables.elements,
            cables.h, runs.element, runs.shape, runs.law, *at.shapes, partners.constants,
            partners.points, partners.xi, partners.weight, runs.slot_start, self.state,
            partners.shape_link, self.tree.moves, at.state.S, *self._receives(out, tangent),
        )  # fmt: skip
        self._add_shares(out, tangent)

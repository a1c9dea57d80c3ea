"""Contact of all fibers with each other and with the bones: candidates, forces, safeguard."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import safeguard
from fibermsk.kernels.pairs import gather_gradients, gather_tangents
from fibermsk.kernels.shape import bezier_hull, power_coefficients
from fibermsk.linalg import Couplings
from fibermsk.system.broad_phase import find_bone_runs, find_fiber_runs
from fibermsk.system.cables import Cables, per_fiber, reference_speed
from fibermsk.system.contact_sets import (
    Border,
    Geometry,
    HalfPassBones,
    HalfPassFibers,
    PotentialBones,
    PotentialFibers,
    select_bone_runs,
    select_fiber_runs,
)
from fibermsk.system.pair_memory import PairMemory
from fibermsk.system.partners import Partners
from fibermsk.system.tree import Tree, TreeState

__all__ = ["ContactSearch"]

Array = NDArray[np.float64]

# Candidates are searched within this part of the largest fiber radius beyond contact. A wider skin
# is searched more rarely but holds more candidates.
_SKIN = 0.5

# Bezier coefficients of a quartic from its coefficients in powers of xi.
_BEZIER = np.array([[comb(i, j) / comb(4, j) for j in range(5)] for i in range(5)])

# Where an element turns so far that its hull does not bound the tangent from below, half of the
# least tangent at its quadrature points stands in.
_HAIRPIN = 0.5

# An update leaves every quadrature point a larger part of its tangent than this.
_LEAST_LEFT = 0.1


class ContactSearch:
    """Candidate pairs and contact state for one configuration after the other.

    The candidates are only a bound on who may touch: the forces do not depend on when they were
    found.

    Attributes
    ----------
    fiber_sets, bone_sets : tuple
        Contact points by formulation: half passes first, then pair potentials.
    energy : float
        Energy of the potentials at the configuration evaluated last [J].
    """

    def __init__(self, cables: Cables, partners: Partners, tree: Tree) -> None:
        self.cables, self.partners, self.tree = cables, partners, tree
        n = cables.elements.shape[0]
        self._power, self._hull = np.empty((n, 4, 3)), np.empty((n, 4, 3))
        self._ways = np.empty((n, safeguard.N_WAYS))
        # bound of r0 sqrt(|A1|) on each element
        reference = np.empty((n, 4, 3))
        bezier_hull(cables.reference, cables.elements, cables.h, reference)
        speeds = np.linalg.norm(3.0 * np.diff(reference, axis=1), axis=2).max(axis=1) / cables.h
        radius = (cables.radius_poly @ _BEZIER.T).max(axis=1)
        self._widest = radius * np.sqrt(speeds)
        self._thickest = radius
        self._skin = _SKIN * radius.max(initial=0.0)
        self._reach = -1.0
        self._pairs = PairMemory()
        self.energy = 0.0
        self.fiber_sets = (HalfPassFibers(cables, partners), PotentialFibers(cables, partners))
        self.bone_sets = (
            HalfPassBones(cables, partners, tree),
            PotentialBones(cables, partners, tree),
        )
        self._links = np.unique(partners.shape_link[partners.shape_link >= 0])

    def evaluate(self, nodes: Array, state: TreeState) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        self._nodes, self._state = nodes, state
        cables = self.cables
        if not self.partners.points.size and self._reach >= 0.0:
            return 1.0  # no contact laws, and the empty sets are there
        power_coefficients(nodes, cables.elements, cables.h, self._power)
        bezier_hull(nodes, cables.elements, cables.h, self._hull)
        if not self._covered(0.0):
            self._search(0.0)
        return self._points()

    def _points(self) -> float:
        shapes = self.partners.place_shapes(self._state)
        self._at = Geometry(self._power, self._widest_sections(), *shapes, self._state)
        found = [part.evaluate(self._at) for part in (*self.fiber_sets, *self.bone_sets)]
        self.energy = sum(energy for _, energy in found)
        return min(1.0, *(least for least, _ in found))

    def memory(self) -> dict[str, Array]:
        """Where and how far around the candidates were last found, from which all follows."""
        nodes, state, reach = self._built
        return {
            "nodes": nodes,
            "rotation": state.rotation,
            "position": state.position,
            "reach": np.array(reach),
        }

    def restore(self, memory: dict[str, Array]) -> None:
        """Find the candidates again that a `memory` tells of, in the same order."""
        rotation, position = memory["rotation"], memory["position"]
        rest = np.zeros((position.shape[0], 6))
        self._nodes, self._state = memory["nodes"], TreeState(rotation, position, rest, rest, rest)
        bezier_hull(self._nodes, self.cables.elements, self.cables.h, self._hull)
        self._search(float(memory["reach"]))

    def scatter(self, out: Border, tangent: bool) -> Couplings:
        """Add the forces found last, and their tangent, to residual and matrix.

        Returns the couplings between fibers, whose blocks are valid until the next call.
        """
        half_passes, potentials = self.fiber_sets
        pairs, cables = self._pairs, self.cables
        n_mirrored = potentials.count_pairs()
        pairs.resize(n_mirrored, n_mirrored + half_passes.count_pairs())
        if tangent:
            pairs.make_room_for_blocks()
        for part, first in ((potentials, 0), (half_passes, n_mirrored)):
            part.list_pairs(pairs, first)
            part.fill_pairs(self._at, pairs, tangent)
        couplings = pairs.couplings(cables.elements, cables.fiber_of_node)
        gather = (
            couplings.entry_start, couplings.entries, n_mirrored, couplings.row, couplings.column
        )  # fmt: skip
        gather_gradients(*gather, pairs.gradient, out.residual)
        if tangent:
            lines = out.data.reshape(-1, 3, 6, 6)
            gather_tangents(*gather, pairs.own, pairs.partner, lines)
        for part in self.bone_sets:
            part.scatter(self._at, out, tangent)
        return couplings

    def step_fraction(
        self, update: Array, update_q: Array, remainder: Array, fraction: float, keep: float
    ) -> float:
        """Part of an update that keeps every admissibility above `keep` times its present value.

        Parameters
        ----------
        update : (n_nodes, 6) float array
            Update of the nodes, to first order in the coordinates at attached nodes.
        update_q : (n,) float array
            Update of the coordinates.
        remainder : (n_elements,) float array
            How far an element's control points may stray from the linear update [m].
        fraction : float
            Part of the update to start from.
        keep : float
            Between 0 and 1.
        """
        cables, partners = self.cables, self.partners
        if not partners.points.size:
            return fraction
        hull_update = np.empty_like(self._hull)
        bezier_hull(update, cables.elements, cables.h, hull_update)
        way = float(np.sqrt((hull_update**2).sum(axis=2).max(initial=0.0)))
        way += float(remainder.max(initial=0.0))
        reach = 2.0 * way
        chain_length = self.tree.chain_length(self._state)
        for link in self._links:
            joints = np.flatnonzero(self.tree.moves[link])
            lever = np.linalg.norm(
                self._hull[:, :, None] - self._state.position[joints], axis=3
            ).max(initial=0.0)
            turn, slide = self.tree.turn_and_slide(link, update_q)
            lever += slide + way + (1.0 + turn) * chain_length[link]
            reach = max(reach, way + slide + turn * lever)
        reach = reach * fraction + 2.0 * self._growth(hull_update, fraction)
        if not self._covered(reach):
            self._search(reach)
            self._points()
        for part in self.fiber_sets:
            runs = part.runs
            fraction = safeguard.fiber_fraction(
                cables.elements, cables.h, update, hull_update, remainder, runs.element, runs.start,
                runs.candidates, runs.law, partners.constants, partners.points, partners.xi,
                runs.slot_start, part.state, fraction, keep, self._ways, part.of_run,
            )  # fmt: skip
        for part in self.bone_sets:
            runs = part.runs
            fraction = safeguard.bone_fraction(
                cables.elements, cables.h, update, remainder, runs.element, runs.shape, runs.law,
                partners.constants, partners.points, partners.xi, runs.slot_start, part.point,
                part.state, partners.shape_link, self.tree.moves, self._state.position,
                self._state.S, chain_length, update_q, fraction, keep,
            )  # fmt: skip
        return fraction

    def line_forces(self) -> Array:
        """Contact force on every element's quadrature points per current length [N/m].

        Only where all laws have the same number of points; (n_elements, n_points, 3).
        """
        n_points = int(self.partners.points.max(initial=1))
        total = np.zeros((self.cables.h.size, n_points, 3))
        for part in (*self.fiber_sets, *self.bone_sets):
            if part.runs.element.size:
                density = (part.force / part.state[:, 4:5]).reshape(-1, n_points, 3)
                np.add.at(total, part.runs.element, density)
        return total

    def bone_wrenches(self) -> Array:
        """Force on each bone shape and its moment about the ground origin, (n_shapes, 6) [N, N m].

        The force acts at the closest point of the axis.
        """
        half_pass, potential = self.bone_sets
        return half_pass.wrenches(self._at) + potential.wrenches(self._at)

    def worst(self) -> tuple[float, str]:
        """Least 1 + gamma g and the names of the two that touch there."""
        candidates = [(1.0, "")]
        for part in (*self.fiber_sets, *self.bone_sets):
            if part.state.shape[0]:
                slot = int(np.argmin(part.state[:, 3]))
                candidates.append((float(part.state[slot, 3]), part.names(slot)))
        return min(candidates)

    def flawed(self) -> str:
        """Names of two that touch with a force that is not finite; empty if there are none."""
        for part in (*self.fiber_sets, *self.bone_sets):
            bad = np.flatnonzero(~np.isfinite(part.force).all(axis=1))
            if bad.size:
                return part.names(int(bad[0]))
        return ""

    def n_closed(self) -> tuple[int, int]:
        """Number of closed contact points, fiber-fiber and fiber-bone."""
        fibers, bones = (
            sum(int((part.state[:, 0] < part.state[:, 1:3].sum(axis=1)).sum()) for part in sets)
            for sets in (self.fiber_sets, self.bone_sets)
        )
        return fibers, bones

    def _radii(self) -> Array:
        """Bound of each fiber's largest current radius.

        r = r0 sqrt(|A1|/|a1|) with r0 and |A1| below the largest of their Bezier coefficients.
        """
        radius = self._widest / np.sqrt(self._least_tangent())
        return per_fiber(np.maximum, radius, self.cables.element_start)

    def _widest_sections(self) -> Array:
        """Bound of the radius that pair potentials give any point of each element's fiber.

        It blends the nodes' factors sqrt(|A1|/|a1|), so that the largest of them bounds it.
        """
        cables = self.cables
        lengths = (
            np.linalg.norm(nodes[:, 3:], axis=1) for nodes in (cables.reference, self._nodes)
        )
        factor = np.sqrt(np.divide(*lengths))[cables.elements].max(axis=1, initial=0.0)
        widest = per_fiber(np.maximum, self._thickest * factor, cables.element_start)
        return widest[cables.fiber]

    def _least_tangent(self) -> Array:
        """Lower bound of |a1| on each element: its least control vector along the chord."""
        cables = self.cables
        chord = self._hull[:, 3] - self._hull[:, 0]
        length = np.linalg.norm(chord, axis=1)
        slopes = 3.0 * np.diff(self._hull, axis=1) / cables.h[:, None, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.einsum("eki,ei->ek", slopes, chord / length[:, None]).min(axis=1)
            turning = ~(least > 0.0)
            if turning.any():
                speed = reference_speed(self._nodes, cables.elements, cables.h, cables.xi)
                least[turning] = _HAIRPIN * speed[turning].min(axis=1)
        return least

    def _growth(self, hull_update: Array, fraction: float) -> float:
        """Bound of how much the update makes any radius grow [m]."""
        least = self._least_tangent()
        slopes = np.linalg.norm(3.0 * np.diff(hull_update, axis=1), axis=2).max(axis=1)
        left = least - fraction * slopes / self.cables.h
        left = np.maximum(left, _LEAST_LEFT * least)
        grown = self._widest * (1.0 / np.sqrt(left) - 1.0 / np.sqrt(least))
        return float(grown.max(initial=0.0))

    def _covered(self, reach: float) -> bool:
        """Whether the candidates hold for the present configuration and `reach` beyond it."""
        if self._reach < 0.0:
            return False
        moved = self._hull - self._built_hull
        moved = 2.0 * float(np.sqrt((moved**2).sum(axis=2).max(initial=0.0)))
        for link, local in zip(self._links, self._built_local, strict=True):
            relative = self._in_link(link) - local
            moved = max(moved, float(np.sqrt((relative**2).sum(axis=2).max(initial=0.0))))
        grown = 2.0 * float((self._radii() - self._built_radii).max(initial=0.0))
        return moved + grown + reach <= self._reach

    def _in_link(self, link: int) -> Array:
        """Control points of all elements in a link's frame."""
        return (self._hull - self._state.position[link]) @ self._state.rotation[link]

    def _search(self, reach: float) -> None:
        """Find candidates around the present configuration and make room for their points."""
        cables, partners = self.cables, self.partners
        radii = self._radii()
        self._built = (self._nodes.copy(), self._state, reach)
        self._reach = 1.25 * reach + self._skin
        self._built_hull = self._hull.copy()
        self._built_local = [self._in_link(link) for link in self._links]
        self._built_radii = radii
        start, end = partners.place_shapes(self._state)
        bones = find_bone_runs(partners, cables.fiber, self._hull, radii, start, end, self._reach)
        runs = find_fiber_runs(partners, cables.fiber, self._hull, radii, self._reach)
        for potential in (False, True):
            own = partners.variational == potential
            self.fiber_sets[potential].allocate(
                select_fiber_runs(runs, own[runs.law], partners.points)
            )
            self.bone_sets[potential].allocate(
                select_bone_runs(bones, own[bones.law], partners.points)
            )

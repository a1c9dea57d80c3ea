"""Contact of all fibers with each other and with the bones: candidates, forces, safeguard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.kernels.contact.own_contact import contact_kernels
from fibermsk.kernels.contact_arrays import (
    BoneAxes,
    BoneMotion,
    FiberShapes,
    FiberUpdate,
    PairRows,
)
from fibermsk.kernels.fibers.shape import power_coefficients
from fibermsk.kernels.search import safeguard
from fibermsk.kernels.search.held import place_elements
from fibermsk.kernels.search.motion import fill_widest_sections
from fibermsk.linalg import Couplings
from fibermsk.system.contact.all_sets import AllSets, worst_along, worst_of
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.candidates import Candidates, Place, Way, element_sizes, hull_of
from fibermsk.system.contact.fiber_pairs import FiberPairs, TouchingPairs
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.sets import Border, Geometry
from fibermsk.system.contact.spacing import Spacing
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree, TreeState

# Verlet skin over the largest fiber radius. A wider skin is searched less often but holds more
# candidates.
SKIN = 0.5

# With few elements the search costs more than candidates: skins up to a number of elements, and of
# configurations that lie far apart. Forces do not depend on the skin.
_OF_FEW = (64, 6.0), (256, 1.5), (1024, 1.0)
_APART = 24.0

_NO_BLOCKS: tuple[Any, Any] = np.empty((0, 6, 6), np.float32), np.empty((0, 6, 6), np.float32)


class ContactSearch:
    """Candidate pairs and contact state of successive configurations.

    The candidates are a superset of the pairs in contact; forces do not depend on when they were
    found. With `apart` configurations lie far apart, as the frames of a result do.

    Attributes
    ----------
    given : Partners
        Contact laws with the contact points that the contacts specify.
    sets : AllSets
        Contact points of the candidates.
    geometry : Geometry
        Configuration of the last evaluation, if there are contact laws.
    rows : PairRows
        Rows of the couplings of the pairs of fibers.
    energies : (float, float)
        Contact energies of the last evaluation [J]: between fibers, and between fibers and bones.
    is_current : bool
        Whether contact points and geometry are those of the last evaluation.
    rounds : bool
        Whether the blocks of couplings are in single precision.
    """

    rounds = False

    def __init__(
        self, cables: Cables, partners: Partners, tree: Tree, *, apart: bool = False
    ) -> None:
        self.cables, self.given, self.tree = cables, partners, tree
        n = cables.elements.shape[0]
        self.spacing = Spacing(partners, n)
        self._power = np.empty((n, 4, 3))
        self._fibers, self._sections = FiberShapes.of(cables, self._power), np.zeros(n)
        self.candidates = Candidates(cables, partners, tree)
        skin = next((skin for most, skin in _OF_FEW if n <= most), SKIN)
        if apart and n <= _OF_FEW[0][0]:
            skin = _APART
        self._skin = skin * self.candidates.thickest.max(initial=0.0)
        self.energies = 0.0, 0.0
        law = partners.fiber_law[partners.fiber_law >= 0]
        self._rubs = bool(partners.friction[law, 0].any())  # their tangent is not symmetric
        for kind in partners.kinds:
            contact_kernels(kind)  # refuses a law that cannot be compiled
        self.release()

    def release(self) -> None:
        """Release the memory of contact points until the next evaluation."""
        self.candidates.forget()
        self.sets = AllSets()
        self.is_current = False
        self._source: AllSets | None = None  # that of another search, if followed
        # copies of the sets and touching pairs, which all that follow share
        self._spare: tuple[AllSets, AllSets, TouchingPairs] | None = None
        self._located: Array | None = None  # nodes near which the candidates were looked at

    @contextmanager
    def rounded(self) -> Iterator[None]:
        """Context of couplings in single precision."""
        before, self.rounds = self.rounds, True
        try:
            yield
        finally:
            self.rounds = before

    def evaluate(self, nodes: Array, state: TreeState) -> float:
        """Find closest points and forces; returns the least 1 + gamma g, at most 1."""
        self._nodes, self._state, self._located = nodes, state, None
        cables = self.cables
        if not self.partners.points.size and self.candidates.were_found:
            self.is_current = True
            return 1.0  # no contact laws
        hull = np.empty_like(self._power)
        place_elements(nodes, cables.elements, cables.h, self._power, hull)
        self._renew(Place(nodes, hull, state))
        del hull  # most of the memory is needed from here on
        least = self._evaluate(self.sets)
        self.is_current = True
        return least

    def worst_at(self, nodes: Array, state: TreeState) -> tuple[float, str]:
        """As `worst`, in a configuration whose contact points are held some at a time."""
        self._nodes, self._state, cables = nodes, state, self.cables
        power_coefficients(nodes, cables.elements, cables.h, self._power)
        self.is_current = False
        found = self.candidates
        found.search(self._place, self._skin)
        runs = found.fiber_runs, found.bone_runs
        return worst_along(*runs, cables, self.partners, self.tree, self._geometry())

    def _geometry(self) -> Geometry:
        shapes = self.partners.shapes.at(self._state)
        return Geometry(self._fibers, self._widest_sections(), shapes, self._state)

    def _evaluate(self, sets: AllSets) -> float:
        self.is_current, self.geometry = False, self._geometry()
        least, self.energies = sets.evaluate(self.geometry)
        if sets.fibers:
            self._touching.update([(part.of_pairs, part.take_least()) for part in sets.fibers])
        return least

    def evaluate_beside(
        self, other: ContactSearch, nodes: Array, state: TreeState, kinds: tuple[bool, bool]
    ) -> None:
        """Evaluate contact between fibers, with bones, or both, by the candidates of `other`.

        That is a search of the same fibers and shapes with almost equal sizes.
        """
        other.locate(nodes, state)
        self.follow(other)
        self._nodes, self._state = nodes, state
        power_coefficients(nodes, self.cables.elements, self.cables.h, self._power)
        fibers, bones = kinds
        self._evaluate(
            AllSets(self.sets.fibers if fibers else (), self.sets.bones if bones else ())
        )

    @property
    def partners(self) -> Partners:
        """Contact laws, one for every spacing of contact points in use."""
        return self.spacing.rules

    @property
    def _place(self) -> Place:
        """The present configuration; its hull is a new array, not held between calls."""
        return Place(self._nodes, hull_of(self.cables, self._nodes), self._state)

    def _renew(self, place: Place) -> None:
        """Find the candidates near the present configuration, unless the known ones are valid."""
        if not self.candidates.hold(place):
            self.search_here()

    def locate(self, nodes: Array, state: TreeState) -> None:
        """Find the candidates near a configuration, unless the present ones are valid."""
        if self._located is nodes:
            return
        self._nodes, self._state, self.is_current = nodes, state, False
        self._renew(self._place)
        self._located = nodes

    def search_here(self) -> None:
        """Find the candidates near the present configuration, as far as the skin reaches."""
        self._search(self._skin)

    def _search(self, reach: float) -> None:
        """Find candidates near the present configuration and allocate their contact points."""
        self.sets = AllSets()  # release the old ones first
        self._source = self._located = self._spare = None
        self.is_current = False
        self.candidates.search(self._place, reach)
        runs = self.candidates.fiber_runs
        self.sets = self._allocate(runs, self.candidates.bone_runs)
        pairs, of_run = FiberPairs.of(runs, self.cables)
        self._pairs = pairs
        self._touching = TouchingPairs(pairs)
        for part in self.sets.fibers:
            part.pair_up(pairs, self._touching, pairs.sort(of_run[part.own[runs.law]]))
        n_rows = int(pairs.row_start[-1])
        self.rows = PairRows(
            pairs.first, pairs.row_start, pairs.row_node, np.zeros(n_rows, np.int64),
            np.zeros(n_rows + 1, np.int64),
        )  # fmt: skip

    def _allocate(self, fibers: FiberRuns, bones: BoneRuns) -> AllSets:
        """Allocate the contact points of runs in new sets."""
        runs = self.spacing.place_fibers(fibers), self.spacing.place_bones(bones)
        return AllSets.of(*runs, self.cables, self.partners, self.tree)

    def freeze(self, ways: Sequence[tuple[Array, TreeState]]) -> list[str]:
        """Freeze the contact points that jump between two configurations, at the second one.

        Returns the names of their pairs. A search thaws them.
        """
        self.evaluate(*ways[0])
        sets, places = self.sets, [part.places() for part in self.sets.fibers]
        self.evaluate(*ways[1])
        if self.sets is not sets:
            return []
        self.is_current = False
        return [
            name
            for part, place in zip(sets.fibers, places, strict=True)
            for name in part.freeze(*place)
        ]

    def thaw(self) -> None:
        """Let all contact points be the closest ones again."""
        self.is_current = False
        for part in self.sets.fibers:
            part.points.frozen[:] = False

    def refine_along(self) -> bool:
        """Add contact points where elements have grown too long; return whether any were added.

        If so, the present configuration must be evaluated again.
        """
        fibers, bones = self.candidates.fiber_runs, self.candidates.bone_runs
        refined = bool(self.given.points.size)
        refined = refined and self.spacing.follow(fibers, bones, *self._sizes())
        if refined:
            self._search(self._skin)
        return refined

    def refine(self, fibers: FiberRuns, bones: BoneRuns) -> bool:
        """Double the contact points of some runs; False if all are at their maximum."""
        refined = self.spacing.double(fibers, bones)
        if refined:
            self._search(self._skin)
        return refined

    def depths(self, fibers: FiberRuns, bones: BoneRuns) -> tuple[float, str]:
        """Least 1 + gamma g along the elements of some runs, and the names of that pair.

        Sampled with the true radii at points a tenth of the radii apart, including element ends;
        between them it is lower by 0.13 % of the radii at most.
        """
        rules, fibers, bones = self.spacing.dense(fibers, bones, *self._sizes())
        return worst_along(fibers, bones, self.cables, rules, self.tree, self.geometry)

    def _sizes(self) -> tuple[Array, Array]:
        return element_sizes(self.cables, self._place.hull)

    def memory(self) -> dict[str, Array]:
        """Configuration of the last search, which determines the candidates."""
        place = self.candidates.found_at
        rotation, position = place.state.rotation, place.state.position
        return {
            "nodes": place.nodes,
            "rotation": rotation,
            "position": position,
            **self.spacing.memory(),
        }

    def restore(self, memory: dict[str, Array]) -> None:
        """Find the candidates of a `memory` again, in the same order."""
        if self.candidates.were_found and memory["nodes"] is self.candidates.found_at.nodes:
            if self.spacing.is_as(memory):
                self.thaw()
                return
        self.spacing.restore(memory)
        rotation, position = memory["rotation"], memory["position"]
        rest = np.zeros((position.shape[0], 6))
        self._nodes, self._state = memory["nodes"], TreeState(rotation, position, rest, rest, rest)
        self._search(self._skin)
        self.candidates.found_in(memory["nodes"])

    def follow(self, other: ContactSearch) -> None:
        """Take the candidates of a search of the same fibers and shapes with almost equal sizes."""
        if self._source is other.sets:
            return
        self.spacing.restore(other.spacing.memory())
        self.candidates.follow(other.candidates)
        if other._spare is None or other._spare[0] is not other.sets:
            copied, touching = other.sets.copied(), other._touching.copy()
            for part in copied.fibers:
                part.touching = touching
            other._spare = other.sets, copied, touching
        self._source, copied, self._touching = other._spare
        self.sets, self.is_current = copied.beside(self.cables, self.partners), False
        self._pairs, self.rows = other._pairs, other.rows

    def follow_points(self, other: ContactSearch) -> None:
        """Take the contact points per element of a search of the same fibers on other links."""
        points = other.spacing.memory()
        if not self.spacing.is_as(points):
            self.spacing.restore(points)
            self.release()

    def scatter_fibers(self, out: Border, tangent: bool) -> Couplings:
        """Add the forces between fibers of the last evaluation, and their tangent.

        Returns the couplings between fibers.
        """
        couplings = self.couplings(tangent)
        blocks = couplings.upper, couplings.lower
        for part in self.sets.fibers:
            if part.potential:
                part.scatter(self.geometry, out, self.rows, blocks, tangent)
        if tangent and couplings.lower.size:
            couplings.lower[:] = couplings.upper.transpose(0, 2, 1)
        for part in self.sets.fibers:
            if not part.potential:
                part.scatter(self.geometry, out, self.rows, blocks, tangent)
        return couplings

    def scatter_bones(self, out: Border, tangent: bool) -> None:
        """Add the forces of bones of the last evaluation, and their tangent."""
        for part in self.sets.bones:
            part.scatter(self.geometry, out, tangent)

    def add_to_elements(self, elements: Index, residual: Array) -> None:
        """Add the forces of the last evaluation to each element alone.

        elements (n_elements, 2): nodes of the elements in `residual` (2 n_elements, 6), which share
        none.
        """
        if not self.partners.points.size:
            return
        at = self.geometry._replace(fibers=self.geometry.fibers._replace(elements=elements))
        n, n_x = self.tree.n, residual.size
        out = Border(
            residual, np.zeros(n), np.empty((0, 3, 6, 6)), np.empty((n_x, 0)), np.empty((0, n_x)),
            np.empty((0, 0)),
        )  # fmt: skip
        couplings = self.couplings(False)
        for part in self.sets.fibers:
            part.scatter(at, out, self.rows, (couplings.upper, couplings.lower), False)
        for part in self.sets.bones:
            part.scatter(at, out, False)

    def couplings(self, filled: bool) -> Couplings:
        """Couplings of all closed contact points with zero blocks; none unless `filled`."""
        pairs = self._pairs
        upper, lower = _NO_BLOCKS
        if filled:
            start = self.rows.block_start
            start[:] = 0
            for part in self.sets.fibers:
                part.mark(self.rows)
            start[1:].cumsum(out=start[1:])  # from counts to the first block of each row
            n = int(start[-1])
            one_sided = self._rubs or any(not part.potential for part in self.sets.fibers)
            kind: Any = np.float32 if self.rounds else np.float64
            upper = np.zeros((n, 6, 6), kind)
            lower = np.zeros((n if one_sided else 0, 6, 6), kind)
        return Couplings(
            pairs.first, pairs.second, *self.rows[1:], upper, lower, *pairs.entries
        )  # fmt: skip

    def step_fraction(
        self, update: Array, update_q: Array, remainder: Array, fraction: float, keep: float
    ) -> float:
        """Fraction of an update that keeps each admissibility above `keep` times its present value.

        Parameters
        ----------
        update : (n_nodes, 6) float array
            Update of the nodes, to first order in the coordinates at attached nodes.
        update_q : (n,) float array
            Update of the coordinates.
        remainder : (n_elements,) float array
            Bound of the deviation of an element's control points from the linear update [m].
        fraction : float
            Initial fraction of the update.
        keep : float
            Between 0 and 1.
        """
        cables, partners = self.cables, self.partners
        if not partners.points.size:
            return fraction
        place = self._place
        moves = FiberUpdate(update, hull_of(cables, update), remainder)
        motion = BoneMotion(
            update_q, self._state.position, partners.shapes.steepest,
            self.tree.chain_length(self._state),
        )  # fmt: skip
        fraction = self._shorten(self.sets, moves, motion, fraction, keep)
        way = self.candidates.way(place, moves.hull, remainder, update_q, fraction)
        del moves  # its hull is needed again only where the candidates do not hold
        if self.candidates.hold_along(way):
            return fraction
        moves = FiberUpdate(update, hull_of(cables, update), remainder)
        return self.shorten_beyond(way, moves, motion, fraction, keep)

    def shorten_beyond(
        self, way: Way, update: FiberUpdate, motion: BoneMotion, fraction: float, keep: float
    ) -> float:
        """Fraction of an update that is allowed by pairs that are not among the candidates."""
        beyond = self._allocate(*self.candidates.beyond(way))  # that only this update can close
        beyond.evaluate(self.geometry)
        return self._shorten(beyond, update, motion, fraction, keep)

    def _shorten(
        self,
        sets: AllSets,
        update: FiberUpdate,
        motion: BoneMotion,
        fraction: float,
        keep: float,
    ) -> float:
        """Largest fraction, at most `fraction`, that the contact points of some sets allow."""
        elements, h, laws = self.cables.elements, self.cables.h, self.partners.laws
        for part in sets.fibers:
            ways, found = np.empty((h.size, safeguard.N_WAYS)), np.empty((part.runs.law.size, 1))
            fraction = safeguard.fiber_fraction(
                elements, h, update, part.runs, laws, part.quadrature, part.points.state, fraction,
                keep, ways, found,
            )  # fmt: skip
        axes = BoneAxes(self.partners.shape_link, self.tree.moves, self._state.S)
        for part in sets.bones:
            fraction = safeguard.bone_fraction(
                elements, h, update, part.runs, laws, part.points, axes, motion, fraction, keep
            )
        return fraction

    def worst(self) -> tuple[float, str]:
        """Least 1 + gamma g, at most 1, and the names of that pair."""
        return worst_of((*self.sets.fibers, *self.sets.bones))

    def n_closed(self) -> tuple[int, int]:
        """Number of closed contact points, fiber-fiber and fiber-bone."""
        fibers, bones = (sum(part.closed.size for part in sets) for sets in self.sets)
        return fibers, bones

    def _widest_sections(self) -> Array:
        """Bound of the radius of each element's fiber in pair potentials; zero without any."""
        cables = self.cables
        if self.partners.kinds_of(True):
            fill_widest_sections(
                cables.element_start, cables.elements, self._nodes, cables.reference,
                self.candidates.thickest, self._sections,
            )  # fmt: skip
        return self._sections

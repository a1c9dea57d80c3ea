"""Contact points of a search, with the kernels that find them prepared."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk._prepared import Open, Packed, Prepared, entry_of
from fibermsk.kernels.bones.bone_shape import place_shapes
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_rows
from fibermsk.kernels.contact.pairs import find_touching
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.kernels.fused.look import OTHERS, SEARCH, Looking, look
from fibermsk.kernels.search.held import motion_since, place_elements
from fibermsk.kernels.search.motion import fill_widest_sections
from fibermsk.system.contact.bone_sets import HalfPassBones, PotentialBones
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.fiber_pairs import RunsOfPairs
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contact.sets import Geometry, HalfPassFibers, PotentialFibers
from fibermsk.system.skeleton.tree import TreeState

_FEW_RUNS = 2048
"""Number of runs from which on kernels share them among threads."""

_STRIDED = np.empty((2, 2))[:, 0]


class FusedContact:
    """Half passes or potentials of the present candidates of a search.

    Attributes
    ----------
    sets : AllSets
        Those that are prepared.
    potential : bool
        Whether they are potentials.
    fibers, bones
        Contact points of fibers, and with bones; without runs where there are none.
    shapes : BoneShapes
        Bones, in an array of their places.
    hull : (n_elements, 4, 3) float array
        Bezier control points where contact was last looked at [m].
    reach : float
        How far pairs that are no candidates may approach before a search is due [m].
    """

    def __init__(self, search: ContactSearch, nodes: Array, links: TreeState) -> None:
        self._search = search
        self.potential = bool(search.partners.kinds_of(True))
        self._take()
        cables, partners, candidates = search.cables, search.partners, search.candidates
        own, on_bones, laws, shapes = self.fibers, self.bones, partners.laws, partners.shapes
        self._rows, found = np.empty((cables.h.size, N_COLUMNS)), self._found()
        self.hull = np.empty((cables.h.size, 4, 3))
        place = np.empty_like(shapes.local)
        self.shapes = BoneShapes(place, shapes.field, shapes.kind, shapes.grids)
        moved = Open(links.rotation), Open(links.position)
        at = search._fibers
        touching = search._touching
        self._looking = Looking(
            Prepared(place_elements, Open(nodes), cables.elements, cables.h, at.power,
                     self.hull),
            Prepared(motion_since, candidates._elements, candidates._found, candidates._among,
                     Open(nodes), self.hull, *moved, candidates._least, candidates._grown,
                     candidates._beside),
            Prepared(place_shapes, shapes.local, shapes.link, shapes.kind, *moved, Open(place)),
            Prepared(fill_rows, *at[:5], self._rows),
            self._of_fibers(at, found),
            Prepared(on_bones.kernels.bone_runs, at, on_bones.runs, Open(self.shapes), laws,
                     on_bones.points, on_bones._jacobian),
            Prepared(find_touching, *own.of_pairs, _STRIDED, touching._touches),
            Packed(self.shapes),
            Packed((touching._before,)),
        )  # fmt: skip
        self._looking.touching.put(2, found[:, 0])
        self._sections = None
        if self.potential:
            self._sections = Prepared(
                fill_widest_sections, cables.element_start, cables.elements, Open(nodes),
                cables.reference, candidates.thickest, search._sections,
            )  # fmt: skip
        self.reach = float(candidates._reach)
        arguments = self._looking, self._sections, nodes, links, place, self.reach
        self._look = entry_of(look, arguments)

    def _of_fibers(self, at: Any, found: Array) -> Prepared:
        """Kernel that finds the contact points between fibers."""
        own, laws = self.fibers, self._search.partners.laws
        if self.potential:
            return Prepared(
                own.kernels.find_gaps, at, self._search._sections, self._rows, own.runs, laws,
                own.quadrature, own.points, own.held, found,
            )  # fmt: skip
        return Prepared(
            own.kernels.fiber_runs, at, self._rows, own.runs, laws, own.quadrature, own.points,
            found,
        )  # fmt: skip

    def _found(self) -> Array:
        """Array for the least 1 + gamma g and the energy of each run of fibers."""
        return np.empty((self.fibers.runs.element.size, 2))

    def _take(self) -> None:
        """Take the contact points of the search; sets without runs in place of those it lacks."""
        search = self._search
        self.sets = search.sets
        cables, partners = search.cables, search.partners
        kind = partners.kinds_of(self.potential)[0]
        of_fibers = PotentialFibers if self.potential else HalfPassFibers
        of_bones = PotentialBones if self.potential else HalfPassBones
        if self.sets.fibers:
            self.fibers: Any = self.sets.fibers[0]
        else:
            self.fibers = of_fibers(kind, cables, partners)
            self.fibers.allocate(FiberRuns.none())
            starts = np.zeros(search._pairs.first.size + 1, np.int64)
            none = RunsOfPairs(starts, np.zeros(0, np.int32))
            self.fibers.pair_up(search._pairs, search._touching, none)
        if self.sets.bones:
            self.bones: Any = self.sets.bones[0]
        else:
            self.bones = of_bones(kind, cables, partners, search.tree)
            self.bones.allocate(BoneRuns.none())

    def renew(self) -> None:
        """Prepare the kernels for new contact points of the search."""
        self._take()
        search, candidates = self._search, self._search.candidates
        own, on_bones, laws, touching = (
            self.fibers, self.bones, search.partners.laws, search._touching
        )  # fmt: skip
        of, found = self._looking, self._found()
        of.motion.put(1, candidates._found)
        new = (
            (own.runs, laws, own.quadrature, own.points, own.held, found)
            if self.potential
            else (own.runs, laws, own.quadrature, own.points, found)
        )
        of.fibers.put_all(2 + self.potential, *new)
        of.bones.put(1, on_bones.runs)
        of.bones.put_all(3, laws, on_bones.points, on_bones._jacobian)
        of.touching.put_all(0, *own.of_pairs, found[:, 0], touching._touches)
        of.before.put((touching._before,))
        self.reach = float(candidates._reach)

    @staticmethod
    def covers(search: ContactSearch) -> bool:
        """Whether all contact points of the candidates are of one law, and few."""
        sets = search.sets
        runs = (part.runs for part in (*sets.fibers, *sets.bones))
        return (
            search.candidates.were_found
            and max(map(len, sets)) <= 1
            and all(one.element.size < _FEW_RUNS for one in runs)
        )

    def look(self, nodes: Array, links: TreeState) -> float | None:
        """Find the contact points; as `ContactSearch.evaluate`, or None if candidates are missing.

        Then the search has the present configuration.
        """
        search, place = self._search, np.empty_like(self.shapes.place)
        search._nodes, search._state, search._located = nodes, links, None
        search.is_current = False
        state, least, *energies = self._look(
            self._looking, self._sections, nodes, links, place, self.reach
        )
        if state == SEARCH:
            return None
        if state == OTHERS:
            search._touching.regroup()
        search.geometry = Geometry(
            search._fibers, search._sections, self.shapes._replace(place=place), links
        )
        search.energies, search.is_current = tuple(energies), True
        return least

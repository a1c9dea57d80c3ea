"""Contact forces and their tangent, with the kernels that add them prepared."""

from __future__ import annotations

from typing import Any

from fibermsk._arrays import Array
from fibermsk._prepared import Open, Packed, Prepared, words_of
from fibermsk.kernels.contact import bone_passes, scatter
from fibermsk.kernels.contact.pairs import mark_pairs
from fibermsk.kernels.contact_arrays import BoneAxes, BoneSums
from fibermsk.kernels.fused.assemble import HalfPasses, Potentials
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.fused.contact import FusedContact


class FusedForces:
    """Kernels of contact points that are prepared; arrays that they add to are examples.

    Attributes
    ----------
    passes, potentials : HalfPasses, Potentials
        Those of the formulation; the other is None.
    groups : PairGroups
        Those that are prepared.
    """

    def __init__(
        self, search: ContactSearch, contact: FusedContact, nodes: Array, lines: Array,
        blocks: Array, axes: BoneAxes, sums: BoneSums,
    ) -> None:  # fmt: skip
        self._search, self._contact, self.groups = search, contact, search._touching.groups
        self.passes: HalfPasses | None = None
        self.potentials: Potentials | None = None
        on_bones = Open(axes), Open(True), Open(sums)
        if contact.potential:
            self.potentials = self._of_potentials(nodes, lines, blocks, on_bones)
        else:
            self.passes = self._of_passes(nodes, lines, blocks, on_bones)

    def _mark(self) -> Prepared:
        """Kernel that finds the couplings of closed contact points."""
        search, fibers = self._search, self._contact.fibers
        points, cables = fibers.points, search.cables
        return Prepared(
            mark_pairs, self.groups.order, cables.elements, cables.fiber, fibers.runs,
            search.partners.laws, points.element, points.state, fibers.of_pairs, search.rows,
        )  # fmt: skip

    def _of_passes(
        self, nodes: Array, lines: Array, blocks: Array, on_bones: tuple[Open, ...]
    ) -> HalfPasses:
        search, fibers, bones = self._search, self._contact.fibers, self._contact.bones
        laws, shapes, points = search.partners.laws, search._fibers, fibers.points
        return HalfPasses(
            self._mark(),
            Prepared(fibers.kernels.fiber_slopes, shapes, fibers.runs, laws, fibers.quadrature,
                     points, fibers._jacobian),
            Prepared(scatter.add_half_passes, self.groups, shapes, fibers.runs, laws, points,
                     fibers._jacobian, fibers.of_pairs, search.rows, Open(True), Open(nodes),
                     Open(lines), Open((blocks, blocks))),
            Prepared(bone_passes.scatter_bones, bones._begin, shapes, bones.runs, laws,
                     bones.points, bones._jacobian, *on_bones),
        )  # fmt: skip

    def _of_potentials(
        self, nodes: Array, lines: Array, blocks: Array, on_bones: tuple[Open, ...]
    ) -> Potentials:
        search, contact = self._search, self._contact
        fibers, bones, laws = contact.fibers, contact.bones, search.partners.laws
        own, points = (search._fibers, fibers.runs, laws), fibers.points
        return Potentials(
            self._mark(),
            Prepared(fibers.kernels.fill_gradients, self.groups, *own, fibers.with_shares(False),
                     points, fibers.of_pairs, Open(nodes)),
            Prepared(fibers.kernels.fill_tangents, self.groups, *own, fibers.with_shares(True),
                     points, fibers.held, fibers.of_pairs, search.rows, Open(nodes), Open(lines),
                     Open(blocks)),
            Prepared(bones.kernels.scatter_bone_potential, bones._begin, search._fibers,
                     bones.runs, Open(contact.shapes), laws, bones.points, *on_bones),
            Packed(contact.shapes),
        )  # fmt: skip

    def regroup(self) -> None:
        """Prepare the kernels for the present groups of pairs, if they are others."""
        groups = self._search._touching.groups
        if groups is self.groups:
            return
        self.groups, passes, potentials = groups, self.passes, self.potentials
        if passes is not None:
            passes.mark.put(0, groups.order)
            passes.fibers.put(0, groups)
        if potentials is not None:
            potentials.mark.put(0, groups.order)
            potentials.gradients.put(0, groups)
            potentials.tangents.put(0, groups)

    def renew(self) -> None:
        """Prepare the kernels for new contact points of the search."""
        search, fibers, bones = self._search, self._contact.fibers, self._contact.bones
        laws, points, rows = search.partners.laws, fibers.points, search.rows
        of: Any = self.passes or self.potentials
        runs = words_of(fibers.runs, of.mark.layout(3))
        of.mark.put(3, fibers.runs, runs)
        of.mark.put_all(4, laws, points.element, points.state, fibers.of_pairs, rows)
        of.bones.put(0, bones._begin)
        of.bones.put(2, bones.runs)
        if self.passes is not None:
            of.slopes.put(1, fibers.runs, runs)
            of.slopes.put_all(2, laws, fibers.quadrature, points, fibers._jacobian)
            of.fibers.put(2, fibers.runs, runs)
            of.fibers.put_all(3, laws, points, fibers._jacobian, fibers.of_pairs, rows)
            of.bones.put_all(3, laws, bones.points, bones._jacobian)
        else:
            of.gradients.put(2, fibers.runs, runs)
            of.gradients.put_all(3, laws, fibers.with_shares(False), points, fibers.of_pairs)
            of.tangents.put(2, fibers.runs, runs)
            shares = fibers.with_shares(True)
            of.tangents.put_all(3, laws, shares, points, fibers.held, fibers.of_pairs, rows)
            of.bones.put_all(4, laws, bones.points)
        self.regroup()

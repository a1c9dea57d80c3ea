"""Safeguard of updates of small models."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array
from fibermsk._prepared import Open, Packed, Prepared, entry_of
from fibermsk.kernels.contact_arrays import BoneAxes, BoneMotion, FiberUpdate
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.kernels.fused.update import Updating, Work, safeguard
from fibermsk.kernels.search.held import fill_way, motion_along
from fibermsk.kernels.search.safeguard import (
    N_WAYS,
    bone_fraction,
    fiber_fraction,
    stretch_fraction,
)
from fibermsk.kernels.skeleton import points, rigid
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.candidates import Way
from fibermsk.system.fibers.forces import KEEP_STRETCH
from fibermsk.system.fused.contact import FusedContact
from fibermsk.system.skeleton.link_points import PointsAt
from fibermsk.system.skeleton.tree import TreeState


class FusedUpdate:
    """Safeguard of the contact points that are prepared."""

    def __init__(
        self, own: Configuration, contact: FusedContact, nodes: Array, links: TreeState,
        ends: PointsAt,
    ) -> None:  # fmt: skip
        self._own, self._contact = own, contact
        cables, tree, search = own.cables, own.tree, own.contact
        candidates, partners, laws = search.candidates, search.partners, search.partners.laws
        n, n_elements = tree.n, cables.h.size
        work = self._work = Work(
            np.empty((cables.n_nodes, 6)), np.empty((n_elements, 4, 3)), np.empty(n_elements),
            np.empty(n), np.empty(n), cables.attached_nodes,
        )  # fmt: skip
        moves, steepest = tree.moves, partners.shapes.steepest
        moved = FiberUpdate(work.way, work.hull, work.stray)
        self._motion = BoneMotion(np.empty(n), np.empty((n, 3)), steepest, work.chain)
        axes = BoneAxes(partners.shape_link, moves, links.S)
        fibers, bones = contact.fibers, contact.bones
        ways, found = np.empty((n_elements, N_WAYS)), np.empty((fibers.runs.law.size, 1))
        approach = self._approach = np.empty((2 + candidates.links.size, n_elements))
        after = self._after = np.empty((n_elements, 4, 3))
        position, S, part = Open(links.position), Open(links.S), Open(1.0)
        self._updating = Updating(
            Prepared(points.fill_strays, Open(nodes), cables.elements, cables.end_element,
                     cables.end_side, cables.point_link, tree.parent, moves, tree.kind, position,
                     work.size, work.stray),
            Prepared(stretch_fraction, Open(nodes), work.way, cables.elements, cables.h, cables.xi,
                     KEEP_STRETCH),
            # contact may have been found at these nodes without the prepared kernels
            Prepared(bezier_hull, Open(nodes), cables.elements, cables.h, contact.hull),
            Prepared(bezier_hull, work.way, cables.elements, cables.h, work.hull),
            Prepared(rigid.chain_lengths, tree.parent, position, work.chain),
            Prepared(fiber_fraction, cables.elements, cables.h, moved, fibers.runs, laws,
                     fibers.quadrature, fibers.points.state, part, part, ways, found),
            Prepared(bone_fraction, cables.elements, cables.h, Open(moved), bones.runs, laws,
                     bones.points, Open(axes), Open(self._motion), part, part),
            Prepared(fill_way, candidates._elements, candidates.links, Open(nodes), contact.hull,
                     work.hull, work.stray, S, moves, position, work.chain, Open(work.size), part,
                     after, candidates._grown, approach),
            Prepared(motion_along, candidates._found, candidates._among, contact.hull, after,
                     work.stray, candidates._grown, approach[2:], Open(links.rotation), position,
                     candidates._beside),
            Packed(work),
            Packed(self._motion),
            Packed(axes),
        )  # fmt: skip
        self._safeguard = entry_of(
            safeguard, (self._updating, nodes, nodes, work.size, links, ends.C, 0.1)
        )

    def renew(self) -> None:
        """Prepare the kernels for new contact points of the search."""
        contact, of, candidates = self._contact, self._updating, self._own.contact.candidates
        fibers, bones, laws = contact.fibers, contact.bones, self._own.contact.partners.laws
        of.fibers.put(3, fibers.runs)
        of.fibers.put(4, laws)
        of.fibers.put(5, fibers.quadrature)
        of.fibers.put(6, fibers.points.state)
        of.fibers.put(10, np.empty((fibers.runs.law.size, 1)))
        of.bones.put(3, bones.runs)
        of.bones.put(4, laws)
        of.bones.put(5, bones.points)
        of.along.put(0, candidates._found)

    def fraction(
        self, nodes: Array, increment: Array, increment_q: Array, links: TreeState, C: Array,
        keep: float,
    ) -> float:  # fmt: skip
        """Fraction of an increment (n_nodes, 6), (n,) from the nodes at which contact is known."""
        search, work = self._own.contact, self._work
        fraction, motion = self._safeguard(
            self._updating, nodes, increment, increment_q, links, C, keep
        )
        if motion <= self._contact.reach:
            return fraction
        radii, approach = search.candidates._grown, self._approach[2:]
        way = Way(search._place, self._after, work.stray, radii, approach)
        bones = self._motion._replace(update=increment_q, position=links.position)
        moved = FiberUpdate(work.way, work.hull, work.stray)
        return search.shorten_beyond(way, moved, bones, fraction, keep)

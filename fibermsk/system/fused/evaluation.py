"""Evaluation of the equations of small models in three compiled calls.

For models that consist of fibers of one kind of tissue, with contact of one law between them and
with bones, on a tree of joints whose axes are the coordinates. All others are evaluated by
`fibermsk.system.assembly`: with contact of one kind alone, kernels of the other would be compiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk._prepared import LayoutError, Open, Packed, Prepared, entry_of
from fibermsk.kernels.contact_arrays import BoneAxes, BoneSums
from fibermsk.kernels.fibers import attachment, bending
from fibermsk.kernels.fused.assemble import (
    Applied,
    Assembling,
    Bending as Bent,
    Fixed,
    Rates,
    Sums,
    assemble,
)
from fibermsk.kernels.fused.look import Moving, lead, lead_rates, move, retract
from fibermsk.kernels.skeleton import points, rigid, rigid_slopes
from fibermsk.linalg import Couplings, LineMatrix
from fibermsk.model import MovingPoint
from fibermsk.protocol import BorderedMatrix, Evaluation
from fibermsk.system.bodies.bodies import Bodies
from fibermsk.system.bodies.joints import PassiveJoints
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.forces import BoneContact, FiberContact
from fibermsk.system.contribution import Contribution, Slopes
from fibermsk.system.fibers.bending import Bending
from fibermsk.system.fibers.forces import Fibers
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.tension import TensionProbe
from fibermsk.system.fused.contact import FusedContact
from fibermsk.system.fused.forces import FusedForces
from fibermsk.system.fused.update import FusedUpdate
from fibermsk.system.multipliers import Multipliers
from fibermsk.system.skeleton.coordinate_map import Corner
from fibermsk.system.skeleton.link_points import PointsAt
from fibermsk.system.skeleton.skeleton import Motion
from fibermsk.system.skeleton.tree import TreeState

_FEW, _FEW_FIBERS = 256, 64
"""Numbers of elements and of fibers up to which less time is spent in kernels than between them."""

_KINDS = Fibers, Bending, FiberContact, BoneContact, Bodies, PassiveJoints


def covers(
    own: Configuration,
    contributions: tuple[Contribution, ...],
    multipliers: Multipliers,
    tension: TensionProbe,
) -> bool:
    """Whether a model has no other parts than those that are evaluated here."""
    skeleton, cables, partners = own.skeleton, own.cables, own.partners
    return (
        _without_bending(map(type, contributions)) == _without_bending(_KINDS)
        and hasattr(assemble, "overloads")  # not if kernels are interpreted
        and 0 < cables.h.size <= _FEW
        and len(cables.names) < _FEW_FIBERS
        and len(tension.groups) == 1
        and partners.points.size > 0
        and len((*partners.kinds_of(False), *partners.kinds_of(True))) == 1
        and bool((partners.fiber_law >= 0).any())
        and bool((partners.bone_law >= 0).any())
        and skeleton.map is None
        and not multipliers.any
        and not skeleton.constraints.held.size
        and not own.states.n
        and not own.axial_forces
        and not own.element_forces
    )


def _without_bending(kinds: Iterable[type]) -> list[type]:
    return [kind for kind in kinds if kind is not Bending]


def _plain(vector: Array) -> Array:
    """A vector as compiled code takes it for granted."""
    return np.ascontiguousarray(vector, np.float64)


class FusedEvaluation:
    """Equations of a system that `covers`."""

    def __init__(
        self, own: Configuration, loads: Loads, tension: TensionProbe, passive: Any
    ) -> None:
        self._own, self._loads, self._tension, self._passive = own, loads, tension, passive
        cables, tree = own.cables, own.tree
        self._n_x, self._n, n_points = 6 * cables.n_nodes, tree.n, cables.point_link.size
        n_x, n = self._n_x, self._n
        self._without_tangent = (
            np.zeros((0, 3, 6, 6)), np.zeros((n_x, 0)), np.zeros((0, n_x)), np.zeros((0, 0)),
        )  # fmt: skip
        self._no_forces = np.zeros(n), np.zeros((n, n))
        self._shape = cables.n_nodes, n_points
        links, ends = self._empty()
        q, link, moves = np.zeros(n), own.attached.link, tree.moves
        turned = Open(links.S), moves, Open(links.rotation), Open(links.position)
        self._moving = Moving(
            Prepared(rigid.tree_state, Open(q), Open(q), Open(q), tree.parent, tree.joint_rotation,
                     tree.joint_position, tree.kind, tree.axis, Open(links)),
            Prepared(points.place_points, *turned, link, own.attached.local, Open(ends.c),
                     Open(ends.C)),
        )  # fmt: skip
        self._move = entry_of(move, (self._moving, q, q, q, links, ends))
        y, self._attached = np.zeros(n_x + n), cables.attached_nodes
        self._retract = entry_of(retract, (self._moving, y, y, self._attached, links, ends, y))
        self._lead = entry_of(lead, (y, self._attached, ends.C, y))
        C = Open(ends.C)
        self._slope = Prepared(points.velocity_slope, turned[0], moves, link, C, Open(q), C)
        rates = self._slope, y, q, self._attached, links.S, ends.C, y
        self._lead_rates = entry_of(lead_rates, rates)
        self._contact: FusedContact | None = None
        self._activation = np.zeros(cables.h.size)
        self._known_activation: Array | None = None

    def _empty(self) -> tuple[TreeState, PointsAt]:
        n, m = self._n, self._shape[1]
        links = TreeState(
            np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 6)), np.empty((n, 6)),
            np.empty((n, 6)),
        )  # fmt: skip
        return links, PointsAt(np.empty((m, 3)), np.empty((m, 3, n)))

    def __call__(
        self, t: float, y: Array, v: Array, v_dot: Array, slopes: Slopes | None
    ) -> Evaluation | None:
        """As `System.evaluate`; None where that has to search, or to tell what is not finite."""
        own, n_x = self._own, self._n_x
        search = own.contact
        y, v, v_dot = _plain(y), _plain(v), _plain(v_dot)
        new = own.must_look_at(y)
        if slopes is not None and not search.rounds:
            return None
        y, p, p_dot = y.copy() if new else y, v[n_x:], v_dot[n_x:]
        nodes, q = y[:n_x].reshape(-1, 6), y[n_x:]
        links, ends = self._empty()
        self._move(self._moving, q, p, p_dot, links, ends)
        if not self._is_prepared(nodes, links, ends):
            return None
        assert self._contact is not None
        if new:
            least = self._contact.look(nodes, links)
            if least is None:
                search.search_here()
                if not self._is_prepared(nodes, links, ends):
                    return None
                least = self._contact.look(nodes, links)
                assert least is not None
            own._looked_at, own._admissibility = y, least
        own.motion, own.ends = Motion(links, None, p.copy(), p_dot.copy()), ends
        rates = Rates(v[:n_x].reshape(-1, 6), v_dot[:n_x].reshape(-1, 6), p, p_dot)
        return self._assembled(t, nodes, q, links, ends.C, rates, slopes)

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """As of `Configuration`."""
        own, (links, ends), new = self._own, self._empty(), np.empty(y.size)
        y, increment = _plain(y), _plain(increment)
        self._retract(self._moving, y, increment, self._attached, links, ends, new)
        rest = self._no_forces[0]
        own.keep_pose(new[self._n_x :], Motion(links, None, rest, rest), ends)
        for node, point in own.moving_points:
            new[6 * node : 6 * node + 3] = point.position_at(t)
        return new

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """As of `Configuration`."""
        own, new, v = self._own, np.empty(v.size), _plain(v)
        _, ends = own.posed(y[self._n_x :])
        self._lead(v, self._attached, ends.C, new)
        own.lead(new, v, t, derive)
        return new

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """As of `Configuration`."""
        own, n_x, new, v_dot = self._own, self._n_x, np.empty(v_dot.size), _plain(v_dot)
        motion, ends = own.posed(y[n_x:])
        p = _plain(v)[n_x:]
        self._lead_rates(self._slope, v_dot, p, self._attached, motion.links.S, ends.C, new)
        own.lead(new, v_dot, t, derive, MovingPoint.acceleration_at)
        return new

    def step_fraction(self, y: Array, increment: Array, keep: float) -> float | None:
        """Safeguard of an increment from y (n,), or None if contact is not prepared there."""
        own, n_x = self._own, self._n_x
        y, increment = _plain(y), _plain(increment)
        own.look_at(y)
        nodes, links, ends = y[:n_x].reshape(-1, 6), own.motion.links, own.ends
        if not self._is_prepared(nodes, links, ends):
            return None
        way, way_q = increment[:n_x].reshape(-1, 6), increment[n_x:]
        return self._update.fraction(nodes, way, way_q, links, ends.C, keep)

    def _is_prepared(self, nodes: Array, links: TreeState, ends: PointsAt) -> bool:
        """Whether the kernels are prepared for the present candidates, or can be."""
        search = self._own.contact
        if self._contact is not None and self._contact.sets is search.sets:
            return search.candidates.were_found
        if not FusedContact.covers(search):
            return False
        if self._contact is not None:
            try:
                self._renew(self._contact)
                return True
            except LayoutError:
                pass
        self._prepare(nodes, links, ends)
        return True

    def _assembled(
        self,
        t: float,
        nodes: Array,
        q: Array,
        links: TreeState,
        C: Array,
        rates: Rates,
        slopes: Slopes | None,
    ) -> Evaluation | None:
        own, n_x, n, (n_nodes, m) = self._own, self._n_x, self._n, self._shape
        loads, forces = self._loads, self._forces
        external, activation = loads.at(t)
        if activation is not self._known_activation:
            self._activation[:] = activation
            self._known_activation = activation
        self._forces.regroup()
        residual, reactions = np.zeros(n_x + n), np.empty((m, 3))
        tangent = slopes is not None
        matrix = self._without_tangent
        if tangent:
            matrix = (
                np.zeros((n_nodes, 3, 6, 6)), np.zeros((n_x, n)), np.zeros((n, n_x)),
                np.zeros((n, n)),
            )  # fmt: skip
        round_off = max(self._tension.round_off, loads.largest)
        found = self._assemble(
            self._assembling, forces.passes, forces.potentials, self._bent, nodes, links, C,
            own.contact.geometry.shapes.place, rates,
            Applied(external, *self._passive_forces(q, rates, slopes)), tangent,
            (*(slopes or _STILL), round_off), Sums(residual, reactions, *matrix),
        )  # fmt: skip
        unbalanced, finite, upper, lower = found
        if not finite:
            return None
        whole = None
        if tangent:
            lines, B, R, D = matrix
            couplings = self._couplings._replace(upper=upper, lower=lower)
            whole = BorderedMatrix(LineMatrix(own.cables.node_start, lines, couplings), B, R, D)
        return Evaluation(residual, whole, own._admissibility, reactions, "", unbalanced)

    def _passive_forces(self, q: Array, rates: Rates, slopes: Slopes | None) -> tuple[Array, Array]:
        """Passive forces as a residual (n,), and their derivatives (n, n)."""
        if not self._passive.laws:
            return self._no_forces
        n = self._n
        force, slope = np.zeros(n), np.zeros((n, n))
        corner = None if slopes is None else Corner(slope, slopes.dv_dy, slopes.dvdot_dv)
        self._passive.add(None, q, rates.p, rates.p_dot, force, corner)
        return force, slope

    def _prepare(self, nodes: Array, links: TreeState, ends: PointsAt) -> None:
        """Prepare the kernels for the present candidates."""
        own, n_x, n, (n_nodes, m) = self._own, self._n_x, self._n, self._shape
        search, cables, tree = own.contact, own.cables, own.tree
        contact = self._contact = FusedContact(search, nodes, links)
        self._update = FusedUpdate(own, contact, nodes, links, ends)
        of, bones = self._tension.groups[0], contact.bones
        rows = search.rows
        pairs, moves, link = search._pairs, tree.moves, own.attached.link
        force = np.zeros(n)
        lines, B, R, D = (
            np.zeros((n_nodes, 3, 6, 6)), np.zeros((n_x, n)), np.zeros((n, n_x)), np.zeros((n, n)),
        )  # fmt: skip
        reactions, residual = np.zeros((m, 3)), np.zeros(n_x + n)
        blocks: Any = np.zeros((0, 6, 6), np.float32)
        couplings = self._couplings = Couplings(
            pairs.first, pairs.second, *rows[1:], blocks, blocks, *pairs.entries
        )
        sums = Sums(residual, reactions, lines, B, R, D)
        moving = tuple(map(Open, (nodes, nodes, nodes)))
        held = of.cable, self._activation
        C, S = Open(ends.C), Open(links.S)
        forces = self._forces = FusedForces(
            search, contact, nodes, lines, blocks,
            BoneAxes(search.partners.shape_link, moves, links.S),
            BoneSums(nodes, lines, B, R, bones._moments, bones._corners),
        )  # fmt: skip
        self._assembling = Assembling(
            Prepared(of.kernels.cable_residual, of.element_start, *moving, *held, Open(nodes)),
            Prepared(of.kernels.assemble_cable, of.element_start, *moving, *held, Open(1.0),
                     Open(1.0), Open(1.0), Open(nodes), Open(lines)),
            Prepared(rigid.inverse_dynamics, Open(links), moves, tree.bodies, Open(force)),
            Prepared(rigid_slopes.dynamics_slopes, Open(force), Open(force), Open(links),
                     tree.parent, moves, tree.bodies, Open(D), Open(D), Open(D)),
            self._slope,
            Prepared(points.acceleration_slope, S, moves, link, C, Open(force), Open(force),
                     Open(1.0), C),
            Prepared(of.kernels.end_rates, *moving[:2], *held, of.end_element, of.end_side, C, C,
                     Open(B)),
            Prepared(attachment.take_reactions, cables.ends.node, C, Open(nodes), Open(force),
                     Open(reactions)),
            Prepared(attachment.eliminate_attached, cables.ends, cables.node_start, C,
                     Open(couplings), Open(lines), Open(B), Open(R), Open(D)),
            Prepared(points.add_curvature, S, moves, link, C, Open(reactions), Open(D)),
            Packed(Fixed(couplings, bones._moments, bones._corners, search.partners.shape_link,
                         moves, tree._rest)),
        )  # fmt: skip
        self._bent = None
        if cables.bent.size:
            data = (
                cables.element_start, Open(nodes), cables.elements, cables.h, cables.xi,
                cables.row_of, cables.rows.weight, cables.rows.bending, Open(nodes),
            )  # fmt: skip
            self._bent = Bent(
                Prepared(bending.bending_residual, *data),
                Prepared(bending.assemble_bending, *data, Open(lines)),
            )
        arguments = (
            self._assembling, forces.passes, forces.potentials, self._bent, nodes, links, ends.C,
            contact.shapes.place, Rates(nodes, nodes, force, force),
            Applied(nodes, force, D), True, (1.0, 1.0, False, 1.0), sums,
        )  # fmt: skip
        self._assemble = entry_of(assemble, arguments)

    def _renew(self, contact: FusedContact) -> None:
        """Prepare the kernels for new candidates."""
        contact.renew()
        self._update.renew()
        self._forces.renew()
        search, bones = self._own.contact, contact.bones
        pairs, blocks = search._pairs, self._couplings.upper
        self._couplings = Couplings(
            pairs.first, pairs.second, *search.rows[1:], blocks, blocks, *pairs.entries
        )
        fixed = self._assembling.fixed
        fixed.put(
            fixed._kept._replace(
                couplings=self._couplings, moments=bones._moments, corners=bones._corners
            )
        )


_STILL = 0.0, 0.0, False

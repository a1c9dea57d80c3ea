"""Friction between fibers and of fibers on bones, at the contact points of one search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk.kernels.contact_arrays import BoneAxes
from fibermsk.kernels.friction.bones import RubbedBones, RubbedSums
from fibermsk.kernels.friction.fibers import FrictionOf
from fibermsk.kernels.friction.own_friction import friction_kernels
from fibermsk.linalg import Couplings
from fibermsk.model import Model
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.loads import partner_places, places
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contact.sets import Geometry
from fibermsk.system.contribution import At, Sums

NAME = "friction"
"""Name among the elements of a model."""

_NO_LINES = np.empty((0, 3, 6, 6))


def has_friction(partners: Partners) -> bool:
    """Whether any contact has a friction coefficient above zero."""
    return bool(partners.friction[:, 0].any())


def free_name(model: Model) -> str:
    """`NAME`, refused if an element of the model has it."""
    if any(one.name == NAME for one in model.elements):
        must = "not be the name of an element: that of a contact's friction reports under it"
        _check.refuse(f"model {model.name!r}", "elements", NAME, must, remedy="rename the element")
    return NAME


class FrictionForces:
    """Friction at the contact points of a search, which must have been evaluated at the state.

    Parameters
    ----------
    configuration : Configuration
        Configuration of the system.
    search : ContactSearch
        Contact points; those of the system if left out.
    """

    name = NAME

    def __init__(self, configuration: Configuration, search: ContactSearch | None = None) -> None:
        self._configuration = configuration
        self._search = configuration.contact if search is None else search
        self._reporting: ContactSearch | None = None
        cables = configuration.cables
        self._end_of_node = np.full(cables.n_nodes, -1)
        self._end_of_node[cables.attached_nodes] = np.arange(cables.attached_nodes.size)
        self._columns = np.zeros((0, 0))
        self._acts = True
        self._kernels = [friction_kernels(kind) for kind in configuration.partners.kinds]

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """Context in which `add` adds nothing: statics have no sliding."""
        self._acts = False
        try:
            yield
        finally:
            self._acts = True

    def add(self, at: At, sums: Sums) -> None:
        """Add forces and, with slopes, their exact tangent."""
        own, tangent = self._configuration, sums.slopes is not None
        skeleton, slopes = own.skeleton, sums.slopes
        n_x, n, n_axes = at.nodes.size, skeleton.n, own.tree.n
        n_columns, m = (n, n_axes) if tangent else (0, 0)
        if sums.couplings is None:  # alone, to check its tangent
            sums.couplings = self._search.couplings(tangent)
        rates = np.zeros((self._configuration.attached.link.size, 3, n_columns))
        if slopes is not None and n:
            rates, _ = own.attached.slopes(at.motion, at.ends, *slopes)
        of = FrictionOf(
            self._search.partners.friction, False, np.zeros(0, bool), at.velocity,
            slopes.dv_dy if slopes else 0.0, self._end_of_node, np.ascontiguousarray(rates),
        )  # fmt: skip
        columns = self._columns = np.zeros((n_x, n_columns))
        if not self._acts:
            return
        geometry = self._search.geometry
        self._add_fibers(geometry, of, sums.nodes, sums.lines, sums.couplings, tangent, columns)
        bones = RubbedSums(
            sums.nodes, sums.lines, sums.axes.B, sums.axes.R, np.zeros((1, n_axes)),
            np.zeros((1, m, m)), np.zeros((1, m, m)), np.zeros((n_x, m)), columns,
            np.zeros((m, n_columns)),
        )  # fmt: skip
        self._add_bones(at, geometry, of, tangent, bones)
        sums.axes.force[:] += bones.force[0]
        if slopes is None:
            return
        sums.follow_axes(skeleton, at.motion, bones.by_place[0], bones.by_speed[0])
        sums.corner[...] += skeleton.from_axes(at.motion, bones.corner)
        if at.motion.rows is None:
            columns += slopes.dv_dy * bones.speeds
        else:
            J, V = (skeleton.axes_of(part) for part in at.motion.rows[3:5])
            columns += bones.speeds @ (V + slopes.dv_dy * J)

    def follow_ends(self, at: At, velocity: Array, acceleration: Array, columns: Array) -> None:
        """Add the derivatives through the rates of attached ends and bones, found by `add`."""
        columns += self._columns

    def add_to_elements(self, at: At, elements: Index, residual: Array) -> None:
        """Add minus the forces on each element alone; arguments as of `ContactSearch`."""
        cables, n_axes = self._configuration.cables, self._configuration.tree.n
        geometry = self._search.geometry
        geometry = geometry._replace(fibers=geometry.fibers._replace(elements=elements))
        velocity, none = at.velocity[cables.elements].reshape(-1, 6), np.zeros((residual.size, 0))
        of = self._plain(velocity)
        couplings = self._search.couplings(False)
        self._add_fibers(geometry, of, residual, _NO_LINES, couplings, False, none)
        sums = self._no_sums(residual, n_axes)
        self._add_bones(at, geometry, of, False, sums)

    def point_loads(self, at: At) -> Iterator[tuple[Index, Array, Array, Array]]:
        """Friction across and along the fibers, as `fibermsk.system.contact.loads.point_loads`."""
        search = self._search
        for part, force, _ in self._loads(at):
            rubbed = np.flatnonzero(force.any(axis=1))
            element, weight, high = places(search, part, rubbed)
            yield element, high - weight, high, force[rubbed]
            if part in search.sets.fibers:
                yield *partner_places(search, part, rubbed, element, weight), -force[rubbed]

    @property
    def reports(self) -> tuple[Field, ...]:
        """Fields of the result."""
        text = "power that friction dissipates in all contacts; never negative"
        return (Field("power", "W", "friction power", text),)

    def fields(self, at: At) -> dict[str, Any]:
        """Dissipated power at a frame; contact is evaluated there."""
        own = self._configuration
        if self._reporting is None:
            self._reporting = ContactSearch(own.cables, own.partners, own.tree)
        search = self._reporting
        search.spacing.restore(own.contact.spacing.memory())
        search.evaluate(at.nodes, at.motion.links)
        return {"power": FrictionForces(own, search).power(at)}

    def power(self, at: At) -> float:
        """Dissipated power [W]."""
        return sum((power for _, _, power in self._loads(at)), 0.0)

    def flaw(self, at: At) -> str:
        """Name a friction force that is not finite."""
        finite = all(np.isfinite(force).all() for _, force, _ in self._loads(at))
        return "" if finite else "the friction of a contact"

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Coefficients and speeds."""
        return {"the friction": [self._search.given.friction]}

    def _plain(self, velocity: Array) -> FrictionOf:
        """Friction without derivatives of the rates."""
        ends = np.zeros((self._configuration.attached.link.size, 3, 0))
        return FrictionOf(
            self._search.partners.friction, False, np.zeros(0, bool), velocity, 0.0,
            self._end_of_node, ends,
        )  # fmt: skip

    def _no_sums(self, residual: Array, n_axes: int) -> RubbedSums:
        """Sums for the residual alone."""
        n_x, one = residual.size, np.zeros((1, 0, 0))
        none, wide = np.zeros((n_x, 0)), np.zeros((0, n_x))
        force = np.zeros((1, n_axes))
        return RubbedSums(
            residual, _NO_LINES, none, wide, force, one, one, none, none, np.zeros((0, 0))
        )

    def _add_fibers(
        self,
        geometry: Geometry,
        of: FrictionOf,
        residual: Array,
        lines: Array,
        couplings: Couplings,
        tangent: bool,
        columns: Array,
    ) -> None:
        search = self._search
        for part in search.sets.fibers:
            own = of._replace(potential=part.potential, held=part.held)
            self._kernels[part.kind].add_fiber_friction(
                part.touching.groups, geometry.fibers, part.runs, search.partners.laws,
                part.quadrature, part.points, own, part.of_pairs, search.rows, tangent, residual,
                lines, couplings.upper, couplings.lower, columns,
            )  # fmt: skip

    def _add_bones(
        self, at: At, geometry: Geometry, of: FrictionOf, tangent: bool, sums: RubbedSums
    ) -> list[tuple[Array, float]]:
        """Add the friction of all bone sets; return loads and power of each."""
        search, tree, links, found = self._search, self._configuration.tree, at.motion.links, []
        axes = BoneAxes(search.partners.shape_link, tree.moves, links.S)
        for part in search.sets.bones:
            own = RubbedBones(
                of.constants, part.potential, *of[3:], links.V, np.asarray(at.motion.speed)
            )
            loads = np.empty_like(part.points.force)
            kernels = self._kernels[part.kind]
            power = kernels.add_bone_friction(
                geometry.fibers, part.runs, geometry.shapes, search.partners.laws, part.points,
                axes, own, tangent, loads, sums,
            )  # fmt: skip
            found.append((loads, power))
        return found

    def _loads(self, at: At) -> list[tuple[Any, Array, float]]:
        """Each set, its friction on the integrated fiber (n_points, 3) [N], and its power [W]."""
        search, of, found = self._search, self._plain(at.velocity), []
        for part in search.sets.fibers:
            force = np.empty((part.points.xi.size, 3))
            own = of._replace(potential=part.potential, held=part.held)
            power = self._kernels[part.kind].fiber_friction_loads(
                search.geometry.fibers, part.runs, search.partners.laws, part.quadrature,
                part.points, own, force,
            )  # fmt: skip
            found.append((part, force, power))
        sums = self._no_sums(np.zeros_like(at.nodes), self._configuration.tree.n)
        bones = self._add_bones(at, search.geometry, of, False, sums)
        for part, (loads, power) in zip(search.sets.bones, bones, strict=True):
            found.append((part, loads, power))
        return found

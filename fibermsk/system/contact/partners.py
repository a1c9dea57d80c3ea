"""Contact laws between groups of fibers, and between groups and bones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.elements import gauss_rule
from fibermsk.kernels.contact.own_contact import N_BUILT_IN
from fibermsk.kernels.contact_arrays import ContactLaws
from fibermsk.laws.friction import Friction
from fibermsk.laws.own import ContactLaw, constant_values
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.model import Body, Fiber, Model, Station
from fibermsk.model.contact import items_of
from fibermsk.model.skeleton.body import shapes_of
from fibermsk.system.contact.shapes import Shapes, build_shapes
from fibermsk.system.skeleton.tree import Tree


@dataclass(frozen=True)
class Partners:
    """Contact laws and the bone shapes as arrays.

    Fibers that appear in the same contacts share a group, so that tables stay small for large
    bundles.
    """

    group: Index  # of each fiber (n_fibers,)
    fiber_law: Index  # law between fibers of two groups (n_groups, n_groups), -1 for none
    bone_law: Index  # law between fibers of a group and a shape (n_groups, n_shapes), -1 for none
    # kappa [N/m], gamma [-], and the constants of a user-defined law, (n_laws, 2 + n)
    constants: Array
    kinds: tuple[type | None, ...]  # classes of the laws in use, None for the built-in one
    kind: Index  # index in `kinds` of each law (n_laws,)
    variational: NDArray[np.bool_]  # pair potentials instead of half passes (n_laws,)
    friction: Array  # coefficient and regularization speed [m/s] (n_laws, 2)
    refine: NDArray[np.bool_]  # whether points are added where they lie too far apart (n_laws,)
    guarded: NDArray[np.bool_]  # whether steps with collisions are rejected (n_laws,)
    points: Index  # quadrature points per element (n_laws,)
    xi: Array  # quadrature points on [0, 1], (n_laws, max points)
    weight: Array  # their weights
    shapes: Shapes  # of the bones
    shape_link: Index  # link that carries each shape (n_shapes,)
    shape_radius: Array  # reference radius of each shape (n_shapes,) [m]
    shape_body: tuple[str, ...]  # body of each shape

    @cached_property
    def laws(self) -> ContactLaws:
        """Arrays for kernels."""
        return ContactLaws(self.constants, self.points, self.xi, self.weight)

    def kinds_of(self, potential: bool) -> list[int]:
        """Indices in `kinds` of the laws of pair potentials, or of half passes."""
        return self._kinds[potential]

    @cached_property
    def _kinds(self) -> tuple[list[int], list[int]]:
        return (
            np.unique(self.kind[~self.variational]).tolist(),
            np.unique(self.kind[self.variational]).tolist(),
        )


def build_partners(model: Model, tree: Tree) -> Partners:
    """Group the fibers of a model by the contacts they appear in."""
    contacts = model.contacts
    number = {fiber: f for f, fiber in enumerate(model.fibers)}
    member = np.zeros((len(model.fibers), 2 * len(contacts)), bool)
    bodies = []
    for c, contact in enumerate(contacts):
        for side, items in enumerate(map(items_of, (contact.first, contact.second))):
            member[[number[item] for item in items if item in number], 2 * c + side] = True
        bodies.append([item for item in items_of(contact.second) if item not in number])
    joined = _joined(model)
    # each joined fiber is a group of its own, without a law between it and those at its junctions
    own = np.zeros(len(model.fibers), np.int64)
    for f in {f for pair in joined for f in pair}:
        own[f] = f + 1
    n_sides = member.shape[1]
    member = np.column_stack([member, own])
    signature, group = np.unique(member, axis=0, return_inverse=True)
    group = group.reshape(-1).astype(np.int64)
    n_groups = signature.shape[0]
    fiber_law = np.full((n_groups, n_groups), -1, np.int64)
    signature = signature[:, :n_sides].astype(bool)
    for c in range(len(contacts)):
        first, second = signature[:, 2 * c], signature[:, 2 * c + 1]
        pairs = np.outer(first, second)
        fiber_law[pairs | pairs.T] = c
    for first, second in joined:
        fiber_law[group[first], group[second]] = fiber_law[group[second], group[first]] = -1

    touched = list(dict.fromkeys(body for part in bodies for body in part))
    shapes = [(body, shape) for body in touched for shape in shapes_of(body)]
    bone_law = np.full((n_groups, len(shapes)), -1, np.int64)
    for c, part in enumerate(bodies):
        for s, (body, _) in enumerate(shapes):
            if body in part:
                bone_law[signature[:, 2 * c], s] = c
    thickest = np.array([_thickest(fiber) for fiber in model.fibers])
    reach = np.zeros(len(shapes))
    for g in range(n_groups):
        widest = thickest[group == g].max(initial=0.0)
        reach = np.maximum(reach, np.where(bone_law[g] >= 0, widest, 0.0))
    limit = np.array([c.law.limit for c in contacts], float)
    softest = np.array([limit[law[law >= 0]].min(initial=np.inf) for law in bone_law.T])
    placed = build_shapes(shapes, tree, reach, softest)

    kinds = tuple(dict.fromkeys(c.own_law for c in contacts)) or (None,)
    points = np.array([contact.points_per_element for contact in contacts], np.int64)
    xi = np.zeros((len(contacts), max(points, default=1)))
    weight = np.zeros_like(xi)
    for c, n in enumerate(points):
        xi[c, :n], weight[c, :n] = gauss_rule(int(n))
    return Partners(
        group=group,
        fiber_law=fiber_law,
        bone_law=bone_law,
        constants=_constants([c.law for c in contacts]),
        kinds=kinds,
        kind=np.array([kinds.index(c.own_law) for c in contacts], np.int64),
        variational=np.array([c.formulation == "variational" for c in contacts], bool),
        friction=np.array([_friction(c.friction) for c in contacts]).reshape(-1, 2),
        refine=np.array([c.refine for c in contacts], bool),
        guarded=np.array([c.guard for c in contacts], bool),
        points=points,
        xi=xi,
        weight=weight,
        shapes=placed,
        shape_link=placed.link,
        shape_radius=placed.field[:, 0],
        shape_body=tuple(body.name for body, _ in shapes),
    )


def _joined(model: Model) -> list[tuple[int, int]]:
    """Pairs of fibers with an end at the same junction."""
    ends: dict[Body, list[int]] = {body: [] for body in model.junctions}
    for f, fiber in enumerate(model.fibers):
        for end in fiber.attach:
            if isinstance(end, Station) and end.body in ends:
                ends[end.body].append(f)
    return [pair for found in ends.values() for pair in combinations(found, 2)]


def _constants(laws: list[PenaltyContact | ContactLaw]) -> Array:
    """Constants of the laws, one a row; the built-in stiffness of a user-defined law is zero."""
    rows = [
        (law.stiffness, law.limit)
        if isinstance(law, PenaltyContact)
        else (0.0, law.limit, *constant_values(law))
        for law in laws
    ]
    found = np.zeros((len(rows), max(map(len, rows), default=N_BUILT_IN)))
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


def _friction(friction: Friction | None) -> tuple[float, float]:
    """Coefficient and speed [m/s]; without friction the coefficient is zero."""
    return (0.0, 1.0) if friction is None else (friction.coefficient, friction.speed)


def _thickest(fiber: Fiber) -> float:
    """Largest reference radius of a fiber, sampled [m]."""
    return float(fiber.radius_at(np.linspace(0.0, 1.0, 101)).max())

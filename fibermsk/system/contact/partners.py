"""Contact laws between groups of fibers, and between groups and bones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fibermsk.elements import gauss_rule
from fibermsk.kernels.contact.own_contact import N_BUILT_IN
from fibermsk.kernels.contact_arrays import ContactLaws
from fibermsk.laws.own import ContactLaw, constant_values
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.model import Fiber, Model
from fibermsk.model.contact import items_of
from fibermsk.model.skeleton.body import shapes_of
from fibermsk.system.contact.shapes import Shapes, build_shapes
from fibermsk.system.skeleton.tree import Tree

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Partners:
    """Contact laws and the bone shapes as arrays.

    Fibers that appear in the same contacts share a group, so that tables stay small for large
    bundles.

    Attributes
    ----------
    group : (n_fibers,) int array
        Group of each fiber.
    fiber_law : (n_groups, n_groups) int array
        Law between fibers of two groups, -1 for none.
    bone_law : (n_groups, n_shapes) int array
        Law between fibers of a group and a shape, -1 for none.
    constants : (n_laws, 2 + n) float array
        kappa [N/m], gamma [-], and the constants of a user-defined law.
    kinds : tuple of type or None
        Classes of the laws in use, None for the built-in one.
    kind : (n_laws,) int array
        Index in `kinds` of each law.
    variational : (n_laws,) bool array
        Pair potentials instead of half passes.
    refine, guarded : (n_laws,) bool array
        Whether contact points are added where they lie too far apart, and whether steps with
        collisions are rejected.
    points : (n_laws,) int array
        Quadrature points per element.
    xi, weight : (n_laws, max points) float array
        Quadrature on [0, 1].
    shapes : Shapes
        Shapes of the bones.
    shape_link : (n_shapes,) int array
        Link that carries each shape.
    shape_radius : (n_shapes,) float array
        Reference radius of each shape [m].
    shape_body : tuple of str
        Body of each shape.
    """

    group: Index
    fiber_law: Index
    bone_law: Index
    constants: Array
    kinds: tuple[type | None, ...]
    kind: Index
    variational: NDArray[np.bool_]
    refine: NDArray[np.bool_]
    guarded: NDArray[np.bool_]
    points: Index
    xi: Array
    weight: Array
    shapes: Shapes
    shape_link: Index
    shape_radius: Array
    shape_body: tuple[str, ...]

    @cached_property
    def laws(self) -> ContactLaws:
        """Arrays for kernels."""
        return ContactLaws(self.constants, self.points, self.xi, self.weight)


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
    signature, group = np.unique(member, axis=0, return_inverse=True)
    group = group.reshape(-1).astype(np.int64)
    n_groups = signature.shape[0]
    fiber_law = np.full((n_groups, n_groups), -1, np.int64)
    for c in range(len(contacts)):
        first, second = signature[:, 2 * c], signature[:, 2 * c + 1]
        pairs = np.outer(first, second)
        fiber_law[pairs | pairs.T] = c

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


def _thickest(fiber: Fiber) -> float:
    """Largest reference radius of a fiber, sampled [m]."""
    return float(fiber.radius_at(np.linspace(0.0, 1.0, 101)).max())

"""Who may touch whom: contact laws between groups of fibers, and the bones of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.elements import gauss_rule
from fibermsk.model import Capsule, Model
from fibermsk.model.body import shapes_of
from fibermsk.model.contact import items_of
from fibermsk.system.tree import Tree, TreeState

__all__ = ["Partners", "build_partners"]

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
    constants : (n_laws, 2) float array
        kappa [N/m], gamma [-].
    variational : (n_laws,) bool array
        Pair potentials instead of half passes.
    points : (n_laws,) int array
        Quadrature points per element.
    xi, weight : (n_laws, max points) float array
        Quadrature on [0, 1].
    shape_link, shape_infinite : (n_shapes,) int and bool array
        Link that carries each shape.
    shape_local : (n_shapes, 2, 3) float array
        Axis ends in the link frame [m].
    shape_radius : (n_shapes,) float array
        [m].
    shape_body : tuple of str
        Body of each shape.
    """

    group: Index
    fiber_law: Index
    bone_law: Index
    constants: Array
    variational: NDArray[np.bool_]
    points: Index
    xi: Array
    weight: Array
    shape_link: Index
    shape_infinite: NDArray[np.bool_]
    shape_local: Array
    shape_radius: Array
    shape_body: tuple[str, ...]

    def place_shapes(self, state: TreeState) -> tuple[Array, Array]:
        """Axis ends of all shapes in ground, two arrays (n_shapes, 3)."""
        ends = self.shape_local.copy()
        for s in np.flatnonzero(self.shape_link >= 0):
            link = self.shape_link[s]
            ends[s] = ends[s] @ state.rotation[link].T + state.position[link]
        return np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])


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
    local = np.empty((len(shapes), 2, 3))
    for s, (body, shape) in enumerate(shapes):
        _, rotation, position = tree.frames[body.name]
        if isinstance(shape, Capsule):
            ends = np.array([shape.start, shape.end])
        else:
            ends = np.array([shape.point, np.asarray(shape.point) + np.asarray(shape.axis)])
        local[s] = position + ends @ rotation.T

    points = np.array([contact.points_per_element for contact in contacts], np.int64)
    xi = np.zeros((len(contacts), max(points, default=1)))
    weight = np.zeros_like(xi)
    for c, n in enumerate(points):
        xi[c, :n], weight[c, :n] = gauss_rule(int(n))
    return Partners(
        group=group,
        fiber_law=fiber_law,
        bone_law=bone_law,
        constants=np.array([(c.law.stiffness, c.law.limit) for c in contacts], float).reshape(
            -1, 2
        ),
        variational=np.array([c.formulation == "variational" for c in contacts], bool),
        points=points,
        xi=xi,
        weight=weight,
        shape_link=np.array([tree.frames[body.name][0] for body, _ in shapes], np.int64),
        shape_infinite=np.array([not isinstance(s, Capsule) for _, s in shapes], bool),
        shape_local=local,
        shape_radius=np.array([shape.radius for _, shape in shapes], float),
        shape_body=tuple(body.name for body, _ in shapes),
    )

"""Bone shapes as arrays, and their poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.kernels.bones.bone_shape import CAPSULE, INFINITE_CYLINDER, MESH, place_shapes
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.model import Body, Capsule, InfiniteCylinder
from fibermsk.model.skeleton.body import Shape, ends_of
from fibermsk.system.contact.distance_grid import grid_of
from fibermsk.system.skeleton.tree import Tree, TreeState

# Margin of a grid over the radius of the thickest fiber: fibers compressed to a quarter of their
# length are twice as thick.
_MARGIN = 2.0


@dataclass(frozen=True)
class Shapes:
    """All shapes that fibers may touch."""

    link: Index  # link (n_shapes,) of each shape, -1 for the ground
    # both ends of an axis, or rotation and position of a mesh, in the frame of the link
    local: Array  # (n_shapes, 4, 3)
    field: Array  # (n_shapes, 5); see `fibermsk.kernels.bones.bone_shape`
    kind: Index  # (n_shapes, 5), likewise
    grids: Array  # (n_coefficients,), likewise
    steepest: Array  # bound (n_shapes,) of the gradient of each distance; 1 except for meshes
    # meshes (n_shapes,) so thin that contact laws admit penetration to their medial axis
    thin: NDArray[np.bool_]

    def at(self, state: TreeState) -> BoneShapes:
        """Arrays for kernels, with all shapes in the ground frame."""
        return BoneShapes(self.places(state), self.field, self.kind, self.grids)

    def places(self, state: TreeState) -> Array:
        """Both ends of an axis, or rotation and position of a mesh, in ground, (n_shapes, 4, 3)."""
        place = np.empty_like(self.local)
        place_shapes(self.local, self.link, self.kind, state.rotation, state.position, place)
        return place


def build_shapes(
    shapes: list[tuple[Body, Shape]], tree: Tree, reach: Array, limit: Array
) -> Shapes:
    """Number shapes.

    reach, limit (n_shapes,): radius of the thickest fiber that may touch each [m], and the least
    gamma of its laws.
    """
    n = len(shapes)
    local, field = np.zeros((n, 4, 3)), np.zeros((n, 5))
    kind, steepest, thin = np.zeros((n, 5), np.int64), np.ones(n), np.zeros(n, bool)
    grids: list[Array] = []
    begin: dict[int, int] = {}
    for s, (body, shape) in enumerate(shapes):
        _, rotation, position = tree.frames[body.name]
        field[s, 0] = shape.radius
        if isinstance(shape, Capsule | InfiniteCylinder):
            kind[s, 0] = CAPSULE if isinstance(shape, Capsule) else INFINITE_CYLINDER
            local[s, :2] = position + ends_of(shape) @ rotation.T
            continue
        grid = grid_of(shape, _MARGIN * float(reach[s]))
        if id(grid) not in begin:
            begin[id(grid)] = sum(part.size for part in grids)
            grids.append(grid.coefficients.ravel())
        local[s, :3], local[s, 3] = rotation, position
        field[s, 1:4], field[s, 4] = grid.origin, grid.spacing
        kind[s] = MESH, *grid.coefficients.shape, begin[id(grid)]
        # contact is admissible down to a depth of R / gamma
        depth = float(field[s, 0] / limit[s])
        steepest[s] = grid.lipschitz(depth)
        thin[s] = grid.is_thin(depth)
    return Shapes(
        link=np.array([tree.frames[body.name][0] for body, _ in shapes], np.int64),
        local=local,
        field=field,
        kind=kind,
        grids=np.concatenate([np.zeros(0), *grids]),
        steepest=steepest,
        thin=thin,
    )

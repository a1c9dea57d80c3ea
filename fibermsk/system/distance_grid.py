"""The signed distance to a mesh on a grid, and to any shape at any point.

The field of a mesh is made once, when a system with it is built, and kept with the mesh. Distances
are exact at the nodes: the closest point of all triangles, negative where the generalized winding
number is above one half, so that meshes need not be closed. Triangles inside of the bone (parts
that overlap, pieces of marrow) take no part, and holes get a lid where the winding number passes
one half.

Between the nodes: tricubic B-splines with the coefficients c = phi - (second differences)/6, which
reproduce cubic polynomials up to fourth order. They follow the distance to fourth order in the
spacing where it is smooth, and round the edges between triangles over about one spacing; compared
with coefficients c = phi (second order: surfaces shrink by a sixth of the spacing squared times
their curvature) and with interpolation (ripples beside each edge), see docs/method.md.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import mesh_tree
from fibermsk.kernels.bone_shape import CAPSULE, INFINITE_CYLINDER
from fibermsk.kernels.mesh_caps import hole_caps
from fibermsk.kernels.mesh_field import BEYOND
from fibermsk.model import Capsule, InfiniteCylinder, Mesh
from fibermsk.model.mesh import vertices_of

__all__ = ["Grid", "default_spacing", "grid_of", "signed_distance"]

Array = NDArray[np.float64]
_Tree = tuple[Array, Array, NDArray[np.int64], Array]

# Beyond so many nodes a grid that nobody asked for becomes coarser.
_MOST_NODES = 1_000_000

# One node before the box, one after it.
_PADDING = 1


@dataclass(frozen=True)
class Grid:
    """Coefficients of the field of a mesh; see `fibermsk.kernels.mesh_field`.

    Attributes
    ----------
    origin : (3,) float array
        Place of the first coefficient, body frame [m].
    spacing : float
        [m].
    coefficients : (nx, ny, nz) float array
        [m].
    """

    origin: Array
    spacing: float
    coefficients: Array

    def lipschitz(self, depth: float) -> float:
        """Bound of |grad phi| wherever phi is above -depth, at least 1.

        The gradient of a B-spline is a mean of the differences of its coefficients.
        """
        c = self.coefficients
        size = np.array(c.shape) - 3
        highest = _over_stencil(c, (4, 4, 4), size, np.maximum)
        steepest = np.empty((3, *size))
        for axis in range(3):
            change = np.abs(np.diff(c, axis=axis)) / self.spacing
            stencil = tuple(3 if k == axis else 4 for k in range(3))
            steepest[axis] = _over_stencil(change, stencil, size, np.maximum)
        square = steepest**2
        inside = square.sum(axis=0)[highest > -depth]
        worst = [float(inside.max(initial=1.0))]
        for axis in range(3):
            across = square.sum(axis=0) - square[axis]
            for face in (0, -1):
                worst.append(float(np.take(across, face, axis).max()) + BEYOND**2)
        return float(np.sqrt(max(worst)))


def _over_stencil(
    values: Array, stencil: tuple[int, ...], size: NDArray[np.int64], combine: Any
) -> Array:
    """Largest value of those that each cell takes."""
    for axis, n in enumerate(stencil):
        parts = [np.take(values, range(k, k + size[axis]), axis) for k in range(n)]
        values = parts[0]
        for part in parts[1:]:
            values = combine(values, part)
    return values


def default_spacing(mesh: Mesh) -> float:
    """Spacing of the grid of a mesh that gives none: half an edge, a quarter of the radius."""
    vertices, faces = vertices_of(mesh)
    edge = float(np.sqrt(4.0 / np.sqrt(3.0) * mesh.report.area / len(faces)))
    radius: Any = mesh.radius
    spacing = min(0.5 * edge, 0.25 * radius)
    while np.prod(mesh.report.extents / spacing + 6.0) > _MOST_NODES:
        spacing *= 1.05
    return spacing


_KEPT: weakref.WeakKeyDictionary[Mesh, dict[tuple[float, int], Grid]] = weakref.WeakKeyDictionary()


def grid_of(mesh: Mesh, margin: float) -> Grid:
    """Grid of a mesh that reaches a margin [m] beyond its box; made once for mesh and margin."""
    spacing = mesh.spacing or default_spacing(mesh)
    cells = int(np.ceil(margin / spacing)) + 1
    kept = _KEPT.setdefault(mesh, {})
    if (spacing, cells) not in kept:
        kept[spacing, cells] = _make_grid(mesh, spacing, cells)
    return kept[spacing, cells]


def _make_grid(mesh: Mesh, spacing: float, cells: int) -> Grid:
    vertices, _ = vertices_of(mesh)
    low = vertices.min(axis=0)
    extent = np.ceil(np.ptp(vertices, axis=0) / spacing).astype(np.int64)
    # one more node on each side, for the second differences
    pad = cells + _PADDING + 1
    origin = low - spacing * pad
    samples = sample(mesh, origin, spacing, extent + 2 * pad + 1)
    return Grid(origin + spacing, spacing, coefficients_of(samples))


def coefficients_of(samples: Array) -> Array:
    """Coefficients of all nodes but the outermost, from distances at the nodes."""
    c = samples
    for axis in range(3):
        n = c.shape[axis]
        before, at, after = (np.take(c, range(k, n - 2 + k), axis) for k in range(3))
        c = at - (before - 2.0 * at + after) / 6.0
    return np.ascontiguousarray(c)


def sample(mesh: Mesh, origin: Array, spacing: float, size: NDArray[np.int64]) -> Array:
    """Signed distance at the nodes of a grid, exact for closed meshes, (nx, ny, nz) [m]."""
    nx, ny, nz = (int(n) for n in size)
    rows = np.arange(nx * ny)
    where = (spacing, origin, size, rows)
    corners, _, spans, dipoles = tree = _tree_of(mesh)
    winding, apart = np.empty((rows.size, nz)), np.full((rows.size, nz), np.inf)
    mesh_tree.fill_distances(*_outer_part(tree)[:3], *where, apart)
    closed = mesh.report.watertight
    mesh_tree.fill_windings(corners, spans, dipoles, closed, *where, apart, winding)
    if not closed:
        shape = (nx, ny, nz)
        caps = hole_caps(winding.reshape(shape), apart.reshape(shape), spacing)
        if len(caps):
            _, tree = mesh_tree.build_tree(caps + origin)
            mesh_tree.fill_distances(*tree[:3], *where, apart)
    return np.where(winding > 0.5, -apart, apart).reshape(nx, ny, nz)


def _tree_of(mesh: Mesh) -> _Tree:
    """All triangles of a mesh as a tree."""
    vertices, faces = vertices_of(mesh)
    return mesh_tree.build_tree(vertices[faces])[1]


def _outer_part(tree: _Tree) -> _Tree:
    """Those triangles of a tree that have an outside, as a tree."""
    beside = np.empty(len(tree[0]))
    mesh_tree.fill_winding_beside(tree[0], *tree[2:], beside)
    outer = beside < 1.0
    if outer.all() or not outer.any():
        return tree
    return mesh_tree.build_tree(tree[0][outer])[1]

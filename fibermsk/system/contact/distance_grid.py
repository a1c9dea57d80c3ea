"""Signed distance to a mesh on a grid, and to any shape at any point.

The field of a mesh is computed once, when a system is built, and cached with the mesh. Distances
are exact at the nodes: the closest point of all triangles, negative where the generalized winding
number exceeds one half, so that meshes need not be closed. Triangles inside the bone (overlapping
parts, marrow cavities) are ignored, and holes are capped where the winding number is one half.

Between the nodes: tricubic B-splines with the coefficients c = phi - (second differences)/6, which
reproduce cubic polynomials up to fourth order. They follow the distance to fourth order in the
spacing where it is smooth, and round the edges between triangles over about one spacing; compared
with coefficients c = phi (second order: surfaces shrink by a sixth of the spacing squared times
their curvature) and with interpolation (ripples beside each edge), see docs/method.md.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.kernels.bones import mesh_tree
from fibermsk.kernels.bones.bone_shape import CAPSULE, INFINITE_CYLINDER, MESH, fill_slopes
from fibermsk.kernels.bones.mesh_caps import hole_caps
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.model import Capsule, Mesh, MeshReport
from fibermsk.model.skeleton.body import Shape, ends_of
from fibermsk.model.skeleton.mesh import vertices_of
from fibermsk.system.contact.grid import Grid

_Tree = tuple[Array, Array, NDArray[np.int64], Array]

# With more nodes, a grid of default spacing is coarsened and any other is refused.
_MANY_NODES, _MOST_NODES = 600_000, 30_000_000

# One node before the box, one after it.
_PADDING = 1


def default_spacing(mesh: Mesh, margin: float) -> float:
    """Default grid spacing of a mesh: 3/4 of an edge, at most 1/4 of the radius."""
    _, faces = vertices_of(mesh)
    edge = float(np.sqrt(4.0 / np.sqrt(3.0) * mesh.report.area / len(faces)))
    radius: Any = mesh.radius
    spacing = min(0.75 * edge, 0.25 * radius)
    while _count_nodes(mesh, spacing, margin) > _MANY_NODES:
        spacing *= 1.02
    return spacing


def _count_nodes(mesh: Mesh, spacing: float, margin: float) -> float:
    return float(np.prod((mesh.report.extents + 2.0 * margin) / spacing + 6.0))


_KEPT: weakref.WeakKeyDictionary[MeshReport, dict[tuple[float, int], Grid]] = (
    weakref.WeakKeyDictionary()
)
"""Grids by surface report; meshes with other radii share them."""


def grid_of(mesh: Mesh, margin: float) -> Grid:
    """Grid of a mesh with a margin [m] around its bounding box; cached per mesh and margin.

    Raises
    ------
    ModelError
        If the spacing of the mesh leads to too many nodes.
    """
    spacing = mesh.spacing or default_spacing(mesh, margin)
    if _count_nodes(mesh, spacing, margin) > _MOST_NODES:
        _check.refuse(
            f"mesh {mesh.name!r}", "spacing", spacing,
            f"leave at most {_MOST_NODES} nodes in a box of {mesh.report.extents.max():.3g} m",
            unit="m", remedy="give a larger one or none, or the scale of the file",
        )  # fmt: skip
    cells = int(np.ceil(margin / spacing)) + 1
    kept = _KEPT.setdefault(mesh.report, {})
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
    """Bounding volume tree of all triangles of a mesh."""
    vertices, faces = vertices_of(mesh)
    return mesh_tree.build_tree(vertices[faces])[1]


def _outer_part(tree: _Tree) -> _Tree:
    """Tree of the triangles that have an outside."""
    beside = np.empty(len(tree[0]))
    mesh_tree.fill_winding_beside(tree[0], *tree[2:], beside)
    outer = beside < 1.0
    if outer.all() or not outer.any():
        return tree
    return mesh_tree.build_tree(tree[0][outer])[1]


def signed_distance(shape: Shape) -> Callable[[Any], tuple[Array, Array]]:
    """Return a function that computes the signed distance of points to a shape.

    Parameters
    ----------
    shape : Capsule, InfiniteCylinder or Mesh
        Of any body.

    Returns
    -------
    query : callable
        Of points (n, 3), body frame [m]; returns phi (n,) [m], negative inside, and its gradient
        (n, 3). For a mesh it is the smooth field of the contact, and the distance to the closest
        point of its triangles beyond the field's grid.
    """
    place, kind, field = np.zeros((1, 4, 3)), np.zeros((1, 5), np.int64), np.zeros((1, 5))
    grids, tree, low, high = np.zeros(0), None, -np.inf, np.inf
    if isinstance(shape, Mesh):
        radius: Any = shape.radius
        grid = grid_of(shape, 0.5 * radius)
        size = np.array(grid.coefficients.shape)
        low, high = grid.origin + grid.spacing, grid.origin + grid.spacing * (size - 2)
        place[0, :3], kind[0] = np.eye(3), (MESH, *size, 0)
        field[0, 1:] = *grid.origin, grid.spacing
        grids, tree = grid.coefficients.ravel(), _outer_part(_tree_of(shape))
    else:
        place[0, :2], field[0, 0] = ends_of(shape), shape.radius
        kind[0, 0] = CAPSULE if isinstance(shape, Capsule) else INFINITE_CYLINDER
    shapes = BoneShapes(place, field, kind, grids)

    def query(points: Any) -> tuple[Array, Array]:
        points = np.ascontiguousarray(points, float).reshape(-1, 3)
        phi, gradient = np.empty(len(points)), np.empty((len(points), 3))
        fill_slopes(points, shapes, phi, gradient)
        phi -= field[0, 0]
        off = ((points < low) | (points > high)).any(axis=1)
        if tree is not None and off.any():
            closest = np.empty((int(off.sum()), 3))
            mesh_tree.fill_closest(*tree[:3], points[off], closest)
            away = points[off] - closest
            phi[off] = np.linalg.norm(away, axis=1)
            gradient[off] = away / phi[off][:, None]
        return phi, gradient

    return query

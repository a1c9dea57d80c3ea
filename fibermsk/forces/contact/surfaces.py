"""Closest points of surfaces to points inside, and how these follow them.

Symbols: ``x`` points in the frame of a surface, ``c`` their closest points, ``P`` derivative of
``c`` in ``x``. [1] Baerentzen and Aanaes, IEEE Trans. Vis. Comput. Graph. 11 (2005), 243-253:
normals of edges and vertices whose sign tells inside from outside.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.kernels.bones import mesh_tree
from fibermsk.model.skeleton.mesh import Mesh, vertices_of

_ON_EDGE = 1e-10
"""Barycentric coordinate below which a point lies on the edge of a triangle."""


class Closest(NamedTuple):
    """The points inside a surface: which of those asked for, and what is closest to them.

    Attributes
    ----------
    points : (m,) int array
        The points inside.
    c : (m, 3) float array
        Their closest points of the surface [m].
    P : (m, 3, 3) float array
        Derivatives of these in the points.
    """

    points: Index
    c: Array
    P: Array


class Surface(Protocol):
    """A closed surface, or one that bounds a half-space."""

    def closest(self, x: Array) -> Closest:
        """Points (n, 3) that are inside, with the closest points of the surface."""
        ...


class HalfSpace:
    """The side of positive x."""

    def closest(self, x: Array) -> Closest:
        """See `Surface.closest`."""
        own = np.flatnonzero(x[:, 0] > 0.0)
        P = np.diag([0.0, 1.0, 1.0])
        return Closest(own, x[own] @ P, np.tile(P, (own.size, 1, 1)))


class Ball:
    """A sphere around the origin."""

    def __init__(self, radius: float) -> None:
        self._radius = radius

    def closest(self, x: Array) -> Closest:
        """See `Surface.closest`; the center has no closest point and counts as outside."""
        r = np.linalg.norm(x, axis=1)
        own = np.flatnonzero((r < self._radius) & (r > 0.0))
        n, share = x[own] / r[own, None], self._radius / r[own]
        P = share[:, None, None] * (np.eye(3) - n[:, :, None] * n[:, None, :])
        return Closest(own, self._radius * n, P)


class ClosedMesh:
    """A watertight mesh."""

    def __init__(self, mesh: Mesh) -> None:
        vertices, faces = vertices_of(mesh)
        order, self._tree = mesh_tree.build_tree(vertices[faces])
        self._low, self._high = vertices.min(axis=0), vertices.max(axis=0)
        faces = faces[order]
        corners = vertices[faces]
        sides = np.roll(corners, -1, axis=1) - corners
        normal = np.cross(sides[:, 0], sides[:, 1])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        self._corners, self._normal = corners, normal
        self._of_edges = _edge_normals(faces, normal)
        self._of_vertices = _vertex_normals(faces, sides, normal, len(vertices))[faces]

    def closest(self, x: Array) -> Closest:
        """See `Surface.closest`."""
        near = np.flatnonzero(((x > self._low) & (x < self._high)).all(axis=1))
        points = np.ascontiguousarray(x[near])
        faces, c = np.empty(near.size, np.int64), np.empty((near.size, 3))
        mesh_tree.fill_closest_triangles(*self._tree[:3], points, faces, c)
        corners, normal = self._corners[faces], self._normal[faces]
        # where the closest point lies: weights of the corners, zero opposite to an edge
        weights = np.stack(
            [
                np.einsum(
                    "ni,ni->n",
                    np.cross(corners[:, (k + 1) % 3] - c, corners[:, (k + 2) % 3] - c),
                    normal,
                )
                for k in range(3)
            ],
            axis=1,
        )
        weights /= weights.sum(axis=1)[:, None]
        off = weights < _ON_EDGE
        on_edge, on_vertex = off.sum(axis=1) == 1, off.sum(axis=1) == 2
        outward, P = normal.copy(), np.eye(3) - normal[:, :, None] * normal[:, None, :]
        k = np.argmin(weights, axis=1)  # edge k lies opposite to corner k
        own = np.flatnonzero(on_edge)
        outward[own] = self._of_edges[faces[own], k[own]]
        along = corners[own, (k[own] + 1) % 3] - corners[own, (k[own] + 2) % 3]
        along /= np.linalg.norm(along, axis=1)[:, None]
        P[own] = along[:, :, None] * along[:, None, :]
        own = np.flatnonzero(on_vertex)
        outward[own] = self._of_vertices[faces[own], np.argmax(weights[own], axis=1)]
        P[own] = 0.0
        inside = np.einsum("ni,ni->n", points - c, outward) < 0.0
        return Closest(near[inside], c[inside], P[inside])


def _edge_normals(faces: Index, normal: Array) -> Array:
    """Sum of the normals at the edge opposite to each corner of a closed mesh, (n, 3, 3)."""
    edges = np.stack([np.roll(faces, -1, 1), np.roll(faces, -2, 1)], axis=2).reshape(-1, 2)
    _, edge = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    edge = edge.reshape(-1)
    total = np.zeros((edge.max() + 1, 3))
    np.add.at(total, edge, np.repeat(normal, 3, axis=0))
    return total[edge].reshape(-1, 3, 3)


def _vertex_normals(faces: Index, sides: Array, normal: Array, n: int) -> Array:
    """Normals at the vertices (n, 3), of faces weighted by their angles there [1]."""
    unit = sides / np.linalg.norm(sides, axis=2)[:, :, None]
    turned = -np.roll(unit, 1, axis=1)
    angle = np.arccos(np.clip(np.sum(unit * turned, axis=2), -1.0, 1.0))
    total = np.zeros((n, 3))
    np.add.at(total, faces, angle[:, :, None] * normal[:, None, :])
    return total

"""Triangle meshes for drawing: vertex normals, extreme points, joined meshes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.result import ShapeRecord
from fibermsk.view.drawing.surfaces import Surface

_SAME_POINT = 1e-6
"""Distance over the mesh's size below which vertices share a normal."""
_N_DIRECTIONS = 200


def mesh_surface(mesh: ShapeRecord) -> Surface:
    """Surface of a mesh with vertex normals.

    A vertex normal is the mean over its triangles, weighted by their angles (Thuermer and
    Wuethrich, 1998): it does not depend on the triangulation, nor on duplicate vertices.
    """
    vertices, faces = mesh.vertices, mesh.faces
    corners = vertices[faces]
    size = float(np.max(np.ptp(vertices, axis=0), initial=0.0))
    keys = np.round(vertices / (_SAME_POINT * size)) if size > 0.0 else vertices
    _, place = np.unique(keys, axis=0, return_inverse=True)
    place = place.reshape(-1)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    # a triangle with two corners in one place has a normal of round-off
    a, b, c = place[faces].T
    across[(a == b) | (b == c) | (c == a)] = 0.0
    total = np.zeros((len(vertices), 3))
    for k in range(3):
        a = corners[:, (k + 1) % 3] - corners[:, k]
        b = corners[:, (k + 2) % 3] - corners[:, k]
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        cosine = np.einsum("ni,ni->n", a, b) / np.maximum(lengths, 1e-300)
        weighted = np.arccos(np.clip(cosine, -1.0, 1.0))[:, None] * across
        for i in range(3):
            total[:, i] += np.bincount(place[faces[:, k]], weighted[:, i], minlength=len(total))
    normals = total[place]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return Surface(vertices, normals, faces)


def extreme_points(points: Array) -> Array:
    """Points that are outermost in some direction."""
    if len(points) <= _N_DIRECTIONS:
        return points
    return points[np.unique(np.argmax(points @ directions(_N_DIRECTIONS).T, axis=0))]


def directions(n: int) -> Array:
    """Unit vectors spread evenly over the sphere (n, 3): a Fibonacci spiral."""
    k = np.arange(n) + 0.5
    height, turn = 1.0 - 2.0 * k / n, np.pi * (1.0 + np.sqrt(5.0)) * k
    along = np.sqrt(1.0 - height**2)
    return np.stack([along * np.cos(turn), along * np.sin(turn), height], axis=1)


def join(surfaces: Sequence[Surface]) -> Surface:
    """Join several surfaces."""
    start = np.cumsum([0, *(len(surface.points) for surface in surfaces)])
    return Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.normals for surface in surfaces]),
        np.concatenate([s.faces + n for s, n in zip(surfaces, start[:-1], strict=True)]),
    )

"""Triangles of the shapes and meshes of a body."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.results.result import Result, ShapeRecord

_AROUND = 32
"""Points around an axis."""
_RINGS = 8
"""Rings of points on each rounded end."""
_NEAR = 4.0
"""Distance in radii within which fibers set the drawn length of an infinite cylinder."""


class Triangles(NamedTuple):
    """Triangles of one shape."""

    points: Array  # (n, 3), body frame [m]
    faces: NDArray[np.int64]  # point indices (m, 3), counterclockwise seen from outside
    drawn_only: bool  # whether it has no contact with fibers


def bone_triangles(result: Result, body: str) -> list[Triangles]:
    """Triangles of all shapes and visuals of a body; infinite cylinders are cut near fibers."""
    motion = result.bodies[body]
    parts = []
    for number, shape in enumerate((*motion.shapes, *motion.visuals)):
        drawn_only = number >= len(motion.shapes)
        if shape.kind == "mesh":
            points, faces = shape.vertices, shape.faces
        elif shape.kind == "capsule":
            points, faces = _revolved(shape, *_capsule(shape))
        else:
            low, high = _span(result, body, shape)
            points, faces = _revolved(
                shape, np.array([low, low, high, high]), shape.radius * np.array([0, 1.0, 1.0, 0])
            )
        parts.append(Triangles(points, faces, drawn_only))
    return parts


def _capsule(shape: ShapeRecord) -> tuple[Array, Array]:
    """Outline: heights along the axis and distances from it, from pole to pole."""
    arc = np.linspace(0.0, 0.5 * np.pi, _RINGS + 1)
    length = float(np.linalg.norm(shape.end - shape.start))
    height = np.concatenate([-np.cos(arc) * shape.radius, length + np.sin(arc) * shape.radius])
    return height, shape.radius * np.concatenate([np.sin(arc), np.cos(arc)])


def _span(result: Result, body: str, shape: ShapeRecord) -> tuple[float, float]:
    """Interval of its axis in which an infinite cylinder is drawn [m]."""
    motion, r = result.bodies[body], shape.radius
    axis = (shape.end - shape.start) / np.linalg.norm(shape.end - shape.start)
    low, high = np.inf, -np.inf
    for fiber in result.fibers.values():
        away = fiber.position - motion.position[:, None]
        local = np.einsum("tij,tni->tnj", motion.rotation, away) - shape.start
        height = local @ axis
        near = np.linalg.norm(local - height[..., None] * axis, axis=-1) < _NEAR * r
        if near.any():
            low, high = min(low, float(height[near].min())), max(high, float(height[near].max()))
    return (low - r, high + r) if high >= low else (-5.0 * r, 5.0 * r)


def _revolved(
    shape: ShapeRecord, height: Array, distance: Array
) -> tuple[Array, NDArray[np.int64]]:
    """Closed surface of revolution from an outline that starts and ends on the axis."""
    # slow import, needed here only
    from trimesh.creation import revolve  # pyright: ignore[reportMissingImports]
    from trimesh.geometry import align_vectors  # pyright: ignore[reportMissingImports]

    along = shape.end - shape.start
    pose: Any = align_vectors((0.0, 0.0, 1.0), along) if along.any() else np.eye(4)
    pose[:3, 3] = shape.start
    surface = revolve(np.stack([distance, height], axis=1), sections=_AROUND, transform=pose)
    return np.asarray(surface.vertices, np.float64), np.asarray(surface.faces, np.int64)

"""Triangle meshes with exact normals: surfaces of revolution and tubes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.results.result import ShapeRecord


class Surface(NamedTuple):
    """Triangles with unit normals at the points (n_points, 3); faces (n_faces, 3) of point indices.

    Faces are counterclockwise seen from outside.
    """

    points: NDArray[np.floating]
    normals: NDArray[np.floating]
    faces: NDArray[np.int64]


def grid_faces(n_rows: int, n_around: int) -> NDArray[np.int64]:
    """Triangles between consecutive rings of points."""
    row, around = np.meshgrid(np.arange(n_rows - 1), np.arange(n_around), indexing="ij")
    a = row * n_around + around
    b = row * n_around + (around + 1) % n_around
    c, d = a + n_around, b + n_around
    return np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], 2).reshape(-1, 3)


def circle(n_around: int) -> Array:
    """Cosines and sines of equal angles, (n_around, 2)."""
    angle = np.arange(n_around) * (2.0 * np.pi / n_around)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def shape_surface(
    shape: ShapeRecord, *, span: tuple[float, float] | None = None, n_around: int = 64
) -> Surface:
    """Surface of a contact shape in its body frame.

    Capsules have rounded ends, infinite cylinders flat ones at distances `span` from
    ``shape.start`` [m].
    """
    along = shape.end - shape.start
    length = float(np.linalg.norm(along))
    axis = along / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    radius = shape.radius
    if shape.kind == "capsule":
        arc = np.linspace(0.0, 0.5 * np.pi, n_around // 4 + 1)
        slope = np.concatenate([-np.cos(arc), np.sin(arc)])
        out = np.concatenate([np.sin(arc), np.cos(arc)])
        height = radius * slope + np.repeat([0.0, length], arc.size)
        distance = radius * out
    else:
        low, high = span if span is not None else (-5.0 * radius, 5.0 * radius)
        height = np.array([low, low, low, high, high, high])
        distance = radius * np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
        slope = np.array([-1.0, -1.0, 0.0, 0.0, 1.0, 1.0])
        out = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    across: Any = np.stack([first, np.cross(axis, first)])
    radial: Array = circle(n_around) @ across
    points = height[:, None, None] * axis + distance[:, None, None] * radial + shape.start
    normals = slope[:, None, None] * axis + out[:, None, None] * radial
    return Surface(points.reshape(-1, 3), normals.reshape(-1, 3), grid_faces(height.size, n_around))


_BACK = -0.99
"""Cosine of a corner below which a line goes back."""


def line_surface(points: Array, radius: float, *, n_around: int = 12) -> Surface:
    """Tube around a polyline (n, 3) with mitered corners and rounded ends."""
    steps = np.diff(points, axis=0)
    length = np.linalg.norm(steps, axis=1)
    steps, length = steps[length > 0.0], length[length > 0.0]
    if not length.size:
        return shape_surface(
            ShapeRecord("capsule", points[0], points[0], radius), n_around=n_around
        )
    corners = np.concatenate([points[:1], points[:1] + np.cumsum(steps, axis=0)])
    way = steps / length[:, None]
    before, after = np.concatenate([way[:1], way]), np.concatenate([way, way[-1:]])
    normal = np.empty_like(way)
    for k, now in enumerate(way):
        # turned with the line, about the normal of the corner
        back = k > 0 and now @ way[k - 1] < _BACK
        if k == 0 or back:
            normal[k] = np.cross(now, np.eye(3)[np.argmin(np.abs(now))])
            normal[k] /= np.linalg.norm(normal[k])
        else:
            both = way[k - 1] + now
            normal[k] = normal[k - 1] - (normal[k - 1] @ now) / (now @ both) * both
    radial = circle(n_around) @ np.stack([normal, np.cross(way, normal)], axis=1)
    radial = np.concatenate([radial, radial[-1:]])
    # rings in the planes that halve the corners; narrow corners are cut off
    slope = np.einsum("kar,kr->ka", radial, after - before)
    share = np.maximum(1.0 + np.einsum("kr,kr->k", before, after), 0.5)
    shift = (slope / share[:, None])[..., None] * after[:, None]
    rings = corners[:, None] + radius * (radial + shift)
    cap = np.linspace(0.0, 0.5 * np.pi, n_around // 4 + 1)
    out, up = np.cos(cap)[:, None, None], np.sin(cap)[:, None, None]
    first, last = out * radial[0] - up * way[0], out * radial[-1] + up * way[-1]
    ends = corners[0] + radius * first[::-1], corners[-1] + radius * last
    everything = np.concatenate([ends[0], rings[1:-1], ends[1]])
    normals = np.concatenate([first[::-1], radial[1:-1], last])
    faces = grid_faces(len(everything), n_around)
    return Surface(everything.reshape(-1, 3), normals.reshape(-1, 3), faces)


def tube_faces(n_tubes: int, n_along: int, n_around: int, n_dome: int) -> NDArray[np.int64]:
    """Triangles of tubes with rounded ends (n_faces, 3), counterclockwise seen from outside.

    Points of a tube: its rings; then of the first and of the last end the rings of the dome, from
    the tube outwards, and the pole.
    """
    ring = np.arange(n_around)
    following = (ring + 1) % n_around
    rings, dome = n_along * n_around, n_dome * n_around + 1
    faces = [grid_faces(n_along, n_around)]
    for end, last in ((rings, 0), (rings + dome, rings - n_around)):
        starts = [last, *(end + k * n_around for k in range(n_dome))]
        pole = np.full(n_around, end + dome - 1)
        for low, high in pairwise(starts):
            a, b, c, d = low + ring, low + following, high + ring, high + following
            quads = [np.stack([a, b, d], 1), np.stack([a, d, c], 1)]
            faces += [q[:, ::-1] for q in quads] if last == 0 else quads
        tip = np.stack([starts[-1] + ring, starts[-1] + following, pole], 1)
        faces.append(tip[:, ::-1] if last == 0 else tip)
    one = np.concatenate(faces)
    shift = np.arange(n_tubes)[:, None, None] * (rings + 2 * dome)
    return (one[None] + shift).reshape(-1, 3)


def dome(n_rings: int) -> Array:
    """Cosines and sines of the heights of the rings of a rounded end, and of its pole."""
    angle = np.arange(1, n_rings + 2) * (0.5 * np.pi / (n_rings + 1))
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)

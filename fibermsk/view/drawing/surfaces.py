"""Triangle meshes with exact normals: surfaces of revolution, and how tubes are made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.result import ShapeRecord

__all__ = ["Surface", "shape_surface", "tube_faces"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Surface:
    """Triangles with a normal at every point.

    Attributes
    ----------
    points, normals : (n_points, 3) float array
        Points [m] and outward unit normals.
    faces : (n_faces, 3) int array
        Point indices, counterclockwise seen from outside.
    """

    points: NDArray[np.floating]
    normals: NDArray[np.floating]
    faces: NDArray[np.int64]


def _grid_faces(n_rows: int, n_around: int) -> NDArray[np.int64]:
    """Triangles between consecutive rings of points."""
    row, around = np.meshgrid(np.arange(n_rows - 1), np.arange(n_around), indexing="ij")
    a = row * n_around + around
    b = row * n_around + (around + 1) % n_around
    c, d = a + n_around, b + n_around
    return np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], 2).reshape(-1, 3)


def _circle(n_around: int) -> tuple[Array, Array]:
    angle = np.arange(n_around) * (2.0 * np.pi / n_around)
    return np.cos(angle), np.sin(angle)


def _perpendicular(direction: Array) -> Array:
    """Perpendicular unit vectors of unit directions (..., 3)."""
    axis = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
    side = np.cross(direction, axis)
    return side / np.linalg.norm(side, axis=-1, keepdims=True)


def shape_surface(
    shape: ShapeRecord, *, span: tuple[float, float] | None = None, n_around: int = 64
) -> Surface:
    """Surface of a contact shape in its body frame.

    Parameters
    ----------
    shape : ShapeRecord
        A capsule gets rounded ends, an infinite cylinder flat ones.
    span : (float, float), optional
        For an infinite cylinder: where it is drawn, as distances along the axis from
        ``shape.start`` [m].
    n_around : int
        Points around the axis.
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
    cosine, sine = _circle(n_around)
    first = _perpendicular(axis)
    second = np.cross(axis, first)
    radial = cosine[:, None] * first + sine[:, None] * second
    points = height[:, None, None] * axis + distance[:, None, None] * radial + shape.start
    normals = slope[:, None, None] * axis + out[:, None, None] * radial
    return Surface(
        points.reshape(-1, 3), normals.reshape(-1, 3), _grid_faces(height.size, n_around)
    )


def tube_faces(n_tubes: int, n_along: int, n_around: int) -> NDArray[np.int64]:
    """Triangles of tubes with flat caps.

    The points of a tube are its rings, one after the other; then the first ring again and its
    center, then the last ring and its center: doubled, since a cap has normals of its own.

    Returns
    -------
    faces : (n_faces, 3) int array
        Counterclockwise seen from outside.
    """
    side = _grid_faces(n_along, n_around)
    ring = np.arange(n_around)
    following = (ring + 1) % n_around
    rings = n_along * n_around
    bottom, top = rings, rings + n_around + 1
    hub = np.full(n_around, n_around)
    caps = [
        bottom + np.stack([hub, following, ring], 1),
        top + np.stack([hub, ring, following], 1),
    ]
    one = np.concatenate([side, *caps])
    shift = np.arange(n_tubes)[:, None, None] * (rings + 2 * n_around + 2)
    return (one[None] + shift).reshape(-1, 3)

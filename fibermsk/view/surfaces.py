"""Triangle meshes with exact normals: surfaces of revolution and swept tubes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.result import ShapeRecord

__all__ = ["Surface", "TubeLayout", "shape_surface", "transport_frames"]

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

    points: Array
    normals: Array
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


def transport_frames(tangent: Array) -> tuple[Array, Array]:
    """Cross-section axes along curves which turn about the curve as little as possible.

    Parameters
    ----------
    tangent : (n_curves, n_points, 3) float array
        Unit tangents.

    Returns
    -------
    first, second : (n_curves, n_points, 3) float array
        With the tangent they form right-handed orthonormal frames.
    """
    first = np.empty_like(tangent)
    first[:, 0] = e = _perpendicular(tangent[:, 0])
    for i in range(1, tangent.shape[1]):
        # The smallest rotation that brings one tangent to the next.
        before, t = tangent[:, i - 1], tangent[:, i]
        closeness = 1.0 + np.sum(before * t, axis=1, keepdims=True)
        e = e - np.sum(e * t, axis=1, keepdims=True) / np.maximum(closeness, 1e-9) * (before + t)
        size = np.linalg.norm(e, axis=1, keepdims=True)
        kept = (closeness > 1e-6) & (size > 0.5)
        first[:, i] = e = np.where(kept, e / np.maximum(size, 0.5), _perpendicular(t))
    return first, np.cross(tangent, first)


@dataclass(frozen=True)
class TubeLayout:
    """Topology of the tubes around several curves; points are computed frame by frame.

    Attributes
    ----------
    n_curves, n_points, n_around : int
        Number of curves, of points along each, of points around each.
    """

    n_curves: int
    n_points: int
    n_around: int = 24

    @cached_property
    def faces(self) -> NDArray[np.int64]:
        """Triangles of all tubes, (n_faces, 3)."""
        around = self.n_around
        side = _grid_faces(self.n_points, around)
        ring = np.arange(around)
        following = (ring + 1) % around
        rings = self.n_points * around
        bottom, top = rings, rings + around + 1
        hub = np.full(around, around)
        caps = np.concatenate(
            [
                bottom + np.stack([hub, following, ring], 1),
                top + np.stack([hub, ring, following], 1),
            ]
        )
        one = np.concatenate([side, caps])
        shift = np.arange(self.n_curves)[:, None, None] * (rings + 2 * around + 2)
        return (one[None] + shift).reshape(-1, 3)

    def points(self, center: Array, radius: Array) -> tuple[Array, Array]:
        """Points and normals of all tubes.

        Parameters
        ----------
        center : (n_curves, n_points, 3) float array
            Centerlines [m].
        radius : (n_curves, n_points) float array
            Radii along them [m].

        Returns
        -------
        points, normals : (n, 3) float array
            In the order that ``faces`` refers to.
        """
        slope = np.gradient(center, axis=1)
        speed = np.maximum(np.linalg.norm(slope, axis=2, keepdims=True), 1e-300)
        tangent = slope / speed
        taper = np.gradient(radius, axis=1)[..., None] / speed
        first, second = transport_frames(tangent)
        cosine, sine = _circle(self.n_around)
        radial = cosine[:, None] * first[:, :, None, :] + sine[:, None] * second[:, :, None, :]
        side = center[:, :, None] + radius[:, :, None, None] * radial
        normal = radial - taper[:, :, None] * tangent[:, :, None]
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)

        points, normals = (
            [side.reshape(self.n_curves, -1, 3)],
            [normal.reshape(self.n_curves, -1, 3)],
        )
        for end, sign in ((0, -1.0), (-1, 1.0)):
            points += [side[:, end], center[:, end, None]]
            normals.append(np.repeat(sign * tangent[:, end, None], self.n_around + 1, axis=1))
        return (
            np.concatenate(points, axis=1).reshape(-1, 3),
            np.concatenate(normals, axis=1).reshape(-1, 3),
        )

    def spread(self, values: Array) -> Array:
        """Values at the centerline points (n_curves, n_points) given to the tubes' points (n,)."""
        side = np.repeat(values, self.n_around, axis=1)
        ends = [np.repeat(values[:, end, None], self.n_around + 1, axis=1) for end in (0, -1)]
        return np.concatenate([side, *ends], axis=1).reshape(-1)

"""Surfaces of contact shapes that are drawn as bones: smooth joints and flared ends.

Shapes in contact with fibers keep their radius along the shaft, so that fibers lie on them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.result import ShapeRecord
from fibermsk.view.drawing.surfaces import Surface, circle, grid_faces, shape_surface

_FLARE = 0.08
"""Largest growth of the radius at the ends of a capsule, over the radius."""
_FLARED = 2.0
"""Length of a flared end over the radius, besides the half ball."""
_SLENDER = 5.0
"""Length over radius from which a capsule has flared ends."""
_FILLET = 0.9
"""Radius of the edges of a cylinder over its own, at most `_FILLET_PART` of its length."""
_FILLET_PART = 0.45
_N_ARC = 10
_RING, _MOST_RINGS = 0.3, 30
"""Distance between rings of a shaft over the radius, and most of them."""


def bone_solid(shape: ShapeRecord, *, span: tuple[float, float] | None = None) -> Array:
    """Numbers of the solid below `bone_surface` (11,), for distances from it.

    Kind (0 capsule, 1 cylinder with round edges), start (3), axis (3), length, radius at the ends,
    radius, and length of a flared end or radius of the edges.
    """
    along, radius = shape.end - shape.start, shape.radius
    length = float(np.linalg.norm(along))
    axis = along / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    if shape.kind == "capsule":
        flared = length > _SLENDER * radius
        wide = (1.0 + _FLARE) * radius if flared else radius
        reach = min(_FLARED * radius, 0.5 * length) if flared else radius
        return np.array([0.0, *shape.start, *axis, length, wide, radius, reach])
    low, high = span if span is not None else _span(radius)
    fillet = min(_FILLET * radius, _FILLET_PART * (high - low))
    return np.array([1.0, *(shape.start + low * axis), *axis, high - low, radius, radius, fillet])


def _span(radius: float) -> tuple[float, float]:
    """Drawn interval of an infinite cylinder that is alone."""
    return -5.0 * radius, 5.0 * radius


def bone_surface(
    shape: ShapeRecord, *, span: tuple[float, float] | None = None, n_around: int = 64
) -> Surface:
    """Surface of a capsule or infinite cylinder in its body frame; parameters of `shape_surface`.

    Long capsules widen towards their ends, cylinders have rounded edges.
    """
    along = shape.end - shape.start
    length, radius = float(np.linalg.norm(along)), shape.radius
    if shape.kind == "capsule":
        if length <= _SLENDER * radius:
            return shape_surface(shape, n_around=n_around)
        return _revolved(shape.start, along / length, *_flared(length, radius), n_around)
    low, high = span if span is not None else _span(radius)
    fillet = min(_FILLET * radius, _FILLET_PART * (high - low))
    arc = np.linspace(0.0, 0.5 * np.pi, _N_ARC)
    height = np.concatenate(
        [[low], low + fillet * (1.0 - np.cos(arc)), high - fillet * (1.0 - np.sin(arc)), [high]]
    )
    distance = np.concatenate(
        [[0.0], radius - fillet * (1.0 - np.sin(arc)), radius - fillet * (1.0 - np.cos(arc)), [0.0]]
    )
    lean = np.concatenate([[-1.0], -np.cos(arc), np.sin(arc), [1.0]])
    return _revolved(shape.start, along / length, height, distance, lean, n_around)


def _flared(length: float, radius: float) -> tuple[Array, Array, Array]:
    """Height, distance from the axis and lean of the normals of a bone with flared ends."""
    arc = np.linspace(0.0, 0.5 * np.pi, _N_ARC)
    part = np.linspace(0.0, 1.0, 2 * _N_ARC)[1:]
    wide = (1.0 + _FLARE) * radius
    reach = min(_FLARED * radius, 0.5 * length)
    # from the ball to the shaft, with the slope zero at both ends
    fall = part * part * (3.0 - 2.0 * part)
    slope = -_FLARE * radius * 6.0 * part * (1.0 - part) / reach
    turn = np.hypot(1.0, slope)
    height = np.concatenate([-wide * np.cos(arc), reach * part])
    distance = np.concatenate([wide * np.sin(arc), wide - _FLARE * radius * fall])
    lean = np.concatenate([-np.cos(arc), -slope / turn])
    # rings of the shaft, which fillets move
    n = min(int((length - 2.0 * reach) / (_RING * radius)), _MOST_RINGS)
    shaft = np.linspace(reach, length - reach, n + 2)[1:-1]
    return (
        np.concatenate([height, shaft, length - height[::-1]]),
        np.concatenate([distance, np.full(n, radius), distance[::-1]]),
        np.concatenate([lean, np.zeros(n), -lean[::-1]]),
    )


def _revolved(
    start: Array, axis: Array, height: Array, distance: Array, lean: Array, n_around: int
) -> Surface:
    """Surface of revolution: rings at heights on an axis, with the part of normals along it."""
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    across: Any = np.stack([first, np.cross(axis, first)])
    radial: Array = circle(n_around) @ across
    points = start + height[:, None, None] * axis + distance[:, None, None] * radial
    out = np.sqrt(np.maximum(1.0 - lean**2, 0.0))
    normals = lean[:, None, None] * axis + out[:, None, None] * radial
    return Surface(points.reshape(-1, 3), normals.reshape(-1, 3), grid_faces(height.size, n_around))

"""Drawn ends of fibers: tendon that fans out onto its bone, and a process of the bone below it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.result import ShapeRecord
from fibermsk.view.drawing.anchors import Anchor, BoneSurface
from fibermsk.view.drawing.meshes import mesh_surface
from fibermsk.view.drawing.surfaces import Surface, circle, grid_faces

_OFF = 0.3
"""Distance from the bone over the radius of the fiber, from which it has a process."""
_TIP, _FOOT = 1.4, 0.8
"""Radius of a process at its tip over that of the fiber; growth of its foot over its height."""
_SUNK = 0.25
"""Depth of the foot below the surface of the bone over the radius of the fiber."""
_SPREAD = np.array([2.3, 1.8, 0.8])
"""Half axes of the fan over the radius of the fiber: along it, across it, off the bone."""
_CAP = np.array([1.3, 1.3, 1.1])
"""The same on the tip of a process, which fibers meet from all sides."""
_PLATE = np.array([
    (-1.1, 0.0), (-1.1, 1.5), (-1.1, 1.5), (-0.95, 1.65), (-0.4, 1.65), (-0.25, 1.5), (-0.25, 1.5),
    (-0.25, 0.9),
])  # fmt: skip
"""Height and radius of the edge of a plate over the radius of the fiber; it hides the round end."""
_MANY = 200
"""Ends from which their surfaces are coarser."""


def processes(anchors: Iterable[Anchor], bone: BoneSurface) -> Surface | None:
    """Processes of a bone that carry the ends of fibers which lie off it; None if there are none.

    The foot follows the surface of the bone, the tip is round.
    """
    off = [anchor for anchor in anchors if is_off(anchor)]
    if not off:
        return None
    n_around, n_rings = (10, 5) if len(off) > _MANY else (28, 10)
    part = np.linspace(0.0, 1.0, n_rings)[:, None, None]
    arc = np.linspace(0.0, 0.5 * np.pi, max(n_rings // 2, 4))[1:, None, None]
    rings = []
    for a in off:
        tip = _TIP * a.radius
        top = a.bone + (a.gap - 0.4 * tip) * a.normal
        side = np.cross(a.normal, np.eye(3)[np.argmin(np.abs(a.normal))])
        side /= np.linalg.norm(side)
        radial = circle(n_around) @ np.stack([side, np.cross(a.normal, side)])
        wide = tip + _FOOT * a.gap + 0.5 * a.radius
        foot = np.stack([_sunk(bone, a.bone + wide * d, _SUNK * a.radius) for d in radial])
        # parabolas that leave the surface along it and arrive at the tip along its normal
        bend, rim = a.bone + tip * radial, top + tip * radial
        skirt = (1.0 - part) ** 2 * foot + 2.0 * part * (1.0 - part) * bend + part**2 * rim
        ball = top + tip * (np.cos(arc) * radial + np.sin(arc) * a.normal)
        rings.append(np.concatenate([skirt, ball]).reshape(-1, 3))
    return _joined(rings, len(rings[0]) // n_around, n_around)


def _sunk(bone: BoneSurface, point: Array, depth: float) -> Array:
    """Point below the nearest one of a bone."""
    near = bone.nearest(point)
    return point if near is None else near[0] - depth * near[1]


def fans(anchors: Iterable[Anchor]) -> Surface | None:
    """Flat mounds of tendon at the ends on bone; None without any."""
    ends = list(anchors)
    if not ends:
        return None
    n_around, n_rings = (8, 4) if len(ends) > _MANY else (20, 8)
    arc = np.linspace(-0.4 * np.pi, 0.5 * np.pi, n_rings + 1)
    rows = np.stack([np.stack([np.sin(arc), np.cos(arc)], axis=1)] * len(ends))
    axes = np.stack([a.radius * (_CAP if is_off(a) else _SPREAD) for a in ends])
    rows[..., 0] *= axes[:, 2:]
    # on the surface, or on the tip of the process
    lift = np.array([max(a.gap, 0.0) for a in ends])
    return _around(ends, rows, axes[:, :2], n_around, lift)


def mounts(anchors: Iterable[Anchor]) -> Surface | None:
    """Round plates at the ends on bodies without shape, square to the fibers; None without any."""
    ends = list(anchors)
    if not ends:
        return None
    n_around = 10 if len(ends) > _MANY else 28
    rows = np.array([a.radius for a in ends])[:, None, None] * _PLATE
    return _around(ends, rows, np.ones((len(ends), 2)), n_around, 0.0)


def is_off(anchor: Anchor) -> bool:
    """Whether an end lies off its bone, so that it has a process."""
    return anchor.gap > _OFF * anchor.radius


def _around(
    anchors: list[Anchor], rows: Array, widths: Array, n_around: int, lift: Array | float
) -> Surface:
    """Surfaces around the normals of anchors.

    `rows` (n, k, 2) are height over the bone and distance from the normal, which `widths` (n, 2)
    multiply along and across the fiber.
    """
    normal = np.stack([a.normal for a in anchors])
    along = np.stack([a.along for a in anchors])
    along = along - np.sum(along * normal, axis=1, keepdims=True) * normal
    size = np.linalg.norm(along, axis=1, keepdims=True)
    other = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal), axis=1)])
    # a fiber that is square to the bone has no direction on it
    along = np.where(size > 0.05, along / np.maximum(size, 1e-300), other)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(normal, along)
    frame = np.stack([along * widths[:, :1], across * widths[:, 1:]], axis=1)
    radial = np.einsum("ac,ncx->nax", circle(n_around), frame)
    foot = np.stack([a.bone for a in anchors]) + np.reshape(lift, (-1, 1)) * normal
    points = (
        foot[:, None, None]
        + rows[..., 0][..., None, None] * normal[:, None, None]
        + rows[..., 1][..., None, None] * radial[:, None]
    )
    return _joined(list(points.reshape(len(anchors), -1, 3)), rows.shape[1], n_around)


def _joined(rings: list[Array], n_rings: int, n_around: int) -> Surface:
    """One surface of rings of points."""
    shift = n_rings * n_around * np.arange(len(rings))[:, None, None]
    faces = (grid_faces(n_rings, n_around) + shift).reshape(-1, 3)
    return mesh_surface(ShapeRecord.mesh(np.concatenate(rings), faces))

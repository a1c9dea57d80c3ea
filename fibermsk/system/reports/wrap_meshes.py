"""Wrap surfaces of line muscles as triangle meshes, for display."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.model.muscles.level_set import WrapLevelSet
from fibermsk.model.muscles.wrap import (
    Surface,
    WrapCappedCylinder,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from fibermsk.results import ShapeRecord

_AROUND, _ALONG = 48, 24
_DRAWN_DOWN = 4.0
"""Length of a capped cylinder that is drawn below its center, over its radius."""


def wrap_mesh(wrap: Surface, rotation: Array, position: Array) -> ShapeRecord:
    """Mesh of a whole wrap surface, regardless of its quadrant, in ground.

    rotation (3, 3) and position (3,): pose of its body.
    """
    own, faces = _points(wrap)
    on_body = own @ np.asarray(wrap.rotation).T + np.asarray(wrap.position)
    return ShapeRecord.mesh(on_body @ rotation.T + position, faces)


def _points(wrap: Surface) -> tuple[Array, NDArray[np.int64]]:
    """Vertices in the frame of the surface, and triangles."""
    turn = np.arange(_AROUND) * (2.0 * np.pi / _AROUND)
    circle = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=-1)
    z = np.array([0.0, 0.0, 1.0])
    along = np.arange(_ALONG + 1)[:, None, None] * (np.pi / _ALONG)
    rings: Array
    if isinstance(wrap, WrapCylinder):
        # closed, since it is often seen along its axis
        out, up = np.array([[0.0, 1.0, 1.0, 0.0], [-0.5, -0.5, 0.5, 0.5]])[:, :, None, None]
        rings = wrap.radius * out * circle + float(wrap.length) * up * z
    elif isinstance(wrap, WrapTorus):
        outward = wrap.outer_radius + wrap.inner_radius * np.cos(2.0 * along)
        rings = outward * circle + wrap.inner_radius * np.sin(2.0 * along) * z
    elif isinstance(wrap, WrapLevelSet):
        # as seen from its center
        ways = np.sin(along) * circle - np.cos(along) * z
        radii: Array
        radii = np.array([wrap.radius_along(way) or wrap.reach for way in ways.reshape(-1, 3)])
        rings = np.asarray(wrap.center, np.float64) + radii.reshape(*ways.shape[:2], 1) * ways
    elif isinstance(wrap, WrapCappedCylinder):
        half = np.cos(0.5 * along) * circle + np.sin(0.5 * along) * z
        ends = np.array([0.0, 1.0])[:, None, None] * half[:1] - _DRAWN_DOWN * z
        rings = np.concatenate([ends, half]) * np.float64(wrap.radius)
    else:
        assert isinstance(wrap, WrapEllipsoid | WrapSphere)
        half_axes = wrap.radii if isinstance(wrap, WrapEllipsoid) else wrap.radius
        rings = (np.sin(along) * circle - np.cos(along) * z) * np.asarray(half_axes, np.float64)
    return rings.reshape(-1, 3), _between(len(rings))


def _between(n_rings: int) -> NDArray[np.int64]:
    """Triangles between consecutive rings, counterclockwise seen from outside."""
    index = np.arange(n_rings * _AROUND).reshape(n_rings, _AROUND)
    after = np.roll(index, -1, axis=1)
    a, b, c, d = index[:-1], after[:-1], index[1:], after[1:]
    return np.concatenate(
        [np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)]
    )

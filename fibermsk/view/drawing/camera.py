"""Camera of a picture, and its presets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk._arrays import Array
from fibermsk.errors import ModelError

PRESETS = ("fit", "front", "back", "left", "right", "top", "bottom")
"""Directions of view; all but the first along an axis of the ground frame."""

_MARGIN = 1.04
_ANGLE = 0.4


class Camera(NamedTuple):
    """Perspective camera with position and focal point (3,) in ground [m].

    `angle` is the full vertical opening angle [rad], `up` (3,) the upward direction of the picture.
    """

    position: Array
    focal_point: Array
    angle: float
    up: Array

    @property
    def axes(self) -> Array:
        """Unit vectors right, up and forward of the picture, in ground (3, 3)."""
        return _axes(self.focal_point - self.position, self.up)


def _axes(direction: Array, up: Array) -> Array:
    forward = direction / np.linalg.norm(direction)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, forward), forward])


def find_camera(
    preset: str,
    points: Array,
    margins: Array,
    aspect: float,
    up: ArrayLike = (0.0, 0.0, 1.0),
    *,
    room: float = 0.0,
    head: float = 0.0,
    turn: float = 0.3,
) -> Camera:
    """Nearest camera that sees balls, centers and radii [m], from one of `PRESETS`.

    ``"fit"`` looks from the side, slightly from above: with z up along +y, or along -x if the
    points spread far more in y than in x. With y up ``"front"`` looks along -x and ``"right"``
    along -z; with z up ``"front"`` looks along +y and ``"right"`` along -x.

    `aspect` is width over height of the picture, `up` (3,) its upward direction; `room` and `head`
    are the free parts of its width at the right and of its height at the top; `turn` is the
    sideward over the forward part of the direction of ``"fit"``.
    """
    if preset not in PRESETS:
        raise ModelError(f"preset = {preset!r}; there are: {', '.join(PRESETS)}")
    above = np.asarray(up, dtype=float)
    # horizontal directions: x and y if z is up; x, forward in biomechanics, and -z if y is
    vertical = int(np.argmax(np.abs(above)))
    first = np.eye(3)[0 if vertical else 1]
    first = first - (first @ above) * above
    first /= np.linalg.norm(first)
    second = np.cross(above, first)
    front, right = (-first, second) if vertical == 1 else (second, -first)
    if np.ptp(points @ second) <= 3.0 * np.ptp(points @ first):
        fit = second - turn * first - 0.2 * above
    else:
        fit = -first - turn * second - 0.2 * above
    forward = {
        "fit": fit,
        "front": front,
        "back": -front,
        "left": -right,
        "right": right,
        "top": -above,
        "bottom": above,
    }[preset]
    upright = {"top": front, "bottom": -front}.get(preset, above)
    axes = _axes(forward, upright)
    local = points @ axes.T
    low = np.min(local - margins[:, None], axis=0)
    high = np.max(local + margins[:, None], axis=0)
    middle = 0.5 * (low + high)
    local = local - middle
    tall = np.tan(0.5 * _ANGLE)
    # a point at depth d + z is seen between -1 and 1 - 2 free, shifted by free * d
    needed = [
        (side * (local[:, i] + side * margins) / size - part * local[:, 2]) / (1.0 - free)
        for i, size, free in ((0, tall * aspect, room), (1, tall, head))
        for side, part in ((-1.0, 1.0), (1.0, 1.0 - 2.0 * free))
    ]
    size = max(float(np.max(high - low)), 1e-6)
    distance = max(_MARGIN * float(np.max(needed)), 0.1 * size)
    focal = middle @ axes + distance * tall * (room * aspect * axes[0] + head * axes[1])
    return Camera(focal - distance * axes[2], focal, _ANGLE, upright)

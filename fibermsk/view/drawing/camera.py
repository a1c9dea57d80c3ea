"""Where a picture is taken from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fibermsk.errors import ModelError

__all__ = ["PRESETS", "Camera", "fit_camera", "look_along"]

Array = NDArray[np.float64]

PRESETS = ("fit", "front", "back", "left", "right", "top", "bottom")
"""Where a viewer looks from; all but the first look along an axis of the ground frame."""

_MARGIN = 1.06


@dataclass(frozen=True)
class Camera:
    """Perspective camera.

    Attributes
    ----------
    position, focal_point : (3,) float array
        [m], ground frame.
    angle : float
        Full vertical opening angle [rad].
    up : (3,) float array
        Direction in ground that points up in the picture.
    """

    position: Array
    focal_point: Array
    angle: float
    up: Array

    @property
    def axes(self) -> Array:
        """Rows right, up and forward of the picture, unit vectors in ground."""
        return _axes(self.focal_point - self.position, self.up)


def _axes(direction: Array, up: Array) -> Array:
    forward = direction / np.linalg.norm(direction)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, forward), forward])


def _level(up: Array) -> tuple[Array, Array]:
    """Two level directions to look from, at right angles: x and y where z is up.

    Where y is up they are x and -z: then x, which points ahead in biomechanics, goes to the right.
    """
    vertical = int(np.argmax(np.abs(up)))
    first: Array = np.eye(3)[0 if vertical else 1]
    first = first - (first @ up) * up
    first = first / float(np.linalg.norm(first))
    second: Array = np.cross(up, first)
    return first, second


def fit_camera(
    points: Array,
    margins: Array,
    aspect: float,
    up: ArrayLike = (0.0, 0.0, 1.0),
    *,
    room: float = 0.0,
    head: float = 0.0,
    angle: float = 0.4,
    turn: float = 0.3,
) -> Camera:
    """Camera which sees all points from the side, slightly from above.

    With z up it looks along +y, or along -x where the points spread far more in y than in x.

    Parameters
    ----------
    points : (n, 3) float array
        What must be in the picture [m].
    margins : (n,) float array
        Radius of a ball around each that must be in it too [m].
    aspect : float
        Width over height of the picture.
    up : (3,) array_like
        Unit vector that points up in the picture.
    room : float
        Part of the width kept free at the right, 0 to 1.
    head : float
        Part of the height kept free above, 0 to 1.
    angle : float
        Full vertical opening angle [rad].
    turn : float
        How far to the side it stands, over how far in front.
    """
    above = np.asarray(up, dtype=float)
    first, second = _level(above)
    if np.ptp(points @ second) <= 3.0 * np.ptp(points @ first):
        forward = second - turn * first - 0.2 * above
    else:
        forward = -first - turn * second - 0.2 * above
    return _fit(points, margins, aspect, forward, above, room, head, angle)


def look_along(
    preset: str,
    points: Array,
    margins: Array,
    aspect: float,
    up: ArrayLike = (0.0, 0.0, 1.0),
    *,
    room: float = 0.0,
    head: float = 0.0,
    angle: float = 0.4,
) -> Camera:
    """Camera which sees all points from one of the six sides.

    Parameters
    ----------
    preset : str
        One of :data:`PRESETS` but ``"fit"``. With y up ``"front"`` looks along -x, at who faces
        ahead, and ``"right"`` along -z; with z up ``"front"`` looks along +y and ``"right"`` along
        -x. ``"top"`` has at its upper edge what is behind from the front.
    points, margins, aspect, up, room, head, angle
        As for :func:`fit_camera`.

    Raises
    ------
    ModelError
        If there is no such preset; the message lists those there are.
    """
    if preset not in PRESETS[1:]:
        raise ModelError(f"preset = {preset!r}; there are: {', '.join(PRESETS)}")
    above = np.asarray(up, dtype=float)
    first, second = _level(above)
    # y up: `first` is x, `second` -z; z up: `first` is x, `second` y
    if np.argmax(np.abs(above)) == 1:
        front, right = -first, second
    else:
        front, right = second, -first
    forward = {
        "front": front,
        "back": -front,
        "left": -right,
        "right": right,
        "top": -above,
        "bottom": above,
    }[preset]
    upright = {"top": front, "bottom": -front}.get(preset, above)
    return _fit(points, margins, aspect, forward, upright, room, head, angle)


def _fit(
    points: Array,
    margins: Array,
    aspect: float,
    forward: Array,
    above: Array,
    room: float,
    head: float,
    angle: float,
) -> Camera:
    """Camera in a direction, as near as all points allow."""
    axes = _axes(forward, above)
    local = points @ axes.T
    low = np.min(local - margins[:, None], axis=0)
    high = np.max(local + margins[:, None], axis=0)
    middle = 0.5 * (low + high)
    local = local - middle
    tall = np.tan(0.5 * angle)
    # A point at depth d + z is seen within -1 and 1 - 2 free, its place shifted by free * d.
    needed = [
        (side * (local[:, i] + side * margins) / size - part * local[:, 2]) / (1.0 - free)
        for i, size, free in ((0, tall * aspect, room), (1, tall, head))
        for side, part in ((-1.0, 1.0), (1.0, 1.0 - 2.0 * free))
    ]
    size = max(float(np.max(high - low)), 1e-6)
    distance = max(_MARGIN * float(np.max(needed)), 0.1 * size)
    focal = middle @ axes + distance * tall * (room * aspect * axes[0] + head * axes[1])
    return Camera(focal - distance * axes[2], focal, angle, above)

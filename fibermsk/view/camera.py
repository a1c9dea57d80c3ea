"""Where a picture is taken from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Camera", "fit_camera"]

Array = NDArray[np.float64]

_MARGIN = 1.06


@dataclass(frozen=True)
class Camera:
    """Perspective camera with z up in the picture.

    Attributes
    ----------
    position, focal_point : (3,) float array
        [m], ground frame.
    angle : float
        Full vertical opening angle [rad].
    """

    position: Array
    focal_point: Array
    angle: float

    @property
    def axes(self) -> Array:
        """Rows right, up and forward of the picture, unit vectors in ground."""
        return _axes(self.focal_point - self.position)


def _axes(direction: Array) -> Array:
    forward = direction / np.linalg.norm(direction)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, forward), forward])


def fit_camera(
    points: Array, margins: Array, aspect: float, *, room: float = 0.0, angle: float = 0.4
) -> Camera:
    """Camera which sees all points from the side, slightly from above.

    It looks along +y, or along -x where the points spread far more in y than in x.

    Parameters
    ----------
    points : (n, 3) float array
        What must be in the picture [m].
    margins : (n,) float array
        Radius of a ball around each that must be in it too [m].
    aspect : float
        Width over height of the picture.
    room : float
        Part of the width kept free at the right, 0 to 1.
    angle : float
        Full vertical opening angle [rad].
    """
    extent = np.ptp(points, axis=0)
    forward = [-0.3, 1.0, -0.2] if extent[1] <= 3.0 * extent[0] else [-1.0, -0.3, -0.2]
    axes = _axes(np.array(forward))
    local = points @ axes.T
    low = np.min(local - margins[:, None], axis=0)
    high = np.max(local + margins[:, None], axis=0)
    middle = 0.5 * (low + high)
    local = local - middle
    tangent = np.tan(0.5 * angle)
    usable = tangent * aspect * (1.0 - room)
    needed = np.maximum(
        (np.abs(local[:, 0]) + margins) / usable, (np.abs(local[:, 1]) + margins) / tangent
    )
    size = max(float(np.max(high - low)), 1e-6)
    distance = max(_MARGIN * float(np.max(needed - local[:, 2])), 0.1 * size)
    focal = middle @ axes + 0.5 * room * 2.0 * distance * tangent * aspect * axes[0]
    return Camera(focal - distance * axes[2], focal, angle)

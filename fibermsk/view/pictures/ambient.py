"""Ambient occlusion: surfaces are darker where others stand close around them.

From the depth of a picture alone, so that it does not depend on the renderer. At each pixel places
in a disc around it are sampled; those in front of its tangent plane and near it hide light (after
McGuire et al., 2011, and Filion and McNaughton, 2008).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._compile import kernel

_REACH = 0.09
"""Distance from which surfaces hide light, over the size of the scene."""
_STRENGTH = 2.8
_DARKEST = 0.35
_BIAS = 0.12
"""Sine of the angle over the tangent plane below which nothing is hidden."""
_SAMPLES = 20
_WIDEST = 0.12
"""Largest radius of the disc over the height of the picture."""
_STEP = 2
"""Pixels along rows and columns from one that is sampled to the next."""
_TILE = 4
"""Sampled pixels along the pattern by which the discs are turned, and of its mean."""


@kernel
def _occlude(depth, scale, reach, disc, turns, widest, hidden):
    """Hidden part of the light at every `_STEP`-th pixel, in place.

    `depth` (h, w) along the view [m], infinite in the background; `scale` pixels per unit slope;
    `disc` (n, 2) samples of the unit disc; `turns` (k, k) angles.
    """
    height, width = depth.shape
    tile = turns.shape[0]
    for row in range(0, height, _STEP):
        for column in range(0, width, _STEP):
            hidden[row, column] = 0.0
            d = depth[row, column]
            if not np.isfinite(d):
                continue
            x, y = (column - 0.5 * width) * d / scale, (row - 0.5 * height) * d / scale
            # slopes of the depth to the nearer neighbor of each side
            gx = gy = np.inf
            for side in (-1, 1):
                c, r = column + side, row + side
                if 0 <= c < width and abs(depth[row, c] - d) < abs(gx):
                    gx = side * (depth[row, c] - d)
                if 0 <= r < height and abs(depth[r, column] - d) < abs(gy):
                    gy = side * (depth[r, column] - d)
            if not (np.isfinite(gx) and np.isfinite(gy)):
                continue
            # tangents to the surface along the row and the column
            a0, a2 = (d + (column - 0.5 * width) * gx) / scale, gx
            a1 = (row - 0.5 * height) * gx / scale
            b1, b2 = (d + (row - 0.5 * height) * gy) / scale, gy
            b0 = (column - 0.5 * width) * gy / scale
            n0, n1, n2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
            size = np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
            if n0 * x + n1 * y + n2 * d > 0.0:
                size = -size
            n0, n1, n2 = n0 / size, n1 / size, n2 / size
            radius = min(scale * reach / d, widest)
            c, s = (
                np.cos(turns[row % tile, column % tile]),
                np.sin(turns[row % tile, column % tile]),
            )
            total = 0.0
            for k in range(disc.shape[0]):
                j = column + int(np.floor(radius * (c * disc[k, 0] - s * disc[k, 1]) + 0.5))
                i = row + int(np.floor(radius * (s * disc[k, 0] + c * disc[k, 1]) + 0.5))
                if not (0 <= i < height and 0 <= j < width):
                    continue
                e = depth[i, j]
                if not np.isfinite(e):
                    continue
                v0 = (j - 0.5 * width) * e / scale - x
                v1 = (i - 0.5 * height) * e / scale - y
                v2 = e - d
                far = np.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
                if 0.0 < far < reach:
                    up = (v0 * n0 + v1 * n1 + v2 * n2) / far
                    total += max(up - _BIAS, 0.0) * (1.0 - far / reach)
            hidden[row, column] = total / disc.shape[0]


@kernel
def _smooth(depth, hidden, reach, tile, out):
    """Mean over a tile around each pixel, of sampled pixels at about its depth."""
    height, width = depth.shape
    half = tile // 2 * _STEP
    for row in range(height):
        for column in range(width):
            out[row, column] = 0.0
            d = depth[row, column]
            if not np.isfinite(d):
                continue
            total, count = 0.0, 0
            top, left = (row // _STEP) * _STEP - half, (column // _STEP) * _STEP - half
            for i in range(max(top + _STEP, 0), min(top + 2 * half + 1, height), _STEP):
                for j in range(max(left + _STEP, 0), min(left + 2 * half + 1, width), _STEP):
                    if abs(depth[i, j] - d) < 0.3 * reach:
                        total += hidden[i, j]
                        count += 1
            out[row, column] = total / count if count else 0.0


def ambient_light(depth: NDArray[np.float32], angle: float, size: float) -> NDArray[np.float32]:
    """Factor of the colors at each pixel, 1 where nothing hides light.

    `depth` (h, w) is the distance along the view [m], infinite in the background; `angle` the
    vertical opening angle [rad], `size` that of the scene [m].
    """
    height = depth.shape[0]
    scale = 0.5 * height / np.tan(0.5 * angle)
    k = np.arange(_SAMPLES)
    away, turn = (k + 0.5) / _SAMPLES, k * np.pi * (3.0 - np.sqrt(5.0))
    disc = away[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    # every pixel of a tile has its own angle
    turns = np.random.default_rng(0).permutation(_TILE**2).reshape(_TILE, _TILE)
    hidden, out = np.empty_like(depth), np.empty_like(depth)
    reach = _REACH * size
    _occlude(depth, scale, reach, disc, turns * (2.0 * np.pi / _TILE**2), _WIDEST * height, hidden)
    _smooth(depth, hidden, reach, _TILE, out)
    return np.maximum(1.0 - np.float32(_STRENGTH) * out, np.float32(_DARKEST))

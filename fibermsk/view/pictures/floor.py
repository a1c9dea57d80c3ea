"""Soft shadow of the subject on a floor below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from fibermsk._arrays import Array
from fibermsk._compile import kernel
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.stage import Stage

_CELLS = 160
"""Cells of the floor along its longer side."""
_FACES = 12_000
"""Most triangles of one surface that cast a shadow."""
_BELOW = 0.015
"""Distance of the floor below the lowest point of the run, over the size of the scene."""
_DARK = 0.38
"""Darkness of the shadow of what touches the floor."""
_LAYERS = ((0.12, 0.02), (0.4, 0.045), (2.0, 0.09))
"""Heights up to which a layer goes and its blur, over the size of the scene."""
_RIM = 12
"""Points on the rim of the shadow of a large ball."""
_BORDER = 0.25
"""Free border of the floor over its size, for the blur."""


@kernel
def _cover(places, faces, height, bounds, layers):
    """Cells of each layer that triangles are above, in place.

    `places` (n, 2) in cells, `height` (n,) over the floor, `bounds` (k,) upper heights of the
    layers (k, rows, columns).
    """
    n_layers, n_rows, n_columns = layers.shape
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        middle = (height[a] + height[b] + height[c]) / 3.0
        if not np.isfinite(middle):
            continue
        layer = 0
        while layer < n_layers - 1 and middle > bounds[layer]:
            layer += 1
        xa, ya = places[a, 0], places[a, 1]
        xb, yb = places[b, 0], places[b, 1]
        xc, yc = places[c, 0], places[c, 1]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        # the cells of the corners, for small triangles
        layers[layer, min(max(int(ya), 0), n_rows - 1), min(max(int(xa), 0), n_columns - 1)] = 1.0
        if not abs(area) > 1e-9:
            continue
        for row in range(max(int(min(ya, yb, yc)), 0), min(int(max(ya, yb, yc)) + 1, n_rows)):
            for column in range(
                max(int(min(xa, xb, xc)), 0), min(int(max(xa, xb, xc)) + 1, n_columns)
            ):
                x, y = column + 0.5, row + 0.5
                wb = ((x - xa) * (yc - ya) - (xc - xa) * (y - ya)) / area
                wc = ((xb - xa) * (y - ya) - (x - xa) * (yb - ya)) / area
                if wb >= 0.0 and wc >= 0.0 and wb + wc <= 1.0:
                    layers[layer, row, column] = 1.0


@kernel
def _lit(shadow, pixels, row, column, light):
    """Light at pixels (n, 2), from the cells of the shadow around their places, in place."""
    for k in range(row.size):
        i, j = int(row[k]), int(column[k])
        r, c = row[k] - i, column[k] - j
        dark = (1.0 - r) * ((1.0 - c) * shadow[i, j] + c * shadow[i, j + 1]) + r * (
            (1.0 - c) * shadow[i + 1, j] + c * shadow[i + 1, j + 1]
        )
        light[pixels[k, 0], pixels[k, 1]] = 1.0 - dark


class _Seen(NamedTuple):
    """What a camera sees of the floor."""

    of: tuple[Camera, tuple[int, int]]
    pixels: NDArray[np.int64]  # rows and columns (n, 2)
    row: Array  # places on the floor (n,), in cells
    column: Array


def floor_level(cloud: Array, margins: Array, up: Array, size: float) -> float:
    """Height of the floor below balls [m]."""
    return float(np.min(cloud @ up - margins)) - _BELOW * size


def on_floor(cloud: Array, margins: Array, up: Array, size: float) -> tuple[Array, Array]:
    """Balls around the darkest shadows: below low balls, and on the rims below large ones."""
    height = cloud @ up - floor_level(cloud, margins, up, size)
    top, blur = _LAYERS[0][0] * size, _LAYERS[0][1] * size
    places = cloud - height[:, None] * up
    near, large = height < top, (height >= top) & (height - margins < top)
    turn = np.linspace(0.0, 2.0 * np.pi, _RIM, endpoint=False)
    rim = np.stack([np.cos(turn), np.sin(turn)], axis=1) @ _sides_of(up)
    rims = places[large, None] + margins[large, None, None] * rim
    reach = np.r_[margins[near] * 0.5 + blur, np.full(rims.size // 3, blur)]
    return np.concatenate([places[near], rims.reshape(-1, 3)]), reach


def _sides_of(up: Array) -> Array:
    """Two horizontal directions (2, 3)."""
    first = np.eye(3)[int(np.argmin(np.abs(up)))]
    first = first - (first @ up) * up
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(up, first)], dtype=float)


class Floor:
    """Floor of a run, or of one of its frames: horizontal, slightly below the lowest point.

    `light` is that of the background of a picture.
    """

    def __init__(self, stage: Stage, frame: int | None = None) -> None:
        self._stage = stage
        self._seen: _Seen | None = None
        self._up = np.asarray(stage.result.up, dtype=float)
        self._sides = _sides_of(self._up)
        cloud, margins = (stage.cloud, stage.margins) if frame is None else stage.extent_at(frame)
        self._level = floor_level(cloud, margins, self._up, stage.size)
        flat = cloud @ self._sides.T
        border = _BORDER * stage.size + np.max(margins)
        self._low = flat.min(axis=0) - border
        self._cell = float(np.max(flat.max(axis=0) + border - self._low)) / _CELLS
        self._shape = np.ceil((flat.max(axis=0) + border - self._low) / self._cell).astype(int)

    def light(self, frame: int, camera: Camera, size: tuple[int, int]) -> NDArray[np.float32]:
        """Light on the floor at each pixel (height, width): 1 where there is no shadow."""
        if self._seen is None or self._seen.of[0] is not camera or self._seen.of[1] != size:
            self._seen = self._look(camera, size)
        light = np.ones(size[::-1], dtype=np.float32)
        _lit(self._shadow(frame), *self._seen[1:], light)
        return light

    def _look(self, camera: Camera, size: tuple[int, int]) -> _Seen:
        """Pixels that see the floor, and where."""
        width, height = size
        tall = np.tan(0.5 * camera.angle)
        across = (np.arange(width) + 0.5 - 0.5 * width) * (2.0 * tall / height)
        down = (0.5 * height - np.arange(height) - 0.5) * (2.0 * tall / height)
        right, above, forward = camera.axes
        fall = (forward + down[:, None] * above) @ self._up
        slope = fall[:, None] + across * (right @ self._up)
        drop = self._level - camera.position @ self._up
        row = np.zeros((height, width))
        column = np.zeros((height, width))
        seen = (slope < 0.0) & (drop < 0.0)  # not from below
        way = drop / np.where(seen, slope, -1.0)
        for k, place in enumerate((column, row)):
            side = self._sides[k]
            start = camera.position @ side - self._low[k]
            turn = ((forward + down[:, None] * above) @ side)[:, None] + across * (right @ side)
            place[:] = (start + way * turn) / self._cell - 0.5
        columns, rows = self._shape
        seen &= (row >= 0.0) & (row < rows - 1) & (column >= 0.0) & (column < columns - 1)
        pixels = np.stack(np.nonzero(seen), axis=1)
        return _Seen((camera, size), pixels, row[seen], column[seen])

    def _shadow(self, frame: int) -> Array:
        """Darkness of the cells of the floor."""
        stage = self._stage
        columns, rows = self._shape
        layers = np.zeros((len(_LAYERS), rows, columns))
        bounds = stage.size * np.array([top for top, _ in _LAYERS])
        for piece in stage.pieces:
            if piece.opacity == 1.0:
                points, faces = _coarse(piece.surface.points, piece.surface.faces)
                pose = stage.pose(piece.body, frame)
                self._add(points @ pose[:3, :3].T + pose[:3, 3], faces, bounds, layers)
        if stage.tubes is not None:
            self._add(*_coarse(stage.tubes.points, stage.tubes.faces), bounds, layers)
        light = np.ones((rows, columns))
        for k, (_, blur) in enumerate(_LAYERS):
            if layers[k].any():
                sigma = blur * stage.size / self._cell
                # what is higher hides less of the sky
                light *= 1.0 - _DARK * 0.75**k * gaussian_filter(layers[k], sigma)
        return 1.0 - light

    def _add(
        self,
        points: NDArray[np.floating],
        faces: NDArray[np.int64],
        bounds: Array,
        layers: Array,
    ) -> None:
        places = (points @ self._sides.T - self._low) / self._cell
        _cover(places, faces, points @ self._up - self._level, bounds, layers)


def _coarse(
    points: NDArray[np.floating], faces: NDArray[np.int64]
) -> tuple[NDArray[np.floating], NDArray[np.int64]]:
    """Some triangles of a fine surface: shadows are blurred."""
    step = len(faces) // _FACES + 1
    if step == 1:
        return points, faces
    some = faces[::step]
    return points[some.ravel()], np.arange(some.size).reshape(-1, 3)

"""Rendering of a stage on the processor, for machines without OpenGL.

A depth buffer with Phong shading: every triangle is scanned over the pixels of its bounding box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk._compile import kernel
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.envelopes import SHEEN
from fibermsk.view.drawing.looks import ARROW_COLORS
from fibermsk.view.drawing.pieces import Piece
from fibermsk.view.drawing.stage import AMBIENT, LIGHTS, OVERSAMPLING, Stage
from fibermsk.view.drawing.surfaces import Surface


@kernel
def _fill(depth, normal, color, screen, point_normal, point_color, faces):
    """Write the nearest surface's normal and color into each pixel.

    `screen` (n, 3): pixel column and row, inverse distance; `depth` (h, w): largest inverse
    distance.
    """
    height, width = depth.shape
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        xa, ya = screen[a, 0], screen[a, 1]
        xb, yb = screen[b, 0], screen[b, 1]
        xc, yc = screen[c, 0], screen[c, 1]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if not abs(area) > 1e-12:
            continue
        first_row = max(int(np.ceil(min(ya, yb, yc))), 0)
        last_row = min(int(np.floor(max(ya, yb, yc))), height - 1)
        first_column = max(int(np.ceil(min(xa, xb, xc))), 0)
        last_column = min(int(np.floor(max(xa, xb, xc))), width - 1)
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                wb = ((column - xa) * (yc - ya) - (xc - xa) * (row - ya)) / area
                wc = ((xb - xa) * (row - ya) - (column - xa) * (yb - ya)) / area
                wa = 1.0 - wb - wc
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                near = wa * screen[a, 2] + wb * screen[b, 2] + wc * screen[c, 2]
                if near <= depth[row, column]:
                    continue
                depth[row, column] = near
                for i in range(3):
                    normal[row, column, i] = (
                        wa * point_normal[a, i] + wb * point_normal[b, i] + wc * point_normal[c, i]
                    )
                    color[row, column, i] = (
                        wa * point_color[a, i] + wb * point_color[b, i] + wc * point_color[c, i]
                    )


def draw(
    stages: Sequence[Stage], frames: Sequence[int], camera: Camera, size: tuple[int, int]
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Rendered pixels of frames, `OVERSAMPLING` along each side of one of the picture.

    Returns their colors (rows, columns, 3) and their distances along the view (rows, columns),
    infinite in the background. Stages after the first are translucent.
    """
    width, height = OVERSAMPLING * size[0], OVERSAMPLING * size[1]
    layer = _Layer.empty(width, height)
    veils: list[_Veil] = []
    for stage, frame in zip(stages, frames, strict=True):
        for surface, colors, opacity in _surfaces(stage, frame, camera):
            if opacity == 1.0:
                layer.add(surface, colors, camera)
            else:
                veils.append((surface, colors, opacity))
    background = stages[0].theme.rgb("background")
    image = np.where(
        layer.depth[..., None] > 0.0, _shade(layer.normal, layer.color), np.array(background)
    )
    for surface, colors, opacity in veils:
        veil = _Layer.empty(width, height)
        veil.depth[:] = layer.depth
        veil.add(surface, colors, camera)
        seen = veil.depth > layer.depth
        shaded = _shade(veil.normal[seen][None], veil.color[seen][None])[0]
        if opacity < 0.0:  # of an envelope
            opacity = -opacity * _sheen(veil.normal[seen])
        image[seen] += opacity * (shaded - image[seen])
    with np.errstate(divide="ignore"):
        away = np.where(layer.depth > 0.0, 1.0 / layer.depth, np.inf)
    return (255.0 * np.clip(image, 0.0, 1.0) + 0.5).astype(np.uint8), away.astype(np.float32)


def visible_fibers(
    stage: Stage, frame: int, camera: Camera, size: tuple[int, int]
) -> NDArray[np.int64]:
    """Number of the fiber that is seen at each pixel (height, width), top row first; -1 for none.

    A fiber is behind solid pieces and other fibers, and seen through arrows and envelopes.
    """
    stage.move(frame)
    layer = _Layer.empty(*size)
    for piece in stage.pieces:
        if piece.opacity == 1.0:
            placed, color = _placed(piece, stage.pose(piece.body, frame), 0.0)
            layer.add(placed, color, camera)
    if (tubes := stage.tubes) is not None:
        number = np.repeat(np.arange(1.0, len(stage.result.drawn) + 1.0), tubes.detail.n_points)
        color = np.repeat(number[:, None], 3, axis=1)
        layer.add(Surface(tubes.points, tubes.normals, tubes.faces), color, camera)
    return np.rint(layer.color[..., 0]).astype(np.int64) - 1


_Veil = tuple[Surface, Array, float]
"""A surface, its colors and its opacity; negative for an envelope, times `SHEEN`."""


def _surfaces(stage: Stage, frame: int, camera: Camera) -> Iterator[_Veil]:
    """Surfaces of a stage at a frame, the translucent ones of a solid stage last."""
    shade = stage.theme.shade
    stage.move(frame)
    solid = [piece for piece in stage.pieces if piece.opacity == 1.0]
    veils = [piece for piece in stage.pieces if piece.opacity < 1.0]
    for piece in solid:
        yield *_placed(piece, stage.pose(piece.body, frame), shade), 1.0
    if (tubes := stage.tubes) is not None:
        points = tubes.points + stage.behind * camera.axes[2]
        yield Surface(points, tubes.normals, tubes.faces), tubes.colors / 255.0, stage.opacity
    for kind, arrows in stage.arrows.items():
        color = np.tile(to_rgb(ARROW_COLORS[kind]), (len(arrows.points), 1))
        points = arrows.points - stage.lift * camera.axes[2]
        yield Surface(points, arrows.normals, arrows.faces), color, stage.opacity
    for piece in veils:
        yield *_placed(piece, stage.pose(piece.body, frame), shade), piece.opacity
    if (skin := stage.envelopes) is not None:
        surface = Surface(skin.points, skin.normals, skin.faces)
        yield surface, skin.colors / 255.0, -stage.opacity


class _Layer(NamedTuple):
    """Inverse distance (h, w), normal and color (h, w, 3) of the visible surface at each pixel."""

    depth: Array
    normal: Array
    color: Array

    @classmethod
    def empty(cls, width: int, height: int) -> _Layer:
        """Empty picture."""
        return cls(
            np.zeros((height, width)), np.zeros((height, width, 3)), np.zeros((height, width, 3))
        )

    def add(self, surface: Surface, colors: Array, camera: Camera) -> None:
        """Draw a surface in ground with a color per point."""
        height, width = self.depth.shape
        screen = _project(surface.points, camera, width, height)
        turned = surface.normals @ camera.axes.T * [1.0, 1.0, -1.0]
        _fill(self.depth, self.normal, self.color, screen, turned, colors, surface.faces)


def _placed(piece: Piece, pose: Array, shade: float) -> tuple[Surface, Array]:
    """Surface of a piece in ground, with a color per point."""
    surface = piece.surface
    placed = Surface(
        surface.points @ pose[:3, :3].T + pose[:3, 3],
        surface.normals @ pose[:3, :3].T,
        surface.faces,
    )
    color = shade * np.array(piece.color)
    return placed, np.tile(color, (len(surface.points), 1))


def _project(points: NDArray[np.floating], camera: Camera, width: int, height: int) -> Array:
    """Pixel column, pixel row and inverse distance; NaN behind the camera."""
    local = (points - camera.position) @ camera.axes.T
    away = local[:, 2]
    inverse = np.where(away > 0.0, 1.0 / np.where(away > 0.0, away, 1.0), np.nan)
    scale = 0.5 * height / np.tan(0.5 * camera.angle) * inverse
    column = 0.5 * (width - 1) + scale * local[:, 0]
    row = 0.5 * (height - 1) - scale * local[:, 1]
    return np.stack([column, row, inverse], axis=1)


def _sheen(normal: Array) -> Array:
    """Opacity of an envelope (n, 1) by its normals (n, 3)."""
    size = np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    lean = 1.0 - np.minimum(np.abs(normal[:, 2:]) / size, 1.0)
    return SHEEN.facing + (SHEEN.rim - SHEEN.facing) * lean**SHEEN.exponent


def _shade(normal: Array, color: Array) -> Array:
    size = np.linalg.norm(normal, axis=-1, keepdims=True)
    n = normal / np.where(size > 0.0, size, 1.0)
    # both sides are lit equally
    n = np.where(n[..., 2:] < 0.0, -n, n)
    light = np.full(n.shape[:2], AMBIENT)
    shine = np.zeros(n.shape[:2])
    for direction, strength in LIGHTS:
        towards = np.array(direction) / np.linalg.norm(direction)
        light += strength * np.maximum(n @ towards, 0.0)
        half = towards + [0.0, 0.0, 1.0]
        half /= np.linalg.norm(half)
        shine += 0.2 * strength * np.maximum(n @ half, 0.0) ** 30
    return color * light[..., None] + shine[..., None]

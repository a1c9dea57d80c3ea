"""Names of muscles in movies and windows, which move with these."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fibermsk._arrays import Array
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.labels import Box, Label, Placed, fiber_labels, overlap, place_labels
from fibermsk.view.drawing.looks import NAME_COLORS, Theme
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.framing import caption_boxes, projected
from fibermsk.view.pictures.lettering import page
from fibermsk.view.pictures.names import write_names

_FONT = 12
"""Size of the font, in pixels."""
_EDGE, _DOT = 2, 2
"""Light edge of a text, and radius of the dot at its muscle."""
_ALONG, _MOST, _NEAR = 21, 50, 6.0
"""Points along a fiber, and fibers of a muscle, that hide others; how near in pixels."""
_FARTHEST = 120
"""Farthest that a text without room moves up or down, in pixels."""


class _Name(NamedTuple):
    """A name, and where it is beside its muscle."""

    words: str
    choice: int  # number of a point of the path of its muscle
    aside: Array  # from that to the dot (2,), in pixels to the right and upwards
    corner: Array  # from the dot to the left lower corner of the text (2,)


def on_what_is_seen(
    stage: Stage, camera: Camera, size: tuple[float, float], frame: int
) -> list[Placed]:
    """Places of names on what is seen of their muscles, beside drawn things."""
    figure = page(size, 1.0)
    FigureCanvasAgg(figure)
    return write_names(figure, stage, camera, size, frame)


def at_once(stage: Stage, camera: Camera, size: tuple[float, float], frame: int) -> list[Placed]:
    """Places of names beside each other, not behind other muscles: in milliseconds."""
    drawn = stage.result.drawn
    labels = fiber_labels(drawn, frame, NAME_COLORS[stage.theme.name])
    theta = np.linspace(0.05, 0.95, _ALONG)
    fibers = list(drawn.values())
    points = {
        label.words: np.concatenate(
            [fibers[k].centerline(theta, frame) for k in label.members[:_MOST]]
        )
        for label in labels
    }
    depths = {words: _depths(own, camera) for words, own in points.items()}
    places = {
        words: projected(own, np.zeros(len(own)), camera, size)[0] for words, own in points.items()
    }
    paths = []
    for label in labels:
        path, others = _on_screen(label, camera, size), [w for w in points if w != label.words]
        if label.path is not None and others:
            depth = _depths(label.path, camera)
            there = np.concatenate([places[w] for w in others])
            nearer = np.concatenate([depths[w] for w in others]) < depth[:, None]
            beside = np.linalg.norm(there - path[:, None], axis=2) < _NEAR
            seen = ~(nearer & beside).any(axis=1)
            path = path[seen] if seen.any() else path
        paths.append(path)
    sizes = [(font(_FONT).getlength(label.words), float(_FONT)) for label in labels]
    taken = [box for box in caption_boxes(stage, size) if box is not None]
    crowd = np.concatenate(list(places.values())) if places else None
    return place_labels(labels, paths, sizes, size, taken=taken, crowd=crowd)


def _depths(points: Array, camera: Camera) -> Array:
    """Distances of points from the camera along its view (n,) [m]."""
    return (points - camera.position) @ camera.axes[2]


class MovingNames:
    """Names of the muscles of a stage, placed at one frame, that follow the others."""

    def __init__(
        self,
        stage: Stage,
        camera: Camera,
        size: tuple[float, float],
        frame: int,
        place: Callable[..., list[Placed]] = on_what_is_seen,
    ) -> None:
        self._stage, self._camera, self._size = stage, camera, size
        self._color = NAME_COLORS[stage.theme.name]
        paths = self._paths(frame)
        self._names: list[_Name] = []
        for one in place(stage, camera, size, frame):
            path, point = paths[one.words], np.array(one.point)
            k = int(np.argmin(np.linalg.norm(path - point, axis=1)))
            self._names.append(_Name(one.words, k, point - path[k], np.array(one.box[:2]) - point))

    def at(self, frame: int) -> list[tuple[str, Box, Array]]:
        """Words, box and dot of each name at a frame, in pixels from the left and from below.

        A text that has no room moves up or down; one without any room is left out.
        """
        width, height = self._size
        full = [box for box in caption_boxes(self._stage, self._size) if box is not None]
        paths, found = self._paths(frame), []
        for name in self._names:
            if name.words not in paths:  # a muscle whose numbers are not finite
                continue
            dot = paths[name.words][name.choice] + name.aside
            wide = float(np.ceil(font(_FONT).getlength(name.words)))
            left, low = dot + name.corner
            left = float(np.clip(left, 2.0, width - 2.0 - wide))
            for shift in sorted(range(-_FARTHEST, _FARTHEST + 1), key=abs):
                box = left, low + shift, left + wide, low + shift + _FONT
                inside = box[1] >= 2.0 and box[3] <= height - 2.0
                if inside and not any(overlap(box, other) for other in full):
                    full.append(box)
                    found.append((name.words, box, dot))
                    break
        return found

    def write(
        self, image: NDArray[np.uint8], names: list[tuple[str, Box, Array]], scale: float = 1.0
    ) -> None:
        """Write names on a picture (height, width, 3), in place."""
        whole = Image.fromarray(image)
        for one in names:
            _draw(whole, *one, self._stage.theme, scale)
        image[:] = np.asarray(whole)

    def _paths(self, frame: int) -> dict[str, Array]:
        """Pixels of points of each muscle, from the left and from below."""
        labels = fiber_labels(self._stage.result.drawn, frame, self._color)
        return {label.words: _on_screen(label, self._camera, self._size) for label in labels}


def name_image(
    words: str, box: Box, dot: Array, theme: Theme
) -> tuple[NDArray[np.uint8], int, int]:
    """A name on a transparent background (height, width, 4), and its left lower pixel."""
    room = 2 * _EDGE
    left, low = (int(min(box[i], dot[i])) - room for i in range(2))
    right, high = (int(max(box[2 + i], dot[i])) + room for i in range(2))
    ground = to_hex(theme.rgb("background")) + "00"
    image = Image.new("RGBA", (right - left, high - low), ground)
    corner = np.array([left, low])
    moved = box[0] - left, box[1] - low, box[2] - left, box[3] - low
    _draw(image, words, moved, dot - corner, theme)
    return np.asarray(image), left, low


def _draw(
    image: Image.Image, words: str, box: Box, dot: Array, theme: Theme, scale: float = 1.0
) -> None:
    """Text with a light edge, and a line to the dot if that is not beside it."""
    (left, low, right, high), (x, y) = (scale * np.array(place) for place in (box, dot))
    border, thin = round(scale * _EDGE), round(scale)
    draw, ink = ImageDraw.Draw(image), to_hex(NAME_COLORS[theme.name])
    edge = left - border if x < left else right + border
    middle = image.height - 0.5 * (low + high)
    down = image.height - y
    if not left <= x <= right:
        line = [(x, down), (edge, middle)]
        draw.line(line, fill=theme.background, width=3 * thin)
        draw.line(line, fill=ink, width=thin)
    for radius, color in ((scale * (_DOT + 1), theme.background), (scale * _DOT, ink)):
        draw.ellipse((x - radius, down - radius, x + radius, down + radius), fill=color)
    draw.text(
        (left, middle), words, fill=ink, stroke_fill=theme.background,
        stroke_width=border, font=font(round(scale * _FONT)), anchor="lm",
    )  # fmt: skip


def _on_screen(label: Label, camera: Camera, size: tuple[float, float]) -> Array:
    """Pixels of the points at which a label may be (n, 2), from the left and from below."""
    path = label.point[None] if label.path is None else label.path
    return projected(path, np.zeros(len(path)), camera, size)[0]

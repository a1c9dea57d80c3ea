"""Names of muscles in movies, which move with these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fibermsk._arrays import Array
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.labels import Box, fiber_labels, overlap
from fibermsk.view.drawing.looks import NAME_COLORS
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.framing import caption_boxes, projected
from fibermsk.view.pictures.lettering import DPI
from fibermsk.view.pictures.names import write_names

_FONT = 12
"""Size of the font, in pixels."""
_EDGE, _DOT = 2, 2
"""Light edge of a text, and radius of the dot at its muscle."""
_FARTHEST = 120
"""Farthest that a text without room moves up or down, in pixels."""


class _Name(NamedTuple):
    """A name, and where it is beside its muscle."""

    words: str
    choice: int  # number of a point of the path of its muscle
    aside: Array  # from that to the dot (2,), in pixels to the right and upwards
    corner: Array  # from the dot to the left lower corner of the text (2,)


class MovingNames:
    """Names of the muscles of a stage, placed at one frame, that follow the others."""

    def __init__(self, stage: Stage, camera: Camera, size: tuple[int, int], frame: int) -> None:
        self._stage, self._camera, self._size = stage, camera, size
        self._color = NAME_COLORS[stage.theme.name]
        figure = Figure((size[0] / DPI, size[1] / DPI), dpi=DPI)
        FigureCanvasAgg(figure)
        paths = self._paths(frame)
        self._names: list[_Name] = []
        for one in write_names(figure, stage, camera, size, frame):
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

    def write(self, image: NDArray[np.uint8], names: list[tuple[str, Box, Array]]) -> None:
        """Write names on a picture (height, width, 3), in place."""
        height = len(image)
        theme, ink = self._stage.theme, to_hex(self._color)
        whole = Image.fromarray(image)
        draw = ImageDraw.Draw(whole)
        for words, (left, low, right, high), (x, y) in names:
            edge = left - _EDGE if x < left else right + _EDGE
            middle = height - 0.5 * (low + high)
            down = height - y
            if not left <= x <= right:
                line = [(x, down), (edge, middle)]
                draw.line(line, fill=theme.background, width=3)
                draw.line(line, fill=ink, width=1)
            draw.ellipse((x - _DOT, down - _DOT, x + _DOT, down + _DOT), fill=ink)
            draw.text(
                (left, middle), words, fill=ink, stroke_fill=theme.background,
                stroke_width=_EDGE, font=font(_FONT), anchor="lm",
            )  # fmt: skip
        image[:] = np.asarray(whole)

    def _paths(self, frame: int) -> dict[str, Array]:
        """Pixels of points of each muscle, from the left and from below."""
        labels = fiber_labels(self._stage.result.drawn, frame, self._color)
        found = {}
        for label in labels:
            path = label.point[None] if label.path is None else label.path
            found[label.words] = projected(path, np.zeros(len(path)), self._camera, self._size)[0]
        return found

"""Magnitudes of the forces on bones, beside the tips of their arrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.labels import Box, overlap
from fibermsk.view.drawing.looks import ARROW_COLORS, Theme
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.forces import muscle_forces
from fibermsk.view.pictures.framing import caption_boxes, projected
from fibermsk.view.pictures.legend import prefixed

_MOST = 24
"""Most magnitudes in a picture, the largest."""
_LEAST = 0.01
"""Least force that is written, over the largest of the run."""
_FONT, _LINE, _GAP, _EDGE = 13, 15, 9, 2
"""Size of the font, height of a line, distance from an arrow, and light edge, in pixels."""
_FARTHEST = 90
"""Farthest that a text without room moves down, in pixels."""


class Magnitude(NamedTuple):
    """Text at a place in a picture."""

    words: str
    left: int  # of the box, in pixels from the left
    top: int  # from the top
    width: int

    def box(self, height: float) -> Box:
        """Its place in a picture of a height."""
        low = height - self.top - _LINE
        return self.left, low, self.left + self.width, low + _LINE


def magnitudes(
    stage: Stage,
    frame: int,
    camera: Camera,
    size: tuple[float, float],
    taken: Sequence[Box] = (),
) -> list[Magnitude]:
    """Texts of the forces of muscles on bones at a frame, that do not cover each other.

    Each is beside the tip of its arrow, on the side away from the middle of all; of several
    fibers beside the mean of their tips, with Σ and the sum. None without
    arrows of attachment. Those without room beside the captions and what is `taken` are left out.
    """
    arrows = stage.arrows.get("attachment")
    if arrows is None or arrows.scale.longest == 0.0:
        return []
    per_newton = arrows.scale.length / arrows.scale.force
    least = _LEAST * arrows.scale.longest / per_newton
    found = [(float(np.linalg.norm(one.force)), one) for one in muscle_forces(stage.result, frame)]
    found = sorted((pair for pair in found if pair[0] > least), key=lambda pair: -pair[0])[:_MOST]
    if not found:
        return []
    tips = np.stack([one.point + per_newton / one.n_fibers * one.force for _, one in found])
    places, _ = projected(tips, np.zeros(len(tips)), camera, size)
    middle = 0.5 * (places[:, 0].min() + places[:, 0].max())
    width, height = size
    boxes = [box for box in (*caption_boxes(stage, size), *taken) if box is not None]
    # from the top
    full = [(left, height - high, right, height - low) for left, low, right, high in boxes]
    texts = []
    # from the top down, so that a text that has no room moves down
    for k in np.argsort(-places[:, 1], kind="stable"):
        amount, one = found[k]
        label, factor = prefixed("x [N]", amount)
        words = f"{amount * factor:.3g} {label.partition('[')[2].rstrip(']')}"
        words = f"{one.muscle}{' Σ' if one.n_fibers > 1 else ''} {words}"
        wide = int(np.ceil(font(_FONT).getlength(words))) + 2 * _EDGE
        x, y = float(places[k, 0]), height - float(places[k, 1])
        sides = round(x + _GAP), round(x - _GAP - wide)
        spots = (
            (left, round(y) - _LINE // 2 + down)
            for down in range(_FARTHEST)
            for left in (sides if x >= middle else sides[::-1])[: 1 if down < _LINE else 2]
        )
        for left, top in spots:
            box = left, top, left + wide, top + _LINE
            if _is_free(box, size, full):
                full.append((left - _EDGE, top, left + wide + _EDGE, top + _LINE))
                texts.append(Magnitude(words, left, top, wide))
                break
    return texts


def _is_free(text: Box, size: tuple[float, float], full: Sequence[Box]) -> bool:
    """Whether a text lies in the picture and beside other boxes."""
    left, top, right, low = text
    inside = left >= 0 and top >= 0 and right <= size[0] and low <= size[1]
    return inside and not any(overlap(text, box) for box in full)


def magnitude_image(one: Magnitude, theme: Theme, scale: float = 1.0) -> NDArray[np.uint8]:
    """A text on a transparent background (height, width, 4), with an edge of the background."""
    ground = to_hex(theme.rgb("background")) + "00"
    high, edge = round(scale * (_LINE + 2 * _EDGE)), round(scale * _EDGE)
    image = Image.new("RGBA", (round(scale * one.width), high), ground)
    look: Any = {"font": font(round(scale * _FONT)), "anchor": "lm", "stroke_width": edge}
    ImageDraw.Draw(image).text(
        (edge, round(scale * (_EDGE + _LINE // 2))), one.words, fill=magnitude_color(theme),
        stroke_fill=theme.background, **look,
    )  # fmt: skip
    return np.asarray(image)


def magnitude_color(theme: Theme) -> str:
    """Color of the texts: that of the arrows, darker on a light background."""
    color = np.array(to_rgb(ARROW_COLORS["attachment"]))
    red, green, blue = 0.5 * (1.0 + color) if theme.name == "dark" else 0.6 * color
    return to_hex((red, green, blue))


def write_magnitudes(
    image: NDArray[np.uint8], texts: list[Magnitude], theme: Theme, scale: float = 1.0
) -> None:
    """Write texts on a picture (height, width, 3), in place."""
    height, width = image.shape[:2]
    for one in texts:
        ink = magnitude_image(one, theme, scale)
        top, left = (max(round(scale * (low - _EDGE)), 0) for low in (one.top, one.left))
        ink = ink[: max(height - top, 0), : max(width - left, 0)]
        part = image[top : top + len(ink), left : left + ink.shape[1]]
        cover = ink[..., 3:].astype(np.float32) / 255.0
        part[:] = (part + cover * (ink[..., :3].astype(np.float32) - part) + 0.5).astype(np.uint8)

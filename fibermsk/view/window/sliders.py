"""Panel of sliders for the coordinates of a model: layout, picture and hit test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fibermsk.results.still import FreeCoordinate, MuscleLine
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.looks import Theme

WIDTH = 360
"""Of the panel, in pixels."""

_EDGE, _ROW, _HEAD, _LINE = 16, 50, 46, 19
_MOST_ARMS = 6
"""Most moment arms listed for a muscle, the largest."""
_FOOT = 76 + _LINE * _MOST_ARMS


class SliderState(NamedTuple):
    """State that the panel shows."""

    coordinates: tuple[FreeCoordinate, ...]
    values: tuple[float, ...]  # of all coordinates [rad or m]
    page: int
    muscle: str | None
    line: MuscleLine | None  # of the muscle
    n_unsolved: int  # muscles without a path in this pose


class Slider(NamedTuple):
    """Slider of a coordinate: its number and track, in pixels from the top left of the panel."""

    number: int
    left: int
    right: int
    y: int


class Sliders:
    """Panel of a height; `pages` hold all coordinates."""

    def __init__(self, state: SliderState, height: int) -> None:
        self.state, self.height = state, height
        each = max((height - _HEAD - _FOOT) // _ROW, 1)
        self.pages = max(math.ceil(len(state.coordinates) / each), 1)
        first = each * min(state.page, self.pages - 1)
        last = min(first + each, len(state.coordinates))
        self.sliders = [
            Slider(k, _EDGE, WIDTH - _EDGE, _HEAD + _ROW * (k - first) + 26)
            for k in range(first, last)
        ]
        top = height - _FOOT + 6
        self.buttons = {"start pose": (WIDTH - _EDGE - 88, 9, WIDTH - _EDGE, 35)}
        if self.pages > 1:
            self.buttons["next page"] = (WIDTH - _EDGE - 186, 9, WIDTH - _EDGE - 96, 35)
        if state.muscle is not None:
            self.buttons["previous muscle"] = (
                WIDTH - _EDGE - 60,
                top,
                WIDTH - _EDGE - 32,
                top + 24,
            )
            self.buttons["next muscle"] = (WIDTH - _EDGE - 28, top, WIDTH - _EDGE, top + 24)

    def hit(self, x: float, down: float) -> str | int | None:
        """Action of a button, or number of a coordinate; None elsewhere."""
        for action, (left, top, right, bottom) in self.buttons.items():
            if left <= x <= right and top <= down <= bottom:
                return action
        for one in self.sliders:
            if one.left - 10 <= x <= one.right + 10 and abs(down - one.y) <= 11:
                return one.number
        return None

    def value_at(self, number: int, x: float) -> float:
        """Value of a coordinate at a position of its slider [rad or m]."""
        one = self.state.coordinates[number]
        part = (x - _EDGE) / (WIDTH - 2 * _EDGE)
        return one.lower + min(max(part, 0.0), 1.0) * (one.upper - one.lower)

    def image(self, theme: Theme) -> NDArray[np.uint8]:
        """Picture of the panel (height, WIDTH, 4)."""
        image = Image.new("RGBA", (WIDTH, self.height), theme.panel)
        draw = ImageDraw.Draw(image)
        draw.line([(0, 0), (0, self.height)], fill=theme.faint)
        draw.text((_EDGE, 22), "coordinates", fill=theme.text, font=font(15), anchor="lm")
        words = {
            "start pose": "start pose",
            "next page": f"page {min(self.state.page, self.pages - 1) + 1} of {self.pages}",
            "previous muscle": "<",
            "next muscle": ">",
        }
        for action, box in self.buttons.items():
            draw.rounded_rectangle(box, 5, fill=theme.background, outline=theme.faint)
            middle = (0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3]))
            draw.text(middle, words[action], fill=theme.text, font=font(13), anchor="mm")
        for slider in self.sliders:
            self._slider(draw, slider, theme)
        self._muscle(draw, theme)
        return np.asarray(image)

    def _slider(self, draw: ImageDraw.ImageDraw, slider: Slider, theme: Theme) -> None:
        one, value = self.state.coordinates[slider.number], self.state.values[slider.number]
        left, right, y = slider.left, slider.right, slider.y
        # z: round-off has no sign
        words = f"{value:z.3f} {one.unit}"
        if one.unit == "rad":
            words += f" ({math.degrees(value):z.1f}°)"
        draw.text((left, y - 17), one.name, fill=theme.text, font=font(13), anchor="lm")
        draw.text((right, y - 17), words, fill=theme.text, font=font(12), anchor="rm")
        part = min(max((value - one.lower) / (one.upper - one.lower), 0.0), 1.0)
        x = left + (right - left) * part
        draw.line([(left, y), (right, y)], fill=theme.faint, width=4)
        draw.line([(left, y), (x, y)], fill=theme.accent, width=4)
        draw.ellipse((x - 7, y - 7, x + 7, y + 7), fill=theme.accent)
        ends = f"{one.lower:.4g} {one.unit}", f"{one.upper:.4g} {one.unit}"
        draw.text((left, y + 14), ends[0], fill=theme.faint, font=font(10), anchor="lm")
        draw.text((right, y + 14), ends[1], fill=theme.faint, font=font(10), anchor="rm")
        if not one.declared:
            words = "the model has no range"
            draw.text((0.5 * WIDTH, y + 14), words, fill=theme.faint, font=font(10), anchor="mm")

    def _muscle(self, draw: ImageDraw.ImageDraw, theme: Theme) -> None:
        """Length and moment arms of the chosen muscle."""
        state, y = self.state, self.height - _FOOT
        if state.n_unsolved:
            one = state.n_unsolved == 1
            words = "1 muscle has" if one else f"{state.n_unsolved} muscles have"
            words += " no taut path here: gray, straight"
            draw.text((_EDGE, y - 8), words, fill=theme.accent, font=font(11), anchor="lm")
        draw.line([(_EDGE, y), (WIDTH - _EDGE, y)], fill=theme.faint)
        if state.muscle is None or state.line is None:
            draw.text(
                (_EDGE, y + 18),
                "click a muscle for its length and moment arms",
                fill=theme.faint,
                font=font(13),
                anchor="lm",
            )
            return
        draw.text((_EDGE, y + 18), state.muscle, fill=theme.text, font=font(15), anchor="lm")
        y += 44
        if state.line.problem:
            for row in _rows(state.line.problem, WIDTH - 2 * _EDGE):
                draw.text((_EDGE, y), row, fill=theme.text, font=font(11), anchor="lm")
                y += 15
            return
        units = {one.name: one.unit for one in state.coordinates}
        arms = sorted(state.line.moment_arms, key=lambda one: -abs(one[1]))
        rows = [("length", f"{1e3 * state.line.length:.2f} mm")]
        for name, arm in arms[:_MOST_ARMS]:
            turns = units.get(name) != "m"
            rows.append((f"arm, {name}", f"{1e3 * arm:.2f} mm" if turns else f"{arm:.4f}"))
        if left := len(arms) - _MOST_ARMS:
            rows[-1] = (rows[-1][0], rows[-1][1] + (f" (+{left})" if left > 0 else ""))
        for name, value in rows:
            draw.text((_EDGE, y), name, fill=theme.faint, font=font(12), anchor="lm")
            draw.text((WIDTH - _EDGE, y), value, fill=theme.text, font=font(12), anchor="rm")
            y += _LINE


def _rows(words: str, width: int) -> list[str]:
    """Text in rows of a width in pixels."""
    rows = [""]
    for word in words.split():
        longer = f"{rows[-1]} {word}".strip()
        if font(11).getlength(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(word)
    return rows[:8]

"""Toolbar of a window: layout, picture and hit test of buttons and time slider."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fibermsk.view.drawing.camera import PRESETS
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.looks import Theme
from fibermsk.view.fields import field_words

_ROW = 42
"""Height of a row of buttons, in pixels."""
HEIGHT = 2 * _ROW
"""Least height of the toolbar, that of a wide window."""
_PART = 0.4
"""Largest part of a small window that it takes."""
_GAP = 8
_FONT = 13
_TIME_WIDTH = 150
_LEAST_TRACK = 60


class ToolbarState(NamedTuple):
    """State that the toolbar shows."""

    times: tuple[float, float]  # first and last [s]
    time: float
    playing: bool
    loop: bool
    speed: float  # 1 is real time
    field: str | None  # that colors the fibers
    arrows: tuple[str, ...]
    dark: bool
    help: bool  # whether the keys are listed
    preset: str
    charts: bool = False  # whether charts of measures are shown
    names: bool | None = None  # whether muscles have their names; None without muscles


class Button(NamedTuple):
    """Button, in pixels from the left and from the top of the toolbar."""

    action: str  # such as "toggle" or "look front"
    words: str  # an icon if empty
    left: int
    top: int
    right: int
    bottom: int
    on: bool = False


def rows_within(height: int) -> int:
    """Most rows of the toolbar of a window of so many pixels."""
    return max(int(_PART * height) // _ROW, 2)


class Toolbar:
    """Toolbar of a width, with as many rows as its buttons need, `most_rows` at most.

    `most_rows` are two at least; `height` in pixels; `track`: left and right end of the time slider
    in pixels; equal without a slider.
    """

    def __init__(self, state: ToolbarState, width: int, most_rows: int = 2) -> None:
        self.state, self.width, self._most = state, width, most_rows
        self.buttons: list[Button] = []
        self.track, self._track_row, self._row = (0, 0), 0, 0
        moving = state.times[1] > state.times[0]
        x = _GAP
        if moving:
            for action, on in (("previous", False), ("toggle", state.playing), ("next", False)):
                x = self._put(action, "", x, on, wide=34)
            x = self._put("loop", "loop", x, state.loop)
            x = self._put("charts", "charts", x, state.charts)
            if state.names is not None:
                x = self._put("names", "names", x, state.names)
            x = self._put("slower", "−", x, wide=26)
            x = self._put("real time", f"{state.speed:g}×", x, wide=48)
            x = self._put("faster", "+", x, wide=26)
            left, right = x + 14, width - _TIME_WIDTH
            if right - left < _LEAST_TRACK and self._row + 2 < most_rows:
                self._row += 1
                left = _GAP + 14
            if right - left >= _LEAST_TRACK:
                self.track, self._track_row = (left, right), self._row
        self._row += 1
        x = _GAP
        if state.field is not None:
            words = field_words(state.field)
            x = self._put("next field", f"color: {words}", x, wide=168)
            for kind in ("attachment", "contact"):
                on = kind in state.arrows
                x = self._put(f"arrows {kind}", f"{kind} forces", x, on)
        x = self._put("theme", "dark", x, state.dark) + _GAP
        for preset in PRESETS:
            x = self._put(f"look {preset}", preset, x, state.preset == preset)
        x += _GAP
        self._put("help", "keys", x, state.help)
        self.height = _ROW * min(self._row + 1, most_rows)

    def hit(self, x: float, y: float) -> str | None:
        """Action at a pixel from the left and the bottom, ``"seek"`` on the slider; or None."""
        down = self.height - 1 - y
        for button in self.buttons:
            if button.left <= x <= button.right and button.top <= down <= button.bottom:
                return button.action
        left, right = self.track
        row = down // _ROW
        if right > left and left - 10 <= x <= right + 10 and row == self._track_row:
            return "seek"
        return None

    def time_at(self, x: float) -> float:
        """Time at a position of the slider [s]."""
        (first, last), (left, right) = self.state.times, self.track
        part = min(max((x - left) / max(right - left, 1), 0.0), 1.0)
        return first + part * (last - first)

    def image(self, theme: Theme) -> NDArray[np.uint8]:
        """Picture of the toolbar (height, width, 4)."""
        image = Image.new("RGBA", (self.width, self.height), theme.panel)
        draw = ImageDraw.Draw(image)
        draw.line([(0, 0), (self.width, 0)], fill=theme.faint)
        for button in self.buttons:
            fill = theme.accent if button.on else theme.background
            ink = theme.background if button.on else theme.text
            box = (button.left, button.top, button.right, button.bottom)
            draw.rounded_rectangle(box, 5, fill=fill, outline=theme.faint)
            middle = (0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3]))
            if button.words:
                draw.text(middle, button.words, fill=ink, font=font(_FONT), anchor="mm")
            else:
                _sign(draw, button.action, middle, ink, self.state.playing)
        left, right = self.track
        if right > left:
            y = _ROW * self._track_row + _ROW // 2 + 2
            first, last = self.state.times
            x = left + (right - left) * (self.state.time - first) / (last - first)
            draw.line([(left, y), (right, y)], fill=theme.faint, width=4)
            draw.line([(left, y), (x, y)], fill=theme.accent, width=4)
            draw.ellipse((x - 8, y - 8, x + 8, y + 8), fill=theme.accent)
            words = f"{self.state.time:.3f} / {last:.3f} s"
            draw.text((right + 18, y), words, fill=theme.text, font=font(_FONT), anchor="lm")
        return np.asarray(image)

    def _put(self, action: str, words: str, x: int, on: bool = False, *, wide: int = 0) -> int:
        """Append a button, in the next row if it does not fit in this one.

        Returns the position of the one after. There is none beyond the last row.
        """
        width = max(wide, round(font(_FONT).getlength(words)) + 18)
        if x + width > self.width - _GAP and x > _GAP:
            self._row += 1
            x = _GAP
        right, top = x + width, self._row * _ROW + 7
        if right <= self.width - _GAP and self._row < self._most:
            self.buttons.append(Button(action, words, x, top, right, top + _ROW - 13, on))
        return right + _GAP


def _sign(
    draw: ImageDraw.ImageDraw,
    action: str,
    middle: tuple[float, float],
    ink: str,
    playing: bool,
) -> None:
    """Icon of a playback button."""
    x, y = middle
    if action == "toggle" and playing:
        draw.rectangle((x - 6, y - 7, x - 2, y + 7), fill=ink)
        draw.rectangle((x + 2, y - 7, x + 6, y + 7), fill=ink)
    elif action == "toggle":
        draw.polygon([(x - 5, y - 8), (x - 5, y + 8), (x + 8, y)], fill=ink)
    else:
        s = 1 if action == "next" else -1
        draw.polygon([(x - 6 * s, y - 6), (x - 6 * s, y + 6), (x + 4 * s, y)], fill=ink)
        draw.line([(x + 6 * s, y - 6), (x + 6 * s, y + 6)], fill=ink, width=2)

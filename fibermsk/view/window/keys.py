"""Keys of the window."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from fibermsk.view.drawing.camera import PRESETS
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.looks import find_theme

KEYS = {
    "space": "play or pause",
    "left, right": "previous, next frame",
    "home or backspace, end": "first, last frame",
    "- +": "slower, faster",
    "l": "repeat at the end",
    "g": "charts of measures, below; a click goes to its time",
    "c": "next field that colors fibers",
    "a": "arrows: attachment, contact, both, none",
    "n": "names of muscles of a result",
    "t": "light or dark",
    "r": "show everything",
    "1 to 6": "front, back, left, right, top, bottom",
    "[ ]": "previous, next of these views",
    "tab": "hide or show toolbar and charts",
    "left, right, middle drag": "turn, shift, zoom; the wheel zooms",
    "click a fiber or muscle": "show its numbers; empty space clears",
    "esc": "deselect the fiber or muscle",
    "m": "next muscle of a model",
    "p": "start pose of a model",
    "h or F1": "show or hide the keys",
    "q": "close",
}
"""Descriptions of keys and clicks."""

KEY_ACTIONS = {
    "space": "toggle",
    "left": "previous",
    "right": "next",
    "home": "first",
    "backspace": "first",
    "end": "last",
    "minus": "slower",
    "kp_subtract": "slower",
    "plus": "faster",
    "equal": "faster",
    "kp_add": "faster",
    "l": "loop",
    "g": "charts",
    "bracketleft": "previous view",
    "bracketright": "next view",
    "tab": "bare",
    "f1": "help",
    "c": "next field",
    "a": "next arrows",
    "n": "names",
    "t": "theme",
    "r": "look fit",
    "h": "help",
    "question": "help",
    "escape": "no fiber",
    "m": "next muscle",
    "p": "start pose",
    "q": "close",
} | {str(k): f"look {preset}" for k, preset in enumerate(PRESETS[1:], 1)}
"""Action of `Window.do` for each key, in lower case."""


def keys_image(theme_name: str) -> NDArray[np.uint8]:
    """Picture of the list of keys (height, width, 4)."""
    theme = find_theme(theme_name)
    image = Image.new("RGBA", (600, 48 + 26 * len(KEYS)), theme.panel)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, image.width - 1, image.height - 1), outline=theme.faint)
    for k, (keys, words) in enumerate(KEYS.items()):
        y = 37 + 26 * k
        draw.text((210, y), keys, fill=theme.accent, font=font(14), anchor="rm")
        draw.text((230, y), words, fill=theme.text, font=font(14), anchor="lm")
    return np.asarray(image)

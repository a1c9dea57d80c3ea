"""Figures for text, widths of words, and words that keep to their room.

Sizes of letters and their room are in pixels of a picture of at most 1200 x 900, a "page"; a larger
picture has more pixels for each of these, its `scale`.
"""

from __future__ import annotations

from collections.abc import Sequence
from os.path import commonprefix
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

DPI = 100
_PAGE = 1200, 900
"""Width and height from which letters grow with a picture, in pixels."""
SMALLEST = 8.0
"""Smallest size of a font [points]."""
_LINE = 1.45
"""Height of a line over the size of the font, both in pixels."""
_MOST_LINES = 3
"""Most lines of the name of a result."""


def page_of(size: tuple[int, int]) -> tuple[tuple[float, float], float]:
    """Width and height of the page of a picture of some pixels, and its scale."""
    scale = max(1.0, min(size[0] / _PAGE[0], size[1] / _PAGE[1]))
    return (size[0] / scale, size[1] / scale), scale


def page(size: tuple[float, float], scale: float, **look: Any) -> Figure:
    """Figure of a page."""
    return Figure(figsize=(size[0] / DPI, size[1] / DPI), dpi=scale * DPI, **look)


def pixels_of(figure: Figure) -> Affine2D:
    """Transform from pixels of a page."""
    return Affine2D().scale(figure.dpi / DPI)


def width_of(text: Text) -> float:
    """Width of a text of a page."""
    figure: Any = text.figure
    return float(text.get_window_extent().width * DPI / figure.dpi)


def wrapped(words: str, points: float, room: float) -> str:
    """Words in as many lines as keep them within so many pixels, at a font size in points."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and extent(longer, points) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def told_apart(names: Sequence[str], points: float, room: float) -> list[str]:
    """Names in lines that keep within so many pixels, without letters that they have in common."""
    lines = [wrapped(name, points, room) for name in names]
    every = [line for name in lines for line in name.split("\n")]
    if max((extent(line, points) for line in every), default=0.0) <= room:
        if max((name.count("\n") for name in lines), default=0) < _MOST_LINES:
            return lines
    alike = max(len(commonprefix(list(names))) - 1, 0) if len(names) > 1 else 0
    return [_without_middle(name, alike, points, room) for name in names]


def _without_middle(name: str, end: int, points: float, room: float) -> str:
    """A name of at most some pixels, without letters before the one at `end`, then its last."""
    shorter = name
    for k in range(end - 1, -1, -1):
        if extent(shorter, points) <= room:
            return shorter
        shorter = f"{name[:k]}…{name[end:]}"
    while extent(shorter, points) > room and len(shorter) > 4:
        shorter = shorter.rstrip("…")[:-1] + "…"
    return shorter


def text_height(words: str, points: float) -> float:
    """Height of lines [pixels]."""
    return (1 + words.count("\n")) * _LINE * points * DPI / 72.0


def extent(words: str, points: float) -> float:
    """Width of words [pixels]."""
    return float(TextPath((0.0, 0.0), words, size=points * DPI / 72.0).get_extents().width)


def shorten(text: Text, room: float) -> None:
    """Leave out the last letters of a text that is wider than some pixels."""
    while width_of(text) > room and len(text.get_text()) > 4:
        text.set_text(text.get_text().rstrip("…")[:-1] + "…")


def squeeze(text: Text, room: float) -> None:
    """Write a text smaller that is wider than some pixels."""
    size = float(text.get_fontsize())
    while width_of(text) > room and size > SMALLEST:
        size *= 0.95
        text.set_fontsize(size)
    shorten(text, room)

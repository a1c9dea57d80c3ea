"""Legend of colors below the scene of a tall picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from fibermsk.results.result import Result
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.legend import (
    color_bar,
    color_label,
    overlaid_tones,
    swatches,
)
from fibermsk.view.pictures.lettering import extent, page, pixels_of, shorten

_HEIGHT, _LINE = 62, 20
"""Height of the color scale with its numbers and words, and of the name of a result, in pixels."""
_EDGE = 24.0
"""Room at both sides, for halves of numbers."""
_LOW, _HIGH, _WORDS = 25.0, 36.0, 48.0
"""Edges of the color scale, and the middle of the words above it, in pixels from its lowest."""
_SWATCH = 11.0
"""Side of a square of a color."""
_PER_NUMBER = 48.0
"""Pixels between two numbers."""


def lying_height(names: Sequence[str]) -> int:
    """Height of a legend with the names of overlaid results, in pixels."""
    return _HEIGHT + _LINE * len(names)


def lying_legend(
    stage: Stage,
    size: tuple[int, int],
    results: Sequence[Result],
    names: Sequence[str],
    scale: float = 1.0,
) -> NDArray[np.uint8]:
    """Picture (height, width, 3) of the color scale of results, and of names of overlaid ones."""
    canvas = FigureCanvasAgg(lying_figure(stage, size, results, names, scale))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def lying_figure(
    stage: Stage,
    size: tuple[int, int],
    results: Sequence[Result],
    names: Sequence[str],
    scale: float = 1.0,
) -> Figure:
    """The same as a figure."""
    theme, (width, height) = stage.theme, (size[0] / scale, size[1] / scale)
    figure = page((width, height), scale, facecolor=theme.background)
    pixels = pixels_of(figure)
    style: dict[str, Any] = {"fontsize": 9.5, "color": theme.text, "va": "center"}
    style["transform"] = pixels

    def square(x: float, y: float, color: Any, **edge: Any) -> None:
        corner = (x, y - 0.5 * _SWATCH)
        look = {"linewidth": 0.0, "facecolor": color, "transform": pixels} | edge
        figure.add_artist(Rectangle(corner, _SWATCH, _SWATCH, **look))

    low, wide = height - _HEIGHT, width - 2.0 * _EDGE
    box = _EDGE / width, (low + _LOW) / height, wide / width, (_HIGH - _LOW) / height
    axes = figure.add_axes(box)
    color_bar(axes, stage, "horizontal")
    axes.xaxis.set_major_locator(MaxNLocator(max(int(wide / _PER_NUMBER), 1), steps=[1, 2, 5, 10]))
    axes.tick_params(colors=theme.text, labelsize=9)
    label = color_label(stage)[0].removesuffix(" [-]")
    figure.text(_EDGE, low + _WORDS, label, **style)
    right = width - _EDGE
    for words, color in reversed(swatches(stage, results)):
        place = right - extent(words, 9.5)
        right = place - 2.0 * _SWATCH - 6.0
        if place - _SWATCH - 16.0 > _EDGE + extent(label, 9.5):
            figure.text(place, low + _WORDS, words, **style)
            square(place - _SWATCH - 6.0, low + _WORDS, color, edgecolor=theme.faint, linewidth=0.6)
    for k, name in enumerate(names):
        y = low - (k + 0.5) * _LINE
        tones = overlaid_tones(stage, k)
        for i, tone in enumerate(tones):
            square(_EDGE + _SWATCH * i, y, tone)
        before = _EDGE + len(tones) * _SWATCH + 6.0
        text = figure.text(before, y, name, **style)
        FigureCanvasAgg(figure)
        shorten(text, width - _EDGE - before)
    return figure

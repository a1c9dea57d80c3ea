"""Legend of colors and arrows beside the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrow, Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from fibermsk.results.result import Result
from fibermsk.view.drawing.arrows import ArrowScale
from fibermsk.view.drawing.colors import TENDON_COLOR, UNKNOWN_COLOR
from fibermsk.view.drawing.looks import ARROW_COLORS, ghostly
from fibermsk.view.drawing.stage import GHOST, Stage
from fibermsk.view.fields import OF_MUSCLE, field_of
from fibermsk.view.pictures.lettering import (
    extent,
    page,
    pixels_of,
    text_height,
    told_apart,
    wrapped,
)

_PREFIXES = {-3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}
_EDGE = 10.0
"""Room that is left at the right of the legend, in pixels."""
_LEAST = 60.0
"""Least height of the scale of colors, in pixels."""
_LOWEST = 4.0
"""Room that is left below the legend, in pixels."""
_BAR = 15.0
"""Width of a color scale in pixels."""
_NAMED = 39.0
"""Distance of the names of overlaid results from the left edge, in pixels."""


def tissues(results: Sequence[Result]) -> tuple[str, ...]:
    """Tissues of the fibers, of tendon and muscle, in the order of the color scales."""
    fractions = [f.muscle_fraction for result in results for f in result.drawn.values()]
    if not fractions:
        return ()
    low, high = min(float(f.min()) for f in fractions), max(float(f.max()) for f in fractions)
    return (*(("tendon",) if low < 0.5 else ()), *(("muscle",) if high >= 0.5 else ()))


def swatches(stage: Stage, results: Sequence[Result]) -> list[tuple[str, str]]:
    """Words and colors of squares below the color scale."""
    found = list[tuple[str, str]]()
    if stage.color_by in OF_MUSCLE and "tendon" in tissues(results):
        found.append(("tendon", TENDON_COLOR))
    if stage.lines_are_gray:
        found.append(("line muscle", UNKNOWN_COLOR))
    return found


def prefixed(label: str, greatest: float) -> tuple[str, float]:
    """Label with a prefix of its unit such as ``"axial stress [kPa]"``, and the factor to it.

    `greatest` is the largest magnitude in the unit of the label.
    """
    words, _, unit = label.partition(" [")
    unit = unit.rstrip("]")
    if unit in ("", "-") or not (np.isfinite(greatest) and greatest > 0.0):
        return label, 1.0
    power = int(np.clip(np.floor(np.log10(greatest * (1.0 + 1e-9)) / 3.0), -3, 3))
    return f"{words} [{_PREFIXES[power]}{unit}]", 10.0 ** (-3 * power)


def color_label(stage: Stage) -> tuple[str, float]:
    """Label of the color scale, and the factor to its unit."""
    greatest = max(abs(value) for value in stage.limits)
    return prefixed(field_of(stage.color_by).axis_label, greatest)


def color_bar(
    axes: Axes, stage: Stage, orientation: Literal["vertical", "horizontal"] = "vertical"
) -> tuple[Colorbar, str]:
    """Color scale of the fibers in some axes, and its label: of the tissue that of muscle."""
    label, factor = color_label(stage)
    limits = Normalize(factor * stage.limits[0], factor * stage.limits[1])
    colors = ListedColormap(stage.colors[1] / 255.0)
    bar = axes.figure.colorbar(ScalarMappable(limits, colors), cax=axes, orientation=orientation)
    bar.outline.set_visible(False)
    return bar, label


def overlaid_tones(stage: Stage, k: int) -> list[tuple[float, ...]]:
    """Colors of bones, tendon and muscle of overlaid result number k, of which the first is solid.

    `stage` is that of the solid one.
    """
    bones = [piece.color for piece in stage.pieces if piece.body and piece.opacity == 1.0][:1]
    tones = [color if k == 0 else ghostly(color) for color in bones]
    tones += [tuple(color) for color in stage.colors[:, 150] / 255.0]
    return [(*tone, 1.0 if k == 0 else GHOST) for tone in tones]


def draw_legend(
    figure: Figure,
    stage: Stage,
    left: float,
    size: tuple[float, float],
    *,
    results: Sequence[Result] = (),
    names: Sequence[str] = (),
) -> None:
    """Draw the legend of a stage, about 150 pixels wide, from `left` pixels on.

    `results` are those with colored fibers, by default that of the stage; `names` those of overlaid
    results, the solid one first.
    """
    width, height = size
    room = width - left - _EDGE
    theme = stage.theme
    pixels = pixels_of(figure)

    def write(x: float, y: float, words: str, **style: Any) -> Any:
        style = {"fontsize": 9, "color": theme.text, "va": "top"} | style
        return figure.text(x, y, words, transform=pixels, **style)

    keys = [_Key.of(kind, arrows.scale, room) for kind, arrows in stage.arrows.items()]
    names = told_apart(names, 9.0, room - _NAMED)
    gap = max(0.05 * height, 14.0)
    below = sum(key.height + 10.0 for key in keys)
    below += sum(text_height(name, 9.0) + 7.0 for name in names)
    top = low = 0.84 * height
    if stage.colored:
        label = color_label(stage)[0]
        words, _, unit = label.partition(" [")
        unit = unit.rstrip("]")
        words = wrapped(words, 9.5, room)
        named = words if unit in ("", "-") else f"{words}\n[{unit}]"
        top = min(top, height - 8.0 - text_height(named, 9.5))
        squares = swatches(stage, results or [stage.result])
        # the scale leaves its room to what is below
        low = max(0.36 * height, min(below + gap + 26.0 * len(squares), top - _LEAST))
        axes = figure.add_axes((left / width, low / height, _BAR / width, (top - low) / height))
        color_bar(axes, stage)
        axes.yaxis.set_major_locator(
            MaxNLocator(max(int((top - low) / 42.0), 1), steps=[1, 2, 2.5, 5, 10])
        )
        axes.tick_params(colors=theme.text, labelsize=9)
        write(left, top + 8.0, named, va="bottom", fontsize=9.5, linespacing=1.1)
        for words, color in squares:
            low -= 26.0
            square = Rectangle(
                (left, low), _BAR, _BAR, facecolor=color, edgecolor=theme.faint, linewidth=0.6,
                transform=pixels,
            )  # fmt: skip
            figure.add_artist(square)
            write(left + _BAR + 6.0, low + 0.5 * _BAR, words, va="center")
    y = low - gap
    for key in keys:
        if y - key.height < _LOWEST:
            break
        arrow = FancyArrow(
            left, y - 7.0, 28.0, 0.0, width=3.0, head_width=9.0, head_length=12.0,
            length_includes_head=True, color=ARROW_COLORS[key.kind], linewidth=0, transform=pixels,
        )  # fmt: skip
        figure.add_artist(arrow)
        write(left + key.beside, y if key.beside else y - 17.0, key.scale)
        write(left, y - key.down, key.words, fontsize=8.5, color=theme.faint)
        y -= key.height + 10.0
    for k, name in enumerate(names):
        if y - text_height(name, 9.0) < _LOWEST:
            break
        for i, tone in enumerate(overlaid_tones(stage, k)):
            corner = (left + 11.0 * i, y - 12.0)
            figure.add_artist(
                Rectangle(corner, 11.0, 11.0, color=tone, linewidth=0, transform=pixels)
            )
        write(left + _NAMED, y, name)
        y -= text_height(name, 9.0) + 7.0


class _Key(NamedTuple):
    """Lines beside and below the arrow of a kind."""

    kind: str
    scale: str
    words: str
    beside: float  # pixels from the arrow's tail to the words of its scale; 0 if these are below
    down: float  # pixels from the top to the lower words
    height: float  # of all [pixels]

    @classmethod
    def of(cls, kind: str, arrows: ArrowScale, room: float) -> _Key:
        """Lines of a kind within so many pixels."""
        scale, beside = _scale_words(arrows), 33.0
        if extent(scale, 9.0) > room - beside:
            # below the arrow, in one line or two
            scale = scale if extent(scale, 9.0) <= room else scale.replace(" = ", "\n= ")
            beside = 0.0
        words = wrapped(_kind_words(kind, arrows), 8.5, room)
        down = 17.0 + (0.0 if beside else text_height(scale, 9.0))
        return cls(kind, scale, words, beside, down, down + text_height(words, 8.5))


def legend_image(stage: Stage, width: int, height: int, **more: Any) -> NDArray[np.uint8]:
    """Legend on a transparent background (height, width, 4)."""
    figure = page((width, height), 1.0)
    figure.patch.set_alpha(0.0)
    canvas = FigureCanvasAgg(figure)
    draw_legend(figure, stage, 8.0, (width, height), **more)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


def _kind_words(kind: str, scale: ArrowScale) -> str:
    """Meaning of the arrows of a kind."""
    if kind == "attachment":
        return "fiber on bone"
    return "contact, per element" if scale.share == 1 else f"contact, per {scale.share} elements"


def _scale_words(scale: ArrowScale) -> str:
    """Length of an arrow of the reference force."""
    if scale.longest == 0.0:
        return "none in this run"
    label, factor = prefixed("force [N]", scale.force)
    unit = label.partition("[")[2].rstrip("]")
    length = 1000.0 * scale.length
    words = f"{length / 10.0:.2g} cm" if length >= 10.0 else f"{length:.2g} mm"
    return f"{scale.force * factor:g} {unit} = {words}"

"""Legend of colors and arrows beside the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrow, Rectangle
from numpy.typing import NDArray

from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.result import Result
from fibermsk.view.drawing.arrows import ArrowScale
from fibermsk.view.drawing.looks import ARROW_COLORS, Theme, color_table

__all__ = ["Legend", "draw_legend", "legend_image", "prefixed", "tissues"]

_DPI = 100
_PREFIXES = {-3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}
_BAR = 15.0
"""Width of a color scale in pixels."""


@dataclass(frozen=True)
class Legend:
    """What a legend explains.

    Attributes
    ----------
    theme : Theme
        Colors of words.
    color_by : str or None
        Field that colors fibers; None where there are none.
    limits : (float, float)
        Values at the ends of the color scale.
    tissues : tuple of str
        Of ``"tendon"`` and ``"muscle"``, those that fibers have.
    arrows : dict of ArrowScale
        By kind.
    names : tuple of str
        Of results that lie over each other, the solid one first.
    """

    theme: Theme
    color_by: str | None
    limits: tuple[float, float]
    tissues: tuple[str, ...] = ("muscle",)
    arrows: Mapping[str, ArrowScale] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to explain."""
        return bool(self.color_by or self.arrows or self.names)


def tissues(results: Sequence[Result]) -> tuple[str, ...]:
    """Of tendon and muscle, those that fibers are made of, in the order of the color scales."""
    fractions = [f.muscle_fraction for result in results for f in result.fibers.values()]
    if not fractions:
        return ()
    low, high = min(float(f.min()) for f in fractions), max(float(f.max()) for f in fractions)
    return (*(("tendon",) if low < 0.5 else ()), *(("muscle",) if high >= 0.5 else ()))


def prefixed(label: str, greatest: float) -> tuple[str, float]:
    """Label with a prefix of its unit so that numbers are handy, and the factor to them.

    Parameters
    ----------
    label : str
        As of `fibermsk.results.Field.axis_label`: words and the unit in brackets.
    greatest : float
        Greatest magnitude, in the unit of the label.

    Returns
    -------
    label : str
        For example ``"axial stress [kPa]"``; one without a unit stays.
    factor : float
        Numbers in the new unit over those in the old one.
    """
    words, _, unit = label.partition(" [")
    unit = unit.rstrip("]")
    if unit in ("", "-") or not (np.isfinite(greatest) and greatest > 0.0):
        return label, 1.0
    power = int(np.clip(np.floor(np.log10(greatest * (1.0 + 1e-9)) / 3.0), -3, 3))
    return f"{words} [{_PREFIXES[power]}{unit}]", 10.0 ** (-3 * power)


def draw_legend(figure: Figure, legend: Legend, left: float, size: tuple[int, int]) -> None:
    """Draw a legend on a figure.

    Parameters
    ----------
    figure : Figure
        Any; its size in pixels must be `size`.
    legend : Legend
        What to explain.
    left : float
        Where the legend begins, in pixels from the left; it is about 150 pixels wide.
    size : (int, int)
        Width and height of the figure in pixels.
    """
    width, height = size
    theme = legend.theme
    top, low = 0.84 * height, 0.84 * height
    if legend.color_by is not None and legend.tissues:
        bottom = 0.3 * height
        label, factor = prefixed(
            FIBER_FIELDS[legend.color_by].axis_label, max(abs(value) for value in legend.limits)
        )
        limits = Normalize(factor * legend.limits[0], factor * legend.limits[1])
        last = len(legend.tissues) - 1
        for k, tissue in enumerate(legend.tissues):
            box = (left + k * (_BAR + 5.0), bottom, _BAR, top - bottom)
            axes = figure.add_axes(
                (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
            )
            colors = ListedColormap(color_table()[int(tissue == "muscle")] / 255.0)
            bar = figure.colorbar(ScalarMappable(limits, colors), cax=axes)
            bar.outline.set_visible(False)
            if k == last:
                bar.set_label(label, color=theme.text, fontsize=10)
                axes.tick_params(colors=theme.text, labelsize=9)
            else:
                bar.set_ticks([])
            figure.text(
                (box[0] + 0.5 * _BAR) / width,
                (top + 6.0) / height,
                tissue,
                rotation=60,
                ha="left",
                va="bottom",
                rotation_mode="anchor",
                fontsize=9,
                color=theme.text,
            )
        low = bottom
    y = low - 0.05 * height
    for kind, scale in legend.arrows.items():
        if y < 30.0:
            break
        color = ARROW_COLORS[kind]
        x0, x1, middle = left / width, (left + 34.0) / width, (y - 7.0) / height
        figure.add_artist(
            FancyArrow(
                x0, middle, x1 - x0, 0.0, width=3.0 / height, head_width=9.0 / height,
                head_length=12.0 / width, length_includes_head=True, color=color, linewidth=0,
                transform=figure.transFigure,
            )
        )  # fmt: skip
        words = _scale_words(scale)
        figure.text(
            (left + 40.0) / width, y / height, words, fontsize=9, va="top", color=theme.text
        )
        figure.text(
            x0,
            (y - 17.0) / height,
            _kind_words(kind, scale),
            fontsize=8.5,
            va="top",
            color=theme.faint,
        )
        y -= 40.0
    for k, name in enumerate(legend.names):
        opacity = 1.0 if k == 0 else 0.4
        for i, color in enumerate((color_table()[0, 150], color_table()[1, 150])):
            box = ((left + 11.0 * i) / width, (y - 12.0) / height)
            tone = (*to_rgb(tuple(color / 255.0)), opacity)
            figure.add_artist(
                Rectangle(
                    box, 11.0 / width, 11.0 / height, color=tone, linewidth=0,
                    transform=figure.transFigure,
                )
            )  # fmt: skip
        shown = name if len(name) <= 18 else name[:17] + "…"
        figure.text(
            (left + 28.0) / width, y / height, shown, fontsize=9, va="top", color=theme.text
        )
        y -= 20.0


def legend_image(legend: Legend, width: int, height: int) -> NDArray[np.uint8]:
    """A legend by itself on a transparent ground, (height, width, 4)."""
    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI)
    figure.patch.set_alpha(0.0)
    canvas = FigureCanvasAgg(figure)
    draw_legend(figure, legend, 8.0, (width, height))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


def _kind_words(kind: str, scale: ArrowScale) -> str:
    """What the arrows of a kind are."""
    if kind == "attachment":
        return "fiber on bone"
    return "contact, per element" if scale.share == 1 else f"contact, per {scale.share} elements"


def _scale_words(scale: ArrowScale) -> str:
    """Length of an arrow of a round force."""
    if scale.longest == 0.0:
        return "none in this run"
    label, factor = prefixed("force [N]", scale.force)
    unit = label.partition("[")[2].rstrip("]")
    length = 1000.0 * scale.length
    words = f"{length / 10.0:.2g} cm" if length >= 10.0 else f"{length:.2g} mm"
    return f"{scale.force * factor:g} {unit} = {words}"

"""Strip of charts of measures over time, with marks at the current time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.results.measures import Asked, Measure, measures_of
from fibermsk.results.result import Result
from fibermsk.view.drawing.looks import Theme
from fibermsk.view.pictures.legend import prefixed
from fibermsk.view.pictures.lettering import squeeze

_DPI = 100
LINE_COLORS = ("#c03a3f", "#457797", "#7a9a3c", "#8b62ad")
DASHES = ("-", "--", "-.", ":")
"""Looks of the lines of several results, in their order."""

_PREFIXED = ("m", "m/s", "N", "N/m", "N m", "Pa", "W")
"""Units that get a prefix."""
_NUMBER = 66.0
"""Room of a number beside the name of its measure, in pixels."""
_NAME = 90.0
"""Least room of a name beside numbers, in pixels."""
_EDGES = 62.0, 14.0, 34.0, 24.0
"""Room at the left, right, top and bottom of a chart, in pixels."""


def strip_height(height: int) -> int:
    """Height of a strip in a picture of a height, in pixels."""
    return int(np.clip(0.24 * height, 84, 190))


class Charts:
    """One chart for each measure, side by side, with a line for each result.

    Measures as for `measures_of`; values of the user's own belong to the first result. Several
    results have `names` in the first chart.
    """

    def __init__(
        self,
        asked: Asked,
        results: Sequence[Result],
        theme: Theme,
        size: tuple[int, int],
        names: Sequence[str] = (),
    ) -> None:
        self.size = size
        results = results[:1] if isinstance(asked, Mapping) else results
        self._times = [result.time for result in results]
        self._lines = list(zip(*(measures_of(result, asked) for result in results), strict=True))
        width, height = size
        self.figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI)
        self.figure.patch.set_facecolor(theme.background)
        self._canvas = FigureCanvasAgg(self.figure)
        self._boxes: list[tuple[float, float]] = []
        self._marks, self._words, self._values = [], [], []
        each = width / max(len(self._lines), 1)
        for k, line in enumerate(self._lines):
            left, right, top, bottom = _EDGES
            low, high = k * each + left, (k + 1) * each - right
            place = low / width, bottom / height, (high - low) / width
            axes = self.figure.add_axes((*place, 1.0 - (top + bottom) / height))
            self._boxes.append((low, high))
            self._draw(axes, line, theme)
            if k == 0 and len(line) > 1 and names:
                axes.legend(
                    axes.get_lines()[: len(line)], names, fontsize=7.5, loc="best", frameon=False,
                    labelcolor=theme.text, handlelength=1.8, borderpad=0.1, labelspacing=0.2,
                )  # fmt: skip
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(self.figure.bbox)
        self.move(float(self._times[0][0]))

    def _draw(self, axes: Axes, line: Sequence[Measure], theme: Theme) -> None:
        """Curves of one measure in all results, and its marks."""
        shown = [one.shown for one in line]
        finite = [values[np.isfinite(values)] for _, values in shown]
        greatest = max((float(np.max(np.abs(v), initial=0.0)) for v in finite), default=0.0)
        unit, factor = shown[0][0], 1.0
        if unit in _PREFIXED:
            label, factor = prefixed(f"x [{unit}]", greatest)
            unit = label.partition("[")[2].rstrip("]")
        values = [factor * one for _, one in shown]
        self._values.append((values, unit))
        for k, (time, one) in enumerate(zip(self._times, values, strict=True)):
            axes.plot(time, one, DASHES[k], color=LINE_COLORS[k], lw=1.5)
        axes.set_facecolor(theme.background)
        axes.tick_params(colors=theme.faint, labelsize=8, length=3)
        axes.locator_params(axis="y", nbins=3)
        axes.margins(x=0.0, y=0.12)
        first, last = min(t[0] for t in self._times), max(t[-1] for t in self._times)
        if last > first:
            axes.set_xlim(float(first), float(last))
        for side, spine in axes.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(theme.faint)
            spine.set_linewidth(0.6)
        box = axes.get_position()
        top = box.y1 + 20.0 / self.size[1]
        start = box.x0 - 40.0 / self.size[0]
        words = self.figure.text(start, top, line[0].words, fontsize=9.5, va="center")
        words.set_color(theme.text)
        room = (box.x1 - start) * self.size[0] - _NUMBER * len(line) - 8.0
        beside = room >= _NAME
        squeeze(words, room if beside else (box.x1 - start) * self.size[0])
        # left of the numbers of the time axis
        down = box.y0 - 13.0 / self.size[1]
        small = {"fontsize": 8, "ha": "right", "va": "center", "color": theme.faint}
        self.figure.text(box.x0 - 14.0 / self.size[0], down, "t [s]", **small)
        look = {"fontsize": 9.5, "ha": "right", "va": "center", "fontweight": "bold"}
        if not beside:  # the numbers stand below, in the chart
            top -= 18.0 / self.size[1]
        steps = _NUMBER / self.size[0] * np.arange(len(line))[::-1]
        self._words.append([self.figure.text(box.x1 - step, top, "", **look) for step in steps])
        for k, words in enumerate(self._words[-1]):
            words.set_color(LINE_COLORS[k] if len(line) > 1 else theme.text)
        marks = [axes.axvline(float(first), color=theme.accent, lw=1.2)]
        marks += [axes.plot([], [], "o", ms=4.5, color=LINE_COLORS[k])[0] for k in range(len(line))]
        for mark in marks:
            mark.set_visible(False)
        self._marks.append((axes, marks))

    def move(self, time: float) -> None:
        """Set the marks and numbers to a time [s]."""
        frames = [int(np.argmin(np.abs(own - time))) for own in self._times]
        for (values, unit), (_, marks), words in zip(
            self._values, self._marks, self._words, strict=True
        ):
            now = [one[k] for one, k in zip(values, frames, strict=True)]
            marks[0].set_xdata([time, time])
            for mark, own, k, value in zip(marks[1:], self._times, frames, now, strict=True):
                mark.set_data([own[k]], [value])
            for text, value in zip(words, now, strict=True):
                text.set_text(_number(value))
            gap = "" if unit.startswith("°") or not unit else " "
            words[-1].set_text(f"{_number(now[-1])}{gap}{unit}")

    def image(self) -> NDArray[np.uint8]:
        """Picture of the strip (height, width, 3); only marks and numbers are redrawn."""
        self._canvas.restore_region(self._still)
        renderer = self._canvas.get_renderer()
        for (axes, marks), words in zip(self._marks, self._words, strict=True):
            for mark in marks:
                mark.set_visible(True)
                axes.draw_artist(mark)
                mark.set_visible(False)
            for text in words:
                text.draw(renderer)
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()

    def time_at(self, x: float) -> float | None:
        """Time [s] at pixels from the left; None beside the charts."""
        first, last = min(t[0] for t in self._times), max(t[-1] for t in self._times)
        for low, high in self._boxes:
            if low - 6.0 <= x <= high + 6.0:
                return float(first + min(max((x - low) / (high - low), 0.0), 1.0) * (last - first))
        return None


def _number(value: Array | float) -> str:
    """A number with four digits."""
    if not np.isfinite(value):
        return "unknown"
    text = f"{float(value):.4g}"
    # without the exponents of round-off
    return "0" if float(text) == 0.0 or abs(float(value)) < 1e-12 else text

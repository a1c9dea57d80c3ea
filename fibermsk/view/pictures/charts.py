"""Strip of charts of measures over time, with marks at the current time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
from fibermsk.view.pictures.lettering import page, shorten, squeeze, told_apart, width_of

LINE_COLORS = ("#c03a3f", "#457797", "#7a9a3c", "#8b62ad")
DASHES = ("-", "--", "-.", ":")
"""Looks of the lines of several results, in their order."""

_PREFIXED = ("m", "m/s", "N", "N/m", "N m", "Pa", "W")
"""Units that get a prefix."""
_DIGIT, _BESIDE = 8.8, 10.0
"""Widths of a letter of a number and of the room at its left, in pixels."""
_EDGES = 62.0, 20.0, 34.0, 24.0
"""Room at the left, right, top and bottom of a chart, in pixels."""
_NARROWEST, _LOWEST = 205.0, 84
"""Least width of a chart that has others beside it, and least height of a row, in pixels."""
_NAME = 30.0
"""Least room of a name beside numbers, in pixels."""
_NAMES = 15.0
"""Height of the names of results, in pixels."""
_ASIDE = 40.0
"""Pixels that a name begins at the left of its curves."""
_POINTS = 9.5
"""Size of the font of names."""
_SECOND = 17.0
"""Height of a second line above a chart, in pixels."""
_LEAST = 30.0
"""Least height of the curves below two lines, in pixels."""
_MOST = 0.5
"""Most of the height of a picture that is left to several rows of charts."""


def chart_rows(n: int, size: tuple[float, float]) -> int:
    """Number of rows of `n` charts in a picture of a width and height in pixels."""
    beside = max(int(size[0] / _NARROWEST), 1)
    most = max(int(_MOST * size[1] / _LOWEST), 1)
    return max(min(-(-n // beside), most), 1)


def strip_height(n: int, size: tuple[float, float], *, named: bool = False) -> int:
    """Height of a strip of `n` charts in a picture of a width and height, in pixels.

    Where several results are `named` there is a line for their names.
    """
    rows = chart_rows(n, size)
    each = int(np.clip(0.24 * size[1], _LOWEST + _NAMES * named, 190))
    return each if rows == 1 else rows * min(each, int(_MOST * size[1] / rows))


class Charts:
    """One chart for each measure, side by side in `rows`, with a line for each result.

    Measures as for `measures_of`; values of the user's own belong to the first result. Several
    results have `names` in the first chart. The strip has `scale` pixels for each of its page.
    """

    def __init__(
        self,
        asked: Asked,
        results: Sequence[Result],
        theme: Theme,
        size: tuple[float, float],
        names: Sequence[str] = (),
        *,
        rows: int = 1,
        scale: float = 1.0,
    ) -> None:
        self.size = size = size[0] / scale, size[1] / scale
        results = results[:1] if isinstance(asked, Mapping) else results
        self._times = [result.time for result in results]
        self._lines = list(zip(*(measures_of(result, asked) for result in results), strict=True))
        width, height = size
        self.figure = page(size, scale)
        self.figure.patch.set_facecolor(theme.background)
        self._canvas = FigureCanvasAgg(self.figure)
        self._boxes: list[tuple[float, float, float, float]] = []
        self._marks, self._words = [], []
        beside = max(-(-len(self._lines) // rows), 1)
        each, tall = width / beside, height / rows
        left, right, top, bottom = _EDGES
        self._values = [_told(line) for line in self._lines]
        heads = [
            _Head.of(line[0].words, _widths(*told), each - left - right, self.figure)
            for line, told in zip(self._lines, self._values, strict=True)
        ]
        # numbers stand below names that have no room beside them
        second = any(not head.beside for head in heads)
        second = second and tall - top - bottom - _SECOND >= _LEAST
        for k, (line, head) in enumerate(zip(self._lines, heads, strict=True)):
            low, high = (k % beside) * each + left, (k % beside + 1) * each - right
            floor = height - (k // beside + 1) * tall
            deep = tall - top - bottom - (_SECOND if second else 0.0)
            place = low / width, (floor + bottom) / height, (high - low) / width, deep / height
            axes = self.figure.add_axes(place)
            self._boxes.append((low, floor, high, floor + tall))
            self._draw(axes, self._values[k][0], theme, head, second)
            if k == 0 and len(line) > 1 and names:
                _name_lines(axes, names[: len(line)], theme, high - low, deep)
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(self.figure.bbox)
        self.move(float(self._times[0][0]))

    def _draw(
        self, axes: Axes, values: Sequence[Array], theme: Theme, head: _Head, second: bool
    ) -> None:
        """Curves of one measure in all results, and its marks."""
        for k, (time, one) in enumerate(zip(self._times, values, strict=True)):
            axes.plot(time, one, DASHES[k], color=LINE_COLORS[k], lw=1.5)
        axes.set_facecolor(theme.background)
        axes.tick_params(colors=theme.faint, labelsize=8, length=3)
        box = axes.get_position()
        wide, deep = (box.x1 - box.x0) * self.size[0], (box.y1 - box.y0) * self.size[1]
        axes.locator_params(axis="y", nbins=int(np.clip(deep / 16.0, 1, 3)))
        axes.locator_params(axis="x", nbins=int(np.clip(wide / 40.0, 1, 9)))
        axes.margins(x=0.0, y=0.12)
        first, last = min(t[0] for t in self._times), max(t[-1] for t in self._times)
        if last > first:
            axes.set_xlim(float(first), float(last))
        for side, spine in axes.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(theme.faint)
            spine.set_linewidth(0.6)
        top = box.y1 + (20.0 + (_SECOND if second else 0.0)) / self.size[1]
        start = box.x0 - _ASIDE / self.size[0]
        words = self.figure.text(start, top, head.words, fontsize=head.points, va="center")
        words.set_color(theme.text)
        own = second or head.beside
        shorten(words, head.room if own else head.narrow)
        words.set_visible(own or head.narrow >= _NAME)
        # left of the numbers of the time axis
        down = box.y0 - 13.0 / self.size[1]
        small = {"fontsize": 8, "ha": "right", "va": "center", "color": theme.faint}
        self.figure.text(box.x0 - 20.0 / self.size[0], down, "t [s]", **small)
        look = {"fontsize": _POINTS, "ha": "right", "va": "center", "fontweight": "bold"}
        if second and not head.beside:
            top -= _SECOND / self.size[1]
        # from the right
        steps = np.cumsum([0.0, *head.numbers[:0:-1]])[::-1] / self.size[0]
        self._words.append([self.figure.text(box.x1 - step, top, "", **look) for step in steps])
        for k, words in enumerate(self._words[-1]):
            words.set_color(LINE_COLORS[k] if len(values) > 1 else theme.text)
        marks = [axes.axvline(float(first), color=theme.accent, lw=1.2)]
        marks += [
            axes.plot([], [], "o", ms=4.5, color=LINE_COLORS[k], clip_on=False)[0]
            for k in range(len(values))
        ]
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

    def time_at(self, x: float, y: float | None = None) -> float | None:
        """Time [s] at pixels from the left and from below; None beside the charts."""
        first, last = min(t[0] for t in self._times), max(t[-1] for t in self._times)
        for low, floor, high, top in self._boxes:
            if low - 6.0 <= x <= high + 6.0 and (y is None or floor <= y < top):
                return float(first + min(max((x - low) / (high - low), 0.0), 1.0) * (last - first))
        return None


def _told(line: Sequence[Measure]) -> tuple[list[Array], str]:
    """Values of a measure in all results, in a unit with a suitable prefix."""
    shown = [one.shown for one in line]
    finite = [values[np.isfinite(values)] for _, values in shown]
    greatest = max((float(np.max(np.abs(v), initial=0.0)) for v in finite), default=0.0)
    unit, factor = shown[0][0], 1.0
    if unit in _PREFIXED:
        label, factor = prefixed(f"x [{unit}]", greatest)
        unit = label.partition("[")[2].rstrip("]")
    values = [factor * one for _, one in shown]
    return values, unit


def _widths(values: Sequence[Array], unit: str) -> list[float]:
    """Room of the number of each result, with the unit after the last, in pixels."""
    longest = [
        max(len(_number(value)) for value in one[:: max(len(one) // 64, 1)]) for one in values
    ]
    longest[-1] += len(unit) + 1
    return [_DIGIT * n + _BESIDE for n in longest]


def _name_lines(axes: Axes, names: Sequence[str], theme: Theme, wide: float, deep: float) -> None:
    """Names of the lines in a row above these, within curves of a width and height in pixels."""
    low, high = axes.get_ylim()
    part = _NAMES / deep
    if part < 0.65:
        axes.set_ylim(low, high + (high - low) * part / (1.0 - part))
    axes.legend(
        axes.get_lines()[: len(names)], told_apart(names, 7.5, wide / len(names) - 32.0),
        fontsize=7.5, loc="upper left", ncols=len(names), frameon=False, labelcolor=theme.text,
        handlelength=1.8, borderpad=0.0, borderaxespad=0.0, columnspacing=1.0, handletextpad=0.5,
    )  # fmt: skip


class _Head(NamedTuple):
    """Name above a chart, and whether numbers have room beside it."""

    words: str
    points: float  # size of the font
    beside: bool
    room: float  # of the name in a line of its own, in pixels
    narrow: float  # of the name beside numbers
    numbers: Sequence[float]  # widths of the numbers, the last with its unit

    @classmethod
    def of(cls, words: str, numbers: Sequence[float], wide: float, figure: Figure) -> _Head:
        """Name of a measure above curves of a width in pixels."""
        room = wide + _ASIDE
        narrow = room - sum(numbers) - 8.0
        text = figure.text(0.0, 0.0, words, fontsize=_POINTS)
        beside = width_of(text) <= narrow
        if not beside:
            squeeze(text, room)
        points = float(text.get_fontsize())
        text.remove()
        return cls(words, points, beside, room, narrow, numbers)


def _number(value: Array | float) -> str:
    """A number with four digits."""
    if not np.isfinite(value):
        return "unknown"
    text = f"{float(value):.4g}"
    # without the exponents of round-off
    return "0" if float(text) == 0.0 or abs(float(value)) < 1e-12 else text

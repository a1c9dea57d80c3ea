"""Plots of a result over time and along the fibers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fibermsk import _check
from fibermsk._extras import check_drawing
from fibermsk.errors import ModelError
from fibermsk.results.result import Result
from fibermsk.view.fields import check_frames, nearest_frame
from fibermsk.view.plots.groups import choose
from fibermsk.view.plots.panel import Choice, Panel
from fibermsk.view.plots.panels import (
    PANELS,
    find_panels,
    names_there,
    panels_of,
    plots_of_field,
)

_PANEL_SIZE = (6.4, 3.1)
_TIMES = 4
_LONG = 28
"""Letters of a line of a legend."""


class Picture(Figure):
    """A figure that a notebook shows, also before pyplot is imported."""

    def _repr_png_(self) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png")
        return written.getvalue()


def plot(
    result: Result,
    what: str | Iterable[str] | None = None,
    *,
    fibers: str | Sequence[str] | None = None,
    times: float | Sequence[float] | None = None,
) -> Figure:
    """Figure of a result, drawn without a display.

    Parameters
    ----------
    result : Result
        A complete, failed or interrupted run.
    what : str or several, optional
        Names of plots, see :func:`plot_names`. A field along the fibers has three: ``stretch``,
        along a few fibers at some times, ``stretch_over_time``, the mean along each fiber, and
        ``stretch_map``, colors over both. A field of line muscles, such as ``tendon_force``, is
        drawn of all. The default is a one-page summary of size A4.
    fibers : str or several, optional
        Names of fibers and line muscles, or patterns such as ``"biceps*"``; all by default. Of more
        than seven fibers the median over each muscle is drawn, with a band from the 10th to the
        90th percentile.
    times : float or several, optional
        At most four simulated times [s] for plots along the fibers; by default two
        characteristic ones.

    Returns
    -------
    figure : matplotlib.figure.Figure
        On the Agg canvas; write it with ``figure.savefig``.

    Raises
    ------
    ModelError
        If there is no such plot or fiber, or a time is outside of the run.
    """
    choice = _choice(result, fibers, times)
    if what is None:
        check_drawing("a summary with pictures")
        from fibermsk.view.plots.summary import summary

        return summary(choice)
    names = _texts("what", what)
    panels = [panel for name in names for panel in find_panels(choice, name)]
    if not panels:
        raise ModelError(f"no plot was named; must be some of: {', '.join(names_there(choice))}")

    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    width, height = _PANEL_SIZE
    figure = Picture(figsize=(width * columns, height * rows + 0.4), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(_title(result))
    for index, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, index + 1)
        panel.draw(axes)
        finish(axes, panel)
    return figure


def plot_fields(
    result: Result,
    what: str | Iterable[str] | None = None,
    *,
    fibers: str | Sequence[str] | None = None,
    times: float | Sequence[float] | None = None,
) -> Figure:
    """Figure of `Result.plot`: as `plot`, with all plots of a field along the fibers."""
    if fibers is not None:
        fibers = _texts("fiber", fibers)
    if what is None:
        return plot(result, fibers=fibers, times=times)
    several = len(_choice(result, fibers, None).fibers) > 1
    names = _texts("what", what)
    found = [one for name in names for one in plots_of_field(name, several)]
    return plot(result, found, fibers=fibers, times=times)


def plot_names(result: Result | None = None) -> dict[str, str]:
    """Return the plots with a short description, for a result those that it has data for."""
    if result is None:
        return {name: words for name, (words, _) in PANELS.items()}
    panels = panels_of(result)
    return {name: panels[name][0] for name in names_there(_choice(result, None, None))}


def _choice(
    result: Result, fibers: str | Sequence[str] | None, times: float | Sequence[float] | None
) -> Choice:
    check_frames(result)
    frames = None
    names = None if fibers is None else _texts("fiber", fibers)
    if names == []:
        _check.refuse("plot", "fiber", fibers, "be a name, or several")
    if times is not None:
        try:
            asked = np.atleast_1d(np.asarray(times, dtype=float))
        except (TypeError, ValueError):
            _check.refuse("plot", "times", times, "be a time, or several [s]")
        if not 1 <= asked.size <= _TIMES:
            raise ModelError(f"{asked.size} times; must be 1 to {_TIMES} for one plot")
        frames = tuple(dict.fromkeys(nearest_frame(result, float(time)) for time in asked))
    found, lines = map(tuple, choose(result, names))
    return Choice(result, found, lines, named=fibers is not None, frames=frames)


def _texts(field: str, value: str | Iterable[str]) -> list[str]:
    """A name, or several, as a list."""
    if isinstance(value, str):
        return [value]
    what = "a text, or several"
    _check.instance("plot", field, value, Iterable, what)
    given = list(value)
    if not all(isinstance(one, str) for one in given):
        _check.refuse("plot", field, value, f"be {what}")
    return given


def finish(axes: Axes, panel: Panel, size: float = 9.0) -> None:
    """Labels, grid and legend of one set of axes; `size` is the font size in points."""
    axes.set_title(panel.title, loc="left", fontsize=size + 1.0)
    axes.set_xlabel(panel.x_label, fontsize=size)
    axes.set_ylabel(panel.y_label, fontsize=size)
    axes.tick_params(labelsize=size - 0.5)
    axes.yaxis.get_offset_text().set_fontsize(size - 0.5)
    axes.spines[["top", "right"]].set_visible(False)
    if panel.is_map:
        return
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)
    low, high = axes.get_ylim()
    middle = max(abs(low), abs(high))
    if high - low < 1e-9 * middle:
        axes.set_ylim(low - 0.05 * middle, high + 0.05 * middle)
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        # beside the axes, so that it covers no curve, nor half of the last number below them
        axes.legend(
            handles,
            [_in_lines(label) for label in labels],
            loc="upper left",
            bbox_to_anchor=(1.05, 1.02),
            borderaxespad=0.0,
            frameon=False,
            fontsize=size - 0.7,
        )


def _in_lines(label: str) -> str:
    """Label in several lines if it is long, broken where a word of a name ends."""
    lines = [""]
    for word in re.split(r"(?<=[_ /])", label):
        if lines[-1] and len(lines[-1]) + len(word) > _LONG:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.rstrip() for line in lines)


def _title(result: Result) -> str:
    if result.status == "success":
        return result.scene
    return f"{result.scene} ({result.status} at t = {np.max(result.time):.4g} s)"

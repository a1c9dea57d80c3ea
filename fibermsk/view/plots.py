"""Plots of a result over time and along the fibers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fibermsk.errors import ModelError
from fibermsk.results.result import Result
from fibermsk.view._panels import PANELS, Panel, default_panels
from fibermsk.view.fields import check_frames

__all__ = ["plot"]

_PANEL_SIZE = (6.4, 3.1)


def plot(result: Result, what: str | Iterable[str] | None = None) -> Figure:
    """Figure of a result, drawn without a display.

    Parameters
    ----------
    result : Result
        A complete, failed or interrupted run.
    what : str or several, optional
        What to draw: ``activation``, ``coordinates``, ``speeds``, ``attachment_forces``,
        ``axial_force``, ``stress``, ``stretch``, ``radius``, ``contact``, ``muscle_fraction`` or
        ``solver``. The default is one page with what the result has to tell.

    Returns
    -------
    figure : matplotlib.figure.Figure
        On the Agg canvas; write it with ``figure.savefig``.

    Raises
    ------
    ModelError
        If there is no such thing to draw; the message lists those there are.
    """
    check_frames(result)
    if what is None:
        names = default_panels(result)
    else:
        names = [what] if isinstance(what, str) else list(what)
    panels = [panel for name in names for panel in _panels(result, name)]
    if what is None and len(panels) % 2 == 1 and result.fibers:
        panels += _panels(result, "stretch")
    if not panels:
        raise ModelError(f"the result of {result.scene!r} has nothing to plot")

    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    width, height = _PANEL_SIZE
    figure = Figure(figsize=(width * columns, height * rows + 0.4), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(_title(result))
    for index, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, index + 1)
        panel.draw(axes)
        _finish(axes, panel)
    return figure


def _panels(result: Result, name: str) -> list[Panel]:
    there = {key: panels for key, make in PANELS.items() if (panels := make(result))}
    if name not in there:
        raise ModelError(
            f"nothing called {name!r} to plot; this result has: {', '.join(there) or 'nothing'}"
        )
    return there[name]


def _finish(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title, loc="left", fontsize="medium")
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)
    low, high = axes.get_ylim()
    middle = max(abs(low), abs(high))
    if high - low < 1e-9 * middle:
        axes.set_ylim(low - 0.05 * middle, high + 0.05 * middle)
    if len(axes.get_legend_handles_labels()[1]) > 0:
        # Beside the axes, so that it never lies on a curve.
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1.02),
            borderaxespad=0.0,
            frameon=False,
            fontsize="small",
        )


def _title(result: Result) -> str:
    if result.status == "success":
        return result.scene
    return f"{result.scene} ({result.status} at t = {np.max(result.time):.4g} s)"

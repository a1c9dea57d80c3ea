"""Curves of one fiber over time, with a mark at the current time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.result import FiberHistory, Result
from fibermsk.view.drawing.looks import Theme
from fibermsk.view.forces import sample_lengths
from fibermsk.view.pictures.charts import DASHES, LINE_COLORS
from fibermsk.view.pictures.legend import prefixed

_DPI = 100


class FiberCurves:
    """Activation, axial force, stretch and contact force of a fiber in a figure.

    Of a line muscle activation, tendon force and length. Lines are means along the fiber with
    shaded ranges; contact is the integral of the force's magnitude. Fibers of the same name in
    other results are drawn too. The gid of marks is ``"mark"``.
    """

    def __init__(
        self,
        name: str,
        results: Sequence[Result],
        names: Sequence[str],
        theme: Theme,
        size: tuple[int, int],
    ) -> None:
        self.name, self.size = name, size
        self.figure = Figure(figsize=(size[0] / _DPI, size[1] / _DPI), dpi=_DPI)
        self.figure.patch.set_facecolor(theme.panel)
        self._canvas = FigureCanvasAgg(self.figure)
        having = [
            (result, words)
            for result, words in zip(results, names, strict=True)
            if name in result.drawn
        ]
        rows = [_rows(result.drawn[name]) for result, _ in having]
        axes = self.figure.subplots(len(rows[0]), 1, sharex=True, squeeze=False)[:, 0]
        for k, ax in enumerate(axes):
            label = rows[0][k][0]
            greatest = max(float(np.nanmax(np.abs(row[k][1]), initial=0.0)) for row in rows)
            label, factor = prefixed(label, greatest)
            for i, (result, words) in enumerate(having):
                _, middle, band = rows[i][k]
                color = LINE_COLORS[i % len(LINE_COLORS)]
                ax.plot(result.time, factor * middle, DASHES[i], color=color, lw=1.4, label=words)
                if band is not None:
                    ax.fill_between(
                        result.time, *(factor * edge for edge in band), color=color, alpha=0.2, lw=0
                    )
            ax.set_title(label, fontsize=9, loc="left", color=theme.text, pad=3)
            ax.set_facecolor(theme.background)
            ax.tick_params(colors=theme.text, labelsize=8)
            ax.margins(x=0.0)
            for spine in ax.spines.values():
                spine.set_color(theme.faint)
                spine.set_linewidth(0.6)
        axes[-1].set_xlabel("time [s]", fontsize=9, color=theme.text)
        self.figure.suptitle(name, fontsize=12, color=theme.text, y=0.985)
        if len(having) > 1:
            lines = axes[0].get_lines()
            self.figure.legend(
                lines, [str(line.get_label()) for line in lines], loc="upper center", ncols=2,
                bbox_to_anchor=(0.52, 0.965), fontsize=8, frameon=False, labelcolor=theme.text,
            )  # fmt: skip
        self.figure.align_ylabels(axes)
        self.figure.subplots_adjust(left=0.16, right=0.95, top=0.9, bottom=0.085, hspace=0.34)
        start = float(having[0][0].time[0])
        self._marks = [
            ax.axvline(start, color=theme.accent, lw=1.2, animated=True, gid="mark") for ax in axes
        ]
        self._axes = axes
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(self.figure.bbox)
        for mark in self._marks:
            mark.set_animated(False)

    def move(self, time: float) -> None:
        """Set the mark to a time [s]."""
        for mark in self._marks:
            mark.set_xdata([time, time])

    def image(self) -> NDArray[np.uint8]:
        """Picture of the figure (height, width, 4); only the mark is redrawn."""
        self._canvas.restore_region(self._still)
        for ax, mark in zip(self._axes, self._marks, strict=True):
            ax.draw_artist(mark)
        return np.asarray(self._canvas.buffer_rgba())


def _rows(fiber: FiberHistory) -> list[tuple[str, Array, tuple[Array, Array] | None]]:
    """Label, mean and range of each curve."""
    found: list[tuple[str, Array, tuple[Array, Array] | None]] = [
        (FIBER_FIELDS["activation"].axis_label, fiber.activation, None)
    ]
    if np.isnan(fiber.stretch).all():
        found.append(("tendon force [N]", fiber.axial_force[:, 0], None))
        found.append((FIBER_FIELDS["length"].axis_label, fiber.length, None))
        return [row for row in found if np.isfinite(row[1]).any()]
    for name in ("axial_force", "stretch"):
        values, label = getattr(fiber, name), FIBER_FIELDS[name].axis_label
        found.append((label, values.mean(axis=1), (values.min(axis=1), values.max(axis=1))))
    total = np.sum(fiber.contact_force_density * sample_lengths(fiber), axis=1)
    found.append(("contact force, sum [N]", total, None))
    return found

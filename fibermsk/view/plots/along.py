"""Plots of fields along the fibers: at some times, over time, and as a map of both."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from fibermsk._arrays import Array
from fibermsk.results.curves import along as values_along, mean_along
from fibermsk.results.fields import FIBER_FIELDS
from fibermsk.results.result import FiberHistory
from fibermsk.view.fields import fiber_field
from fibermsk.view.plots.groups import BAND_WORDS, Group, Spread, spread
from fibermsk.view.plots.panel import (
    COLORS,
    STYLES,
    THETA_LABEL,
    TIME_LABEL,
    Choice,
    Panel,
    greatest,
    histories,
    scaled,
)

_SHADED = 3
"""Largest number of fibers with a shaded range."""
_MAPS = 6


def along(name: str, title: str, choice: Choice) -> list[Panel]:
    """Field along a few fibers, with a color per fiber and a line style per time."""
    frames = choice.telling_frames()
    constant = not FIBER_FIELDS[name].varies
    if constant:
        frames = frames[:1]
    groups = choice.few(4 if len(frames) <= 2 else 2)
    if not groups:
        return []
    result = choice.result
    drawn: list[tuple[Group, int, Array, Spread]] = []
    for one in groups:
        theta = result.fibers[one.fibers[0]].theta
        for frame in frames:
            values = spread(one, lambda f, k=frame, t=theta: _at(result.fibers[f], name, t, k)[0])
            drawn.append((one, frame, theta, values))
    label, factor = scaled(FIBER_FIELDS[name].axis_label, [values.middle for *_, values in drawn])

    def draw(axes: Axes) -> None:
        for one, frame, theta, values in drawn:
            color = COLORS[groups.index(one)]
            when = "" if constant else f", t = {result.time[frame]:.4g} s"
            if values.band is not None:
                low, high = values.band
                axes.fill_between(
                    theta, factor * low, factor * high, color=color, alpha=0.15, linewidth=0
                )
            axes.plot(
                theta,
                factor * values.middle,
                STYLES[frames.index(frame)],
                color=color,
                linewidth=1.5,
                label=f"{one.label}{when}",
            )

    words = f" ({BAND_WORDS})" if any(len(one.fibers) > 1 for one in groups) else ""
    return [Panel(title + words, THETA_LABEL, label, draw)]


def over_time(name: str, title: str, choice: Choice) -> list[Panel]:
    """Mean of a field along each fiber, over time."""
    groups = choice.over_time()
    if not groups:
        return []
    fibers = choice.result.fibers

    def mean(fiber: str) -> Array:
        return mean_along(fibers[fiber], fiber_field(fibers[fiber], name))

    curves = {one.label: spread(one, mean) for one in groups}
    if all(len(one.fibers) == 1 for one in groups):
        words = "mean along the fiber"
        if len(groups) <= _SHADED:
            words += ", shade from least to greatest"
            for one in groups:
                values = fiber_field(fibers[one.fibers[0]], name)
                band = (values.min(axis=1), values.max(axis=1))
                curves[one.label] = Spread(curves[one.label].middle, band)
    else:
        words = f"mean along each fiber: {BAND_WORDS}"
    return histories(f"{title}: {words}", FIBER_FIELDS[name].axis_label, choice.result, curves)


def map_of(name: str, title: str, choice: Choice) -> list[Panel]:
    """Field over time and along the fiber as colors, a panel per fiber."""
    groups = choice.few(_MAPS)
    result = choice.result
    maps: list[tuple[str, Array, Array]] = []
    for one in groups:
        theta = result.fibers[one.fibers[0]].theta
        values = spread(one, lambda f, t=theta: _all(result.fibers[f], name, t)).middle
        words = one.label if len(one.fibers) == 1 else f"{one.label}, median"
        maps.append((words, theta, values))
    if not maps:
        return []
    label, factor = scaled(FIBER_FIELDS[name].axis_label, [values for *_, values in maps])
    seen = np.concatenate([values[np.isfinite(values)] for *_, values in maps])
    low, high = (factor * float(seen.min()), factor * float(seen.max())) if seen.size else (0, 1)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        margin = max(0.05 * factor * greatest([seen]), 1e-12)
        low, high = low - margin, high + margin

    def panel(words: str, theta: Array, values: Array) -> Panel:
        def draw(axes: Axes) -> None:
            mesh = axes.pcolormesh(
                _edges(result.time, None),
                _edges(theta, (0.0, 1.0)),
                factor * values.T,
                vmin=low,
                vmax=high,
                cmap="viridis",
                rasterized=True,
            )
            # beside these axes, independent of other legends
            scale = axes.inset_axes((1.02, 0.0, 0.025, 1.0))
            bar = axes.figure.colorbar(mesh, cax=scale)
            bar.set_label(label, fontsize=9)
            scale.tick_params(labelsize=8.5)
            bar.outline.set_visible(False)

        return Panel(f"{title}, {words}", TIME_LABEL, THETA_LABEL, draw, is_map=True)

    return [panel(*one) for one in maps]


def _edges(x: Array, ends: tuple[float, float] | None) -> Array:
    """Edges of cells around the samples."""
    middle = 0.5 * (x[1:] + x[:-1])
    if ends is None:
        if x.size == 1:
            return np.array([x[0] - 0.5, x[0] + 0.5])
        ends = float(x[0]), float(x[-1])
    return np.concatenate([[ends[0]], middle, [ends[1]]])


def _all(fiber: FiberHistory, name: str, theta: Array) -> Array:
    """Field over all frames at theta."""
    return values_along(fiber, fiber_field(fiber, name), theta)


def _at(fiber: FiberHistory, name: str, theta: Array, frame: int) -> Array:
    return values_along(fiber, fiber_field(fiber, name)[frame : frame + 1], theta)

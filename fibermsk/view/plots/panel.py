"""One set of axes, and curves and bands on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from fibermsk._arrays import Array
from fibermsk.results.result import Result
from fibermsk.view.plots.groups import CURVES, Group, Spread, group, muscles

# palette of Okabe and Ito for any color vision, highest contrast first
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
_PREFIXED = ("m", "m/s", "N", "N/m", "Pa", "W")
TIME_LABEL = "time [s]"
THETA_LABEL = "position along the fiber, θ [-]"


@dataclass(frozen=True)
class Panel:
    """One set of axes: its labels, and the function that draws on it."""

    title: str
    x_label: str
    y_label: str
    draw: Callable[[Axes], None]
    is_map: bool = False


@dataclass(frozen=True)
class Choice:
    """Fibers, line muscles and frames of a result to plot."""

    result: Result
    fibers: tuple[str, ...]
    lines: tuple[str, ...] = ()
    named: bool = False  # whether the user named them
    frames: tuple[int, ...] | None = None  # of plots along the fibers

    def over_time(self) -> list[Group]:
        """Groups of fibers for plots over time."""
        return group(self.fibers, CURVES)

    def few(self, most: int) -> list[Group]:
        """Groups of the fibers the user named, else a few representative ones.

        These are the first fibers of the first two muscles, or of many fibers those of a muscle
        together.
        """
        if self.named:
            return group(self.fibers, most)
        if len(self.fibers) <= CURVES:
            first = [names[0] for names in muscles(self.fibers).values()]
            return group(first[:2], 2)
        return group(self.fibers, min(most, 3))

    def telling_frames(self) -> list[int]:
        """Frames given by the user, or those of largest and smallest force in the second half.

        If the force of the first fiber is constant: first and last frame.
        """
        if self.frames is not None:
            return list(self.frames)
        n_frames = self.result.time.size
        if not self.fibers:
            return sorted({0, n_frames - 1})
        pull = self.result.fibers[self.few(2)[0].fibers[0]].axial_force.mean(axis=1)
        half = n_frames // 2
        late = pull[half:]
        if np.all(np.isfinite(late)) and np.ptp(late) > 1e-3 * np.max(np.abs(pull)):
            frames = {half + int(np.argmax(late)), half + int(np.argmin(late))}
        else:
            frames = {0, n_frames - 1}
        return sorted(frames)


def greatest(arrays: list[Array]) -> float:
    """Largest finite magnitude, 0 without any."""
    return max((float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)) for a in arrays), default=0.0)


def scaled(label: str, arrays: list[Array]) -> tuple[str, float]:
    """Label with a suitable unit prefix, and its factor; 0.2 N stays in N."""
    largest = greatest(arrays)
    unit = label.partition("[")[2].rstrip("]")
    if unit not in _PREFIXED or 0.1 <= largest < 1e4:
        return label, 1.0
    # slow import
    from fibermsk.view.pictures.legend import prefixed

    return prefixed(label, largest)


def histories(
    title: str,
    label: str,
    result: Result,
    curves: Mapping[str, Array | Spread],
    most: int | None = None,
) -> list[Panel]:
    """Panel of curves over time with bands, in a suitable unit; empty without curves.

    With `most`: the curves, without bands, of largest range.
    """
    if most is not None:
        curves, words = most_moving(curves, most)
        title += words
    if not curves:
        return []
    spreads = {
        name: one if isinstance(one, Spread) else Spread(one, None) for name, one in curves.items()
    }
    label, factor = scaled(label, [one.middle for one in spreads.values()])
    draw = partial(_curves, x=result.time, spreads=spreads, factor=factor)
    return [Panel(title, TIME_LABEL, label, draw)]


def _curves(axes: Axes, x: Array, spreads: dict[str, Spread], factor: float) -> None:
    marker = "o" if x.size == 1 else None
    for index, (label, one) in enumerate(spreads.items()):
        color = COLORS[index % len(COLORS)]
        style = STYLES[index // len(COLORS) % len(STYLES)]
        if one.band is not None:
            low, high = one.band
            axes.fill_between(x, factor * low, factor * high, color=color, alpha=0.2, linewidth=0)
        y = factor * one.middle
        axes.plot(x, y, style, color=color, linewidth=1.5, marker=marker, label=label)


def most_moving(curves: Mapping[str, Any], most: int) -> tuple[Mapping[str, Any], str]:
    """Curves of largest range, in order, and a note for the title if any is omitted."""
    if len(curves) <= most:
        return curves, ""
    ranges = {
        name: float(np.ptp(v[np.isfinite(v)])) if np.any(np.isfinite(v)) else 0.0
        for name, v in curves.items()
    }
    kept = set(sorted(ranges, key=lambda name: -ranges[name])[:most])
    few = {name: values for name, values in curves.items() if name in kept}
    return few, f" (the {most} of {len(curves)} that change most)"

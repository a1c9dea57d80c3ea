"""Picture of the curves of muscles."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._extras import CURVES, check_drawing
from fibermsk.analysis.curves import MuscleCurves

PLOTS = ("length", "moment_arm", "force_length")
"""What `draw_curves` draws."""


_STILL = 1e-9
"""Change of a length over the range below which the coordinate does not move a muscle [m]."""
_WIDTHS = (4.5, 2.8, 1.2)
"""Widths of lines in turn, so that equal curves are all seen."""


def draw_curves(curves: MuscleCurves, what: str) -> Any:
    """Figure of Matplotlib: lengths, moment arms or isometric forces over fiber length.

    Forces of the fibers are drawn over the part of the curve that the coordinate's range uses:
    active at full activation as lines, passive as dashes. Poses without a path are gaps. Muscles
    that the coordinate does not move, or that have no path, are left out and counted in the title.
    """
    check_drawing("curves of muscles", CURVES)
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    known = {name: one[np.isfinite(one)] for name, one in curves.length.items()}
    names = [name for name, length in known.items() if length.size and np.ptp(length) > _STILL]
    absent = sum(length.size == 0 for length in known.values())
    n, left = len(names), len(known) - len(names) - absent
    table = colormaps["tab10" if n <= 10 else "tab20" if n <= 20 else "turbo"]
    colors = table(np.arange(n) if n <= 20 else np.linspace(0.0, 1.0, n))
    angle = curves.unit == "rad"
    for k, (name, color) in enumerate(zip(names, colors, strict=True)):
        look: dict[str, Any] = {"color": color, "lw": _WIDTHS[k % len(_WIDTHS)]}
        if what == "force_length":
            found = curves.isometric[name]
            x = found["normalized_fiber_length"]
            axes.plot(x, found["active_fiber_force"], label=name, **look)
            axes.plot(x, found["passive_fiber_force"], "--", **look)
        else:
            x = np.rad2deg(curves.values) if angle else curves.values
            y = getattr(curves, what)[name]
            axes.plot(x, 1000.0 * y if angle or what == "length" else y, label=name, **look)
    if what == "force_length":
        axes.set_xlabel("fiber length / optimal fiber length")
        axes.set_ylabel("force of the fibers [N]: active (lines), passive (dashes)")
    else:
        axes.set_xlabel(f"{curves.coordinate} [{'deg' if angle else curves.unit}]")
        unit = "mm" if angle or what == "length" else "1"
        axes.set_ylabel(f"{what.replace('_', ' ')} [{unit}]")
    counts = (left, f"that {curves.coordinate} does not move"), (absent, "that have no path")
    words = [f"{m} muscle{'s' if m > 1 else ''} {which}" for m, which in counts if m]
    if words:
        axes.set_title(f"without {' and '.join(words)}", fontsize=9, loc="left")
    axes.grid(alpha=0.3)
    if names:
        axes.legend(fontsize=8, ncols=1 + n // 15, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure

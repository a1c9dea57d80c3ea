"""Picture of the curves of muscles."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.analysis.curves import MuscleCurves

PLOTS = ("length", "moment_arm", "force_length")
"""What `draw_curves` draws."""


def draw_curves(curves: MuscleCurves, what: str) -> Any:
    """Figure of Matplotlib: lengths, moment arms or isometric forces over fiber length.

    Forces of the fibers are drawn over the part of the curve that the coordinate's range uses:
    active at full activation as lines, passive as dashes.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    if what == "force_length":
        for name, found in curves.isometric.items():
            x = found["normalized_fiber_length"]
            (line,) = axes.plot(x, found["active_fiber_force"], label=name)
            axes.plot(x, found["passive_fiber_force"], "--", color=line.get_color())
        axes.set_xlabel("fiber length / optimal fiber length")
        axes.set_ylabel("force of the fibers [N]: active (lines), passive (dashes)")
    else:
        angle = curves.unit == "rad"
        x = np.rad2deg(curves.values) if angle else curves.values
        for name, y in getattr(curves, what).items():
            axes.plot(x, 1000.0 * y if angle or what == "length" else y, label=name)
        axes.set_xlabel(f"{curves.coordinate} [{'deg' if angle else curves.unit}]")
        unit = "mm" if angle or what == "length" else "1"
        axes.set_ylabel(f"{what.replace('_', ' ')} [{unit}]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=1 + len(curves.length) // 15, loc="center left",
                bbox_to_anchor=(1.0, 0.5))  # fmt: skip
    return figure

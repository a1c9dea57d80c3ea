"""Picture of the parameters that matter."""

from __future__ import annotations

from typing import Any

from fibermsk._extras import CURVES, check_drawing
from fibermsk.gradients.sensitivity import Sensitivities

_MOST = 30
"""Most parameters that are drawn."""


def draw_sensitivity(found: Sensitivities) -> Any:
    """Figure of Matplotlib: change of the quantity by one percent of each parameter, as bars.

    Of parameters that are zero it is one percent of their usual size.
    """
    check_drawing("a picture of the parameters", CURVES)
    from matplotlib.figure import Figure

    table = found.columns()
    names, changes = table["parameter"][:_MOST], table["by_one_percent"][:_MOST]
    labels = [
        f"{name} = {value:.4g} {unit}".removesuffix(" 1").rstrip() + f", {step:+.2g}"
        for name, value, unit, step in zip(
            names, table["value"], table["unit"], table["one_percent"], strict=False
        )
    ]
    figure = Figure(figsize=(9.0, 1.2 + 0.26 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.barh(range(len(names)), changes, color=["C0" if one >= 0.0 else "C3" for one in changes])
    axes.set_yticks(range(len(names)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", lw=0.8)
    unit = "" if found.unit in ("", "1") else f" [{found.unit}]"
    axes.set_xlabel(f"change of {found.quantity} by 1 % of the parameter{unit}")
    more = len(table["parameter"]) - len(names)
    left = f"; {more} smaller ones are not shown" if more else ""
    axes.set_title(f"{found.quantity} = {found.found.value:.6g} {found.unit}{left}", fontsize=10)
    axes.grid(axis="x", alpha=0.3)
    return figure

"""Plots of optimal control: controls, the optimum, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from fibermsk.results.columns import Column
from fibermsk.view.plots.panel import COLORS, STYLES, TIME_LABEL, Choice, Panel

_MOST = 14
"""Most curves of one panel."""

_LABELS = {
    "": "excitation, activation [-]", "N m": "torque [N m]", "N": "force [N]", "m": "length [m]",
    "rad": "angle [rad]", "1": "part of a quaternion [-]",
}  # fmt: skip


def controls(choice: Choice) -> list[Panel]:
    """Controls and forces of each interval, by unit."""
    return _panels(choice, "control", "Controls", {"N": "Forces over the intervals"})


def optimum(choice: Choice) -> list[Panel]:
    """The solution at its nodes, by unit."""
    titles = {
        "rad": "Angles of the optimum", "m": "Lengths of the optimum",
        "1": "Rotations of the optimum",
    }  # fmt: skip
    return _panels(choice, "optimum", "Activations of the optimum", titles)


def convergence(choice: Choice) -> list[Panel]:
    """Violation and infeasibility of each iteration."""
    found = choice.result.tables.get("convergence", {})
    curves = {name: one for name, one in found.items() if name != "objective"}
    if not curves:
        return []

    def draw(axes: Axes) -> None:
        for (name, one), color in zip(curves.items(), COLORS, strict=False):
            axes.semilogy(np.maximum(one.values, 1e-16), color=color, label=name.replace("_", " "))

    return [Panel("Convergence", "iteration [-]", "largest violation [-]", draw)]


def sparsity(choice: Choice) -> list[Panel]:
    """Entries of the Jacobian of the equations."""
    found = choice.result.tables.get("sparsity", {})
    if not found:
        return []

    def draw(axes: Axes) -> None:
        axes.plot(found["column"].values, found["row"].values, ".", ms=1.0, color=COLORS[0])
        axes.invert_yaxis()

    return [Panel("Jacobian", "unknown [-]", "equation [-]", draw, is_map=True)]


def _panels(choice: Choice, table: str, title: str, titles: Mapping[str, str]) -> list[Panel]:
    columns = dict(choice.result.tables.get(table, {}))
    nodes = choice.result.tables.get("optimum", {}).get("time")
    columns.pop("time", None)
    if not columns or nodes is None:
        return []
    units = dict.fromkeys(one.unit for one in columns.values())
    return [
        Panel(
            titles.get(unit, title), TIME_LABEL, _LABELS.get(unit, f"[{unit}]"),
            partial(
                _draw, nodes, {n: one for n, one in columns.items() if one.unit == unit}
            ),
        )
        for unit in units
    ]  # fmt: skip


def _draw(nodes: Column, columns: Mapping[str, Column], axes: Axes) -> None:
    for k, (name, one) in enumerate(list(columns.items())[:_MOST]):
        style: dict[str, Any] = {"color": COLORS[k % len(COLORS)], "label": name.replace("/", " ")}
        line = STYLES[k // len(COLORS)]
        values = one.values
        if values.size < nodes.values.size:
            # constant in each interval
            values, style["drawstyle"] = np.append(values, values[-1]), "steps-post"
        axes.plot(nodes.values, values, ls=line, **style)

"""Figures of an identification."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.identification.found import Identification
from fibermsk.identification.unknowns import COMMON, OF_A_MUSCLE

_COLORS = {"data": "C0", "prior": "C1", "not identifiable": "0.6"}


def draw_estimates(found: Identification) -> Any:
    """Figure of Matplotlib: changes from the guess with their 95 % intervals, by kind of number."""
    from matplotlib.figure import Figure

    problem, own = found.problem, found.certainty
    kinds = [(one, [k for k, n in enumerate(problem.names) if n.endswith(f"/{one}")])
             for one in OF_A_MUSCLE]  # fmt: skip
    taken = {k for _, members in kinds for k in members}
    common = [k for k, name in enumerate(problem.names) if name in COMMON]
    groups = [k for k, name in enumerate(problem.names) if name in problem.choices.groups]
    known = {*taken, *common, *groups}
    rest = [k for k in range(len(problem.names)) if k not in known]
    kinds += [("base parameters", rest), ("EMG and activation", common), ("groups", groups)]
    kinds = [(title, members) for title, members in kinds if members]
    rows = -(-len(kinds) // 2)
    height = max(len(members) for _, members in kinds)
    figure = Figure(figsize=(12.0, rows * (1.2 + 0.18 * height)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(rows, 2)).ravel()
    for axes, (title, members) in zip(panels, kinds, strict=False):
        scale = problem.unknowns.scale[members]
        off = (found.solved.z - problem.guess)[members] / scale
        half = 1.96 * own.deviation[members] / scale
        colors = [_COLORS[own.verdict[k]] for k in members]
        at = np.arange(len(members))
        axes.barh(at, 2.0 * half, left=off - half, color=colors, alpha=0.35, height=0.7)
        axes.scatter(off, at, c=colors, s=14)
        labels = [problem.names[k].partition("/")[0] for k in members]
        if title in ("base parameters", "EMG and activation", "groups"):
            labels = [problem.names[k] for k in members]
        axes.set_yticks(at, labels, fontsize=7)
        axes.invert_yaxis()
        axes.axvline(0.0, color="0.3", lw=0.8)
        axes.set_title(title.replace("_", " "), fontsize=10)
        axes.set_xlabel("change from the guess [deviations of the guess]", fontsize=8)
        axes.grid(axis="x", alpha=0.3)
    for axes in panels[len(kinds) :]:
        axes.set_axis_off()
    return figure


def draw_convergence(found: Identification) -> Any:
    """Figure of Matplotlib: residuals and the path of the estimates over the steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    for solved in found.guesses:
        steps = [one.iteration for one in solved.history]
        left.semilogy(steps, [max(one.rms, 1e-16) for one in solved.history], "o-", ms=3)
    left.set_xlabel("step [-]")
    left.set_ylabel("root mean square of the residuals [N m]")
    left.grid(alpha=0.3)
    end, scale = found.solved.z, found.problem.unknowns.scale
    path = np.array([np.abs(one.z - end) / scale for one in found.solved.history])
    steps = [one.iteration for one in found.solved.history]
    if len(steps) > 1:
        low, middle, high = np.quantile(path[:-1], (0.25, 0.5, 0.75), axis=1)
        right.semilogy(steps[:-1], np.maximum(middle, 1e-16), "C0")
        right.fill_between(steps[:-1], np.maximum(low, 1e-16), np.maximum(high, 1e-16), alpha=0.3)
    right.set_xlabel("step [-]")
    right.set_ylabel("distance from the end [deviations of the guess]")
    right.set_title("median and quartiles of all numbers", fontsize=10)
    right.grid(alpha=0.3)
    return figure


def draw_movement(found: Identification, number: int) -> Any:
    """Figure of Matplotlib: residuals, their autocorrelation and deep forces of a movement."""
    from matplotlib.figure import Figure

    one = found.movements[number]
    interval = found.problem.training[0].emg.interval
    panels = 3 if one.deep_force else 2
    figure = Figure(figsize=(11.0, 2.4 * panels), layout="constrained")
    axes = figure.subplots(panels, 1)
    for k in range(one.residual.shape[1]):
        axes[0].plot(one.time, one.residual[:, k], lw=0.9)
    axes[0].set_xlabel("time [s]")
    axes[0].set_ylabel("residual [N m]")
    kind = "held out" if one.held_out else "used"
    axes[0].set_title(
        f"{one.name} ({kind}): {one.rms:.3g} of {one.size:.3g} N m, {one.residual.size} samples "
        f"count as {one.independent:.0f}", fontsize=10,
    )  # fmt: skip
    lags = np.arange(min(one.autocorrelation.size, int(2.0 / interval)))
    axes[1].plot(lags * interval, one.autocorrelation[: lags.size])
    axes[1].set_xlabel("lag [s]")
    axes[1].set_ylabel("autocorrelation [-]")
    for name, force in one.deep_force.items():
        axes[2].plot(one.time, force, label=name, lw=0.9)
    if one.deep_force:
        axes[2].axhline(0.0, color="0.3", lw=0.8)
        axes[2].set_xlabel("time [s]")
        axes[2].set_ylabel("deep muscles [N]")
        axes[2].legend(fontsize=8)
    for panel in axes:
        panel.grid(alpha=0.3)
    return figure


def draw_correlation(found: Identification) -> Any:
    """Figure of Matplotlib: correlations of the estimates."""
    from matplotlib.figure import Figure

    names = found.problem.names
    size = 3.0 + 0.12 * len(names)
    figure = Figure(figsize=(size + 1.0, size), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(found.certainty.correlation, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=5)
    axes.set_yticks(range(len(names)), names, fontsize=5)
    figure.colorbar(image, ax=axes, label="correlation [-]", shrink=0.8)
    return figure

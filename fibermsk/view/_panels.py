"""What one set of axes shows: the panels that a figure is put together from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from fibermsk.results.result import Result
from fibermsk.results.units import FIBER_LABELS
from fibermsk.view.fields import fiber_field

__all__ = ["PANELS", "Panel", "default_panels", "fiber_stem", "representative_fibers"]

# Okabe and Ito's palette, told apart with any color vision, darkest contrast first.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
TIME_LABEL = "time [s]"
THETA_LABEL = "position along the fiber, θ [-]"


@dataclass(frozen=True)
class Panel:
    """One set of axes: its words, and the function that draws the curves."""

    title: str
    x_label: str
    y_label: str
    draw: Callable[[Axes], None]


def fiber_stem(name: str) -> str:
    """Name without its number: ``biceps`` of ``biceps_2``."""
    return re.sub(r"[\s_\-.]*\d+$", "", name) or name


def representative_fibers(result: Result) -> list[str]:
    """At most two fibers: the first of each of the first two name stems."""
    first: dict[str, str] = {}
    for name in result.fibers:
        first.setdefault(fiber_stem(name), name)
    return list(first.values())[:2]


def default_panels(result: Result) -> list[str]:
    """Names of the panels of the one-page figure."""
    names = []
    if any(np.any(fiber.activation) for fiber in result.fibers.values()):
        names.append("activation")
    if result.coordinates:
        names.append("coordinates")
    if result.fibers:
        names += ["attachment_forces", "axial_force"]
        if len(names) < 4:
            names += ["stretch", "radius"]
    else:
        names += ["speeds", "solver"] if result.speeds else ["solver"]
    return names


def _lines(axes: Axes, x: np.ndarray, curves: dict[str, np.ndarray]) -> None:
    marker = "o" if x.size == 1 else None
    for index, (label, y) in enumerate(curves.items()):
        axes.plot(
            x,
            y,
            color=COLORS[index % len(COLORS)],
            linestyle=STYLES[index // len(COLORS) % len(STYLES)],
            linewidth=1.5,
            marker=marker,
            label=label,
        )


def _over_time(title: str, label: str, result: Result, curves: dict[str, Any]) -> Panel:
    return Panel(title, TIME_LABEL, label, partial(_lines, x=result.time, curves=curves))


def _activation(result: Result) -> list[Panel]:
    groups: list[tuple[list[str], np.ndarray]] = []
    for name, fiber in result.fibers.items():
        for names, values in groups:
            same_stem = fiber_stem(names[0]) == fiber_stem(name)
            if same_stem and np.array_equal(values, fiber.activation):
                names.append(name)
                break
        else:
            groups.append(([name], fiber.activation))
    curves = {
        names[0] if len(names) == 1 else f"{fiber_stem(names[0])} ({len(names)} fibers)": values
        for names, values in groups
    }
    if len(curves) < len(groups):
        curves = {", ".join(names): values for names, values in groups}
    return [_over_time("Activation", "activation [-]", result, curves)] if curves else []


def _coordinates(result: Result) -> list[Panel]:
    titles = {
        "rad": ("Joint angles", "angle [°]"),
        "m": ("Joint translations", "translation [m]"),
        "1": ("Parts of quaternions", "part [-]"),
    }
    return _by_unit(result, result.coordinates, titles)


def _speeds(result: Result) -> list[Panel]:
    titles = {
        "rad": ("Joint speeds", "speed [°/s]"),
        "m": ("Speeds of joint translations", "speed [m/s]"),
        "1": ("Rates of quaternions", "rate [1/s]"),
    }
    return _by_unit(result, result.speeds, titles)


def _by_unit(
    result: Result, histories: dict[str, np.ndarray], titles: dict[str, tuple[str, str]]
) -> list[Panel]:
    """A panel for each unit of the coordinates; angles in degrees."""
    panels = []
    for unit, (title, label) in titles.items():
        scale = 180.0 / np.pi if unit == "rad" else 1.0
        curves = {
            name: scale * values
            for name, values in histories.items()
            if result.coordinate_units.get(name, "rad") == unit
        }
        if curves:
            panels.append(_over_time(title, label, result, curves))
    return panels


def _attachment_forces(result: Result) -> list[Panel]:
    panels = []
    for name in representative_fibers(result):
        force = result.fibers[name].force_origin
        curves = {axis: force[:, i] for i, axis in enumerate("xyz")}
        title = f"Force of {name} on the body at its origin"
        panels.append(_over_time(title, "force [N]", result, curves))
    return panels


def telling_frames(result: Result) -> list[int]:
    """Two frames of the run's second half, in time order.

    They are those at which the first representative fiber pulls most and least; the first and the
    last frame of the run where it pulls alike all the time.
    """
    n_frames = result.time.size
    fiber = result.fibers[representative_fibers(result)[0]]
    pull = fiber.axial_force.mean(axis=1)
    half = n_frames // 2
    late = pull[half:]
    if np.all(np.isfinite(late)) and np.ptp(late) > 1e-3 * np.max(np.abs(pull)):
        frames = {half + int(np.argmax(late)), half + int(np.argmin(late))}
    else:
        frames = {0, n_frames - 1}
    return sorted(frames)


def _along(name: str, title: str, result: Result) -> list[Panel]:
    """Field along the representative fibers: a color a fiber, a line style a time."""
    if not result.fibers:
        return []
    fibers = representative_fibers(result)
    frames = telling_frames(result)
    if name == "muscle_fraction":
        frames = frames[:1]

    def draw(axes: Axes) -> None:
        for fiber, color in zip(fibers, COLORS, strict=False):
            history = result.fibers[fiber]
            values = fiber_field(history, name)
            for frame, style in zip(frames, STYLES, strict=False):
                when = f", t = {result.time[frame]:.4g} s" if name != "muscle_fraction" else ""
                axes.plot(
                    history.theta,
                    values[frame],
                    color=color,
                    linestyle=style,
                    linewidth=1.5,
                    label=f"{fiber}{when}",
                )

    return [Panel(title, THETA_LABEL, FIBER_LABELS[name], draw)]


def _solver(result: Result) -> list[Panel]:
    def panel(title: str, label: str, values: np.ndarray) -> Panel:
        def draw(axes: Axes) -> None:
            marker = "o" if values.size < 3 else None
            axes.plot(result.time, values, color=COLORS[0], drawstyle="steps-pre", marker=marker)

        return Panel(title, TIME_LABEL, label, draw)

    return [
        panel("Step size", "step size [s]", result.step_size),
        panel("Newton iterations per frame", "iterations [-]", result.newton_iterations),
        panel("Deepest contact: least 1 + γg", "1 + γg [-]", result.min_admissibility),
    ]


PANELS: dict[str, Callable[[Result], list[Panel]]] = {
    "activation": _activation,
    "coordinates": _coordinates,
    "speeds": _speeds,
    "attachment_forces": _attachment_forces,
    "axial_force": partial(_along, "axial_force", "Axial force along the fiber"),
    "stress": partial(_along, "stress", "Axial stress along the fiber (force / current area)"),
    "stretch": partial(_along, "stretch", "Stretch along the fiber"),
    "radius": partial(_along, "radius", "Radius along the fiber"),
    "contact": partial(_along, "contact_force_density", "Contact force per current length"),
    "muscle_fraction": partial(_along, "muscle_fraction", "Muscle fraction along the fiber"),
    "solver": _solver,
}
"""What can be plotted: the panels of each name, none where the result does not have it."""

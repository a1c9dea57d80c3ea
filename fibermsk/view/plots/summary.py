"""One-page summary of a result: facts, pictures, curves."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from fibermsk.results.result import Result
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import TISSUE
from fibermsk.view.pictures.frames import FrameDrawer
from fibermsk.view.pictures.legend import color_bar, swatches
from fibermsk.view.plots.figure import Picture, finish
from fibermsk.view.plots.panel import Choice, Panel
from fibermsk.view.plots.panels import PANELS

_PAGE = (8.27, 11.69)
"""A4 in inches."""
_MARGINS = (0.035, 0.025, 0.93, 0.945)
"""Left, bottom, width and height of the used part of the page."""
_TEXT = 6.5
_PIXELS = 420
_STATUS_COLORS = {
    "success": "#00734d",
    "stopped": "#00734d",
    "interrupted": "#8a5a00",
    "failed": "#a11a1a",
}
_PANELS = (
    "controls",
    "activation",
    "coordinates",
    "muscle_force",
    "axial_force",
    "stretch_over_time",
    "stretch",
    "contact_force_density_over_time",
    "length",
    "states",
    "elements",
    "speeds",
    "solver",
)
"""In the order of the page."""
_NOT_ZERO = {
    "activation": "activation",
    "contact_force_density_over_time": "contact_line_force",
}
"""Panels that are omitted if this field is zero on all fibers."""
_ALSO = {"activation": "Active state"}
"""Panel that is omitted where another plot shows the same."""
_MOST_PANELS = 10
_TONES = {"tendon": "ivory", "line muscle": "gray"}
"""Words for the colors of `swatches`."""
_WIDE = 52
_VALUES = 43


def summary(choice: Choice) -> Figure:
    """A4 page of a result, on the Agg canvas."""
    result = choice.result
    panels = summary_panels(choice)
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.05, hspace=0.03, wspace=0.03)
    layout.set(rect=_MARGINS)
    figure = Picture(figsize=_PAGE, layout=layout)
    FigureCanvasAgg(figure)
    rows = -(-len(panels) // 2)
    parts: Any = figure.subfigures(2, 1, height_ratios=(0.26, 0.74), hspace=0.01)
    top, bottom = parts
    _head(top, choice)
    axes = bottom.subplots(rows, 2, squeeze=False)
    for place, panel in zip(axes.flat, panels, strict=False):
        panel.draw(place)
        _short(place, panel)
    for place in axes.flat[len(panels) :]:
        place.axis("off")
    figure.text(
        0.96,
        0.012,
        f"fibermsk {result.version}",
        ha="right",
        va="bottom",
        fontsize=5.5,
        color="0.5",
    )
    return figure


def summary_panels(choice: Choice) -> list[Panel]:
    """Panels of the page: at most ten, those of the solver last."""
    found: list[Panel] = []
    fibers = choice.result.fibers
    solver = PANELS["solver"][1](choice)
    told = set[str]()
    for name in _PANELS[:-1]:
        field = _NOT_ZERO.get(name)
        active = [getattr(fibers[f], field) for f in choice.fibers] if field else []
        if field == "activation":
            active += [own[field] for own in choice.result.muscles.values() if field in own.fields]
        if field is None or any(map(np.any, active)):
            panels = PANELS[name][1](choice)
            found += [panel for panel in panels if panel.title not in told]
            told |= {_ALSO[name]} if name in _ALSO and panels else set()
    return found[: _MOST_PANELS - len(solver)] + solver


def facts(result: Result) -> list[tuple[str, str]]:
    """Facts of a run: names and values, as text."""
    stats = result.stats
    rows = [("status", result.status)]
    if result.message:
        rows.append(("reason", result.message))
    rows += [
        ("method", result.method),
        ("time", f"{result.time[0]:g} to {result.time[-1]:.6g} s, {result.time.size} frames"),
        ("steps", f"{stats.get('steps', result.time.size - 1)}"),
        ("Newton iterations", f"{int(result.newton_iterations.sum())}"),
    ]
    for key, words in (("failed_steps", "failed steps"), ("rejected_steps", "rejected steps")):
        if stats.get(key):
            rows.append((words, str(stats[key])))
    if "wall_seconds" in stats:
        rows.append(("wall time", f"{stats['wall_seconds']:.3g} s"))
    counts = [
        _count(len(result.fibers), "fiber", "fibers"),
        _count(len(result.bodies), "body", "bodies"),
        _count(len(result.coordinates), "coordinate", "coordinates"),
    ]
    if result.muscles:
        counts.append(_count(len(result.muscles), "line muscle", "line muscles"))
    if result.elements:
        counts.append(_count(len(result.elements), "other element", "other elements"))
    rows.append(("model", ", ".join(counts)))
    if result.fibers:
        elements = sum(fiber.node_theta.size - 1 for fiber in result.fibers.values())
        rows.append(("mesh", f"{elements} cubic Hermite elements"))
    drift = max((stats.get(f"{key}_drift", 0.0) for key in ("position", "velocity")), default=0.0)
    if drift:
        rows.append(("largest drift", f"{drift:.2g} m or m/s"))
    if result.slack:
        worst = min(result.slack, key=lambda interval: interval.force)
        fibers = _count(len({interval.fiber for interval in result.slack}), "fiber", "fibers")
        rows.append(("compressed", f"{fibers}; worst: {worst}"))
    if result.softening:
        worst = min(result.softening, key=lambda interval: interval.slope)
        fibers = _count(len({interval.fiber for interval in result.softening}), "fiber", "fibers")
        rows.append(("softening", f"{fibers}; worst: {worst}"))
    if result.parameters:
        pairs = (
            f"{key} = {_plain(value)}" for key, value in result.parameters.items() if value != ""
        )
        rows.append(("parameters", ", ".join(pairs)))
    return rows


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _head(part: SubFigure, choice: Choice) -> None:
    """Name, facts, and the scene at two times."""
    result = choice.result
    place = part.add_gridspec(1, 2, width_ratios=(0.42, 0.58))
    words = part.add_subplot(place[0])
    words.axis("off")
    words.set(xlim=(0, 1), ylim=(0, 1))
    words.text(0.0, 1.0, result.scene, fontsize=14, fontweight="bold", va="top")
    y = 0.87
    for name, value in facts(result):
        lines = textwrap.wrap(value, _VALUES, max_lines=3, placeholder=" …") or [""]
        color = _STATUS_COLORS.get(value, "0.1") if name == "status" else "0.1"
        weight = "bold" if name == "status" else "normal"
        words.text(0.0, y, name, fontsize=_TEXT, color="0.45", va="top")
        words.text(
            0.29, y, "\n".join(lines), fontsize=_TEXT, color=color, fontweight=weight, va="top",
            linespacing=1.15,
        )  # fmt: skip
        y -= 0.024 + 0.045 * len(lines)
    frames = _picture_frames(choice)
    inner = place[1].subgridspec(
        1, len(frames) + 1, width_ratios=[1.0] * len(frames) + [0.05], wspace=0.02
    )
    stage = Stage(result, TISSUE)
    size = (_PIXELS, int(_PIXELS * 1.22))
    with FrameDrawer(stage, stage.camera(size, 0.0), size) as drawer:
        for k, frame in enumerate(frames):
            axes = part.add_subplot(inner[k])
            axes.imshow(drawer.draw(frame))
            axes.set_title(f"t = {result.time[frame]:.4g} s", fontsize=_TEXT + 1)
            axes.set(xticks=[], yticks=[])
            for spine in axes.spines.values():
                spine.set_color("0.85")
    if stage.colored:
        place = part.add_subplot(inner[len(frames)])
        place.set_box_aspect(1.22 / 0.05)  # as high as the pictures
        bar, label = color_bar(place, stage)
        others = (f"{words} {_TONES[words]}" for words, _ in swatches(stage, [choice.result]))
        bar.set_label("; ".join([label, *others]), fontsize=_TEXT)
        place.tick_params(labelsize=_TEXT - 0.5)


def _picture_frames(choice: Choice) -> list[int]:
    """Two frames: those given by the user, else the first and the most different one."""
    result = choice.result
    if choice.frames is not None:
        return sorted({choice.frames[0], choice.frames[-1]})
    last = result.time.size - 1
    values = np.array([v for v in result.coordinates.values()])
    if values.size:
        span = np.ptp(values, axis=1, keepdims=True)
        moved = np.abs(values - values[:, :1]) / np.where(span > 0.0, span, 1.0)
        total = moved.sum(axis=0)
        if np.all(np.isfinite(total)) and total.max() > 0.0:
            return sorted({0, int(np.argmax(total))})
    return sorted({0, last})


def _short(axes: Axes, panel: Panel) -> None:
    """Finish axes in a small place: wrapped titles."""
    finish(axes, panel, _TEXT)
    axes.set_title("\n".join(textwrap.wrap(panel.title, _WIDE)), loc="left", fontsize=_TEXT + 0.8)

"""Labels in columns beside a picture, connected by lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.optimize import isotonic_regression

from fibermsk._arrays import Array
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.looks import Color

_FONT_SIZE = 7.5
_LINE = 13.0
"""Distance of two lines of text, in pixels."""
_GAP = 25.0
"""Distance of the columns from the drawn points, in pixels."""
_ROOM = 90.0
"""Least width of a column, in pixels."""


class Label(NamedTuple):
    """Text at a point."""

    words: str
    point: Array  # (3,), ground frame [m]
    color: Color


def spread(wanted: Array, distance: float, low: float, high: float) -> Array:
    """Positions near those wanted (n,), increasing, at least a distance apart, in least squares.

    They are between `low` and `high`, and closer to each other if there is no room.
    """
    if wanted.size == 0:
        return wanted
    step = min(distance, (high - low) / max(wanted.size - 1, 1)) * np.arange(wanted.size)
    # blocks of neighbors that are too close share their mean
    return np.clip(isotonic_regression(wanted - step).x, low, high - step[-1]) + step


def draw_labels(
    figure: Figure, labels: list[Label], cloud: Array, camera: Camera, size: tuple[int, int]
) -> None:
    """Write labels on a figure, in columns beside the drawn points, `cloud` (n, 3) [m]."""
    if not labels:
        return
    width, height = size
    places = _project(np.stack([label.point for label in labels]), camera, size)
    drawn = _project(cloud, camera, size)
    by_side = np.argsort(places[:, 0], kind="stable")
    half = len(labels) // 2
    for side, members in (("right", by_side[:half]), ("left", by_side[half:])):
        members = members[np.argsort(places[members, 1], kind="stable")]
        heights = spread(places[members, 1], _LINE, _LINE, height - 6.0 * _LINE)
        column = _column(side, heights, np.concatenate([drawn, places]), width)
        for i, y in zip(members, heights, strict=True):
            x_end = column + (3.0 if side == "right" else -3.0)
            ends = ([x_end / width, places[i, 0] / width], [y / height, places[i, 1] / height])
            figure.add_artist(Line2D(*ends, color="0.45", linewidth=0.5))
            figure.text(
                column / width, y / height, labels[i].words, ha=side, va="center",
                fontsize=_FONT_SIZE, color=labels[i].color,
            )  # fmt: skip


def _column(side: str, heights: Array, drawn: Array, width: int) -> float:
    """Edge of a column of labels, beside the drawn points at its height."""
    if not heights.size:
        return 0.0
    near = (drawn[:, 1] > heights[0] - 3.0 * _LINE) & (drawn[:, 1] < heights[-1] + 3.0 * _LINE)
    across = drawn[near, 0] if near.any() else drawn[:, 0]
    if side == "right":
        return max(float(across.min()) - _GAP, _ROOM)
    return min(float(across.max()) + _GAP, width - _ROOM)


def _project(points: Array, camera: Camera, size: tuple[int, int]) -> Array:
    """Pixels from the left and from below, (n, 2)."""
    local = (points - camera.position) @ camera.axes.T
    scale = 0.5 * size[1] / (local[:, 2] * np.tan(0.5 * camera.angle))
    return 0.5 * np.array(size) + scale[:, None] * local[:, :2]

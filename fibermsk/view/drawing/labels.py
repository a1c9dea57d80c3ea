"""Words about places in a picture, in columns beside what they name, with lines to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from fibermsk.view.drawing.camera import Camera

__all__ = ["Label", "draw_labels", "spread"]

Array = NDArray[np.float64]

_FONT_SIZE = 7.5
_LINE = 13.0
"""Distance of two lines of words, in pixels."""
_GAP = 25.0
"""Distance of the columns from what is drawn, in pixels."""
_ROOM = 90.0
"""Least room for words at the side, in pixels."""


class Label(NamedTuple):
    """A name and what it names.

    Attributes
    ----------
    words : str
        The name.
    point : (3,) float array
        Where it is, ground frame [m].
    color : three floats
        Red, green and blue of the words.
    """

    words: str
    point: Array
    color: tuple[float, float, float]


def spread(wanted: Array, distance: float, low: float, high: float) -> Array:
    """Places on a line close to those wanted, none closer to another than a distance.

    Parameters
    ----------
    wanted : (n,) float array
        Increasing.
    distance : float
        Least distance of neighbors; less where there is no room.
    low, high : float
        Range of the places.

    Returns
    -------
    places : (n,) float array
        Increasing; least squares from those wanted, but for the range.
    """
    n = wanted.size
    if n > 1:
        distance = min(distance, (high - low) / (n - 1))
    step = distance * np.arange(n)
    # Isotonic regression: blocks of neighbors that would come too close share their mean.
    blocks: list[tuple[float, int]] = []
    for value in wanted - step:
        mean, count = float(value), 1
        while blocks and blocks[-1][0] >= mean:
            before, size = blocks.pop()
            mean, count = (mean * count + before * size) / (count + size), count + size
        blocks.append((mean, count))
    free = np.concatenate([np.full(count, mean) for mean, count in blocks]) if n else wanted
    return np.clip(free, low, high - (step[-1] if n else 0.0)) + step


def draw_labels(
    figure: Figure, labels: list[Label], cloud: Array, camera: Camera, size: tuple[int, int]
) -> None:
    """Write labels on a picture.

    Parameters
    ----------
    figure : Figure
        With the picture as its background.
    labels : list of Label
        What is named.
    cloud : (n, 3) float array
        Points of what is drawn, which the columns stay beside [m].
    camera : Camera
        Where the picture was taken from.
    size : (int, int)
        Width and height of the picture in pixels.
    """
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
    """Where the words of a column end at their right, or begin, beside what is drawn there."""
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

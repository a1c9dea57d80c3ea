"""Names of muscles and coordinates written into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from scipy.ndimage import distance_transform_edt
from scipy.spatial import KDTree

from fibermsk._arrays import Array
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.labels import Box, Label, Placed, fiber_labels, place_labels
from fibermsk.view.drawing.looks import NAME_COLORS, Theme
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.cpu_draw import visible_fibers
from fibermsk.view.pictures.framing import caption_boxes, projected
from fibermsk.view.pictures.lettering import DPI, pixels_of

_FONT_SIZE = 8.5
_FINEST = 1600
"""Most pixels along a side of a picture in which fibers are looked for."""
_INSIDE, _PART = 6.0, 0.6
"""Least distance of a point from the outline of what is seen of its muscle, in pixels and over the
greatest there; the smaller counts."""
_HIDDEN = 0.5
"""Pixels of a muscle that are seen, over the length of its path in pixels, of a hidden one."""


def write_names(
    figure: Figure,
    stage: Stage,
    camera: Camera,
    size: tuple[float, float],
    frame: int,
    taken: Sequence[Box] = (),
) -> list[Placed]:
    """Write the labels of a stage at a frame on a figure, beside what is `taken`.

    Returns where they are.
    """
    labels = list(stage.labels)
    if stage.named and not stage.is_still:
        labels = fiber_labels(stage.result.drawn, frame, NAME_COLORS[stage.theme.name])
    if not labels:
        return []
    nothing = np.zeros(1)
    paths, sizes = [], []
    canvas: Any = figure.canvas
    for label in labels:
        points = label.point[None] if label.path is None else label.path
        margins = np.repeat(nothing, len(points))
        paths.append(projected(points, margins, camera, size)[0])
        text = figure.text(0, 0, label.words, fontsize=_FONT_SIZE)
        box = text.get_window_extent(canvas.get_renderer())
        text.remove()
        sizes.append((float(box.width * DPI / figure.dpi), float(box.height * DPI / figure.dpi)))
    there = on_muscles(labels, paths, stage, frame, camera, size)
    labels, paths = [labels[k] for k in there], [paths[k] for k in there]
    sizes = [sizes[k] for k in there]
    cloud, margins = stage.extent_at(frame)
    crowd = projected(cloud, 0.0 * margins, camera, size)[0]
    every = np.concatenate([crowd, *paths])
    boxes = [box for box in (*caption_boxes(stage, size), *taken) if box is not None]
    placed = place_labels(labels, paths, sizes, size, taken=boxes, crowd=every)
    for one in placed:
        _write(figure, one, stage.theme)
    return placed


def on_muscles(
    labels: Sequence[Label],
    paths: list[Array],
    stage: Stage,
    frame: int,
    camera: Camera,
    size: tuple[float, float],
) -> list[int]:
    """Move the points of labels of fibers to where these are seen, in place.

    `paths` are pixels from the left and from below. Returns the numbers of the labels other than
    those of muscles that are hidden.
    """
    there = list(range(len(labels)))
    if not any(label.members for label in labels):
        return there
    coarse = max(1.0, np.ceil(max(size) / _FINEST))
    width, height = (int(side / coarse) for side in size)
    seen = visible_fibers(stage, frame, camera, (width, height))
    for k, label in enumerate(labels):
        if not label.members:
            continue
        rows, columns = np.nonzero(np.isin(seen, label.members))
        steps = np.linalg.norm(np.diff(paths[k], axis=0), axis=1)
        if rows.size <= _HIDDEN * float(steps.sum()) / coarse:
            there.remove(k)
            continue
        low, left = rows.min() - 1, columns.min() - 1
        part = np.zeros((rows.max() - low + 2, columns.max() - left + 2))
        part[rows - low, columns - left] = 1.0
        inside: Any = distance_transform_edt(part)
        rows, columns = np.nonzero(inside >= min(_INSIDE, _PART * float(inside.max())))
        found = np.stack([columns + left, height - 1 - low - rows], axis=1) + 0.5
        found = found * np.array(size) / (width, height)
        paths[k] = found[KDTree(found).query(paths[k])[1]]
    return there


def _write(figure: Figure, one: Placed, theme: Theme) -> None:
    """Text with a light edge, and a line to its point if that is not beside it."""
    pixels = pixels_of(figure)
    left, low, right, high = one.box
    middle = 0.5 * (low + high)
    x, y = one.point
    edge = left - 2.0 if x < left else right + 2.0
    halo = [withStroke(linewidth=2.6, foreground=theme.background)]
    ends: Any = ([x, edge], [y, middle])
    figure.add_artist(
        Line2D(*ends, color=one.color, linewidth=0.8, transform=pixels, path_effects=halo)
    )
    dot: Any = ([x], [y])
    figure.add_artist(
        Line2D(*dot, color=one.color, marker="o", markersize=3.0, transform=pixels,
               markeredgecolor=theme.background, markeredgewidth=0.6)
    )  # fmt: skip
    figure.text(
        left, middle, one.words, ha="left", va="center", fontsize=_FONT_SIZE, color=one.color,
        transform=pixels, path_effects=halo,
    )  # fmt: skip

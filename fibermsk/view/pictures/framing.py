"""Camera of a picture: the subject as large as it can be beside the captions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.view.drawing.camera import Camera, find_camera
from fibermsk.view.drawing.stage import Stage, fit_turn
from fibermsk.view.pictures.floor import on_floor

FITS = ("frame", "run")
"""What fills a picture: the frame that it shows, or all frames, for pictures to be compared."""

_LEGEND = 88.0
"""Least width of the legend, in pixels."""
_LEGEND_PART = 0.14
"""Its part of the width of large pictures."""
_WITH_LEGEND, _WITH_AXES = (240, 180), (260, 200)
"""Least widths and heights of pictures with a legend, and with the directions of the axes."""
_TALL = 1.5
"""Height over width of scenes from which the legend lies below."""
_LETTER = 0.62
"""Mean width of a letter over the size of the font."""


class Heading(NamedTuple):
    """Sizes of the fonts of name and time in points, and pixels from one to the other."""

    name: float
    time: float
    step: float

    @classmethod
    def of(cls, size: tuple[float, float]) -> Heading:
        """Heading of a picture; of a small one in smaller letters."""
        small = size[0] < 300 or size[1] < 220
        return cls(9.0, 8.5, 15.0) if small else cls(13.0, 11.0, max(0.04 * size[1], 24.0))


class Boxes(NamedTuple):
    """Rectangles of the captions: left, bottom, right and top in pixels; None where left out."""

    title: tuple[float, float, float, float]
    legend: tuple[float, float, float, float] | None
    axes: tuple[float, float, float, float] | None


def has_legend(size: tuple[float, float]) -> bool:
    """Whether a picture has room for a legend."""
    return size[0] >= _WITH_LEGEND[0] and size[1] >= _WITH_LEGEND[1]


def has_axes(size: tuple[float, float]) -> bool:
    """Whether a picture has room for the directions of the axes."""
    return size[0] >= _WITH_AXES[0] and size[1] >= _WITH_AXES[1]


def has_lying_legend(stage: Stage, size: tuple[float, float]) -> bool:
    """Whether the legend lies below a scene of this size: a color scale alone, if that is tall."""
    tall = size[1] > _TALL * size[0] and has_legend(size)
    return tall and stage.colored and not stage.arrows


def caption_boxes(stage: Stage, size: tuple[float, float], named: str = "") -> Boxes:
    """Places of name and time, legend and axes in a scene; the scene's name without one."""
    width, height = size
    head = Heading.of(size)
    name, time = 1.39 * head.name, 1.39 * head.time  # in pixels
    words = max(len(named or stage.result.scene) * name, 11 * time) * _LETTER
    low = 0.97 * height - head.step - (0.0 if stage.is_still else 1.3 * time)
    title = (0.0, low, 0.02 * width + words, float(height))
    legend = None
    beside = (stage.colored or stage.arrows) and not has_lying_legend(stage, size)
    if beside and has_legend(size):
        low = 0.0 if stage.arrows else 0.2 * height
        top = min(max(0.92 * height, 0.84 * height + 38.0), height)  # of two lines over the scale
        legend = (legend_left(size) - 8.0, low, float(width), top)
    side = axes_side(size) + 14.0
    return Boxes(title, legend, (0.0, 0.0, side, side) if has_axes(size) else None)


def axes_side(size: tuple[float, float]) -> float:
    """Side of the square of the directions of the axes, in pixels."""
    return max(0.14 * min(size), 52.0)


def legend_left(size: tuple[float, float]) -> float:
    """Left edge of the legend, in pixels from the left."""
    return size[0] - max(_LEGEND_PART * size[0], _LEGEND)


def frame_camera(
    stages: Stage | Sequence[Stage],
    size: tuple[float, float],
    frame: int | Sequence[int] | None = None,
    *,
    floor: bool = False,
    title: str = "",
) -> Camera:
    """Camera that shows one frame of each stage, or whole runs for None, as large as possible.

    The subject is centered in the picture where the captions have room beside it, and otherwise
    beside the legend, below the name, or both. With `floor` the shadow below it is in view.
    """
    stages = [stages] if isinstance(stages, Stage) else stages
    frames = (
        [frame] * len(stages) if frame is None or isinstance(frame, int | np.integer) else frame
    )
    seen = [_seen(one, k, floor) for one, k in zip(stages, frames, strict=True)]
    cloud = np.concatenate([points for points, _ in seen])
    margins = np.concatenate([reach for _, reach in seen])
    stage = stages[0]
    boxes = caption_boxes(stage, size, title)
    aspect = size[0] / size[1]
    side = 0.0 if boxes.legend is None else (size[0] - boxes.legend[0]) / size[0]
    head = (size[1] - boxes.title[1]) / size[1]
    best: tuple[tuple[bool, float], Camera] | None = None
    for room in dict.fromkeys((0.0, side)):
        for above in (0.0, head):
            camera = find_camera(
                "fit", cloud, margins, aspect, stage.result.up, room=room, head=above,
                turn=fit_turn(stage),
            )  # fmt: skip
            places, reach = projected(cloud, margins, camera, size)
            covered = any(_inside(places, reach, box) for box in boxes if box is not None)
            drawn = float(np.linalg.norm(camera.position - camera.focal_point))
            # free captions first, then the nearest camera
            rank = (covered, drawn)
            if best is None or rank < best[0]:
                best = rank, camera
    assert best is not None
    return best[1]


def _seen(stage: Stage, frame: int | None, floor: bool) -> tuple[Array, Array]:
    """Balls of a stage at a frame or over its run, with its arrows and its shadow on a floor."""
    cloud, margins = (stage.cloud, stage.margins) if frame is None else stage.extent_at(frame)
    parts = [(cloud, margins), stage.tips(frame)]
    if floor:
        up = np.asarray(stage.result.up, dtype=float)
        parts.append(on_floor(cloud, margins, up, stage.size))
    return np.concatenate([one for one, _ in parts]), np.concatenate([reach for _, reach in parts])


def projected(
    points: Array, margins: Array, camera: Camera, size: tuple[float, float]
) -> tuple[Array, Array]:
    """Pixels from the left and from below (n, 2) of balls, and their radii (n,) in pixels."""
    local = (points - camera.position) @ camera.axes.T
    scale = 0.5 * size[1] / (local[:, 2] * np.tan(0.5 * camera.angle))
    return 0.5 * np.array(size) + scale[:, None] * local[:, :2], scale * margins


def check_size(size: Any, limits: tuple[int, int]) -> None:
    """Refuse a size other than two whole numbers of pixels between limits."""
    try:
        found = len(size) == 2 and all(limits[0] <= n <= limits[1] and n == int(n) for n in size)
    except (TypeError, ValueError):
        found = False
    if not found:
        raise ModelError(
            f"size = {size}; must be whole numbers of pixels, width and height, each {limits[0]} "
            f"to {limits[1]}"
        )


def check_fit(name: str) -> str:
    """One of `FITS`."""
    if name not in FITS:
        raise ModelError(f"fit = {name!r}; there are: {', '.join(FITS)}")
    return name


def _inside(places: Array, reach: Array, box: tuple[float, float, float, float]) -> bool:
    """Whether a disc overlaps a box."""
    left, low, right, high = box
    nearest = np.clip(places, [left, low], [right, high])
    return bool(np.any(np.linalg.norm(places - nearest, axis=1) < reach))

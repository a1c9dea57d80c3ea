"""Places of labels in a picture: on what they name, and beside each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.results.result import FiberHistory
from fibermsk.view.drawing.looks import Color

Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge in pixels, from the left and from below."""

_GAP = 7.0
"""Distance of a text from its point, in pixels."""
_BETWEEN = 1.5
"""Least distance of two texts, in pixels."""
_ASIDE = (0.0, 25.0, 60.0, 110.0)
"""Further distances of a text from its point, in pixels."""
_STEPS = (
    0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0, 6.0, -6.0, 8.0, -8.0,
)  # fmt: skip
"""Heights of a text beside its point, in lines."""
_OFF_MIDDLE, _OFF_LINE, _COVERED, _CROSSED = 6.0, 1.0, 0.5, 30.0
"""Costs: of a point at an end of the path, of a line of height, of a drawn point that is hidden, of
a text that a line to another one crosses."""

_PART = (0.2, 0.8)
"""Part of the belly of a fiber in which its label may be."""
_CHOICES = 13
_PARTS = np.linspace(0.0, 1.0, 16)[:, None]
"""Parts of the line to a text, of which each is shorter than a text is high."""


class Label(NamedTuple):
    """Text at a point of a path."""

    words: str
    point: Array  # (3,), ground frame [m]
    color: Color
    path: Array | None = None  # (n, 3), other points at which it may be
    members: tuple[int, ...] = ()  # its fibers, by their number in `Result.drawn`


class Placed(NamedTuple):
    """Text in a picture, and the point that it names, in pixels."""

    words: str
    color: Color
    box: Box
    point: tuple[float, float]


def leader(box: Box, point: Sequence[float]) -> list[Box]:
    """Small boxes along the line from a text to the point that it names."""
    left, low, right, high = box
    start = np.array([left if point[0] < left else right, 0.5 * (low + high)])
    places = start + _PARTS * (np.asarray(point, dtype=float) - start)
    return [(x - 2.0, y - 2.0, x + 2.0, y + 2.0) for x, y in places]


def fiber_labels(fibers: Mapping[str, FiberHistory], frame: int, color: Color) -> list[Label]:
    """Labels of muscles at a frame: one for the fibers ``biceps_1``, ``biceps_2`` and so on."""
    bundles: dict[str, list[tuple[int, FiberHistory]]] = {}
    for k, (name, fiber) in enumerate(fibers.items()):
        bundles.setdefault(re.sub(r"_?\d+$", "", name) or name, []).append((k, fiber))
    labels = []
    for words, members in bundles.items():
        paths = [fiber.centerline(_in_belly(fiber), frame) for _, fiber in members]
        path = np.mean(paths, axis=0)
        if np.all(np.isfinite(path)):
            numbers = tuple(k for k, _ in members)
            labels.append(Label(words, path[_CHOICES // 2], color, path, numbers))
    return labels


def _in_belly(fiber: FiberHistory) -> Array:
    """Material coordinates of a fiber (n,) at which its label may be; its middle is best."""
    belly = fiber.theta[fiber.muscle_fraction > 0.5]
    first, last = (belly[0], belly[-1]) if belly.size > 1 else (0.0, 1.0)
    return first + np.linspace(*_PART, _CHOICES) * (last - first)


def place_labels(
    labels: Sequence[Label],
    paths: Sequence[Array],
    sizes: Sequence[tuple[float, float]],
    size: tuple[float, float],
    *,
    taken: Sequence[Box] = (),
    crowd: Array | None = None,
) -> list[Placed]:
    """Put texts beside points of their paths, so that no two cover each other.

    Parameters
    ----------
    labels : sequence of Label
        The first have the choice.
    paths : sequence of (n, 2) float array
        Pixels at which each may be, from the left and from below; the middle one is best.
    sizes : sequence of (float, float)
        Widths and heights of the texts in pixels.
    size : (int, int)
        Width and height of the picture.
    taken : sequence of Box
        Places of other text.
    crowd : (n, 2) float array, optional
        Pixels of drawn things, that are better not covered.

    Returns
    -------
    placed : list of Placed
        Without those for which there is no place.
    """
    occupied = list(taken)
    things = np.empty((0, 2)) if crowd is None else crowd
    placed, texts, lines = list[Placed](), np.empty((0, 4)), np.empty((0, len(_PARTS), 2))
    for label, path, (width, height) in zip(labels, paths, sizes, strict=True):
        best: tuple[float, Box, tuple[float, float]] | None = None
        middle = 0.5 * (len(path) - 1)
        for k, (x, y) in enumerate(path):
            off = _OFF_MIDDLE * abs(k - middle) / max(middle, 1.0)
            for step in _STEPS:
                low = y + step * (height + _BETWEEN) - 0.5 * height
                sides = [(x + _GAP + a, a) for a in _ASIDE]
                sides += [(x - _GAP - a - width, a) for a in _ASIDE]
                for left, aside in sides:
                    cost = off + _OFF_LINE * (abs(step) + aside / height)
                    box = (left, low, left + width, low + height)
                    if best is not None and cost >= best[0]:
                        continue
                    if not _within(box, size) or any(overlap(box, one) for one in occupied):
                        continue
                    line = _line((x, y), box)
                    cost += _CROSSED * _crossings(line, box, texts, lines)
                    if best is not None and cost >= best[0]:
                        continue
                    cost += _COVERED * int(np.count_nonzero(_in_box(things, box)))
                    if best is None or cost < best[0]:
                        best = cost, box, (float(x), float(y))
        if best is not None:
            occupied.append(best[1])
            texts = np.append(texts, [best[1]], axis=0)
            lines = np.append(lines, [_line(best[2], best[1])], axis=0)
            placed.append(Placed(label.words, label.color, best[1], best[2]))
    return placed


def _line(point: tuple[float, float], box: Box) -> Array:
    """Points (n, 2) of the line from a point to the middle of the near side of a text."""
    left, low, right, high = box
    end = (left if point[0] < left else right), 0.5 * (low + high)
    return np.array(point) + _PARTS * (np.array(end) - point)


def _crossings(line: Array, box: Box, texts: Array, lines: Array) -> int:
    """Number of texts (n, 4) that a line crosses, and of lines (n, m, 2) that cross its text."""
    low, high = texts[:, None, :2], texts[:, None, 2:]
    through = np.all((line >= low) & (line <= high), axis=2).any(axis=1)
    return int(through.sum()) + int(_in_box(lines, box).any(axis=1).sum())


def overlap(one: Box, other: Box) -> bool:
    """Whether two texts are closer than they should be."""
    return (
        one[0] < other[2] + _BETWEEN
        and other[0] < one[2] + _BETWEEN
        and one[1] < other[3] + _BETWEEN
        and other[1] < one[3] + _BETWEEN
    )


def _within(box: Box, size: tuple[float, float]) -> bool:
    return box[0] >= 2.0 and box[1] >= 2.0 and box[2] <= size[0] - 2.0 and box[3] <= size[1] - 2.0


def _in_box(points: Array, box: Box) -> Array:
    low, high = np.array(box[:2]), np.array(box[2:])
    return np.all((points >= low) & (points <= high), axis=-1)

"""Place of a belly along the path of its muscle, and smoothness of its fibers."""

from __future__ import annotations

import math

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.bundle import TRANSITION
from fibermsk.anatomy.models.sizes import Sizes
from fibermsk.anatomy.sections import transition_length

_LEAST, _MOST = 0.02, 0.1
"""Bounds of smoothing over the length of a path: fibers follow the points of the line muscle more
closely than those of a single bundle."""

_PLACES = np.linspace(0.05, 0.95, 19)
"""Shares of the tendon at the origin that are compared."""

_TO_AN_END = 0.15
"""Angle by which a path must turn less [rad] for its belly to lie at an end."""


def smoothing_of(sizes: Sizes, rest: float, length: float) -> float:
    """Smoothing of fibers over the length of a path [m]: they bend as widely as they are thick.

    The muscle part has the length `rest` [m].
    """
    radius = sizes.belly_radius * math.sqrt(sizes.belly_length / (sizes.n_fibers * rest))
    return min(max(2.0 * radius / length, _LEAST), _MOST)


def proximal_of(sizes: Sizes, points: Array, rest: float) -> float:
    """Share of the tendon at the origin, for a muscle part of length `rest` [m] on a path (m, 3).

    A belly is thick: it lies where the path turns least, and tendons pass around bones and through
    points. On a straight path it lies in the middle.
    """
    length = paths.polyline_length(points)
    # fibers beside the path bend before it does and after
    width = min(max(sizes.belly_radius / length, _LEAST), _MOST)
    chord = np.diff(paths.smooth(points, 0.5 * width), axis=0)
    way = chord / np.linalg.norm(chord, axis=1, keepdims=True)
    turns = np.arccos(np.clip((way[1:] * way[:-1]).sum(axis=1), -1.0, 1.0))
    at = np.linspace(0.0, 1.0, len(chord) + 1)[1:-1]
    muscle = min(rest / length, 0.95)
    change = transition_length(1.0, muscle, TRANSITION)
    before = _PLACES[:, None] * (1.0 - muscle - 2.0 * change)
    after = before + muscle + 2.0 * change
    thick = np.minimum((at - before) / change, (after - at) / change).clip(0.0, 1.0)
    return float(_PLACES[np.argmin(thick @ turns + 2.0 * _TO_AN_END * np.abs(_PLACES - 0.5))])

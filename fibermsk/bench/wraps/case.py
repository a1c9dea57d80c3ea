"""The muscle of all programs: an upper arm, a forearm, and a muscle behind the elbow.

Two hinges about z; the muscle runs from the ground past a surface on the upper arm, whose center is
on the axis of the elbow, to the forearm. It touches the surface in 85 % of the poses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

from fibermsk._arrays import Array

ELBOW = (0.0, -0.3, 0.0)
ORIGIN = (-0.03, -0.02, 0.01)
INSERTION = (-0.02, -0.06, -0.01)
"""Places [m]: the elbow in the upper arm, whose hinge is at the ground origin; origin in the
ground, insertion in the forearm."""

RADIUS = 0.025
RADII = (0.025, 0.03, 0.1)
"""Of the cylinder about z, and of the ellipsoid [m]."""

BEHIND = (-0.06, 0.0, 0.0)
"""Point behind the surface, from its center [m]."""

_LEAST = 0.1
"""Least duration of all runs [s], so that short ones are many."""

_COMPARED = 50
"""Poses whose lengths and moment arms are compared."""


def poses(n: int) -> Array:
    """Angles of shoulder and elbow (n, 2) [rad] of a motion."""
    t = np.linspace(0.0, 1.0, n)
    return np.stack([0.5 * np.sin(6.0 * t), 0.7 + 0.9 * np.sin(23.0 * t)], axis=1)


def compared(n: int) -> list[int]:
    """Numbers of the poses that are compared."""
    return np.unique(np.linspace(0, n - 1, _COMPARED).astype(int)).tolist()


def report(
    run: Callable[[], Any], repeats: int, found: Callable[[int], Sequence[Any]], n: int
) -> dict[str, Any]:
    """Median seconds of one run over all poses after another that is not timed, and results.

    ``found(k)`` has the length [m] and the moment arms about shoulder and elbow [m] in pose k.
    """
    run()
    seconds: list[float] = []
    while len(seconds) < repeats or sum(seconds) < _LEAST:
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    rows = [[float(value) for value in found(k)] for k in compared(n)]
    return {"seconds": median(seconds), "found": rows}

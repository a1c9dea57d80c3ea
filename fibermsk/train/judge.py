"""Errors of a network on paths from which it did not learn."""

from __future__ import annotations

import math

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.lines.material.network import Network, evaluate_paths
from fibermsk.train.exact import CYLINDER, taut_paths
from fibermsk.train.samples import draw_ends, ends_in_frame

MEASURES = ("position", "length", "moment arm")
"""Distance of a point, length, and moment arm about the axis of the surface, over its radius."""


def errors_of(surface: str, network: Network, n: int, seed: int, *, even: bool = False) -> Array:
    """Median, 99 % and largest of the errors (3, 3) of n random paths within the range.

    They are drawn as in the training, or `even` in distance and angle. Paths near lift-off are
    included. Rows are `MEASURES`.
    """
    rng = np.random.default_rng(seed)
    ends, alpha = draw_ends(surface, n, rng, even=even), rng.uniform(0.0, 1.0, n)
    o, i = ends_in_frame(ends)
    x, length, turned = np.empty((n, 3)), np.empty(n), np.empty(n)
    reference = math.pi if surface == CYLINDER else 0.0
    evaluate_paths(network, reference, o, i, alpha, x, length, turned)
    # the last piece of an exact path is straight: its direction is that of the force
    near = 1.0 - 1e-4
    exact = taut_paths(surface, ends, np.stack([alpha, np.full(n, near)], -1))
    way = i - exact.x[:, 1]
    way /= np.linalg.norm(way, axis=1)[:, None]
    arm = i[:, 0] * way[:, 1] - i[:, 1] * way[:, 0]
    off = np.stack(
        [np.linalg.norm(x - exact.x[:, 0], axis=1), abs(length - exact.length), abs(turned - arm)]
    )[:, exact.found]
    return np.stack([np.median(off, 1), np.quantile(off, 0.99, axis=1), off.max(1)], -1)

"""The bundle that every simulator runs: parallel fibers that touch, clamped at both ends, sagging.

N fibers of 20 elements lie side by side in a hexagonal packing, each touching its neighbors, and
fall under their own weight for one second. What counts as right is the same for everyone: the sag
(mean drop of the middles at the end of the run) lies within 2 % of what the same model gives when
its time step is much smaller, and no two fibers overlap by more than 2 % of their diameter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DENSITY",
    "DURATION",
    "ELEMENTS",
    "FRAMES",
    "GRAVITY",
    "LENGTH",
    "RADIUS",
    "YOUNGS_MODULUS",
    "measure",
    "packing",
    "penetration",
]

Array = NDArray[np.float64]

LENGTH = 0.3
"""Of a fiber [m]."""

RADIUS = 6e-3
"""Of a fiber's section at the start [m]."""

DENSITY = 900.0
"""[kg/m^3]."""

YOUNGS_MODULUS = 6e4
"""[N/m^2]; a third of it is the shear modulus, as nothing here changes its volume."""

GRAVITY = 9.81
"""Downwards, along -z [m/s^2]."""

ELEMENTS = 20
"""Of each fiber."""

DURATION = 1.0
"""Simulated time [s]."""

FRAMES = 16
"""How often a run is looked at, the last time at its end; each interval is timed by itself."""

_SAMPLES = 257
"""Points on each centerline between which distances are measured: 16 an element."""

_END = 2
"""Elements at each end where overlap is not counted.

The ends are held a diameter apart: fibers that leave them at an angle overlap there by geometry,
whatever the contact forces.
"""


def packing(n: int) -> Array:
    """Where the fibers cross the plane x = 0: (n, 2) places y, z [m], neighbors a diameter apart.

    Two lie one upon the other; more lie in rows, about as many as there are fibers in a row.
    """
    d = 2.0 * RADIUS
    if n == 2:
        return np.array([[0.0, 0.0], [0.0, d]])
    in_row = math.ceil(math.sqrt(n))
    row, place = np.divmod(np.arange(n), in_row)
    return np.column_stack([(place + 0.5 * (row % 2)) * d, row * (math.sqrt(0.75) * d)])


def penetration(centerlines: Array, radii: Array) -> float:
    """Deepest overlap of two fibers over the diameter at the start, 0 if none overlap.

    Parameters
    ----------
    centerlines : (n_fibers, n_points, 3) float array
        Points along each fiber, joined by straight lines [m].
    radii : (n_fibers, n_points) float array
        Current radius there [m].

    Returns
    -------
    penetration : float
        Of the distances between points sampled densely on all centerlines, less the radii there;
        whatever a simulator says of its own contacts is not used.
    """
    n, m = radii.shape
    at = np.linspace(_END / ELEMENTS, 1.0 - _END / ELEMENTS, _SAMPLES) * (m - 1.0)
    first = np.minimum(at.astype(np.int64), m - 2)
    part = at - first
    x = centerlines[:, first] * (1.0 - part)[:, None] + centerlines[:, first + 1] * part[:, None]
    r = radii[:, first] * (1.0 - part) + radii[:, first + 1] * part
    lowest, highest = (x - r[..., None]).min(axis=1), (x + r[..., None]).max(axis=1)
    deepest = 0.0
    for i in range(n):
        apart = (lowest[i] > highest).any(axis=1) | (lowest > highest[i]).any(axis=1)
        for j in np.flatnonzero(~apart[i + 1 :]) + i + 1:
            distance = np.sqrt(_squared_distances(x[i], x[j]))
            deepest = max(deepest, float((r[i][:, None] + r[j] - distance).max()))
    return deepest / (2.0 * RADIUS)


def _squared_distances(x: Array, y: Array) -> Array:
    """Between all pairs of points (m, 3), (k, 3)."""
    return sum(np.subtract.outer(x[:, c], y[:, c]) ** 2 for c in range(3))  # pyright: ignore


def measure(frames: list[tuple[Array, Array]]) -> dict[str, Any]:
    """What is asked of a run, from its frames (centerlines, radii) as for `penetration`.

    Returns
    -------
    measured : dict
        ``sag`` [m], ``penetration`` at the end, ``largest_penetration`` of all frames, both over
        the diameter; and ``finite``, whether all of it is a number.
    """
    last, _ = frames[-1]
    finite = all(bool(np.isfinite(part).all()) for frame in frames for part in frame)
    if not finite:
        return {"finite": False, "sag": None, "penetration": None, "largest_penetration": None}
    overlaps = [penetration(*frame) for frame in frames]
    middle = last[:, last.shape[1] // 2, 2]
    start = packing(last.shape[0])[:, 1]
    return {
        "finite": True,
        "sag": float((start - middle).mean()),
        "penetration": overlaps[-1],
        "largest_penetration": max(overlaps),
    }

"""Bundle of all simulators: parallel fibers in contact, clamped at both ends, sagging.

N fibers of 20 elements in a hexagonal packing, each in contact with its neighbors, fall under their
own weight for one second. A run is accurate if the sag (mean drop of the middles over the last
quarter) is within 2 % of that of the same model with a much smaller time step, and the penetration
in that quarter at most 2 % of the diameter.

Each simulator has a function ``run_bundle(n, steps, ..., duration, frames)``, or ``run_cables`` for
cables without contact: n fibers, number of time steps (a multiple of the frames), duration [s] and
number of samples. It returns a dict with ``seconds``, the wall time of the steps without
compilation, ``steps``, and the values of `measure`, or for cables ``drops`` of the middle of the
first one at each frame [m].
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq

from fibermsk._arrays import Array

LENGTH = 0.3
"""Length of a fiber [m]."""

RADIUS = 6e-3
"""Initial radius of a fiber [m]."""

DENSITY = 900.0
"""Density [kg/m^3]."""

YOUNGS_MODULUS = 6e4
"""Young's modulus [N/m^2]; the shear modulus is a third of it (incompressible)."""

GRAVITY = 9.81
"""Gravity along -z [m/s^2]."""

ELEMENTS = 20
"""Elements of each fiber."""

DURATION = 1.0
"""Simulated time [s]."""

FRAMES = 16
"""Samples of a run, the last at its end; not timed."""

MEASURED = ("sags", "sag", "sag_end", "penetration", "largest_penetration")
"""Keys of `measure`."""

_SAMPLES = 257
"""Points on each centerline for distances."""

_END = 2
"""Elements at each end without measurement of overlap: fibers that leave their ends at an angle
overlap there by geometry."""


def packing(n: int) -> Array:
    """Positions y, z (n, 2) of the fibers [m], neighbors a diameter apart.

    Two are one above the other; more are in rows, about as many as fibers in a row.
    """
    d = 2.0 * RADIUS
    if n == 2:
        return np.array([[0.0, 0.0], [0.0, d]])
    in_row = math.ceil(math.sqrt(n))
    row, place = np.divmod(np.arange(n), in_row)
    return np.column_stack([(place + 0.5 * (row % 2)) * d, row * (math.sqrt(0.75) * d)])


def penetration(centerlines: Array, radii: Array) -> float:
    """Largest overlap of two fibers over the initial diameter, 0 without overlap.

    From densely sampled polylines `centerlines` (n_fibers, n_points, 3) and radii (n_fibers,
    n_points) [m], independent of a simulator's own contacts.
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
    """Measurements of a run from its frames (centerlines, radii) as for `penetration`.

    ``sags``, mean drop of the middles at each frame, ``sag``, mean over the last quarter, and
    ``sag_end`` [m]; ``penetration`` in the last quarter and ``largest_penetration`` over the
    diameter. All are None if any number is not finite.
    """
    if not all(np.isfinite(part).all() for frame in frames for part in frame):
        return dict.fromkeys(MEASURED)
    start = packing(len(frames[0][0]))[:, 1]
    sags = [float((start - x[:, x.shape[1] // 2, 2]).mean()) for x, _ in frames]
    overlaps = [penetration(*frame) for frame in frames]
    late = slice(-max(len(frames) // 4, 1), None)
    return {
        "sags": sags,
        "sag": float(np.mean(sags[late])),
        "sag_end": sags[-1],
        "penetration": max(overlaps[late]),
        "largest_penetration": max(overlaps),
    }


def watch(
    advance: Callable[[int], Any], look: Callable[[], tuple[Array, Array]], steps: int, frames: int
) -> dict[str, Any]:
    """Run a simulator that is stepped from outside, and measure it.

    `advance` takes a number of steps; `look` returns centerlines and radii. The run ends if any is
    not finite.
    """
    seen, seconds = [], 0.0
    for _ in range(frames):
        began = time.perf_counter()
        advance(steps // frames)
        seconds += time.perf_counter() - began
        seen.append(look())
        if not np.isfinite(seen[-1][0]).all():
            break
    return {"seconds": seconds, "steps": steps, **measure(seen)}


def string_sag() -> float:
    """Static sag [m] of one fiber as an elastic string.

    Elastic catenary between two points at a distance of its length: with the horizontal force H,
    weight W and stiffness EA, half the span is H L / (2 EA) + (H L / W) asinh(W / 2H) and the sag W
    L / (8 EA) + (H L / W) (sqrt(1 + (W / 2H)^2) - 1) (H. M. Irvine, Cable Structures, 1981, ch. 1).
    """
    area = math.pi * RADIUS**2
    weight = DENSITY * GRAVITY * area * LENGTH
    stiffness = YOUNGS_MODULUS * area

    def excess(H: float) -> float:
        return 0.5 * H / stiffness + H / weight * math.asinh(0.5 * weight / H) - 0.5

    H = float(brentq(excess, 1e-3 * weight, 1e3 * weight))  # pyright: ignore[reportArgumentType]
    bend = H / weight * (math.sqrt(1.0 + (0.5 * weight / H) ** 2) - 1.0)
    return LENGTH * (weight / (8.0 * stiffness) + bend)

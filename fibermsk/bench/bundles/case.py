"""The bundle that every simulator runs: parallel fibers that touch, clamped at both ends, sagging.

N fibers of 20 elements lie side by side in a hexagonal packing, each touching its neighbors, and
fall under their own weight for one second. What counts as right is the same for everyone: the sag
(mean drop of the middles over the last quarter of the second, in which they still swing a little)
lies within 2 % of what the same model gives when its time step is much smaller, and no two fibers
overlap in that quarter by more than 2 % of their diameter.

A simulator has a function ``run_bundle(n, steps, ..., duration, frames)``, or ``run_cables`` for
cables side by side that do not touch: n fibers, that many time steps (a multiple of the frames) for
a duration [s], and how often the run is looked at; what may come between is its own. It gives a
dict with ``seconds``, the wall time of the steps alone (what is compiled is so before), ``steps``,
and what `measure` gives, or for cables ``drops``, those of the middle of the first one at each
frame [m].
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
"""Number of samples of a run, the last at its end; sampling is not timed."""

MEASURED = ("sags", "sag", "sag_end", "penetration", "largest_penetration")
"""Return type of `measure`."""

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

    `centerlines` (n_fibers, n_points, 3) are points along each fiber, joined by straight lines,
    with radii (n_fibers, n_points) there [m]. From the distances between points sampled densely on
    all centerlines, less the radii; whatever a simulator says of its own contacts is not used.
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
    """Measure a run from its frames (centerlines, radii) as for `penetration`.

    Returns
    -------
    measured : dict
        ``sags``, mean drop of the middles at each frame, ``sag``, their mean over the last quarter
        of the frames, and ``sag_end``, the last of them [m]; ``penetration``, largest in the last
        quarter, and ``largest_penetration`` of all frames, both over the diameter; all of them
        None if anything is not a number.
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

    `advance` takes so many steps; `look` gives centerlines and radii now, as for `penetration`. The
    run ends where any is not finite. Steps and frames: see the head of this module.
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
    """Return the static sag [m] of one fiber as a string that obeys Hooke's law.

    Elastic catenary between two points as far apart as the string is long: with the horizontal
    force H, weight W and stiffness EA, half the span is H L / (2 EA) + (H L / W) asinh(W / 2H) and
    the sag W L / (8 EA) + (H L / W) (sqrt(1 + (W / 2H)^2) - 1) (H. M. Irvine, Cable Structures,
    1981, ch. 1).
    """
    area = math.pi * RADIUS**2
    weight = DENSITY * GRAVITY * area * LENGTH
    stiffness = YOUNGS_MODULUS * area

    def excess(H: float) -> float:
        return 0.5 * H / stiffness + H / weight * math.asinh(0.5 * weight / H) - 0.5

    H = float(brentq(excess, 1e-3 * weight, 1e3 * weight))  # pyright: ignore[reportArgumentType]
    bend = H / weight * (math.sqrt(1.0 + (0.5 * weight / H) ** 2) - 1.0)
    return LENGTH * (weight / (8.0 * stiffness) + bend)

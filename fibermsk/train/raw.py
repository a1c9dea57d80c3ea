"""The network of wang2022 as printed, for comparison: no symmetry, no straight line.

Six layers of 256 tanh units take the ends, the fraction and the radius to the point, in meters.
"""

from __future__ import annotations

import time

import numpy as np

from fibermsk._arrays import Array
from fibermsk.train.exact import CYLINDER, taut_paths
from fibermsk.train.fit import fit, outputs
from fibermsk.train.samples import NEAR_LIFT_OFF, draw_ends, ends_in_frame

RADII = 0.01, 0.06
"""Radii of the surfaces [m]."""
HEIGHTS = -4.0, 4.0
"""Heights of the ends along a cylinder, over its radius."""
HIDDEN = [256] * 6
BATCH, PATHS, CHECKED = 512, 200_000, 20_000


def _drawn(surface: str, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Inputs (n, 8), points (n, 3) [m] and radii (n,) of paths turned about the axis at random."""
    ends, alpha = draw_ends(surface, n, rng), rng.uniform(0.0, 1.0, n)
    if surface == CYLINDER:  # heights change nothing there, which this network has to learn
        ends = ends._replace(z_o=rng.uniform(*HEIGHTS, n), z_i=rng.uniform(*HEIGHTS, n))
    taut = taut_paths(surface, ends, alpha[:, None])
    r, turn = rng.uniform(*RADII, n)[:, None], rng.uniform(-np.pi, np.pi, n)
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]

    def turned(x: Array) -> Array:
        x, y, z = np.split(r * x, 3, axis=1)
        return np.concatenate([c * x - s * y, s * x + c * y, z], 1)

    o, i = (turned(x) for x in ends_in_frame(ends))
    x = turned(taut.x[:, 0])
    own = (taut.wrapped == 0.0) | (taut.wrapped >= NEAR_LIFT_OFF * taut.length)
    return np.concatenate([o, i, alpha[:, None], r], 1)[own], x[own], r[own, 0]


def train_raw(surface: str, steps: int, seed: int) -> Array:
    """Train it; returns median, 99 % and largest error of positions over the radius (3,)."""
    rng, start = np.random.default_rng(seed), time.perf_counter()
    inputs, x, _ = _drawn(surface, PATHS, rng)

    def tell(done: int, loss: float) -> None:
        print(f"{time.perf_counter() - start:6.0f} s  step {done}: {loss**0.5:.5f}", flush=True)

    size = x.std()
    own = fit(
        inputs[:, None], np.ones((len(x), 1)), x[:, None] / size, None, HIDDEN, steps, BATCH, seed,
        rate=1e-3, tell=tell,
    )  # fmt: skip
    inputs, x, r = _drawn(surface, CHECKED, rng)
    off = np.linalg.norm(size * outputs(own, inputs) - x, axis=1) / r
    errors = np.array([np.median(off), np.quantile(off, 0.99), off.max()])
    print(f"{time.perf_counter() - start:6.0f} s; position in radii: median, 99 %, largest", errors)
    return errors

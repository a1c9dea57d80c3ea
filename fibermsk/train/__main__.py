"""Training of the networks for muscles with mass: ``python -m fibermsk.train SURFACE FILE``.

Needs JAX and optax: ``pip install "fibermsk[train]"``.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.lines.material.network import Network
from fibermsk.kernels.lines.path_arrays import CAPPED as CAPPED_KIND, CYLINDER as CYLINDER_KIND
from fibermsk.train.exact import CAPPED, CYLINDER
from fibermsk.train.fit import Fit, fit
from fibermsk.train.judge import MEASURES, errors_of
from fibermsk.train.samples import APART, RANGES, draw

PAIRS, CHECKED, BATCH = 600_000, 200_000, 2048
HIDDEN = {CYLINDER: ([32] * 3, [48] * 3), CAPPED: ([48] * 3, [64] * 3)}
"""Units of the hidden layers of the networks of length and position."""


def train(surface: str, steps: int, seed: int) -> tuple[Network, Array]:
    """Train the networks of a surface; returns them, in single precision, and their errors."""
    start = time.perf_counter()

    def tell(done: int, loss: float) -> None:
        print(f"{time.perf_counter() - start:6.0f} s  step {done}: {loss**0.5:.5f}", flush=True)

    own = draw(surface, PAIRS, np.random.default_rng(seed))
    tell(0, 0.0)
    for_length, for_position = HIDDEN[surface]
    damping = own.scales[..., 1]
    length = fit(
        own.length_inputs, damping, (own.length - own.scales[..., 0])[..., None], APART,
        for_length, steps // 2, BATCH, seed, tell=tell,
    )  # fmt: skip
    position = fit(
        own.position_inputs, damping * own.alpha * (1.0 - own.alpha),
        own.position[..., : 2 if surface == CYLINDER else 3], APART, for_position, steps, BATCH,
        seed, tell=tell,
    )  # fmt: skip
    network = network_of(surface, length, position)
    errors = errors_of(surface, network, CHECKED, seed + 1)
    print(f"{time.perf_counter() - start:6.0f} s; errors in radii: median, 99 %, largest")
    for name, row in zip(MEASURES, errors, strict=True):
        print(f"{name:12}", *(f"{value:9.6f}" for value in row))
    return network, errors


def network_of(surface: str, length: Fit, position: Fit) -> Network:
    """The networks as they are evaluated."""
    kind = CYLINDER_KIND if surface == CYLINDER else CAPPED_KIND
    values = (np.asarray(one.values, "f4").astype(float) for one in (length, position))
    first, second = values
    return Network(kind, length.sizes, first, position.sizes, second)


def main() -> None:
    """Train and write a file of weights."""
    parser = argparse.ArgumentParser(prog="python -m fibermsk.train", description=__doc__)
    parser.add_argument("surface", choices=(CYLINDER, CAPPED))
    parser.add_argument("file", nargs="?", help="file to write, .npz")
    parser.add_argument("--raw", action="store_true", help="the network of wang2022, not written")
    parser.add_argument("--steps", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.raw:
        from fibermsk.train.raw import train_raw

        train_raw(chosen.surface, chosen.steps, chosen.seed)
        return
    if chosen.file is None:
        parser.error("the file to write is missing")
    network, errors = train(chosen.surface, chosen.steps, chosen.seed)
    ranges = RANGES[chosen.surface]
    np.savez(
        chosen.file, length_sizes=network.length_sizes, length=network.length.astype("f4"),
        position_sizes=network.position_sizes, position=network.position.astype("f4"),
        errors=errors, range_of=np.array(list(ranges)), ranges=np.array(list(ranges.values())),
    )  # fmt: skip


if __name__ == "__main__":
    main()

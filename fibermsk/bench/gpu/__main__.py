"""Measure the GPU backend where there is a GPU, or predict its times anywhere.

``python -m fibermsk.bench.gpu --fibers 100000``, ``python -m fibermsk.bench.gpu --predict``.
"""

from __future__ import annotations

import argparse
import json

from fibermsk.bench.gpu.measure import measure
from fibermsk.bench.gpu.predict import MACHINES, Costs, predict, table
from fibermsk.gpu import cupy_device, host_device


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fibers", type=int, nargs="+", default=None)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--dt", type=float, default=1.0 / 1024.0)
    parser.add_argument("--device", choices=("cupy", "host"), default="cupy")
    parser.add_argument("--compare", action="store_true", help="make the same steps on the CPU")
    parser.add_argument("--predict", action="store_true", help="times from bytes and launches")
    parser.add_argument("--machine", choices=tuple(MACHINES), default="H200", help="of --predict")
    parser.add_argument("--launch", type=float, help="time of a launch of numba-cuda [s]")
    parser.add_argument("--json", action="store_true", help="print all numbers of --predict")
    given = parser.parse_args()
    if given.predict:
        costs = Costs() if given.launch is None else Costs(launch=given.launch)
        counts = given.fibers or (1_000, 10_000, 100_000, 1_000_000)
        found = predict(counts, MACHINES[given.machine], costs, dt=given.dt)
        print(json.dumps(found, indent=2) if given.json else table(found))
        return
    device = cupy_device() if given.device == "cupy" else host_device()
    for fibers in given.fibers or (1000,):
        figures = measure(fibers, given.steps, given.dt, device, compare=given.compare)
        print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    _main()

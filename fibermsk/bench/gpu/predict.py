"""A model of the time of an implicit step on a GPU, from bytes, operations and launches.

Two bundles of the benchmark run on the host in the place of a GPU, with arrays that count bytes
and launches. In a hexagonal packing of n fibers everything grows like a n + b sqrt(n), where the
second term is the rim: two bundles give a and b. Operations are counted in a third one. The time of
a kernel is the larger one of its bytes over the bandwidth and its operations over the arithmetic
speed, plus a constant for each launch. It is optimistic: each array counts once, however often it
is read, and every thread is assumed to find work.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from fibermsk.bench.bundles import case
from fibermsk.bench.bundles.ours import squeezed_model
from fibermsk.bench.gpu.measure import advance, start
from fibermsk.bench.gpu.metered import ARRAYS, Meter, Work
from fibermsk.bench.gpu.operations import count
from fibermsk.errors import ModelWarning
from fibermsk.gpu import DeviceSystem
from fibermsk.system import build

AT_ENDS = "kernels.fibers.attachment.leave_identity", "kernels.fibers.attachment.take_reaction"
"""Kernels that touch the ends of fibers alone, of arrays of all nodes."""

SAMPLES = 37, 91
"""Fibers of the two bundles: three and five rings around the middle one."""


@dataclass(frozen=True)
class Machine:
    """A GPU: memory [bytes], its bandwidth [bytes/s], and arithmetic in double precision [1/s]."""

    name: str
    memory: float
    bandwidth: float
    arithmetic: float


MACHINES = {
    one.name: one
    for one in (
        Machine("H100", 80e9, 3.35e12, 33.5e12),
        Machine("H200", 139 * 2**30, 4.8e12, 33.5e12),
    )
}
"""By the data sheets, without tensor cores; memory in use on an H200 is some 139 GiB."""


@dataclass(frozen=True)
class Costs:
    """Assumed constants.

    Attributes
    ----------
    launch : float
        Time of a launch of numba-cuda [s], some 0.1 ms as reported in NVIDIA/numba-cuda-mlir, pull
        request 90.
    operation : float
        Time of an operation of CuPy [s].
    wait : float
        Time until the host has a value that it waits for [s].
    copy : float
        Copies between host and device [bytes/s].
    """

    launch: float = 1e-4
    operation: float = 1e-5
    wait: float = 2e-5
    copy: float = 2.5e10


@dataclass(frozen=True)
class Sample:
    """Work of a step, and of a search of candidate pairs, of one bundle."""

    fibers: int
    newton: int  # iterations
    linear: list[int]  # iterations of GMRES of each
    step: dict[str, Work]
    search: dict[str, Work]
    waits: int
    copied: float
    peak: float  # memory [bytes]


def sample(fibers: int, dt: float) -> Sample:
    """Count the second step of length `dt` [s] of the squeezed bundle."""
    meter = Meter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        system = DeviceSystem(build(squeezed_model(fibers)), meter.device())
        memory, _ = start(system, dt)
        meter.restart()
        memory, (figures,) = advance(system, memory, dt, 1)
        step, waits, copied = dict(meter.work), meter.waits, meter.copied
        meter.restart()
        system.search_again(memory.state.y)
        search = dict(meter.work)
    newton, linear = figures["newton"], figures["linear"]
    return Sample(fibers, newton, linear, step, search, waits, copied, meter.peak)


def predict(
    fibers: Iterable[int],
    machine: Machine,
    costs: Costs | None = None,
    *,
    dt: float = 1.0 / 1024.0,
    samples: tuple[int, int] = SAMPLES,
    operations: dict[str, float] | None = None,
) -> dict[str, Any]:
    """Times [s] of a step and of a search for each number of fibers, and memory [bytes].

    ``bundles`` has, for each number, total times, and a row for each kernel: launches, tasks,
    bytes, operations, and times. `operations` of a task of each kernel are counted by default.
    """
    costs = costs or Costs()
    operations = count() if operations is None else operations
    small, large = (sample(n, dt) for n in samples)
    return {
        "machine": asdict(machine),
        "costs": asdict(costs),
        "samples": [one.fibers for one in (small, large)],
        "newton": large.newton,
        "linear": large.linear,
        "operations": operations,
        "bundles": [_bundle(n, (small, large), machine, costs, operations) for n in fibers],
    }


def grown(n: int, samples: tuple[Sample, Sample], values: tuple[float, float]) -> float:
    """Value a n + b sqrt(n) for n fibers, from those of two samples."""
    (p, q), (x, y) = (one.fibers for one in samples), values
    # at a sample itself its own value
    b = (x / p - y / q) / (p**-0.5 - q**-0.5)
    return (y / q + b * (n**-0.5 - q**-0.5)) * n


def _bundle(
    n: int,
    samples: tuple[Sample, Sample],
    machine: Machine,
    costs: Costs,
    operations: dict[str, float],
) -> dict[str, Any]:
    small, large = samples
    rows = {}
    for part in ("step", "search"):
        works = getattr(small, part), getattr(large, part)
        rows[part] = _rows(n, samples, works, machine, costs, operations)
    copied = grown(n, samples, (small.copied, large.copied))
    waiting = large.waits * costs.wait + copied / costs.copy
    working, launching = (
        sum(row[what] for row in rows["step"]) for what in ("working", "launching")
    )
    memory = grown(n, samples, (small.peak, large.peak))
    return {
        "fibers": n,
        "seconds": working + launching + waiting,
        "working": working,
        "launching": launching,
        "waiting": waiting,
        "search": sum(row["working"] + row["launching"] for row in rows["search"]),
        "memory": memory,
        "fits": memory <= machine.memory,
        "kernels": rows["step"],
        "kernels_of_search": rows["search"],
    }


def _rows(
    n: int,
    samples: tuple[Sample, Sample],
    works: tuple[dict[str, Work], dict[str, Work]],
    machine: Machine,
    costs: Costs,
    operations: dict[str, float],
) -> list[dict[str, Any]]:
    """Rows of kernels, the slowest first."""
    rows, nothing = [], Work()
    ratio = samples[1].newton / samples[0].newton
    for name, large in works[1].items():
        small = works[0].get(name, nothing)
        # as if both samples had the same number of launches
        share = large.launches / small.launches if small.launches else ratio
        moved = grown(n, samples, (small.bytes * share, large.bytes))
        if name in AT_ENDS:
            moved *= 2.0 / (case.ELEMENTS + 1)
        tasks = grown(n, samples, (small.tasks * share, large.tasks))
        done = tasks * operations.get(name, 0.0)
        cost = costs.operation if name == ARRAYS else costs.launch
        rows.append(
            {
                "kernel": name,
                "launches": large.launches,
                "tasks": tasks,
                "bytes": moved,
                "operations": done,
                "working": max(moved / machine.bandwidth, done / machine.arithmetic),
                "launching": large.launches * cost,
            }
        )
    return sorted(rows, key=lambda row: -row["working"] - row["launching"])


def table(found: dict[str, Any], kernels: int = 16) -> str:
    """Predictions as text, with the slowest kernels of each bundle."""
    machine, costs = found["machine"], found["costs"]
    lines = [
        f"{machine['name']}: {machine['bandwidth'] / 1e12:.3g} TB/s, "
        f"{machine['arithmetic'] / 1e12:.3g} TFLOP/s; assumed: a launch "
        f"{costs['launch'] * 1e6:.0f} us, an operation of CuPy {costs['operation'] * 1e6:.0f} us, "
        f"a wait {costs['wait'] * 1e6:.0f} us",
        f"a step: {found['newton']} Newton iterations, GMRES {found['linear']}",
        "",
        f"{'fibers':>9s} {'step':>9s} {'kernels':>9s} {'launches':>9s} {'waits':>9s} "
        f"{'search':>9s} {'memory':>9s}    ms, GB",
    ]
    for one in found["bundles"]:
        times = " ".join(
            f"{1e3 * one[what]:9.2f}"
            for what in ("seconds", "working", "launching", "waiting", "search")
        )
        ending = "" if one["fits"] else "  does not fit"
        lines.append(f"{one['fibers']:9d} {times} {one['memory'] / 1e9:9.2f}{ending}")
    for one in found["bundles"]:
        lines += [
            "",
            f"{one['fibers']} fibers{'launches':>51s} {'MB':>10s} {'MFLOP':>10s} {'ms':>8s} "
            f"{'launch ms':>9s}",
        ]
        lines += [
            f"{row['kernel']:<52s} {row['launches']:8d} {row['bytes'] / 1e6:10.1f} "
            f"{row['operations'] / 1e6:10.1f} {1e3 * row['working']:8.3f} "
            f"{1e3 * row['launching']:9.2f}"
            for row in one["kernels"][:kernels]
        ]
    return "\n".join(lines)

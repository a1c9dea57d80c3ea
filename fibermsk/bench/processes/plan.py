"""Numbers of the plan for more fibers than one machine holds; see `docs/beyond_one_machine.md`.

``python -m fibermsk.bench.processes.plan`` prints them. Blocks are cut between fibers, never across
them: a cut crosses the section of the bundle, and a block is a bundle of fibers.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any

NODE_BYTES = 6 * 8
"""Entries of a node in a vector [bytes]."""

BLOCK_BYTES = 36 * 8
"""A block of the matrix [bytes]."""


def halo_bytes(fibers: int, nodes: int) -> int:
    """Sent for one product with the matrix [bytes]: some fibers of some nodes each."""
    return fibers * nodes * NODE_BYTES


def reduction_bytes(iterations: int) -> int:
    """Sent for the dot products of one solution by GMRES [bytes].

    The norm of the right-hand side, and in iteration n two sums of n numbers and one of one: 8 (1 +
    sum of 2 n + 1) = 8 (k + 1)^2.
    """
    return 8 * (iterations + 1) ** 2


def solution_bytes(fibers: int, nodes: int, iterations: int) -> int:
    """Sent for one solution by GMRES [bytes]: products, dot products, and the solution's ghosts."""
    return (iterations + 1) * halo_bytes(fibers, nodes) + reduction_bytes(iterations)


def reductions(iterations: int) -> int:
    """Sums over all processes in one solution by GMRES."""
    return 1 + 3 * iterations


def ghosts(fibers: float, cuts: int = 4) -> float:
    """Ghosts of a block of fibers in a hexagonal packing whose section is a square.

    A side of it is crossed by sqrt(fibers) rows in the mean of both directions of the packing (1.07
    and 0.93 times that), each with one neighbor beyond the side; `cuts` of four sides are cuts.
    """
    return cuts * math.sqrt(fibers)


@dataclass(frozen=True)
class Machine:
    """A GPU and its network; sizes [bytes], bandwidths [bytes/s], latency of a message [s]."""

    name: str
    memory: float
    bandwidth: float
    network: float
    latency: float = 5e-6


H100 = Machine("H100", 80e9, 3.35e12, 50e9)
H200 = Machine("H200", 141e9, 4.8e12, 50e9)

MACHINES = (H100, H200)
"""Memory and its bandwidth by the data sheets; one port of InfiniBand of 400 Gb/s for each GPU. The
latency is an assumption for a message between GPUs of two computers."""


@dataclass(frozen=True)
class Bundle:
    """A bundle and the measured cost of its implicit steps; see `docs/beyond_one_machine.md`."""

    fibers: int = 10_000_000
    elements: int = 20  # of a fiber
    bytes_per_element: float = 11_800.0  # of owned fibers and ghosts, with the basis of GMRES
    blocks_per_element: float = 8.7  # 6 x 6 blocks of couplings in use
    iterations: int = 8  # of GMRES in a solution, in the mean
    solutions: int = 5  # in a step
    full: float = 0.7  # part of a GPU's memory in use


def memory(bundle: Bundle, gpus: int) -> float:
    """Of one block [bytes]."""
    own = bundle.fibers / gpus
    beside = ghosts(own) if gpus > 1 else 0.0
    return (own + beside) * bundle.elements * bundle.bytes_per_element


def least_gpus(bundle: Bundle, machine: Machine) -> int:
    """Least number of GPUs whose memory holds the bundle with its ghosts."""
    gpus = 1
    while memory(bundle, gpus) > bundle.full * machine.memory:
        gpus += 1
    return gpus


def iteration_traffic(bundle: Bundle) -> float:
    """Memory read by an iteration of GMRES, of one fiber [bytes].

    Two sweeps read every coupling twice (as block and transposed) and the factors of the lines,
    three blocks a node, twice; two orthogonalizations read half of the final basis twice each.
    """
    nodes = bundle.elements + 1
    blocks = 2.0 * bundle.blocks_per_element * bundle.elements + 2.0 * 3.0 * nodes
    return blocks * BLOCK_BYTES + 4.0 * 0.5 * bundle.iterations * nodes * NODE_BYTES


def plan(bundle: Bundle, machine: Machine, gpus: int) -> dict[str, Any]:
    """Numbers of a bundle on some GPUs: of one block, of one iteration, and of one step.

    Times [s] are bounds from bandwidths and latencies, not predictions: the memory traffic of an
    iteration, four messages of ghosts, and sums over all processes of ceil(log2 gpus) messages.
    """
    nodes, own = bundle.elements + 1, bundle.fibers / gpus
    beside = ghosts(own)
    halo = halo_bytes(math.ceil(beside), nodes)
    k, levels = bundle.iterations, math.ceil(math.log2(max(gpus, 2)))
    compute = own * iteration_traffic(bundle) / machine.bandwidth
    exchange = halo / machine.network + 4.0 * machine.latency
    sums = reductions(k) / k * levels * machine.latency
    return {
        "machine": machine.name,
        "gpus": gpus,
        "fibers": own,
        "ghosts": beside,
        "ghost_part": beside / own,
        "memory": memory(bundle, gpus),
        "halo_bytes": halo,
        "reduction_bytes": reduction_bytes(k) / k,
        "step_bytes": bundle.solutions * solution_bytes(math.ceil(beside), nodes, k),
        "compute_seconds": compute,
        "halo_seconds": exchange,
        "sum_seconds": sums,
        "network_part": (exchange + sums) / (compute + exchange + sums),
        "solver_seconds": bundle.solutions * k * (compute + exchange + sums),
    }


def table(bundle: Bundle) -> list[dict[str, Any]]:
    """Plans on the least number of GPUs of each machine, and on two and eight times as many."""
    return [
        plan(bundle, machine, many * least_gpus(bundle, machine))
        for machine in MACHINES
        for many in (1, 2, 8)
    ]


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fibers", type=int, default=Bundle.fibers)
    given = parser.parse_args()
    print(
        "| GPU | number | fibers | ghosts | memory [GB] | sent an iteration [MB] | a step [MB] "
        "| product [ms] | ghosts [ms] | sums [ms] | network [%] | solutions of a step [s] |"
    )
    print("|" + "---|" * 12)
    for row in table(Bundle(fibers=given.fibers)):
        print(
            f"| {row['machine']} | {row['gpus']} | {row['fibers']:,.0f} | {row['ghosts']:,.0f} "
            f"({100.0 * row['ghost_part']:.1f} %) | {1e-9 * row['memory']:.0f} "
            f"| {1e-6 * row['halo_bytes']:.2f} | {1e-6 * row['step_bytes']:.0f} "
            f"| {1e3 * row['compute_seconds']:.2f} | {1e3 * row['halo_seconds']:.3f} "
            f"| {1e3 * row['sum_seconds']:.3f} | {100.0 * row['network_part']:.1f} "
            f"| {row['solver_seconds']:.2f} |"
        )


if __name__ == "__main__":
    _main()

"""Implicit steps of a squeezed bundle, in one process and in several together."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.bench.bundles.ours import squeezed_model
from fibermsk.bench.measure.memory import forget_peak, peak_memory
from fibermsk.bench.measure.timing import timed
from fibermsk.bench.processes.exchange import Exchange
from fibermsk.bench.processes.partition import Block, partition
from fibermsk.bench.processes.shared_system import SharedSystem
from fibermsk.bench.processes.submodel import submodel
from fibermsk.errors import ModelWarning
from fibermsk.model import Model
from fibermsk.solvers import BackwardEuler, Newton
from fibermsk.solvers.newton.linear import solver
from fibermsk.solvers.newton.stage import State
from fibermsk.system import build

_METHOD = BackwardEuler()

_LEAST = 2
"""Least number of fibers that have a contact."""

_WARM_UP = 8
"""Least number of fibers of the bundle that compiles everything."""


@dataclass(frozen=True)
class Problem:
    """Steps of length `dt` [s] of a squeezed bundle.

    Attributes
    ----------
    newton : float
        Tolerance of Newton's method.
    krylov : float
        Relative tolerance of the linear system of the first step, solved on its own.
    reach : float
        Distance between surfaces up to which fibers of two blocks are neighbors [m].
    """

    fibers: int
    steps: int
    dt: float
    newton: float
    krylov: float
    reach: float

    def __post_init__(self) -> None:
        for name in ("fibers", "steps"):
            _check.count("processes", name, getattr(self, name))
        if self.fibers < _LEAST:
            _check.refuse("processes", "fibers", self.fibers, f"be at least {_LEAST}")
        for name in ("dt", "newton", "krylov", "reach"):
            _check.positive("processes", name, getattr(self, name))


@dataclass(frozen=True)
class Part:
    """Result of a process: of its owned nodes (n, 6) the increment and the positions."""

    block: Block
    increment: Array
    y: Array
    figures: dict[str, Any]


def one_process(file: str, **problem_fields: Any) -> dict[str, Any]:
    """Figures of the steps by the package alone; `file` receives increment and positions."""
    problem = Problem(**problem_fields)
    with _quiet():
        _run(build(squeezed_model(_WARM_UP)), replace(problem, fibers=_WARM_UP))
        model = squeezed_model(problem.fibers)
        base = forget_peak()
        system, building = timed(build, model)
        figures, increment, y = _run(system, problem)
    np.savez(file, increment=increment, start=system.initial_state()[0], y=y)
    return figures | {"build_seconds": building, "bytes": _used(base)}


def several_processes(problem: Problem, communicator: Any, operations: tuple[Any, Any]) -> Part:
    """Make the steps together with the other processes of a communicator.

    `operations` are its sum and its maximum.

    Raises
    ------
    ModelError
        On all processes, if there are fewer fibers than processes, or the fibers move too far for
        the ghosts.
    """
    rank, size = communicator.Get_rank(), communicator.Get_size()
    if problem.fibers < size:
        must = f"be at least the number of processes, {size}"
        _check.refuse("processes", "fibers", problem.fibers, must)

    def prepared(given: Problem) -> tuple[SharedSystem, Block, dict[str, Any], int | None]:
        model, block, cutting = _share(given, communicator)
        base = forget_peak()
        started = time.perf_counter()
        inner = build(model)
        exchange = Exchange(communicator, operations, block, inner.cables.node_start)
        system = SharedSystem(inner, block, exchange, given.reach)
        seconds = {
            "partition_seconds": cutting,
            "build_seconds": time.perf_counter() - started,
        }
        return system, block, seconds, base

    with _quiet():
        few = replace(problem, fibers=max(_WARM_UP, size))
        _run(prepared(few)[0], few)  # compiles
        system, block, figures, base = prepared(problem)
        communicator.Barrier()
        found, increment, y = _run(system, problem)
    figures |= found | {
        "rank": rank,
        "owned": block.owned.size,
        "ghosts": block.ghosts.size,
        "sent_fibers": sum(of.size for of in block.sends.values()),
        "bytes": _used(base),
        "krylov": [
            {"iterations": one.iterations, "halo": one.sent.halo, "reduced": one.sent.reduced,
             "messages": one.sent.messages, "reductions": one.sent.reductions}
            for one in system.log
        ],
    }  # fmt: skip
    return Part(block, _owned_nodes(system, increment), _owned_nodes(system, y), figures)


def _share(problem: Problem, communicator: Any) -> tuple[Model, Block, float]:
    """Model and block of this process, and the time of the partition [s]."""
    model, blocks, seconds = squeezed_model(problem.fibers), None, 0.0
    if communicator.Get_rank() == 0:
        size = communicator.Get_size()
        blocks, seconds = timed(partition, model, size, problem.reach)
    block = communicator.scatter(blocks, root=0)
    return submodel(model, block), block, seconds


def _owned_nodes(system: SharedSystem, x: Array) -> Array:
    """Entries (n, 6) of a vector at the nodes of owned fibers."""
    return np.delete(x.reshape(-1, 6), system.exchange.ghosts, axis=0)


def _run(system: Any, problem: Problem) -> tuple[dict[str, Any], Array, Array]:
    """Figures, the increment of the first linear system, and the positions after the steps."""
    increment, linear = first_increment(system, problem)
    newton, dt = Newton(tolerance=problem.newton), problem.dt
    memory = _METHOD.start(system, State(0.0, *system.initial_state()))
    before, waited = _sent(system)
    steps = []
    for _ in range(problem.steps):
        step, seconds = timed(_METHOD.step, system, newton, memory, dt)
        memory, report = step.memory, step.reports[-1]
        if not report.converged:
            raise RuntimeError(f"the step fails: {report.reason}; use a shorter one")
        steps.append({"seconds": seconds, "newton": len(report.history), "linear": report.linear})
    inner = system.inner if isinstance(system, SharedSystem) else system
    figures = {
        "linear": linear,
        "steps": steps,
        "step_seconds": median(one["seconds"] for one in steps),
        "step_bytes": _sent(system)[0] - before,
        "waited_seconds": {name: _sent(system)[1][name] - waited[name] for name in waited},
        "closed_contacts": inner.contact.n_closed()[0],
        "elements": int(inner.cables.h.size),
        "nodes_per_fiber": int(inner.cables.n_nodes) // len(inner.fiber_names),
    }
    return figures, increment, memory.state.y


def _sent(system: Any) -> tuple[int, dict[str, float]]:
    """Bytes that this process has sent, and the wall times of exchanges [s]."""
    if not isinstance(system, SharedSystem):
        return 0, {}
    sent = system.exchange.sent
    return sent.halo + sent.reduced, dict(system.exchange.waited)


def first_increment(system: Any, problem: Problem) -> tuple[Array, dict[str, Any]]:
    """Increment (n,) of the first linear system of the first step, and figures of its solution."""
    rate = 1.0 / problem.dt
    y, v = system.initial_state()
    at = system.evaluate(problem.dt, y, v, np.zeros_like(v), rate, rate)
    found, seconds = timed(lambda: solver(at.tangent)(-at.residual, problem.krylov))
    blocks = at.tangent.A.couplings.n_blocks
    return found.x, {"seconds": seconds, "iterations": found.iterations, "blocks": int(blocks)}


def _used(base: int | None) -> int | None:
    """Memory above a base at its peak [bytes]; None if unknown."""
    peak = peak_memory()
    return None if base is None or peak is None else peak - base


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        # fibers without weight on them are slack for a moment at the start
        warnings.simplefilter("ignore", ModelWarning)
        yield

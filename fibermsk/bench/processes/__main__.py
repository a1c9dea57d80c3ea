"""Steps of one bundle by several processes together, compared with those of one process.

Needs the extra `mpi`: ``mpiexec -n 2 python -m fibermsk.bench.processes --fibers 2048``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from typing import Any

import numba

from fibermsk import _check
from fibermsk._extras import package
from fibermsk.bench.processes.compare import compared, findings, report
from fibermsk.bench.processes.steps import Problem, several_processes
from fibermsk.errors import ModelError


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fibermsk.bench.processes", description=__doc__)
    parser.add_argument("--fibers", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--dt", type=float, default=1.0 / 128.0, help="time step [s]")
    parser.add_argument("--newton", type=float, default=1e-9, help="tolerance of Newton's method")
    parser.add_argument("--krylov", type=float, default=1e-10, help="tolerance of one solution")
    parser.add_argument("--reach", type=float, default=6e-3, help="distance of neighbors [m]")
    parser.add_argument("--threads", type=int, default=1, help="threads of each process")
    parser.add_argument("--alone", action="store_true", help="do not compare with one process")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def _main(given: argparse.Namespace, communicator: Any, operations: tuple[Any, Any]) -> None:
    problem = Problem(given.fibers, given.steps, given.dt, given.newton, given.krylov, given.reach)
    part = several_processes(problem, communicator, operations)
    parts = communicator.gather(part, root=0)
    if parts is None:
        return
    whole = {} if given.alone else compared(problem, parts)
    found = findings(problem, parts, whole)
    print(json.dumps(found, indent=2) if given.json else report(found), flush=True)


def _start() -> None:
    given = _given()
    try:
        most = numba.get_num_threads()
        numba.set_num_threads(_check.count("processes", "threads", given.threads, most))
        MPI = package("mpi4py.MPI", "several processes", "mpi")
    except ModelError as error:
        sys.exit(f"Error: {error}")
    except RuntimeError as error:
        found = str(error).partition("\n")[0]
        sys.exit(
            f"Error: mpi4py: {found}; must find one: pip install mpich, or load that of a cluster"
        )
    world = MPI.COMM_WORLD
    try:
        _main(given, world, (MPI.SUM, MPI.MAX))
        # processes that wait for the comparison sleep: MPI's own waiting keeps a core busy
        done = world.Ibarrier()
        while not done.Test():
            time.sleep(0.05)
    except Exception as error:
        # the others wait for this process
        if isinstance(error, ModelError):
            print(f"Error: {error}", file=sys.stderr, flush=True)
        else:
            traceback.print_exc()
        world.Abort(1)


if __name__ == "__main__":
    _start()

"""Result of several processes together, beside that of one."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numba
import numpy as np

from fibermsk._arrays import Array
from fibermsk.bench.measure.machine import describe_machine, versions
from fibermsk.bench.measure.worker import Worker
from fibermsk.bench.processes.plan import ghosts, halo_bytes, reduction_bytes, solution_bytes
from fibermsk.bench.processes.steps import Part, Problem


def compared(problem: Problem, parts: list[Part]) -> dict[str, Any]:
    """Figures of the same steps by one process of its own, and differences from its result.

    ``increment_difference`` is that of the first linear system, over its largest increment of a
    position; ``difference`` that of the positions after all steps, over the largest motion.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        Worker(numba.get_num_threads()) as worker,
    ):
        file = str(Path(folder) / "one.npz")
        figures = worker.call(
            "fibermsk.bench.processes.steps:one_process", file=file, **asdict(problem)
        )
        with np.load(file) as saved:
            increment, start, y = (_nodes(saved[name]) for name in ("increment", "start", "y"))
    found = gathered(problem, parts)
    apart = {name: np.abs(found[name] - one) for name, one in (("increment", increment), ("y", y))}
    return {
        "figures": figures,
        "increment_difference": float(
            apart["increment"][..., :3].max() / np.abs(increment[..., :3]).max()
        ),
        "difference": float(apart["y"][..., :3].max() / np.abs(y - start)[..., :3].max()),
    }


def gathered(problem: Problem, parts: list[Part]) -> dict[str, Array]:
    """Increment and positions (n_nodes, 6) of the whole bundle, from those of the owners."""
    found = {}
    for name in ("increment", "y"):
        own = [getattr(part, name) for part in parts]
        whole = np.full((problem.fibers, own[0].shape[0] // parts[0].block.owned.size, 6), np.nan)
        for part, nodes in zip(parts, own, strict=True):
            whole[part.block.owned] = nodes.reshape(part.block.owned.size, -1, 6)
        found[name] = whole.reshape(-1, 6)
    return found


def _nodes(vector: Array) -> Array:
    return vector.reshape(-1, 6)


def traffic(part: Part) -> dict[str, float]:
    """What a process sends in an iteration of GMRES: counted, and by the formulas of the plan."""
    solutions = part.figures["krylov"]
    iterations = sum(one["iterations"] for one in solutions)
    nodes = part.figures["nodes_per_fiber"]
    predicted = sum(
        one["iterations"] * halo_bytes(part.figures["sent_fibers"], nodes)
        + reduction_bytes(one["iterations"])
        for one in solutions
    )
    in_steps = [k for step in part.figures["steps"] for k in step["linear"]]
    counted = sum(one["halo"] + one["reduced"] for one in solutions)
    return {
        "iterations": iterations,
        "bytes_per_iteration": counted / iterations,
        "predicted_bytes_per_iteration": predicted / iterations,
        "predicted_step_bytes": sum(
            solution_bytes(part.figures["sent_fibers"], nodes, k) for k in in_steps
        ),
        "halo_bytes_per_iteration": sum(one["halo"] for one in solutions) / iterations,
        "messages_per_iteration": sum(one["messages"] for one in solutions) / iterations,
        "sums_per_iteration": sum(one["reductions"] for one in solutions) / iterations,
    }


def findings(problem: Problem, parts: list[Part], whole: dict[str, Any]) -> dict[str, Any]:
    """Object of the benchmark, with the keys of `fibermsk bench --json`."""
    rows = [
        {"case": f"process {part.figures['rank']} of {len(parts)}", **_row(part.figures),
         **traffic(part)}
        for part in parts
    ]  # fmt: skip
    ratios: dict[str, Any] = {}
    if whole:
        one = whole["figures"]
        rows.append({"case": "one process", **_row(one | {"owned": problem.fibers})})
        used = max(part.figures["bytes"] or 0 for part in parts)
        ratios = {
            "increment_difference": whole["increment_difference"],
            "difference": whole["difference"],
            "memory": used / one["bytes"] if used and one["bytes"] else None,
        }
    return {
        "bench": "processes",
        "machine": describe_machine(),
        "threads": numba.get_num_threads(),
        "versions": versions(),
        "problem": asdict(problem),
        "rows": rows,
        "ratios": ratios,
        "notes": [
            "seconds is the median of the steps; bytes is the peak above what a process used "
            "before its system was built; increment_difference is that of the first linear system, "
            "over its largest increment, difference that of the positions after the steps, over "
            "the largest motion; memory is that of the largest process over that of one alone; a "
            f"straight cut of the plan has {ghosts(problem.fibers, 1):.0f} ghosts on each side"
        ],
    }


def _row(figures: dict[str, Any]) -> dict[str, Any]:
    known = {
        "who": "fibermsk",
        "n": figures["owned"],
        "seconds": figures["step_seconds"],
        "newton_iterations": sum(step["newton"] for step in figures["steps"]),
    }
    return known | {key: value for key, value in figures.items() if key not in ("owned", "krylov")}


def report(found: dict[str, Any]) -> str:
    """Table of the findings."""
    problem, rows, ratios = found["problem"], found["rows"], found["ratios"]
    lines = [
        f"{problem['fibers']} fibers, {problem['steps']} steps of {problem['dt']:.4g} s, Newton to "
        f"{problem['newton']:g}, linear system alone to {problem['krylov']:g}; "
        f"{found['threads']} threads a process",
    ]
    for row in rows:
        solutions = [k for step in row["steps"] for k in step["linear"]]
        lines.append(
            f"{row['case']}: {row['n']} fibers"
            + (f" and {row['ghosts']} ghosts" if "ghosts" in row else "")
            + f", {row['closed_contacts']} closed contact points, "
            + (f"{1e-6 * row['bytes']:.0f} MB, " if row["bytes"] else "")
            + f"{row['seconds']:.2f} s a step"
        )
        lines.append(
            f"    Newton iterations {[step['newton'] for step in row['steps']]}, of GMRES "
            f"{row['linear']['iterations']} alone, {solutions} in the steps"
        )
        if "ghosts" in row:
            lines.append(
                f"    sent: {row['bytes_per_iteration']:.0f} bytes an iteration (by the formulas "
                f"{row['predicted_bytes_per_iteration']:.0f}), {row['messages_per_iteration']:.0f} "
                f"messages and {row['sums_per_iteration']:.2f} sums; "
                f"{row['step_bytes'] / problem['steps']:.0f} bytes a step (solutions: "
                f"{row['predicted_step_bytes'] / problem['steps']:.0f})"
            )
            total = sum(step["seconds"] for step in row["steps"])
            halo, sums = (row["waited_seconds"][name] for name in ("halo", "reductions"))
            lines.append(
                f"    time of the steps: {total:.2f} s, of it {halo:.2f} s in exchanges of ghosts, "
                f"{sums:.2f} s in sums and maxima"
            )
    if ratios:
        lines += [
            f"difference of the increment: {ratios['increment_difference']:.1e} of the largest",
            f"difference of the positions: {ratios['difference']:.1e} of the largest motion",
        ]
        if ratios["memory"]:
            lines.append(f"memory of the largest process: {ratios['memory']:.2f} of one alone")
    return "\n".join(lines)

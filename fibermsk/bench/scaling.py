"""Benchmark `scaling`: time and memory of a step as bundles grow."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.bundles import case, ours as bundle_ours
from fibermsk.bench.bundles.ours import METHOD, NEWTON
from fibermsk.bench.measure.memory import forget_peak, peak_memory
from fibermsk.bench.measure.timing import simulate_timed, timed
from fibermsk.bench.measure.worker import Worker
from fibermsk.io import ResultFile
from fibermsk.results import Progress, Result
from fibermsk.solvers import FixedSteps
from fibermsk.system import FiberSystem, build

_N = (8, 32, 128, 512, 2048)
_QUICK = 3

_MODELS = {
    "one step, fibers that fall": "bundle_model",
    "one step, every contact closed": "squeezed_model",
}

_STEPS = 6
_DT = 1.0 / 128.0
_WARM_UP = (2, 128)
"""Fibers of the bundles that compile the kernels, serial and parallel."""

_REPEATS = 2
"""Processes per size; minimum over them of each step, then median of the steps."""


def run(options: Options) -> Findings:
    """Sizes of each bundle, in separate processes."""
    findings = Findings()
    sizes = _N[:_QUICK] if options.quick else _N
    for case_name, model in _MODELS.items():
        rows = []
        for n in sizes:
            options.say(f"{case_name}: {n} fibers")
            rows.append(_row(case_name, model, n, options.threads))
        findings.rows += rows
        counts = np.log([row["n"] for row in rows])
        times = np.log([row["seconds"] for row in rows])
        suffix = "" if model == "bundle_model" else "_squeezed"
        findings.ratios |= {
            f"growth_exponent{suffix}": float(np.polyfit(counts, times, 1)[0]),
            f"growth_exponent_last{suffix}": float(np.diff(times)[-1] / np.diff(counts)[-1]),
            f"bytes_per_element{suffix}": rows[-1]["bytes_per_element"],
        }
    findings.notes.append(
        f"{_STEPS} steps of 1/{1.0 / _DT:g} s; seconds is the median of the steps after the first; "
        "growth_exponent is the slope of log time over log n by least squares over all sizes, "
        "growth_exponent_last that of the last two; bytes is the peak of the steps above what the "
        "process used once everything was imported and compiled, bytes_with_file that with the "
        "result file, which has the first and the last frame"
    )
    return findings


def _row(case_name: str, model: str, n: int, threads: int | None) -> dict[str, Any]:
    """Row of one size."""
    runs = []
    for _ in range(_REPEATS):
        with Worker(threads) as worker:
            runs.append(worker.call("fibermsk.bench.scaling:time_steps", n=n, model=model))
    seconds = float(median(np.min([one["step_seconds"] for one in runs], axis=0)[1:]))
    elements, used = n * case.ELEMENTS, runs[0]["bytes"]
    return {
        "case": case_name,
        "who": "fibermsk",
        "n": n,
        "seconds": seconds,
        "us_per_element": 1e6 * seconds / elements,
        "first_step_seconds": min(one["step_seconds"][0] for one in runs),
        "model_seconds": min(one["model_seconds"] for one in runs),
        "build_seconds": min(one["build_seconds"] for one in runs),
        "newton_iterations_per_step": runs[0]["newton_iterations"] / _STEPS,
        "closed_contacts": runs[0]["closed_contacts"],
        "base_bytes": runs[0]["base_bytes"],
        "bytes": used,
        "bytes_with_file": runs[0]["bytes_with_file"],
        "bytes_per_element": None if used is None else used / elements,
    }


def time_steps(n: int, model: str, steps: int = _STEPS) -> dict[str, Any]:
    """A few steps of a bundle, by a function of `bundle_ours`, in a fresh process.

    ``step_seconds`` of each step, ``model_seconds``, ``build_seconds``, ``newton_iterations``,
    ``closed_contacts`` at the end; ``bytes`` used above ``base_bytes`` up to the last step, and
    ``bytes_with_file`` with the result file, None if unknown.
    """
    describe = getattr(bundle_ours, model)
    for warm in _WARM_UP:
        _steps(build(describe(warm)), 2)  # imports and compiles
    base = forget_peak()
    description, describing = timed(describe, n)
    system, building = timed(build, description)
    ends, closed, peak, result = _steps(system, steps)
    above = [None if base is None or one is None else one - base for one in (peak, peak_memory())]
    return {
        "step_seconds": np.diff(ends).tolist(),
        "model_seconds": describing,
        "build_seconds": building,
        "newton_iterations": result.stats["newton_iterations"],
        "closed_contacts": closed,
        "base_bytes": base,
        "bytes": above[0],
        "bytes_with_file": above[1],
    }


def _steps(system: FiberSystem, steps: int) -> tuple[list[float], int, int | None, Result]:
    """Times of the start and of each step; closed contacts and peak memory then; the result."""
    ends, closed, peak = [time.perf_counter()], 0, None

    def watch(_: Progress) -> None:
        nonlocal closed, peak
        ends.append(time.perf_counter())
        if len(ends) == steps + 1:
            closed, peak = system.contact.n_closed()[0], peak_memory()

    with tempfile.TemporaryDirectory() as folder:
        result, _ = simulate_timed(
            system, steps * _DT, steps, method=METHOD, newton=NEWTON, progress=watch,
            dt=steps * _DT, control=FixedSteps(steps), save=ResultFile(Path(folder) / "run.h5"),
        )  # fmt: skip
    return ends, closed, peak, result

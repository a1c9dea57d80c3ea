"""Benchmark `kernels`: parts of an evaluation, threads, cables in Exudyn, muscles on lines."""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median
from typing import Any

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.bundles.case import DURATION, ELEMENTS
from fibermsk.bench.forward.compare import add_forward
from fibermsk.bench.measure.machine import describe_machine, is_installed
from fibermsk.bench.measure.worker import Worker
from fibermsk.bench.wraps.compare import add_wraps

_N = 128
_QUICK_N = 8
"""Fibers for the times of the parts."""

_CABLES = 50
_STEPS = 128
"""Cables without contact, and time steps of their one second."""

_FINER = 16
"""Factor of the steps of the converged run."""

_REPEATS = 3

_KERNELS = {"cable_residual": "residual", "assemble_cable": "residual and tangent"}
"""Assembly kernels and their outputs."""

_OURS = "fibermsk.bench.bundles.ours:run_cables"
_EXUDYN = "fibermsk.bench.peers.in_exudyn:run_cables"

_CLAMPED = {"clamped": True, "bending_damping": 0.02}


def run(options: Options) -> Findings:
    """Parts and threads, then the cables, muscles around surfaces, and a forward run."""
    findings = Findings(ratios={"exudyn": None})
    parts = _time_parts(findings, options)
    _roofline(findings, options, parts)
    _time_bones(findings, options)
    _time_cables(findings, options)
    add_wraps(findings, options)
    add_forward(findings, options)
    return findings


def _time_parts(findings: Findings, options: Options) -> dict[str, Any]:
    """Rows of the parts, and ratios of threads; returns the measurements."""
    n = _QUICK_N if options.quick else _N
    cores = options.threads or describe_machine()["cores"]
    threads = sorted({1, cores})
    options.say(f"parts of an evaluation, {n} fibers, {' and '.join(map(str, threads))} threads")
    with Worker(cores) as worker:
        found = worker.call(
            "fibermsk.bench.kernel_times:time_parts",
            n=n,
            threads=threads,
            repeats=3 if options.quick else 9,
        )
    for part, times in found["parts"].items():
        for count in threads:
            seconds = times[str(count)]
            per: dict[str, Any] = {"us_per_element": 1e6 * seconds / found["elements"]}
            if part.startswith("contact"):
                per["us_per_slot"] = 1e6 * seconds / found["slots"]
            findings.add(part, "fibermsk", n, seconds, threads=count, **per)
    if len(threads) == 2:
        findings.ratios["threads"] = {
            part: times["1"] / times[str(cores)] for part, times in found["parts"].items()
        }
        findings.notes.append(f"threads: time with one over time with {cores}")
    return found


def _roofline(findings: Findings, options: Options, measured: dict[str, Any]) -> None:
    """Speed of the assembly kernels relative to the limits of one core."""
    options.say("roofline")
    with Worker(1, NUMBA_DISABLE_JIT="1") as worker:
        work = worker.call("fibermsk.bench.roofline:count_work")
    with Worker(1) as worker:
        machine = worker.call("fibermsk.bench.roofline:measure_machine")
    findings.ratios["roofline"] = {}
    for kernel, which in _KERNELS.items():
        seconds = measured["parts"][f"assembly kernel, {which}"]["1"]
        operations, moved = work[kernel]["operations"], work[kernel]["bytes"]
        rate = operations * measured["elements"] / seconds
        limit = min(machine["operations"], machine["bytes"] * operations / moved)
        findings.ratios["roofline"][which] = rate / limit
        findings.add(
            f"roofline, assembly kernel, {which}",
            "fibermsk",
            measured["elements"] // ELEMENTS,
            seconds,
            threads=1,
            operations_per_element=operations,
            bytes_per_element=moved,
            gflops=1e-9 * rate,
            gflops_limit=1e-9 * limit,
            machine_gflops=1e-9 * machine["operations"],
            machine_gbytes=1e-9 * machine["bytes"],
        )
    findings.notes.append(
        "roofline: operations of the kernel per second, relative to the limit of one core: its "
        "rate in a product of dense matrices, or the rate at which the sum of two long arrays "
        "moves the bytes of the kernel, if that is lower; arrays of this size are in caches"
    )


def _time_bones(findings: Findings, options: Options) -> None:
    """Distances to a capsule and to meshes of increasing resolution."""
    options.say("distances to bones")
    with Worker(1) as worker:
        rows = worker.call(
            "fibermsk.bench.bone_times:time_bones",
            sizes=[9, 18] if options.quick else [9, 18, 36, 72],
            repeats=3 if options.quick else 9,
        )
    for row in rows:
        what = f"mesh of {row['triangles']} triangles" if row["triangles"] else "capsule"
        findings.add(
            f"distance to a bone with derivatives, {what}",
            "fibermsk",
            row["points"],
            row["seconds"],
            threads=1,
            ns_per_point=1e9 * row["seconds"] / row["points"],
            build_seconds=row["build"],
        )
    meshes = [row["seconds"] for row in rows if row["triangles"]]
    findings.ratios["mesh_triangles"] = meshes[-1] / meshes[0]
    findings.notes.append(
        "mesh_triangles: time of a point on the finest mesh over that on the coarsest; both have "
        "grids of the same spacing"
    )


def _time_cables(findings: Findings, options: Options) -> None:
    """Cables of both simulators, in turn; errors relative to their own converged runs."""
    n = 4 if options.quick else _CABLES
    cases: dict[str, tuple[str, str, str, dict[str, Any]]] = {
        "fibermsk": ("pinned ends", "fibermsk", _OURS, {}),
        "exudyn": ("pinned ends", "exudyn, modified Newton", _EXUDYN, {}),
        "exudyn_full": ("pinned ends", "exudyn, full Newton", _EXUDYN, {"full_newton": True}),
        "exudyn_clamped": (
            "clamped ends, damped bending",
            "exudyn, modified Newton",
            _EXUDYN,
            _CLAMPED,
        ),
    }
    if not is_installed("exudyn"):
        findings.notes.append("exudyn is not installed")
        cases = {"fibermsk": cases["fibermsk"]}
    times: dict[str, list[float]] = {key: [] for key in cases}
    runs, converged = {}, {}
    with ExitStack() as stack:
        workers = {_OURS: stack.enter_context(Worker(options.threads))}
        if len(cases) > 1:
            workers[_EXUDYN] = stack.enter_context(Worker())
        for key, (what, who, function, arguments) in cases.items():
            options.say(f"cables, {what}: {who}, converged")
            converged[key] = workers[function].call(
                function, n=1, steps=_FINER * _STEPS, **arguments
            )
        for _ in range(1 if options.quick else _REPEATS):
            for key, (what, who, function, arguments) in cases.items():
                options.say(f"cables, {what}: {who}")
                runs[key] = workers[function].call(function, n=n, steps=_STEPS, **arguments)
                times[key].append(runs[key]["seconds"])
    for key, (what, who, _, _) in cases.items():
        seconds = median(times[key])
        exact = converged[key]["drops"]
        errors = [abs(a - b) for a, b in zip(runs[key]["drops"], exact, strict=True)]
        findings.add(
            f"cables without contact, dt = 1/{_STEPS} s, {what}",
            who,
            n,
            seconds,
            all_seconds=times[key],
            us_per_element_step=1e6 * seconds / (_STEPS * DURATION * n * ELEMENTS),
            tip_error=max(errors) / max(exact),
            tip_error_end=errors[-1] / exact[-1],
            tip_drop_end=runs[key]["drops"][-1],
            newton_iterations=runs[key]["newton_iterations"],
            jacobians=runs[key].get("jacobians"),
        )
        if key.startswith("exudyn"):
            findings.ratios[key] = seconds / median(times["fibermsk"])
    findings.notes.append(
        "tip_error: largest difference of the middle's drop from that of a run with "
        f"{_FINER} times as many steps, at 16 times, over the largest drop; tip_error_end: at the "
        "end. With pinned ends and undamped bending both simulators solve the same equations, "
        "except for the law at large stretch"
    )

"""Benchmark `small`: the small models that most people run, in processor time of one thread."""

from __future__ import annotations

import warnings
from time import perf_counter, process_time
from typing import Any

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.models import find_model
from fibermsk.bench.measure.worker import Worker, load
from fibermsk.errors import ModelWarning

_ELEMENTS, _STEPS, _DURATION = 8, 64, 2.0
"""The arm of the paper at its first level: elements of each fiber, and time steps for 2 of 8 s."""

_FRAMES, _MOTION, _TOLERANCE = 100, 1.0, 1e-5
"""Frames and duration [s] of the curl of arm26, and tolerance of its adaptive methods."""

_ARM = "arm26.osim"
_REPEATS, _QUICK_REPEATS = 15, 1

_HERE = "fibermsk.bench.small:"


def run(options: Options) -> Findings:
    """The arm with five fibers, and the arm of OpenSim with its line muscles."""
    findings = Findings(ratios={"arm26_real_time": None})
    repeats = _QUICK_REPEATS if options.quick else _REPEATS
    options.say(f"upper limb, {_ELEMENTS} elements")
    with Worker(1) as worker:
        found = worker.call(
            _HERE + "time_limb", scene=options.scene("upper_limb.py"), repeats=repeats
        )
        _add(findings, "upper limb", _DURATION, found)
        model = find_model(_ARM)
        if model is None:
            findings.notes.append(f"arm26: FIBERMSK_MODELS does not lead to {_ARM}")
        else:
            options.say("arm26, line muscles")
            scene = options.scene("arm26_lines.py")
            found = worker.call(_HERE + "time_arm", scene=scene, model=str(model), repeats=repeats)
            _add(findings, "arm26", _MOTION, found)
            findings.ratios["arm26_real_time"] = _MOTION / found["NDF"]["seconds"]
    findings.notes.append(
        "seconds: processor time of fibermsk.simulate with reports of all frames, the least of "
        f"{repeats}; time errors are estimated except by NDF. Drawn points of the muscles' paths "
        "are found when asked for: paths_seconds more. real_time: simulated over that time"
    )
    return findings


def _add(findings: Findings, model: str, duration: float, found: dict[str, Any]) -> None:
    """Rows of the methods of one model."""
    for method, one in found.items():
        findings.add(
            f"{model}, {method}", "fibermsk", one["unknowns"], one["seconds"], steps=one["steps"],
            simulated_seconds=duration, seconds_per_step=one["seconds"] / one["steps"],
            wall_seconds=one["wall_seconds"], paths_seconds=one["paths_seconds"],
            real_time=duration / one["seconds"],
        )  # fmt: skip


def time_limb(scene: str, repeats: int) -> dict[str, Any]:
    """Least processor times of the arm with fibers, by method."""
    from fibermsk.solvers import SDIRK2, BackwardEuler, FixedSteps
    from fibermsk.system import build

    described = load(scene)["scene"](elements=_ELEMENTS, steps=_STEPS, duration=_DURATION)
    system = build(described.model)
    given = {"t_end": _DURATION, "dt": _DURATION / _STEPS, "control": FixedSteps()}
    methods = {"backward Euler": BackwardEuler(), "SDIRK2": SDIRK2()}
    return {name: _timed(system, repeats, given | {"method": one}) for name, one in methods.items()}


def time_arm(scene: str, model: str, repeats: int) -> dict[str, Any]:
    """Least processor times of the arm with line muscles, by method."""
    from fibermsk.solvers import NDF, SDIRK2, AdaptiveSteps
    from fibermsk.system import build

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of parts of the model that are left out
        system = build(load(scene)["scene"](model=model, steps=_FRAMES, duration=_MOTION).model)
    given = {"t_end": _MOTION, "dt": _MOTION / _FRAMES}
    adaptive = {"method": SDIRK2(), "control": AdaptiveSteps(_TOLERANCE)}
    return {
        "NDF": _timed(system, repeats, given | {"method": NDF(_TOLERANCE)}),
        "SDIRK2": _timed(system, repeats, given | adaptive),
    }


def _timed(system: Any, repeats: int, given: dict[str, Any]) -> dict[str, Any]:
    """Least processor time and wall time of a run [s], its steps, and the number of unknowns."""
    from fibermsk.solvers import simulate

    used, walls, drawn = list[float](), list[float](), list[float]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # fibers may be slack at the start
        result = simulate(system, **given)  # compiles
        _ = [muscle.path for muscle in result.muscles.values()]
        for _ in range(repeats):
            began, wall = process_time(), perf_counter()
            result = simulate(system, **given)
            used.append(process_time() - began)
            walls.append(perf_counter() - wall)
            began = process_time()
            _ = [muscle.path for muscle in result.muscles.values()]
            drawn.append(process_time() - began)
    return {
        "seconds": min(used), "wall_seconds": min(walls), "paths_seconds": min(drawn),
        "steps": result.stats["substeps"], "unknowns": system.n,
    }  # fmt: skip

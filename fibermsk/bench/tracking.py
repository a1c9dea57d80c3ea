"""Benchmark `tracking`: a measured motion of arm26 that is followed, against OpenSim Moco."""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.machine import is_installed
from fibermsk.bench.measure.models import find_model
from fibermsk.bench.measure.worker import Worker
from fibermsk.errors import ModelWarning

_CASE, _FOLDER = "arm26, a motion of 1 s", "arm26_static_opt"
_STEPS, _REPEATS, _TOLERANCE = 100, 3, 1e-3
"""Intervals; runs of this package; tolerance of Moco."""

_QUICK_STEPS, _QUICK_ITERATIONS, _ITERATIONS = 10, 3, 1000
"""Intervals of a quick run; iterations of Moco at most, there and else."""


def run(options: Options) -> Findings:
    """Time of the search and of the whole call, and how far both solutions are apart."""
    findings = Findings(ratios={"tracking_moco": None, "tracking_moco_whole_call": None})
    model = find_model(f"{_FOLDER}/arm26.osim")
    if model is None:
        findings.notes.append(f"FIBERMSK_MODELS does not lead to {_FOLDER}/arm26.osim")
        return findings
    files = {
        "model": str(model), "motion": str(model.with_name("arm26_InverseKinematics.mot")),
        "steps": _QUICK_STEPS if options.quick else _STEPS,
    }  # fmt: skip
    options.say(f"{_CASE}: fibermsk")
    repeats = 1 if options.quick else _REPEATS
    with Worker(1) as worker:
        ours = worker.call("fibermsk.bench.tracking:ours", repeats=repeats, **files)
    findings.add(
        _CASE, "fibermsk", files["steps"], ours["solve"], build=ours["build"],
        whole_call=ours["whole_call"], objective=ours["objective"], iterations=ours["iterations"],
    )  # fmt: skip
    if not is_installed("opensim"):
        findings.notes.append("tracking_moco: opensim is not installed")
        return findings
    options.say(f"{_CASE}: OpenSim Moco")
    iterations = _QUICK_ITERATIONS if options.quick else _ITERATIONS
    with Worker(1) as worker:
        theirs = worker.call(
            "fibermsk.bench.peers.track_in_moco:run", tolerance=_TOLERANCE, iterations=iterations,
            **files,
        )  # fmt: skip
    findings.add(
        _CASE, "opensim moco", files["steps"], theirs["solve"], build=theirs["build"],
        whole_call=theirs["build"] + theirs["solve"], objective=theirs["objective"],
        iterations=theirs["iterations"],
    )  # fmt: skip
    if not theirs["success"]:
        findings.notes.append(f"Moco found no solution: {theirs['status']}")
        return findings
    findings.ratios["tracking_moco"] = theirs["solve"] / ours["solve"]
    whole = (theirs["build"] + theirs["solve"]) / ours["whole_call"]
    findings.ratios["tracking_moco_whole_call"] = whole
    findings.notes.append(f"root mean square differences: {_apart(ours, theirs)}")
    findings.notes.append(
        f"the same objective, rigid tendons and laws; Moco with the trapezoidal rule, a tolerance "
        f"of {_TOLERANCE:g} (ours 1e-10), its defaults and one thread; seconds are those of the "
        "search, whole_call has all from the files on, ours with the run of simulate"
    )
    return findings


def ours(model: str, motion: str, steps: int, repeats: int) -> dict[str, Any]:
    """Median times [s] after a warm-up, objective, and values at the nodes by name."""
    from fibermsk.control import track_motion
    from fibermsk.read import read_osim, with_smooth_muscles

    warnings.simplefilter("ignore", ModelWarning)  # markers in the file
    times, found = [], None
    for _ in range(repeats + 1):
        begun = perf_counter()
        arm = with_smooth_muscles(read_osim(model))
        found = track_motion(arm, motion, steps=steps).solve(progress=False)
        times.append((perf_counter() - begun, found.build_seconds, found.solve_seconds))
    assert found is not None
    whole, build, solve = np.median(times[1:], axis=0).tolist()
    values = {"time": found.time, **found.coordinates}
    values |= {f"{name}/activation": one for name, one in found.activations.items()}
    return {
        "whole_call": whole, "build": build, "solve": solve, "objective": found.objective,
        "iterations": found.iterations, "values": {k: v.tolist() for k, v in values.items()},
    }  # fmt: skip


def _apart(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Differences of coordinates [rad] and activations, in words."""
    own, other = ours["values"], theirs["values"]
    begin = other["time"][0]
    found = list[str]()
    for name, values in own.items():
        if name != "time":
            expected = np.interp(np.array(own["time"]) + begin, other["time"], other[name])
            found.append(f"{name} {np.sqrt(np.mean((values - expected) ** 2)):.2g}")
    return ", ".join(found)

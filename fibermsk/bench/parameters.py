"""Benchmark `parameters`: overhead of a parameter study."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.timing import timed
from fibermsk.bench.measure.worker import Worker, load
from fibermsk.errors import ModelWarning
from fibermsk.solvers import BackwardEuler, FixedSteps, simulate
from fibermsk.system import build

_VALUES, _QUICK = 50, 5
_DURATION, _STEPS = 2.0, 64
"""Duration of each run, a quarter of the scene's [s], and its steps."""

_STUDY = {
    "shear modulus": ("biceps_*/tissue/muscle/shear_modulus", 1.0e4, 4.0e4),
    "mass": ("forearm/mass", 1.0, 2.0),
    "attachment": ("biceps_1/attach/insertion/x", 0.045, 0.047),
    "radius": ("biceps_1/radius", 0.006, 0.008),
    "activation": ("biceps_*/activation", 0.0, 0.05),
}
"""Parameters and their ranges."""


def run(options: Options) -> Findings:
    """Times of new values, builds and runs."""
    scene = options.scene("upper_limb.py")
    findings = Findings(ratios={"part_beside_runs": {}, "build_over_new_values": {}})
    n = (_QUICK if options.quick else _VALUES) // len(_STUDY)
    spent: dict[str, float] = {}
    with Worker(options.threads) as worker:
        for case in _STUDY:
            options.say(f"{case}, {n} values")
            found = worker.call(
                "fibermsk.bench.parameters:time_study",
                scene=scene, case=case, n=n,
            )  # fmt: skip
            findings.add(
                case, "fibermsk", n, found["new_values"] / n, build_seconds=found["build"] / n,
                run_seconds=found["runs"] / n, steps=_STEPS,
            )  # fmt: skip
            spent = {key: spent.get(key, 0.0) + seconds for key, seconds in found.items()}
            findings.ratios["part_beside_runs"][case] = found["new_values"] / found["runs"]
            findings.ratios["build_over_new_values"][case] = found["build"] / found["new_values"]
    findings.ratios["part_beside_runs"]["all"] = spent["new_values"] / spent["runs"]
    findings.notes.append(
        f"the scene upper_limb, {_STEPS} steps of backward Euler for {_DURATION:g} s. time: "
        "system.with_parameters with one value; build: fm.build with it; run: fm.simulate. "
        "part_beside_runs is the first over the last"
    )
    return findings


def time_study(scene: str, case: str, n: int) -> dict[str, float]:
    """Wall times of new values, of builds and of runs, n of each [s]."""
    path, first, last = _STUDY[case]
    model = load(scene)["scene"]().model
    settings: dict[str, Any] = {
        "t_end": _DURATION,
        "dt": _DURATION / _STEPS,
        "method": BackwardEuler(),
        "control": FixedSteps(),
    }
    found = {"new_values": 0.0, "build": 0.0, "runs": 0.0}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        system = build(model)
        simulate(system, **settings | {"t_end": 4 * settings["dt"]})  # compiles
        system.with_parameters({path: first})
        for value in np.linspace(first, last, n):
            other, seconds = timed(system.with_parameters, {path: float(value)})
            found["new_values"] += seconds
            found["build"] += timed(build, other.model)[1]
            found["runs"] += timed(simulate, other, **settings)[1]
    return found

"""Benchmark `gradients`: a run with the derivatives in many parameters against one without."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.timing import medians_in_turn
from fibermsk.bench.measure.worker import Worker, load
from fibermsk.bench.muscle_mass import limb
from fibermsk.errors import ModelWarning
from fibermsk.model import Table

_ELEMENTS, _STEPS, _DURATION = 16, 64, 1.0
"""The upper limb at its second level: an eighth of its 8 s and 512 steps."""
_KNOTS, _LIMB_STEPS = 10, 50
_REPEATS, _QUICK_REPEATS = 5, 1
_HERE = "fibermsk.bench.gradients:"
_OF_LIMB = {
    "tissue of one": ["biceps_1/tissue"],
    "tissue": ["*/tissue"],
    "attachments": ["*/attach"],
    "bones and contacts": ["forearm/mass", "forearm/com", "forearm/inertia", "*/shapes",
                           "elbow_flexion/damping", "contacts/*"],
    "joints": ["*/at", "*/child_at", "*/rotation", "elbow_flexion/axis", "elbow_flexion/value",
               "elbow_flexion/speed"],
}  # fmt: skip
"""Numbers of the upper limb, by kind."""
_ALL = "all of these"


def run(options: Options) -> Findings:
    """Upper limb in numbers of its tissue, and 40 Hill muscles in knots of their activations."""
    findings = Findings(ratios={})
    repeats = _QUICK_REPEATS if options.quick else _REPEATS
    with Worker(1) as worker:
        scene = {"scene": options.scene("upper_limb.py")}
        for case, call, given in (
            ("upper limb", "time_upper_limb", scene), ("40 muscles", "time_limb", {}),
        ):  # fmt: skip
            options.say(case)
            found = worker.call(_HERE + call, repeats=repeats, **given)
            for kind, (number, seconds) in found.items():
                findings.add(f"{case}, {kind}", "fibermsk", number, seconds)
                if kind != "run":
                    name = f"{case}_{kind}_over_run".replace(" ", "_")
                    findings.ratios[name] = seconds / found["run"][1]
    findings.notes.append(
        f"upper limb: {_ELEMENTS} elements, {_STEPS} steps in {_DURATION:g} s, SDIRK2, Newton to "
        f"1e-10; {_LIMB_STEPS} steps of a limb with 40 muscles and "
        f"{_KNOTS} knots each. run: simulate alone; kept: with its steps kept; sweep N: "
        "derivatives in N numbers from a kept run, without the systems that are built for them. "
        "n: number of parameters"
    )
    return findings


def time_upper_limb(scene: str, repeats: int) -> dict[str, tuple[int, float]]:
    """Number of parameters and median times [s] of the upper limb."""
    from fibermsk.gradients import Objective, Simulation

    made = load(scene)["scene"](elements=_ELEMENTS, steps=_STEPS, duration=_DURATION)
    simulation = Simulation.of_scene(made, method="sdirk2")
    aim = Objective(lambda time, q: q[-1], {"q": "elbow_flexion"})
    every = [one for own in _OF_LIMB.values() for one in own]
    return _time(simulation, aim, _OF_LIMB | {_ALL: every}, repeats)


def time_limb(repeats: int) -> dict[str, tuple[int, float]]:
    """Those of the limb with 40 muscles."""
    from fibermsk.gradients import Objective, Simulation

    model, t_end = limb(None), 1e-3 * _LIMB_STEPS
    table = Table(np.linspace(0.0, t_end, _KNOTS), np.full(_KNOTS, 0.1))
    model = model.edit({muscle: {"activation": table} for muscle in model.muscles})
    aim = Objective(lambda time, q: q[-1], {"q": "knee"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # tendons may be slack at the start
        knots = {"knots": ["*/activation/knots"]}
        return _time(Simulation(model, t_end, 1e-3), aim, knots, repeats)


def _time(simulation: Any, aim: Any, patterns: Any, repeats: int) -> dict[str, tuple[int, float]]:
    from fibermsk.gradients.changes.entries import entries_of
    from fibermsk.gradients.linear_run import LinearRun
    from fibermsk.solvers.adjoint.trajectory import Trajectory

    system = simulation.system()
    none: tuple[Any, ...] = ()
    kept = {"sweep 0": (none, LinearRun(simulation, system, aim))}
    for kind, paths in patterns.items():
        entries = entries_of(system, paths)
        kept[f"sweep {len(entries)} {kind}"] = entries, LinearRun(simulation, system, aim, entries)
    calls: dict[str, Any] = {
        "run": lambda: simulation.run(system),
        "kept": lambda: simulation.run(system, Trajectory()),
    } | {
        name: lambda own=own: own.vjp(own.slopes()) for name, (_, own) in kept.items()
    }  # fmt: skip
    found = medians_in_turn(calls, repeats)
    numbers = {name: len(entries) for name, (entries, _) in kept.items()}
    return {name: (numbers.get(name, 0), seconds) for name, seconds in found.items()}

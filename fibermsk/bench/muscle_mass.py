"""Benchmark `muscle_mass`: a step of line muscles with their mass against one without."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fibermsk.bench.bench import Findings, Options
from fibermsk.bench.measure.models import find_model
from fibermsk.bench.measure.timing import medians_in_turn
from fibermsk.bench.measure.worker import Worker
from fibermsk.errors import ModelWarning
from fibermsk.laws import HillLaw
from fibermsk.model import (
    Body,
    Hinge,
    LineMuscle,
    Model,
    PathPoint,
    PathWrap,
    Universal,
    WrapCylinder,
)

_MUSCLES, _STEPS, _DT = 40, 10, 1e-3
_LEG = "Rajagopal2016.osim"
_REPEATS, _QUICK_REPEATS = 15, 1


def run(options: Options) -> Findings:
    """A step of SDIRK2 with 40 muscles on a limb, and on the leg of a published model."""
    findings = Findings(ratios={})
    repeats = _QUICK_REPEATS if options.quick else _REPEATS
    path = find_model(_LEG)
    with Worker(1) as worker:
        options.say(f"limb, {_MUSCLES} muscles")
        cases = {"limb": worker.call("fibermsk.bench.muscle_mass:time_limb", repeats=repeats)}
        if path is None:
            findings.notes.append(f"leg: FIBERMSK_MODELS does not lead to {_LEG}")
        else:
            options.say("leg")
            cases["leg"] = worker.call(
                "fibermsk.bench.muscle_mass:time_leg", file=str(path), repeats=repeats
            )
    for case, found in cases.items():
        for kind, seconds in found.items():
            findings.add(f"{case}, {kind}", "fibermsk", _MUSCLES, seconds)
            if kind != "massless":
                name = f"{case}_{kind.replace(' ', '_')}_over_massless"
                findings.ratios[name] = seconds / found["massless"]
    findings.notes.append(
        "a step of 1 ms by SDIRK2 with Newton's iterations, of a limb with four hinges or the "
        f"right leg of {_LEG} with all its joints, and muscles with elastic tendons; in turn, "
        "medians. with mass: of fm.with_muscle_mass, for the leg; uniform: along the whole path"
    )
    return findings


def time_limb(repeats: int) -> dict[str, float]:
    """Median times of a step of the limb [s]."""
    return _time_steps({"massless": limb(None), "with mass": limb(0.2)}, repeats)


def time_leg(file: str, repeats: int) -> dict[str, float]:
    """Median times of a step of the leg [s]."""
    from fibermsk.anatomy import with_muscle_mass
    from fibermsk.read import read_osim

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of parts of the model that are left out
        model = read_osim(file)
        model = model.edit(remove=[one for one in model.muscles if not one.name.endswith("_r")])
        acting = {"activation": 0.02, "law": HillLaw()}
        model = model.edit({one: acting for one in model.muscles})
        uniform = model.edit({one: {"mass": 0.3} for one in model.muscles})
        massive = with_muscle_mass(model).model
    return _time_steps({"massless": model, "with mass": massive, "uniform": uniform}, repeats)


def _time_steps(models: dict[str, Model], repeats: int) -> dict[str, float]:
    """Median times of a step of each model [s]."""
    from fibermsk.solvers import SDIRK2, FixedSteps, simulate
    from fibermsk.system import build

    def march(system: Any) -> None:
        duration, control = _STEPS * _DT, FixedSteps(_STEPS)
        given = {"method": SDIRK2(), "control": control, "time_error": False}
        simulate(system, t_end=duration, dt=duration, **given)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # tendons may be slack at the start
        systems = {case: build(model) for case, model in models.items()}
        runs = {case: lambda own=own: march(own) for case, own in systems.items()}
        found = medians_in_turn(runs, repeats)
    return {case: seconds / _STEPS for case, seconds in found.items()}


def limb(mass: float | None) -> Model:
    """Limb with 40 muscles of a mass [kg]: straight, over via points, and around cylinders."""
    rng = np.random.default_rng(1)
    model = Model("limb", gravity=(0.0, -9.81, 0.0))
    numbers = {"mass": 12.0, "com": (0, -0.2, 0), "inertia": (0.2, 0.05, 0.2)}
    thigh, shank, foot = (model.add(Body(name, **numbers)) for name in ("thigh", "shank", "foot"))
    model.add(
        Universal("hip", model.ground, thigh, (0, 0, 0), (0, 0, 1), (1, 0, 0)),
        Hinge("knee", thigh, shank, (0, -0.4, 0), (0, 0, 1)),
        Hinge("ankle", shank, foot, (0, -0.4, 0), (0, 0, 1)),
    )
    for k in range(_MUSCLES):
        first, second = ((model.ground, thigh), (thigh, shank), (shank, foot))[k % 3]
        behind = rng.uniform(0.035, 0.05)
        start = 0.0 if first is model.ground else -0.4
        ends = first.at(-behind, start + 0.2, 0.02), second.at(-behind, -0.2, rng.uniform(0, 0.02))
        points = [PathPoint("o", ends[0]), PathPoint("i", ends[1])]
        wraps = []
        if k % 4 == 1:
            points[1:1] = [PathPoint(f"v{j}", second.at(-behind, -0.04 * j, 0)) for j in (1, 2)]
        elif k % 4 == 2:
            wraps = [PathWrap(WrapCylinder("c", second, radius=0.03), side=1)]
        model.add(LineMuscle(
            f"m{k}", points, max_isometric_force=500.0, optimal_fiber_length=0.1,
            tendon_slack_length=0.3, wraps=wraps, law=HillLaw(), activation=0.1,
            mass=mass,
        ))  # fmt: skip
    return model

"""The forward run by this package."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

from fibermsk.bench.forward.case import DURATION, TIMES
from fibermsk.bench.measure.timing import timed
from fibermsk.bench.measure.worker import load
from fibermsk.solvers import NDF, simulate
from fibermsk.system import build


class _Runs:
    """The system of a scene, and runs of it."""

    def __init__(self, scene: str, model: str) -> None:
        self.system = build(load(scene)["scene"](model=model).model)

    def __call__(self, tolerance: float, frames: int = 1) -> Any:
        return simulate(self.system, t_end=DURATION, dt=DURATION / frames, method=NDF(tolerance))


def run(scene: str, model: str, tolerances: list[float], finest: float, repeats: int) -> dict:
    """Times and coordinates by tolerance; ``preparation``, ``compile`` and ``converged`` apart."""
    runs, preparation = timed(_Runs, scene, model)
    compiling = timed(runs, finest)[1]

    def coordinates(tolerance: float) -> list[list[float]]:
        found = runs(tolerance, TIMES.size - 1).coordinates
        return np.stack(list(found.values()), axis=1).tolist()

    rows = []
    for tolerance in tolerances:
        found = [timed(runs, tolerance) for _ in range(repeats)]
        rows.append(
            {
                "tolerance": tolerance,
                "seconds": median(result.stats["march_seconds"] for result, _ in found),
                "whole_call": median(seconds for _, seconds in found),
                "steps": found[0][0].stats["substeps"],
                "coordinates": coordinates(tolerance),
            }
        )
    return {
        "rows": rows,
        "converged": coordinates(finest),
        "preparation": preparation,
        "compile": compiling,
    }


def excitations(scene: str, model: str) -> dict[str, Any]:
    """Knots (times, values) by muscle, values of the coordinates, and activations, at the start."""
    made = load(scene)["scene"](model=model).model
    given = {muscle.name: muscle.activation for muscle in made.muscles}
    knots = {
        name: [np.asarray(part).tolist() for part in (one.excitation.times, one.excitation.values)]
        for name, one in given.items()
    }
    start = {one.name: float(one.value) for one in made.coordinates}
    return {
        "knots": knots,
        "start": start,
        "activations": {name: float(one.start) for name, one in given.items()},
    }

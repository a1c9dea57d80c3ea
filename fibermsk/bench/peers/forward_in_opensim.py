"""The forward run of `fibermsk.bench.forward.case` in OpenSim, through its Python interface.

A `PrescribedController` interpolates the excitations; the `Manager` has its default integrator.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (the peers are an extra)

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from statistics import median
from typing import Any

from fibermsk.bench.forward.case import DURATION, TIMES
from fibermsk.bench.measure.timing import timed


def run(
    model: str,
    given: dict[str, Any],
    left_out: str,
    accuracies: list[float],
    finest: float,
    repeats: int,
) -> dict[str, Any]:
    """Times and coordinates by accuracy; ``converged`` apart.

    ``left_out`` names a surface around which no muscle wraps.
    """
    import opensim as osim

    osim.Logger.setLevelString("Off")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm26.osim"
        _write(Path(model), path, left_out)
        arm = osim.Model(str(path))
    controller = osim.PrescribedController()
    controller.setName("knots")
    for name, (times, values) in given["knots"].items():
        knots = osim.PiecewiseLinearFunction()
        for t, value in zip(times, values, strict=True):
            knots.addPoint(t, value)
        controller.addActuator(arm.getMuscles().get(name))
        controller.prescribeControlForActuator(name, knots)
    arm.addController(controller)

    def coordinates(accuracy: float) -> list[list[float]]:
        manager = _manager(osim, arm, given, accuracy)
        rows = []
        for t in TIMES.tolist():
            state = manager.integrate(t) if t > 0.0 else manager.getState()
            rows.append(
                [arm.getCoordinateSet().get(name).getValue(state) for name in given["start"]]
            )
        return rows

    rows = []
    for accuracy in accuracies:
        seconds = []
        for _ in range(repeats):
            manager = _manager(osim, arm, given, accuracy)
            seconds.append(timed(manager.integrate, DURATION)[1])
        rows.append(
            {
                "tolerance": accuracy,
                "seconds": median(seconds),
                "coordinates": coordinates(accuracy),
            }
        )
    return {"rows": rows, "converged": coordinates(finest)}


def _write(model: Path, path: Path, left_out: str) -> None:
    """Write the model without wraps around a surface."""
    tree = ET.parse(model)
    for wraps in tree.iter("PathWrapSet"):
        for objects in wraps.iter("objects"):
            for one in list(objects):
                if one.findtext("wrap_object") == left_out:
                    objects.remove(one)
    tree.write(path)


def _manager(osim: Any, arm: Any, given: dict[str, Any], accuracy: float) -> Any:
    """Manager at the start, with the muscles in equilibrium."""
    state = arm.initSystem()
    for name, value in given["start"].items():
        arm.getCoordinateSet().get(name).setValue(state, value, False)
    arm.realizePosition(state)
    for name, value in given["activations"].items():
        arm.getMuscles().get(name).setActivation(state, value)
    arm.equilibrateMuscles(state)
    manager = osim.Manager(arm)
    manager.setIntegratorAccuracy(accuracy)
    manager.setWriteToStorage(False)
    manager.setPerformAnalyses(False)
    manager.initialize(state)
    return manager

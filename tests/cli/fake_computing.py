"""A fake of the computing side, so that commands are tested without computing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from make_result import make_result

from fibermsk.errors import ConvergenceError
from fibermsk.results.progress import Progress


@dataclass(frozen=True)
class FakeScene:
    model: object
    duration: float
    steps: int


def fake_simulate(
    scene, *, name, parameters, method=None, progress=None, check=False, save=None, **checkpoints
):
    """Result with as many frames as steps; the model's text says how the run goes."""
    if progress is not None:
        progress(Progress(0.5 * scene.duration, scene.duration, step=1, newton_iterations=3))
    result = make_result(scene.steps + 1, scene=name, parameters=parameters)
    if method is not None:
        result = replace(result, method=method)
    if check and scene.steps >= 4:
        one = {"rms": 0.5, "largest": 1.25, "time": 2.0, "applied": 30.0, "unit": "N m"}
        found = {"coordinates": {"elbow_flexion": one}, "fibers": {}, "start": 1.0, "end": 7.0}
        result = replace(result, stats=result.stats | {"check": found})
    if scene.model == "fails":
        message = "no convergence at t = 4 s"
        raise ConvergenceError(
            message, time=4.0, result=replace(result, status="failed", message=message)
        )
    if scene.model == "fails at once":
        raise ConvergenceError("no equilibrium was found")
    if scene.model == "interrupted":
        return replace(result, status="interrupted", message="interrupted")
    if scene.model == "killed":
        raise KeyboardInterrupt
    if scene.model == "breaks":
        raise RuntimeError("a defect")
    return result

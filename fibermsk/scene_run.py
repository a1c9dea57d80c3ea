"""Run a scene: build its model, find the start, integrate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fibermsk._version import __version__
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.kernels._compile import on_first_compilation
from fibermsk.model import Scene
from fibermsk.results import Progress, Result
from fibermsk.solvers import METHODS, AdaptiveSteps, FixedSteps, equilibrium, simulate
from fibermsk.system import FiberSystem, build, inverse

__all__ = ["simulate_scene"]


def simulate_scene(
    scene: Scene,
    *,
    name: str = "",
    parameters: dict[str, Any] | None = None,
    method: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    check: bool = False,
) -> Result:
    """Simulate what a scene describes.

    Parameters
    ----------
    scene : Scene
        Model, time span and steps.
    name : str
        Kept in the result; the model's name if empty.
    parameters : dict, optional
        Kept in the result.
    method : str, optional
        Time integrator in place of the scene's own.
    progress : callable, optional
        Called with a `Progress` now and then.
    check : bool
        Compare the forces with those that the motion needs, into the result's ``stats["check"]``.

    Returns
    -------
    result : Result
        With status "success" or "interrupted".

    Raises
    ------
    ModelError
        If the model or the method is not valid.
    ConvergenceError
        If a step fails; its `result` holds what was computed.
    """
    key = method or scene.method
    if key not in METHODS:
        raise ModelError(f"method = {key!r}; must be one of {', '.join(map(repr, METHODS))}")
    if check and scene.steps + 1 < inverse.FEWEST_FRAMES:
        raise ModelError(
            f"steps = {scene.steps}; must be {inverse.FEWEST_FRAMES - 1} or more to check the "
            "forces: use more, or do not check"
        )
    labels = {"scene": name or scene.model.name, "parameters": dict(parameters or {})}
    labels["version"] = __version__

    def say(message: str) -> None:
        if progress is not None:
            progress(Progress(0.0, scene.duration, message=message))

    with on_first_compilation(lambda: say("compiling kernels, once")):
        system = build(scene.model)
        start = None
        if scene.start == "equilibrium":
            say("finding the equilibrium")
            start = equilibrium(system, progress=progress)
        try:
            result = simulate(
                system,
                start,
                t_end=scene.duration,
                dt=scene.duration / scene.steps,
                method=METHODS[key],
                control=AdaptiveSteps(scene.tolerance) if scene.tolerance > 0.0 else FixedSteps(),
                progress=progress,
            )
        except ConvergenceError as error:
            if error.result is not None:
                result = _checked(system, error.result) if check else error.result
                error.result = replace(result, **labels)
            raise
        if check:
            say("checking the forces")
            result = _checked(system, result)
    return replace(result, **labels)


def _checked(system: FiberSystem, result: Result) -> Result:
    """The result with the mismatch of its forces among its stats, if it has frames enough."""
    if result.time.size < inverse.FEWEST_FRAMES:
        return result
    found = inverse.check(system, result)
    return replace(result, stats=result.stats | {"check": found.as_dict()})

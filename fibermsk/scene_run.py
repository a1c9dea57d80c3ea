"""Run a scene: build its model, find the initial state, integrate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fibermsk import _check
from fibermsk._compile import while_compiling
from fibermsk._first_use import FIRST_USE
from fibermsk._warn import warn
from fibermsk.ahead.kinds import kinds_of
from fibermsk.ahead.team import compile_ahead
from fibermsk.errors import ConvergenceError, ModelError, ModelWarning, WriteError
from fibermsk.files import path_of
from fibermsk.io import ResultFile, load_checkpoint, save_checkpoint
from fibermsk.io.result_file import WholeRun
from fibermsk.model import Scene
from fibermsk.rescue import remove_kept
from fibermsk.results import Progress, Result, Snapshot
from fibermsk.solvers import (
    COMPILED,
    METHODS,
    AdaptiveSteps,
    FixedSteps,
    equilibrium,
    simulate,
)
from fibermsk.solvers.newton.stage import Method
from fibermsk.system import FiberSystem, build
from fibermsk.system.reports import inverse


def simulate_scene(
    scene: Scene,
    *,
    name: str = "",
    parameters: dict[str, Any] | None = None,
    method: str | Method | None = None,
    progress: Callable[[Progress], None] | None = None,
    check: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    resume_from: str | os.PathLike[str] | None = None,
    job: dict[str, Any] | None = None,
    save: ResultFile | None = None,
) -> Result:
    """Simulate a scene.

    A long run can write checkpoints; the same call with `resume_from` continues from the last one::

        fm.simulate_scene(scene, checkpoint="long.checkpoint.h5", checkpoint_every=60.0)
        fm.simulate_scene(scene, resume_from="long.checkpoint.h5")

    Parameters
    ----------
    scene : Scene
        Scene to simulate.
    name : str
        Name stored in the result; the name of the model if empty.
    parameters : dict, optional
        Parameters stored in the result.
    method : str or Method, optional
        Time integrator that replaces that of the scene.
    progress : callable, optional
        Called regularly with a `Progress`.
    checkpoint : path, optional
        File that is written regularly, and also if the run fails or is interrupted. It is kept when
        the run is complete. If it cannot be written, it is written to another folder with a
        warning, and the run continues.
    checkpoint_every : float
        Wall time between two checkpoints [s]; longer where writing them would take more than 5 % of
        the time.
    resume_from : path, optional
        Checkpoint to continue from; the result is bitwise identical to that of an uninterrupted run
        on the same machine with the same number of threads.
    job : dict, optional
        Plain values to store in the checkpoint.
    check : bool
        Compare the forces with inverse dynamics and store the result in ``stats["check"]``.
    save : ResultFile, optional
        File that the result is written to at the end of the run, complete or not, without a history
        in memory; see `simulate`. Methods compiled as a whole keep their frames until then. Not
        with `check`, which compares all frames.

    Returns
    -------
    result : Result
        Result with status "success", "stopped" or "interrupted".

    Raises
    ------
    ModelError
        If the model, the method or the name is not valid, or the checkpoint is damaged or from
        another run.
    ConvergenceError
        If a step fails; its `result` has the frames so far.
    WriteError
        If the result cannot be written to the file of `save`.
    """
    owner = "simulate_scene"
    _check.instance(owner, "scene", scene, Scene, "a Scene")
    _check.instance(owner, "name", name, str, "a text")
    for field, value in (("parameters", parameters), ("job", job)):
        _check.instance(owner, field, value, (Mapping, type(None)), "a dict or None")
    _check.function(owner, "progress", progress)
    chosen: Any = scene.method if method is None else method
    if isinstance(chosen, str) and chosen in COMPILED:
        chosen = COMPILED[chosen](scene.tolerance)
    elif isinstance(chosen, str):
        chosen = METHODS[_check.choice(owner, "method", chosen, [*METHODS, *COMPILED])]
    else:
        _check.method(owner, chosen)
    check = _check.flag(owner, "check", check)
    _check.instance(owner, "save", save, (ResultFile, type(None)), "a ResultFile(path)")
    if save is not None and check:
        _check.refuse(owner, "save", save, "be left out with check=True", remedy="fm.save(result)")
    if checkpoint is not None:
        checkpoint = path_of(checkpoint, f"{owner}: checkpoint")
    if check and scene.steps + 1 < inverse.FEWEST_FRAMES:
        raise ModelError(
            f"steps = {scene.steps}; must be {inverse.FEWEST_FRAMES - 1} or more to check the "
            "forces; use more steps, or check=False"
        )
    label = _check.name("simulate_scene", name or scene.model.name)
    labels = {"scene": label, "parameters": dict(parameters or {})}
    sink = None if save is None else _Labelling(save, labels)

    def say(message: str, part: str = "", done: float = 0.0) -> None:
        if progress is not None:
            progress(Progress(0.0, scene.duration, message=message, part=part, done=done))

    if not getattr(chosen, "compiled", False):
        with FIRST_USE.knowing_the_rest() as tell:
            compile_ahead(kinds_of(scene.model), tell if progress is None else say)
    with while_compiling(lambda part: say("compiling kernels, once", part)):
        system = build(scene.model)
        start, taken = None, None
        if resume_from is not None:
            taken = load_checkpoint(resume_from)
            _check_start(taken, scene)
        elif scene.start == "equilibrium":
            say("finding the equilibrium")
            start = equilibrium(system, progress=progress)
        settings: dict[str, Any] = {}
        later = save  # by which a result is written that the run does not write itself
        if not getattr(chosen, "compiled", False):
            settings, later = {"control": _control(scene), "save": sink}, None
            if checkpoint is not None:
                write = _writer(checkpoint, {**(job or {}), "start": scene.start})
                settings |= {"checkpoint": write, "checkpoint_every": checkpoint_every}
        try:
            result = simulate(
                system,
                start,
                t_end=scene.duration,
                dt=scene.duration / scene.steps,
                method=chosen,
                progress=progress,
                resume_from=taken,
                observers=scene.observers,
                **settings,
            )
        except ConvergenceError as error:
            if error.result is not None:
                result = _checked(system, error.result) if check else error.result
                error.result = _saved(replace(result, **labels), later)
            raise
        if check:
            if result.is_complete:  # else an interrupt that was heard would be heard again
                say("checking the forces")
            result = _checked(system, result)
    return _saved(replace(result, **labels), later)


class _Labelling:
    """Sink that adds texts to the result of a run."""

    def __init__(self, save: ResultFile, labels: dict[str, Any]) -> None:
        self._save, self._labels = save, labels

    def begin(self) -> Path:
        """Folder for the frames during the run."""
        return self._save.begin()

    def write(self, run: Any) -> Result:
        """Write the result of a run that has ended, and return it."""
        return self._save.write(_Labelled(run, self._labels))


class _Labelled:
    """A run with texts of its result."""

    def __init__(self, run: Any, labels: dict[str, Any]) -> None:
        self._run, self._labels = run, labels
        self.n_frames, self.is_complete = run.n_frames, run.is_complete

    def parts(self) -> Iterator[Result]:
        """Consecutive parts of the result."""
        return (replace(part, **self._labels) for part in self._run.parts())


def _saved(result: Result, save: ResultFile | None) -> Result:
    """Result that is written to a file, if one is given."""
    return result if save is None else save.write(WholeRun(result))


def _control(scene: Scene) -> FixedSteps | AdaptiveSteps:
    """Rule of the time steps of the implicit methods."""
    if scene.tolerance == 0.0:
        return FixedSteps()
    return AdaptiveSteps(scene.tolerance, angular_speed=scene.rate_tolerance)


def _writer(path: str | os.PathLike[str], job: dict[str, Any]) -> Callable[[Snapshot], None]:
    """Function that writes snapshots to a file, or with a warning to another folder.

    Only the last one in another folder is kept.
    """
    kept: tuple[Path, ...] = ()

    def write(snapshot: Snapshot) -> None:
        nonlocal kept
        before, kept = kept, ()
        try:
            save_checkpoint(replace(snapshot, job=job), path)
        except ModelError as error:
            kept = error.kept if isinstance(error, WriteError) else ()
            when = f"t = {snapshot.time:.6g} s"
            message = f"checkpoint at {when} not written, the run continues: {error}"
            about = ModelWarning(message, kind="checkpoint", time=snapshot.time)
            warn(about)
        remove_kept(before)

    return write


def _check_start(taken: Snapshot, scene: Scene) -> None:
    """Refuse a checkpoint of a run with another initial state."""
    started = taken.job.get("start", scene.start)
    if started != scene.start:
        raise ModelError(
            f"the checkpoint is from another run: its start was {started!r}, the scene's is "
            f"{scene.start!r}; must be the same; restore it, or run from the start"
        )


def _checked(system: FiberSystem, result: Result) -> Result:
    """Add the mismatch of forces to the stats of a result with enough frames."""
    if result.time.size < inverse.FEWEST_FRAMES:
        return result
    found = inverse.check(system, result)
    return replace(result, stats=result.stats | {"check": found.as_dict()})

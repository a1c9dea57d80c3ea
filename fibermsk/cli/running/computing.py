"""Computation of a scene on the command line: progress, checkpoints, result, pictures, report."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

import fibermsk
from fibermsk.cli.errors import FAILED, INTERRUPTED
from fibermsk.cli.output import print_json, printing_beside
from fibermsk.cli.running.checkpoints import Keeping
from fibermsk.cli.running.drawn import NOTHING, Drawn
from fibermsk.cli.running.interrupts import interruptible, not_at_once
from fibermsk.cli.running.job import note_partial, note_result, resume_command
from fibermsk.cli.running.model_files import about_muscles
from fibermsk.cli.running.problems import refuse_options, solve_problem
from fibermsk.cli.running.progress import progress_report
from fibermsk.cli.running.ranges import left_ranges
from fibermsk.cli.running.saving import Destination, holds, partial_path, save_result
from fibermsk.cli.running.summary import print_summary
from fibermsk.cli.warned import collecting
from fibermsk.errors import ConvergenceError, ModelWarning
from fibermsk.model import Model
from fibermsk.scene_files import SceneFile, is_problem

if TYPE_CHECKING:
    from fibermsk.results import Progress, Result


class Saved(NamedTuple):
    """Where the result of a run was written: its file (None if nowhere), and the problem if any."""

    to: Destination
    file: Path | None
    problem: str

    @property
    def kept(self) -> bool:
        """Whether an earlier result is kept, since this run made no step."""
        return self.to.path is None

    @property
    def replaced(self) -> bool:
        """Whether an earlier file was replaced."""
        return self.to.there and not self.kept


def compute(
    file: SceneFile,
    parameters: dict[str, Any],
    values: dict[str, Any],
    method: str | None,
    path: Path,
    quiet: bool,
    json: bool,
    options: dict[str, Any],
    overwrite: bool = False,
    keeping: Keeping | None = None,
    drawn: Drawn = NOTHING,
) -> Result:
    """Simulate a scene, write its result and pictures, and print a report.

    `values` are numbers of its model by path; `options` are arguments of `fibermsk.simulate_scene`.
    The checkpoint of a complete run is removed. Ends the command with its exit status if the run
    fails.
    """
    from fibermsk._first_use import FIRST_USE
    from fibermsk.cli.running.run_file import RunFile
    from fibermsk.io import check_writable

    if path.exists() and not overwrite:
        check_writable(partial_path(path))
    start, compiled = time.perf_counter(), FIRST_USE.seconds
    failure = ""
    with interruptible() as check, printing_beside(json), collecting() as warned:
        scene = file.make(parameters, values)
        target = RunFile(path, lambda: _about(file, warned), overwrite)
        try:
            with progress_report(file.name, quiet=quiet) as tell:

                def progress(now: Progress) -> None:
                    check()
                    tell(now)

                own: dict[str, Any] = {"name": file.name, "parameters": parameters | values}
                if is_problem(scene):
                    asked = keeping is not None and keeping.asked
                    refuse_options(method, options | ({"checkpoint": 0} if asked else {}))
                    keeping = None
                    result, failure = solve_problem(scene, **own, tell=progress)
                else:
                    if "check" not in options:  # which compares all frames
                        own["save"] = target
                    chosen = file.method(method)
                    if keeping is not None:
                        used = getattr(scene, "method", None) if chosen is None else chosen
                        more = keeping.options(used)
                        keeping, options = keeping if more else None, options | more
                    result = fibermsk.simulate_scene(
                        scene, **own, method=chosen, progress=progress, **options
                    )
        except ConvergenceError as error:
            if error.result is None:
                raise
            result, failure = error.result, str(error)
        except KeyboardInterrupt:
            typer.echo("no step was completed, and nothing is written", err=True)
            raise
        if isinstance(model := getattr(scene, "model", None), Model):
            for text in left_ranges(model, result):
                warnings.warn(ModelWarning(text, kind="range"), stacklevel=2)
        muscles = about_muscles(file, warned)
        seconds = time.perf_counter() - start
        if target.destination is not None:
            saved = Saved(target.destination, *target.settle())
        else:
            if muscles:
                result = replace(result, stats=result.stats | {"muscles": muscles})
            saved = _save(result, path, overwrite)
        if keeping is not None:
            _settle(keeping, result, saved, path)

    report = _report(file, result, saved, seconds, warned) | muscles
    report["compile_seconds"] = FIRST_USE.seconds - compiled
    if "check" in options:
        report["check"] = result.stats.get("check")
    if not json and not quiet:
        print_summary(report, result.coordinate_units)
    undrawn = ""
    if result.is_complete and not saved.problem:
        with interruptible():
            undrawn, files = drawn.draw(result, quiet)
        report |= files
    if json:
        print_json(report)
    if not result.is_complete:
        _tell_failure(failure, result, saved, path, keeping)
    for problem in filter(None, (saved.problem, undrawn)):
        typer.echo(f"error: {problem}", err=True)
    if saved.problem or undrawn or not result.is_complete:
        raise typer.Exit(INTERRUPTED if result.status == "interrupted" else FAILED)
    return result


def _about(file: SceneFile, warned: list[dict[str, Any]]) -> dict[str, Any]:
    """Entries of the stats about muscles that were refused."""
    muscles = about_muscles(file, warned)
    return {"muscles": muscles} if muscles else {}


def _save(result: Result, path: Path, overwrite: bool) -> Saved:
    """Write the result of a run that has not written it itself."""
    with not_at_once(f"{path} is being written; another Ctrl-C loses the result"):
        to = Destination.of(path, result.is_complete, result.time.size, overwrite)
    return Saved(to, *((path, "") if to.path is None else save_result(result, to.path)))


def _settle(keeping: Keeping, result: Result, saved: Saved, path: Path) -> None:
    """Remove the checkpoint of a run, or note what it is the checkpoint of."""
    if result.is_complete:
        if not saved.problem:
            keeping.remove()
    elif not keeping.asked and result.time.size <= 1 and holds(keeping.file, result):
        keeping.file.unlink()  # no step to resume from
    elif saved.to.beside and saved.file is not None and not saved.problem:
        note_partial(keeping.file, keeping.job, saved.file)
    elif not (saved.kept or saved.problem):
        note_result(keeping.file, keeping.job, path)


def _report(
    file: SceneFile, result: Result, saved: Saved, seconds: float, warned: list[dict[str, Any]]
) -> dict[str, Any]:
    """Entries of the JSON object of a run."""
    final = {name: float(values[-1]) for name, values in result.coordinates.items() if values.size}
    report = {
        "scene": file.name,
        "file": None if saved.kept or saved.file is None else str(saved.file),
        "replaced": saved.replaced and not saved.problem,
        "status": result.status,
        "message": result.message,
        "time_end": float(result.time[-1]) if result.time.size else 0.0,
        "steps": int(result.stats.get("steps", max(result.time.size - 1, 0))),
        "newton_iterations": int(result.newton_iterations.sum()),
        "wall_seconds": seconds,
        "step_seconds": result.stats.get("wall_seconds"),
        "final": final,
        "slack": [interval._asdict() for interval in result.slack],
        "softening": [interval._asdict() for interval in result.softening],
        "time_error": result.stats.get("time_error"),
        "warnings": warned,
    }
    kinds = (kind for kind in ("control", "identification") if kind in result.stats)
    return report | {kind: result.stats[kind] for kind in kinds}


def _tell_failure(
    failure: str, result: Result, saved: Saved, path: Path, keeping: Keeping | None
) -> None:
    """Say why a run is not complete, where its frames are, and how it resumes."""
    reason = failure or result.message or f"the run was not completed ({result.status})"
    end = float(result.time[-1]) if result.time.size else 0.0
    reached = f"; the frames up to t = {end:g} s are in {saved.file}"
    if saved.kept:
        reached = f"; no step was completed, and the earlier result in {path} is kept"
    elif saved.problem:
        reached = ""
    elif saved.to.beside:
        reached += f"; the complete result in {path} is kept (--overwrite replaces it)"
    elif saved.replaced:
        reached += ", which was replaced"
    if keeping is not None and holds(keeping.file, result):
        reached += f"; to resume: {resume_command(keeping.job, keeping.file)}"
    typer.echo(f"error: {reason}{reached}", err=True)

"""`fibermsk run`: compute a scene and write its result."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import fibermsk
from fibermsk import _check
from fibermsk.cli.errors import FAILED, ReportingGroup
from fibermsk.cli.options import (
    Bundle,
    Geometry,
    ManyValues,
    Method,
    Numbers,
    Settings,
    Threads,
    parse_numbers,
    parse_settings,
    use_threads,
)
from fibermsk.cli.output import (
    plain,
    print_json,
    printing_beside,
)
from fibermsk.cli.running.interrupts import interruptible, not_at_once
from fibermsk.cli.running.job import digest, make_job, note_result, resume_command
from fibermsk.cli.running.model_files import (
    about_muscles,
    refuse_without_model,
    scene_of_model,
)
from fibermsk.cli.running.problems import (
    refuse_options,
    solve_problem,
)
from fibermsk.cli.running.progress import progress_report
from fibermsk.cli.running.saving import Destination, holds, partial_path, save_result
from fibermsk.cli.running.summary import print_summary
from fibermsk.cli.running.times import settings_of_times
from fibermsk.cli.warned import collecting
from fibermsk.errors import ConvergenceError
from fibermsk.scene_files import SceneFile, find, is_problem, scene_of

if TYPE_CHECKING:
    from fibermsk.results import Progress, Result

Out = Annotated[
    Path | None,
    typer.Option("--out", help="Result file; by default results/<scene>.h5.", dir_okay=True),
]
Check = Annotated[
    bool, typer.Option("--check", help="Compare the forces with inverse dynamics of the motion.")
]
Activated = Annotated[
    str | None,
    typer.Option(
        "--activation",
        metavar="VALUE|FILE",
        help="Activation of the bundles of a model: end of a ramp, or a file by muscle.",
    ),
]
Moved = Annotated[
    Path | None,
    typer.Option("--motion", metavar="FILE", help="Motion that a model's coordinates follow."),
]
Controls = Annotated[
    str | None,
    typer.Option(
        "--controls",
        metavar="FILE|VALUE",
        help="Excitations of a model's muscles: a file with a column for each, or one number.",
    ),
]
End = Annotated[
    float | None,
    typer.Option("--t-end", "--until", metavar="SECONDS", help="Duration of the run."),
]
Step = Annotated[
    float | None,
    typer.Option(
        "--dt",
        metavar="SECONDS",
        help="Time step; with adaptive steps that between frames.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object on standard output at the end of the run."),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Let a run that fails or is interrupted replace a complete result; else it is "
        "written beside it, as NAME.partial.h5.",
    ),
]
Every = Annotated[
    float | None,
    typer.Option(
        "--checkpoint-every",
        metavar="SECONDS",
        help="Interval of checkpoints beside the result, for fibermsk resume.",
    ),
]


def run(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE",
            help="Name of a scene, a Python file, or a model (.osim).",
        ),
    ],
    out: Out = None,
    settings: Settings = None,
    numbers: Numbers = None,
    method: Method = None,
    check: Check = False,
    quiet: Quiet = False,
    json: Json = False,
    checkpoint_every: Every = None,
    overwrite: Overwrite = False,
    threads: Threads = None,
    t_end: End = None,
    dt: Step = None,
    bundle: Bundle = None,
    activation: Activated = None,
    geometry: Geometry = None,
    motion: Moved = None,
    controls: Controls = None,
) -> None:
    """Compute a scene, or a model with its muscles on lines or as fibers, and write its result."""
    with printing_beside(json):
        if Path(scene).suffix.lower() == ".osim":
            file, own = scene_of_model(Path(scene), bundle, activation, geometry, motion, controls)
            settings = [*own, *(settings or [])]
        else:
            refuse_without_model(
                scene, bundle=bundle, activation=activation, geometry=geometry, motion=motion,
                controls=controls,
            )  # fmt: skip
            file = find(scene)
    _run(
        file, out, settings, numbers, method, check, quiet, json, checkpoint_every, overwrite,
        threads, t_end, dt,
    )  # fmt: skip


def run_scene(scene: Callable[..., Any], arguments: list[str] | None = None) -> Result:
    """Simulate the scene of the calling file, as `fibermsk run` does.

    To be used in a scene file as ``if __name__ == "__main__": fm.run_scene(scene)``. Takes
    ``--set``, ``--param``, ``--out``, ``--method``, ``--check``, ``--quiet``, ``--json``,
    ``--checkpoint-every``, ``--overwrite``, ``--threads``, ``--t-end``, ``--dt`` and ``--debug``
    from the command line and writes ``results/<file>.h5``. Ends the program if the run does not
    succeed.

    Parameters
    ----------
    scene : callable
        The file's function ``scene(**parameters)``, which returns an ``fm.Scene``.
    arguments : list of str, optional
        Instead of those of the command line.

    Returns
    -------
    result : Result
        The result that was written.
    """
    if not inspect.isfunction(scene):
        _check.refuse("run_scene", "scene", scene, "be the function of a scene file")
    if arguments is not None:
        _check.items("run_scene", "arguments", arguments, str, "a text", "texts or None")
    path = Path(inspect.getsourcefile(scene) or sys.argv[0]).resolve()
    file = scene_of(scene, path, sys.modules[scene.__module__].__doc__)
    results: list[Result] = []
    app = typer.Typer(cls=ReportingGroup, add_completion=False, pretty_exceptions_enable=False)

    @app.callback()
    def _options(debug: bool = False) -> None:
        pass

    def command(**options: Any) -> None:
        results.append(_run(file, **options))

    # the options of `run` without the scene, and without those of a model
    signature = inspect.signature(run, eval_str=True)
    apart = ("scene", "bundle", "activation", "geometry", "motion", "controls")
    options = [one for name, one in signature.parameters.items() if name not in apart]
    vars(command)["__signature__"] = signature.replace(parameters=options)
    app.command("run", cls=ManyValues, help=file.title)(command)

    given = sys.argv[1:] if arguments is None else arguments
    try:
        app(["run", *given], prog_name=path.name)
    except SystemExit as end:
        if end.code or not results:
            raise
    return results[0]


def _run(
    file: SceneFile,
    out: Path | None,
    settings: list[str] | None,
    numbers: list[str] | None,
    method: str | None,
    check: bool,
    quiet: bool,
    json: bool,
    checkpoint_every: float | None,
    overwrite: bool,
    threads: int | None,
    t_end: float | None,
    dt: float | None,
) -> Result:
    """Compute and write; ends the command with its exit status if the run fails."""
    from fibermsk.io import check_writable

    use_threads(threads)
    settings, numbers = settings or [], numbers or []
    settings = [*settings, *settings_of_times(file, settings, t_end, dt)]
    parameters = parse_settings(settings, file.parameters, f"scene {file.name!r}")
    values = parse_numbers(numbers)
    path = check_writable(out if out is not None else Path("results") / f"{file.name}.h5")
    options: dict[str, Any] = {"check": True} if check else {}
    if checkpoint_every is not None:
        every = _check.positive("run", "--checkpoint-every", checkpoint_every, "s")
        checkpoint = check_writable(path.with_name(f"{path.stem}.checkpoint.h5"))
        job = make_job(
            path,
            scene=file.reference,
            function=file.function.__name__,
            source=digest(file.path),
            settings=settings,
            numbers=numbers,
            parameters=plain(parameters | values),
            method=method,
            check=check,
            checkpoint_every=every,
        )
        options |= {"checkpoint": checkpoint, "checkpoint_every": every, "job": job}
        if not quiet:
            typer.echo(f"{file.name}: checkpoints every {every:g} s in {checkpoint}", err=True)
            if not job["seal"]:
                typer.echo(
                    "cannot store a private key in your home folder: fibermsk resume will ask for "
                    "--out, and for the scene and settings if they are your own",
                    err=True,
                )
    return compute(file, parameters, values, method, path, quiet, json, options, overwrite)


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
) -> Result:
    """Simulate a scene, write its result and print a report.

    `values` are numbers of its model by path; `options` are arguments of `fibermsk.simulate_scene`.
    The checkpoint of a complete run is removed. Ends the command with its exit status if the run
    fails.
    """
    from fibermsk.cli.running.run_file import RunFile
    from fibermsk.io import check_writable

    if path.exists() and not overwrite:
        check_writable(partial_path(path))
    start = time.perf_counter()
    failure = ""
    place: Path | None = path
    unwritten = ""
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
                    refuse_options(method, options)
                    result, failure = solve_problem(scene, **own, tell=progress)
                else:
                    if "check" not in options:  # which compares all frames
                        own["save"] = target
                    result = fibermsk.simulate_scene(
                        scene, **own, method=file.method(method), progress=progress, **options
                    )
        except ConvergenceError as error:
            if error.result is None:
                raise
            result, failure = error.result, str(error)
        muscles = about_muscles(file, warned)
        seconds = time.perf_counter() - start
        if target.destination is not None:
            to = target.destination
            place, unwritten = target.settle()
        else:
            if muscles:
                result = replace(result, stats=result.stats | {"muscles": muscles})
            with not_at_once(f"{path} is being written; another Ctrl-C loses the result"):
                to = Destination.of(path, result.is_complete, result.time.size, overwrite)
            if to.path is not None:
                place, unwritten = save_result(result, to.path)
        kept = to.path is None
        replaced = to.there and not kept
        checkpoint: Path | None = options.get("checkpoint")
        if checkpoint is not None and result.is_complete and not unwritten:
            checkpoint.unlink(missing_ok=True)
        elif checkpoint is not None and not kept and not to.beside and not unwritten:
            note_result(checkpoint, options["job"], path)

    final = {name: float(values[-1]) for name, values in result.coordinates.items() if values.size}
    report = {
        "scene": file.name,
        "file": None if kept or place is None else str(place),
        "replaced": replaced and not unwritten,
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
    } | muscles
    for kind in ("control", "identification"):
        if kind in result.stats:
            report[kind] = result.stats[kind]
    if "check" in options:
        report["check"] = result.stats.get("check")
    if json:
        print_json(report)
    elif not quiet:
        print_summary(report, result.coordinate_units)
    if not result.is_complete:
        reason = failure or result.message or f"the run was not completed ({result.status})"
        reached = f"; the frames up to t = {report['time_end']:g} s are in {place}"
        if kept:
            reached = f"; no step was completed, and the earlier result in {path} is kept"
        elif unwritten:
            reached = ""
        elif to.beside:
            reached += f"; the complete result in {path} is kept (--overwrite replaces it)"
        elif replaced:
            reached += ", which was replaced"
        if checkpoint is not None and holds(checkpoint, result):
            reached += f"; to resume: {resume_command(options['job'], checkpoint)}"
        typer.echo(f"error: {reason}{reached}", err=True)
    if unwritten:
        typer.echo(f"error: {unwritten}", err=True)
    if unwritten or not result.is_complete:
        raise typer.Exit(FAILED)
    return result


def _about(file: SceneFile, warned: list[dict[str, Any]]) -> dict[str, Any]:
    """Entries of the stats about muscles that were refused."""
    muscles = about_muscles(file, warned)
    return {"muscles": muscles} if muscles else {}

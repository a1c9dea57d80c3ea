"""`fibermsk run`: compute a scene and write its result."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fibermsk import _check
from fibermsk.cli.completing import scene_names
from fibermsk.cli.errors import ReportingGroup
from fibermsk.cli.options import (
    Bundle,
    Geometry,
    ManyValues,
    MethodOfRun,
    Numbers,
    Settings,
    Threads,
    parse_numbers,
    parse_settings,
    use_threads,
)
from fibermsk.cli.output import plain, printing_beside
from fibermsk.cli.run_options import (
    Activated,
    Check,
    Controls,
    End,
    Envelope,
    Every,
    Json,
    Labels,
    Moved,
    Movie,
    NoCheckpoint,
    Out,
    Overwrite,
    Picture,
    Quiet,
    Step,
)
from fibermsk.cli.running.checkpoints import EVERY, Keeping, place_of, tell_earlier, with_partial
from fibermsk.cli.running.computing import compute
from fibermsk.cli.running.drawn import Drawn
from fibermsk.cli.running.job import digest, make_job
from fibermsk.cli.running.model_files import refuse_without_model, scene_of_model
from fibermsk.cli.running.saving import result_path, tell_replaced
from fibermsk.cli.running.times import settings_of_times
from fibermsk.errors import ModelError
from fibermsk.scene_files import SceneFile, find, scene_of

if TYPE_CHECKING:
    from fibermsk.results import Result


def run(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE",
            autocompletion=scene_names,
            help="Name of a scene, a Python file, or a model (.osim).",
        ),
    ],
    out: Out = None,
    settings: Settings = None,
    numbers: Numbers = None,
    method: MethodOfRun = None,
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
    picture: Picture = None,
    movie: Movie = None,
    labels: Labels = False,
    envelope: Envelope = False,
    no_checkpoint: NoCheckpoint = False,
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
        threads, t_end, dt, picture, movie, labels, envelope, no_checkpoint,
    )  # fmt: skip


def run_scene(scene: Callable[..., Any], arguments: list[str] | None = None) -> Result:
    """Simulate the scene of the calling file, as `fibermsk run` does.

    To be used in a scene file as ``if __name__ == "__main__": fm.run_scene(scene)``. Takes
    ``--set``, ``--param``, ``--out``, ``--method``, ``--check``, ``--quiet``, ``--json``,
    ``--checkpoint-every``, ``--no-checkpoint``, ``--overwrite``, ``--threads``, ``--t-end``,
    ``--dt``, ``--picture``, ``--movie``, ``--labels``, ``--envelope`` and ``--debug`` from the
    command line and writes ``results/<file>.h5``. Ends the program if the run does not succeed.

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
    picture: Path | None,
    movie: Path | None,
    labels: bool,
    envelope: bool,
    no_checkpoint: bool,
) -> Result:
    """Compute and write; ends the command with its exit status if the run fails."""
    from fibermsk.io import check_writable

    use_threads(threads)
    settings, numbers = settings or [], numbers or []
    settings = [*settings, *settings_of_times(file, settings, t_end, dt)]
    parameters = parse_settings(settings, file.parameters, f"scene {file.name!r}")
    values = parse_numbers(numbers)
    drawn = Drawn(picture, movie, labels, envelope).check()
    path = result_path(out or Path("results") / f"{file.name}.h5")
    if not quiet:
        tell_replaced(file.name, path, plain(parameters | values))
    keeping = None
    if not no_checkpoint:
        asked = checkpoint_every is not None
        every = _check.positive(
            "run", "--checkpoint-every", checkpoint_every if asked else EVERY, "s"
        )
        place = check_writable(place_of(path))
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
        keeping = Keeping(place, every, with_partial(job, place), asked)
        if not quiet:
            _tell(file.name, path, keeping)
    elif checkpoint_every is not None:
        raise ModelError("--checkpoint-every and --no-checkpoint: leave one of them out")
    options: dict[str, Any] = {"check": True} if check else {}
    return compute(
        file, parameters, values, method, path, quiet, json, options, overwrite, keeping, drawn
    )


def _tell(name: str, path: Path, keeping: Keeping) -> None:
    """Say which checkpoints are there, and those that the user has asked for."""
    tell_earlier(name, path, keeping.file)
    if not keeping.asked:
        return
    typer.echo(f"{name}: checkpoints every {keeping.every:g} s in {keeping.file}", err=True)
    if not keeping.job["seal"]:
        typer.echo(
            "cannot store a private key in your home folder: fibermsk resume will ask for "
            "--out, and for the scene and settings if they are your own",
            err=True,
        )

"""`fibermsk resume`: resume a run from its checkpoint; see `fibermsk.cli.running.seal`."""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from fibermsk import _check
from fibermsk.cli.options import (
    Numbers,
    Settings,
    Threads,
    parse_numbers,
    parse_settings,
    use_threads,
)
from fibermsk.cli.output import plain, printing_beside
from fibermsk.cli.run_options import (
    Envelope,
    Every,
    Json,
    Labels,
    Movie,
    Overwrite,
    Picture,
    Quiet,
)
from fibermsk.cli.running.checkpoints import Keeping
from fibermsk.cli.running.computing import compute
from fibermsk.cli.running.drawn import Drawn
from fibermsk.cli.running.job import check_job, digest, make_job, resume_command
from fibermsk.cli.running.model_files import named
from fibermsk.cli.running.saving import result_path
from fibermsk.cli.running.seal import is_sealed
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.scene_files import SceneFile, find, is_packaged, path_of


def resume(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Checkpoint of an earlier run.")],
    scene: Annotated[
        str | None,
        typer.Option(
            "--scene",
            metavar="SCENE",
            help="Scene, if its file has changed or the checkpoint is not from your own run.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Result file; by default that of the run.", dir_okay=True),
    ] = None,
    settings: Settings = None,
    numbers: Numbers = None,
    quiet: Quiet = False,
    json: Json = False,
    checkpoint_every: Every = None,
    overwrite: Overwrite = False,
    threads: Threads = None,
    picture: Picture = None,
    movie: Movie = None,
    labels: Labels = False,
    envelope: Envelope = False,
) -> None:
    """Resume a run from a checkpoint and write its result."""
    from fibermsk.io import load_checkpoint

    use_threads(threads)
    drawn = Drawn(picture, movie, labels, envelope).check()
    taken = load_checkpoint(file)
    job = check_job(taken.job, file)
    every = job["checkpoint_every"] if checkpoint_every is None else checkpoint_every
    every = _check.positive("resume", "--checkpoint-every", every, "s")
    own = is_sealed(job)
    if not own:
        words = {"--scene": scene, "--out": out, "--set": settings, "--param": numbers}
        _check_words(job, file, words)
    path = result_path(out or _place(job, file))
    with printing_beside(json):
        found, source = _find(job, file, scene, own)
    given = job["settings"] if settings is None and own else settings or []
    found = named(found, given)
    changes = job["numbers"] if numbers is None and own else numbers or []
    parameters, values = _parameters(found, given, changes, job, file)
    if not quiet:
        at = f"t = {taken.time:g} s of {taken.duration:g} s"
        typer.echo(f"{found.name}: resumes at {at}; checkpoints every {every:g} s", err=True)
    said = {
        **{name: value for name, value in job.items() if name not in ("seal", "start", "before")},
        "scene": found.reference,
        "function": found.function.__name__,
        "source": source,
        "settings": given,
        "numbers": changes,
        "checkpoint_every": every,
    }
    said.pop("out")
    if not own:  # whose author would choose a file that is removed
        said.pop("partial", None)
    options = {"resume_from": file} | ({"check": True} if job["check"] else {})
    keeping = Keeping(file, every, make_job(path, **said))
    compute(
        found, parameters, values, job["method"], path, quiet, json, options, overwrite, keeping,
        drawn,
    )  # fmt: skip


def _check_words(job: dict[str, Any], file: Path, given: dict[str, Any]) -> None:
    """Refuse scene, settings, numbers and output of a checkpoint that the user has not written."""
    needed = {
        "--scene": not is_packaged(job["scene"]),
        "--out": True,
        "--set": bool(job["settings"]),
        "--param": bool(job["numbers"]),
    }
    missing = [option for option in needed if needed[option] and given[option] is None]
    if missing:
        raise ModelError(
            f"cannot resume {file}: it was not written by your own run on this machine, or was "
            "changed since, so that its author could choose the files that are run and "
            f"overwritten; must be specified: {', '.join(missing)}; if you trust its contents: "
            f"{resume_command(job, file)}"
        )


def _place(job: dict[str, Any], file: Path) -> Path:
    """Path of the result, if it is free or contains a result of this run."""
    path = Path(job["out"])
    folder = Path.cwd()
    path = Path(os.path.relpath(path, folder)) if path.is_relative_to(folder) else path
    if path.is_file() and digest(path) != job["before"]:
        raise ModelError(
            f"cannot resume {file}: {path} is not a result of this run, nor the file that the run "
            f"was to replace; to replace it give --out {path}, or give another file"
        )
    return path


def _find(job: dict[str, Any], file: Path, scene: str | None, own: bool) -> tuple[SceneFile, str]:
    """Scene and digest of its file, which must be unchanged unless the user gives the scene."""
    path = path_of(job["scene"] if scene is None else scene)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot resume {file}: {path}: {error.strerror or error}") from error
    now = hashlib.sha256(source).hexdigest()
    if now != job["source"]:
        if scene is None:
            raise ModelError(
                f"cannot resume {file}: the scene file {path} has changed since the checkpoint; "
                f"to resume with the changed file give --scene {job['scene']}"
            )
        warnings.warn(
            f"the scene file {path} is not that of the checkpoint, or has changed; the run resumes "
            "if the model is the same, and its signals at a thousand times and at every frame",
            ModelWarning,
            stacklevel=3,
        )
    # only an own checkpoint may select another function
    return find(str(path), [job["function"] if own else "scene"], source), now


def _parameters(
    scene: SceneFile, settings: list[str], numbers: list[str], job: dict[str, Any], file: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the scene, and numbers of its model by path; must equal those of the run."""
    parameters = parse_settings(settings, scene.parameters, f"scene {scene.name!r}")
    values = parse_numbers(numbers)
    now, then = plain(parameters | values), job["parameters"]
    for name in sorted({*now, *then}):
        if now.get(name) != then.get(name):
            raise ModelError(
                f"cannot resume {file}: parameter {name} of scene {scene.name!r} was "
                f"{then.get(name)!r} and is now {now.get(name)!r}; must be the same; restore its "
                "default or give it with --set or --param, or run from the start"
            )
    return parameters, values

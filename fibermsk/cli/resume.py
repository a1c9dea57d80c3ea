"""`fibermsk resume`: go on with a run that left a checkpoint."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fibermsk.cli.options import parse_settings
from fibermsk.cli.output import plain, printing_beside
from fibermsk.cli.run import Every, Json, Out, Quiet, compute, source_digest

if TYPE_CHECKING:
    from fibermsk.cli.scene_files import SceneFile

__all__ = ["resume"]


def resume(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Checkpoint of an earlier run.")],
    out: Out = None,
    quiet: Quiet = False,
    json: Json = False,
    checkpoint_every: Every = None,
) -> None:
    """Go on with a run from its last checkpoint, and write the result as it would have."""
    from fibermsk.cli.scene_files import find
    from fibermsk.errors import ModelError, ModelWarning
    from fibermsk.io import check_writable, load_checkpoint
    from fibermsk.laws import _check

    taken = load_checkpoint(file)
    job = taken.job
    if "scene" not in job:
        raise ModelError(
            f"cannot resume {file}: a script wrote it, not fibermsk run; must be resumed there, "
            "with resume_from"
        )
    every = job["checkpoint_every"] if checkpoint_every is None else checkpoint_every
    every = _check.positive("resume", "--checkpoint-every", every, "s")
    with printing_beside(json):
        scene = find(job["scene"], [job["function"]])
    parameters = _parameters(scene, job, file)
    if source_digest(scene.path) != job["source"]:
        warnings.warn(
            f"the scene file {scene.path} has changed since the checkpoint; the run goes on if "
            "its model is the same, and its signals at a thousand times and at every frame",
            ModelWarning,
            stacklevel=2,
        )
    path = check_writable(out if out is not None else _nearby(Path(job["folder"]) / job["out"]))
    if not quiet:
        at = f"t = {taken.time:g} s of {taken.duration:g} s"
        typer.echo(f"{scene.name}: goes on at {at}; checkpoints every {every:g} s", err=True)
    options = {"check": True} if job["check"] else {}
    options |= {
        "checkpoint": file,
        "checkpoint_every": every,
        "resume_from": file,
        "job": {**job, "out": str(path.resolve()), "checkpoint_every": every},
    }
    compute(scene, parameters, job["method"], path, quiet, json, options)


def _parameters(scene: SceneFile, job: dict[str, Any], file: Path) -> dict[str, Any]:
    """Parameters of the run, from its settings and the defaults, which must be as they were."""
    from fibermsk.errors import ModelError

    parameters = parse_settings(job["settings"], scene.parameters, f"scene {scene.name!r}")
    now, then = plain(parameters), job["parameters"]
    for name in sorted({*now, *then}):
        if now.get(name) != then.get(name):
            raise ModelError(
                f"cannot resume {file}: parameter {name} of scene {scene.name!r} was "
                f"{then.get(name)!r} and is now {now.get(name)!r}; must be the same; restore its "
                "default, or run from the start"
            )
    return parameters


def _nearby(path: Path) -> Path:
    """The same path, relative where it lies below the present folder."""
    folder = Path.cwd()
    return Path(os.path.relpath(path, folder)) if path.is_relative_to(folder) else path

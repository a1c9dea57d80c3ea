"""Checkpoints of a run on the command line, and those that earlier runs have left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from fibermsk.cli.running.job import check_job, remove_partial, resume_command
from fibermsk.cli.running.seal import is_sealed, sealed
from fibermsk.errors import ModelError

if TYPE_CHECKING:
    from fibermsk.results import Snapshot

EVERY = 60.0
"""Wall time between checkpoints, unless the user gives another [s]."""

_LITTLE = 60.0
"""Wall time of a run whose checkpoint a later run may replace [s]."""

_WALL = "run.wall_seconds"
"""Array of a checkpoint with the wall time of its run."""

_SAME = "scene", "function", "source", "parameters", "method"
"""Entries of a job that are equal in runs of one result."""


class Keeping(NamedTuple):
    """Checkpoints of a run: their file, interval and job, and whether the user asked for them."""

    file: Path
    every: float
    job: dict[str, Any]
    asked: bool = True

    def options(self, method: Any) -> dict[str, Any]:
        """Arguments of `fibermsk.simulate_scene`; none for a method that cannot write them."""
        from fibermsk.solvers import COMPILED

        name = method if isinstance(method, str) else getattr(method, "name", "")
        if name not in COMPILED and not getattr(method, "compiled", False):
            return {"checkpoint": self.file, "checkpoint_every": self.every, "job": self.job}
        if self.asked:
            raise ModelError(
                f"--checkpoint-every {self.every:g}: must be left out with the method {name}, "
                "which writes no checkpoints"
            )
        return {}

    def remove(self) -> None:
        """Remove the checkpoint of a complete run, and those that equal runs have left.

        With the files of their first frames.
        """
        self.file.unlink(missing_ok=True)
        remove_partial(self.job)
        for file, taken in earlier(self.file):
            if all(taken.job.get(name) == self.job.get(name) for name in _SAME):
                file.unlink(missing_ok=True)
                remove_partial(taken.job)


def with_partial(job: dict[str, Any], checkpoint: Path) -> dict[str, Any]:
    """A job with the file of first frames that an equal run, whose checkpoint it replaces, left."""
    taken = _read(checkpoint) if checkpoint.exists() else None
    if taken is None or "partial" not in taken.job or not is_sealed(taken.job):
        return job
    if any(taken.job.get(name) != job.get(name) for name in _SAME):
        return job
    return sealed({**job, "partial": taken.job["partial"]})


def place_of(result: Path) -> Path:
    """File of the checkpoints of a run: ``arm.checkpoint.h5`` beside ``arm.h5``.

    With a number where that is the checkpoint of more than a minute of another run, or another
    file.
    """
    kept = {file for file, taken in _there(result) if taken is None or _worth(taken)}
    return next(name for name in _names(result) if name not in kept)


def earlier(checkpoint: Path) -> list[tuple[Path, Snapshot]]:
    """Checkpoints of other runs beside that of a run."""
    result = checkpoint.with_name(checkpoint.name.partition(".checkpoint")[0] + checkpoint.suffix)
    found = _there(result)
    return [(file, taken) for file, taken in found if taken is not None and file != checkpoint]


def tell_earlier(name: str, result: Path, chosen: Path) -> None:
    """Say which checkpoints earlier runs have left, and how they resume."""
    for file, taken in _there(result):
        if taken is None:
            continue
        try:
            command = resume_command(check_job(taken.job, file), file)
        except ModelError:  # of a script
            continue
        now = "; this run replaces it" if file == chosen else "; else remove it"
        typer.echo(
            f"{name}: {file} is of a run that ended at t = {taken.time:.4g} of "
            f"{taken.duration:g} s; to resume that: {command}{now}",
            err=True,
        )


def _names(result: Path) -> Iterator[Path]:
    numbers = chain([""], count(2))
    return (result.with_name(f"{result.stem}.checkpoint{n}{result.suffix}") for n in numbers)


def _there(result: Path) -> list[tuple[Path, Snapshot | None]]:
    """Files with names of checkpoints of a result, up to the first that is free."""
    found = []
    for name in _names(result):
        if not name.exists():
            return found
        found.append((name, _read(name)))
    return found


def _read(file: Path) -> Snapshot | None:
    """Checkpoint of a file, without its arrays but the wall time; None if it is none."""
    from fibermsk.io import load_checkpoint

    try:
        taken = load_checkpoint(file)
    except (ModelError, OSError):
        return None
    seconds = {name: taken.arrays[name] for name in (_WALL,) if name in taken.arrays}
    return replace(taken, arrays=seconds)


def _worth(taken: Snapshot) -> bool:
    """Whether a checkpoint is kept from later runs."""
    return float(taken.arrays.get(_WALL, 0.0)) >= _LITTLE

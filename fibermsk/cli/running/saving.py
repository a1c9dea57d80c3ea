"""Saving a result, whole or part by part, despite a full disk, and beside a complete one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

import typer

from fibermsk.cli.running.interrupts import not_at_once
from fibermsk.errors import ModelError, WriteError
from fibermsk.files import check_writable
from fibermsk.results import Result
from fibermsk.results.result import COMPLETE

_SUFFIXES = ("", ".h5", ".hdf5")


class Destination(NamedTuple):
    """Where the result of a run that has ended is written to.

    Attributes
    ----------
    path : Path or None
        The file; None if the earlier result of a complete run is kept, since this run made no step.
    there : bool
        Whether that file exists.
    beside : bool
        Whether the result is written beside that of a complete run, which is kept.
    """

    path: Path | None
    there: bool = False
    beside: bool = False

    @classmethod
    def of(cls, path: Path, complete: bool, n_frames: int, overwrite: bool) -> Destination:
        """That of a run: an incomplete one replaces a complete one only if the user says so."""
        whole = not complete and is_complete(path)
        if whole and n_frames <= 1:
            return cls(None)
        beside = whole and not overwrite
        chosen = partial_path(path) if beside else path
        return cls(chosen, chosen.exists(), beside)


def result_path(path: Path) -> Path:
    """The path of a result, if that is the name of an HDF5 file that can be written."""
    if path.suffix.lower() not in _SUFFIXES:
        raise ModelError(
            f"--out {path}; must end with .h5; fibermsk export makes csv, sto and vtkhdf of it"
        )
    return check_writable(path)


def partial_path(path: Path) -> Path:
    """File of an incomplete result where a complete one is kept: ``arm.partial.h5``.

    With a number where that is the result of a complete run.
    """
    numbers = chain([""], count(2))
    names = (path.with_name(f"{path.stem}.partial{number}{path.suffix}") for number in numbers)
    return next(name for name in names if not is_complete(name))


def is_complete(path: Path) -> bool:
    """Whether the file contains the result of a complete run."""
    from fibermsk.io import describe

    try:
        return path.exists() and describe(path)["attributes"]["status"] in COMPLETE
    except (ModelError, OSError):
        return False


def tell_replaced(name: str, path: Path, parameters: dict[str, Any]) -> None:
    """Say that a complete result of other parameters will be replaced."""
    from fibermsk.io import describe

    try:
        before = describe(path)["attributes"] if path.exists() else {}
    except (ModelError, OSError):
        return
    if before.get("status") in COMPLETE and before.get("parameters") != parameters:
        typer.echo(
            f"{name}: will replace {path}, of a run with other settings; --out FILE keeps it",
            err=True,
        )


def holds(checkpoint: Path, result: Result) -> bool:
    """Whether the run of this result can resume from a checkpoint."""
    from fibermsk.io import load_checkpoint

    try:
        return load_checkpoint(checkpoint).time == result.time[-1]
    except ModelError:
        return False


def save_result(result: Result, path: Path) -> tuple[Path | None, str]:
    """Write a result to its file, or else to another folder or a file that the user gives.

    Return its path (None if not written), and the problem (empty if it is in its file).
    """
    from fibermsk.io import save

    return persist(lambda place: save(result, place), path)


def persist(
    write: Callable[[Path], object], path: Path, message: str = ""
) -> tuple[Path | None, str]:
    """Write by a function to a file, or else to another one that the user gives.

    After a first `message`, the user is asked before. Return the path, and the problem.
    """
    place = path
    if message:
        named = _ask(f"error: {message}", path)
        if named is None:
            return None, message
        place = named
    while True:
        try:
            with not_at_once(f"{place} is being written; another Ctrl-C loses it"):
                write(place)
            return place, "" if place == path else f"{message}; it is in {place}"
        except WriteError as error:
            if error.kept:
                return error.kept[0], str(error)
            named = _ask(f"error: {error}", place)
            if named is None:
                return None, str(error)
            place, message = named, str(error)


def _ask(message: str, again: Path) -> Path | None:
    """Another file from the user, the same if empty; None if aborted or not interactive."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    typer.echo(message, err=True)
    question = "The result is not lost. Free disk space and press Enter, or enter another file"
    try:
        answer = typer.prompt(question, default="", show_default=False, err=True).strip()
    except typer.Abort:
        return None
    return Path(answer) if answer else again

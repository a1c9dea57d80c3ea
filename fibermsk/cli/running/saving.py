"""Saving a result despite a full disk, and beside a complete one."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from fibermsk.cli.running.interrupts import not_at_once
from fibermsk.errors import ModelError, WriteError
from fibermsk.results import Result
from fibermsk.results.result import COMPLETE


def partial_path(path: Path) -> Path:
    """File of an incomplete result where a complete one is kept: ``arm.partial.h5``."""
    return path.with_name(f"{path.stem}.partial{path.suffix}")


def is_complete(path: Path) -> bool:
    """Whether the file contains the result of a complete run."""
    from fibermsk.io import describe

    try:
        return path.exists() and describe(path)["attributes"]["status"] in COMPLETE
    except ModelError:
        return False


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

    place, message = path, ""
    while True:
        try:
            with not_at_once(f"{place} is being written; another Ctrl-C loses it"):
                save(result, place)
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
    question = "The result is in memory. Free disk space and press Enter, or enter another file"
    try:
        answer = typer.prompt(question, default="", show_default=False, err=True).strip()
    except typer.Abort:
        return None
    return Path(answer) if answer else again

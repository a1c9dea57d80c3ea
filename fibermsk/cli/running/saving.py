"""Saving a result, whole or part by part, despite a full disk."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import typer

from fibermsk.cli.running.interrupts import not_at_once
from fibermsk.errors import WriteError
from fibermsk.results import Result


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

"""`fibermsk export`: export a result to ParaView, OpenSim or a spreadsheet."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated

import typer

from fibermsk.cli.completing import one_of

_SECONDS_BETWEEN_LINES = 3.0


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.h5", help="Result file.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="PATH", help="Common name of the files: run.csv for run_time.csv etc."
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="vtkhdf|sto|csv",
            autocompletion=one_of("vtkhdf", "sto", "csv"),
            help="Format; by default from the ending of PATH.",
        ),
    ] = None,
) -> None:
    """Export a result to ParaView (vtkhdf), OpenSim (sto) or tables (csv)."""
    from fibermsk.io import check_export, export as write, load

    out, to = check_export(out, to)
    result = load(file, lazy=True)
    if not result.is_complete and result.time.size:
        ended = "failed" if result.status == "failed" else f"was {result.status}"
        typer.echo(
            f"warning: the run {ended} at t = {result.time[-1]:g} s; the files have this status",
            err=True,
        )
    for written in write(result, out, to=to, report=_Lines()):
        typer.echo(f"written to {written}", err=True)


class _Lines:
    """Print the progress of a long export every few seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, file: Path, part: float) -> None:
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            # a full disk under the log does not affect the file
            with contextlib.suppress(OSError):
                typer.echo(f"{file.name}: {100.0 * part:.0f} %", err=True)

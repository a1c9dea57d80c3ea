"""`fibermsk export`: export a result to ParaView, OpenSim or a spreadsheet, or a changed model."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated

import typer

from fibermsk.cli.completing import one_of
from fibermsk.cli.options import Numbers, parse_numbers
from fibermsk.errors import ModelError

_SECONDS_BETWEEN_LINES = 3.0


def export(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.h5|MODEL.osim", help="Result file, or an OpenSim model."),
    ],
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
            metavar="vtkhdf|sto|csv|osim",
            autocompletion=one_of("vtkhdf", "sto", "csv", "osim"),
            help="Format; by default from the ending of PATH.",
        ),
    ] = None,
    numbers: Numbers = None,
) -> None:
    """Export a result to ParaView (vtkhdf), OpenSim (sto) or tables (csv), or a model (osim)."""
    if file.suffix.lower() == ".osim":
        _export_model(file, out, to, numbers or [])
        return
    if numbers:
        raise ModelError(f"--param: {file} is a result; must be an OpenSim model to change numbers")
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


def _export_model(file: Path, out: Path, to: str | None, numbers: list[str]) -> None:
    """Write an OpenSim model with changed numbers as an OpenSim file."""
    from fibermsk.parameters import with_parameters
    from fibermsk.read import read_osim
    from fibermsk.write import write_osim

    if to not in (None, "osim"):
        raise ModelError(f"--to {to}: {file} is a model; must be osim, as no run has a result yet")
    values = parse_numbers(numbers)
    model = read_osim(file)
    if values:
        model = with_parameters(model, values)
    for text in (entry.text for entry in model.import_report.of_kind("not understood")):
        typer.echo(f"warning: not in the file written: {text}", err=True)
    typer.echo(f"written to {write_osim(model, out)}", err=True)


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

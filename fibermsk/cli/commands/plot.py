"""`fibermsk plot`: curves of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fibermsk._extras import CURVES, PICTURES as DRAWN, check_drawing
from fibermsk.cli.completing import fibers, plots
from fibermsk.cli.output import PICTURES, aligned, write_figure
from fibermsk.errors import ModelError
from fibermsk.files import check_writable


def plot(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE.h5", help="Result file.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="PNG|SVG|PDF", help="Picture to write.")
    ] = None,
    what: Annotated[
        list[str] | None,
        typer.Option(
            "--what",
            metavar="FIELD ...",
            autocompletion=plots,
            help="Plots, such as activation, power, stretch or stretch_map (all: --list); "
            "by default a one-page summary of the run.",
        ),
    ] = None,
    fiber: Annotated[
        list[str] | None,
        typer.Option(
            "--fiber",
            metavar="NAME ...",
            autocompletion=fibers,
            help="Fibers to draw, or patterns like 'biceps*'.",
        ),
    ] = None,
    time: Annotated[
        list[float] | None,
        typer.Option("--time", help="Time in s of curves along the fibers; repeat for more."),
    ] = None,
    list_names: Annotated[
        bool, typer.Option("--list", help="List the available plots, of FILE.h5 if given.")
    ] = False,
) -> None:
    """Plot activations, angles, forces and fields along the fibers of a result."""
    check_drawing("plots", CURVES if what or list_names else DRAWN)
    from fibermsk.io import load
    from fibermsk.view.plots import plot as draw, plot_names

    if list_names:
        for line in aligned(
            list(plot_names(None if file is None else load(file, lazy=True)).items()), 0
        ):
            typer.echo(line)
        return
    if file is None:
        raise ModelError("no result file was given; must be FILE.h5, or --list alone")
    if out is None:
        raise ModelError(f"--out is missing; must be a file to write: {', '.join(PICTURES)}")
    if out.suffix.lower() not in PICTURES:
        raise ModelError(f"--out {out}; must end with one of: {', '.join(PICTURES)}")
    result = load(file, lazy=True)
    check_writable(out)
    names = [name.strip() for text in what or () for name in text.split(",") if name.strip()]
    if what and not names:
        raise ModelError(f"--what {' '.join(what)}: has no name; see fibermsk plot --list")
    figure = draw(result, names or None, fibers=fiber or None, times=time or None)
    write_figure(figure, out, dpi=150 if what else 200)
    typer.echo(f"written to {out}", err=True)

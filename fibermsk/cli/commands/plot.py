"""`fibermsk plot`: curves of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fibermsk._extras import CURVES, PICTURES as DRAWN, check_drawing
from fibermsk._shown import names
from fibermsk.cli.completing import fibers, plots
from fibermsk.cli.output import PICTURES, described, write_figure
from fibermsk.cli.shown import is_model
from fibermsk.errors import ModelError
from fibermsk.files import check_writable


def plot(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE.h5", help="Result file.", show_default=False),
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
            help="Fibers and line muscles to draw, or patterns like 'biceps*'.",
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

    if files and len(files) > 1:
        raise ModelError(
            f"{len(files)} files; must be one; fibermsk view {files[0]} {files[1]} compares results"
        )
    if files and is_model(files[0]):
        raise ModelError(
            f"{files[0]} is a model; must be a result (.h5): run it, or fibermsk view shows it"
        )
    if list_names:
        for line in _listed(plot_names(load(files[0], lazy=True) if files else None)):
            typer.echo(line)
        return
    if not files:
        raise ModelError("no result file was given; must be FILE.h5, or --list alone")
    file = files[0]
    if not file.is_file():
        raise ModelError(f"cannot read {file}: there is no such file")
    if out is None:
        raise ModelError(f"--out is missing; must be a file to write: {', '.join(PICTURES)}")
    if out.suffix.lower() not in PICTURES:
        raise ModelError(f"--out {out}; must end with one of: {', '.join(PICTURES)}")
    result = load(file, lazy=True)
    check_writable(out)
    asked = [name.strip() for text in what or () for name in text.split(",") if name.strip()]
    if what and not asked:
        raise ModelError(f"--what {' '.join(what)}: has no name; see fibermsk plot --list")
    figure = draw(result, asked or None, fibers=fiber or None, times=time or None)
    write_figure(figure, out, dpi=150 if what else 200)
    typer.echo(f"written to {out}", err=True)


def _listed(plots: dict[str, str]) -> list[str]:
    """Lines about plots: those of one owner together by field."""
    lines = described((name, words) for name, words in plots.items() if "." not in name)
    of_one = [name for name in plots if "." in name]
    owners: dict[str, list[str]] = {}
    for owner, field in (name.split(".", 1) for name in of_one):
        owners.setdefault(field, []).append(owner)
    if of_one:
        lines += ["", f"of one line muscle, state or element: OWNER.FIELD, such as {of_one[0]}"]
        others = (
            (f".{field}", names(own, 44)) for field, own in owners.items() if field not in plots
        )
        lines += described(others)
    return lines

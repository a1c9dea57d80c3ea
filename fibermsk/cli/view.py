"""`fibermsk view`: a result in space, in a window or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["view"]


def view(
    file: Annotated[Path, typer.Argument(metavar="FILE.h5", help="Result file.")],
    color_by: Annotated[
        str, typer.Option("--color-by", metavar="FIELD", help="Field that colors the fibers.")
    ] = "axial_force",
    screenshot: Annotated[
        Path | None,
        typer.Option("--screenshot", metavar="PNG", help="Write a picture, open no window."),
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", help="Simulated time in s; by default the last.")
    ] = None,
) -> None:
    """Show a result in a window, or write a picture of it."""
    from fibermsk import view as pictures
    from fibermsk.io import load

    result = load(file)
    if screenshot is None:
        pictures.show(result, time=time, color_by=color_by)
    else:
        pictures.screenshot(result, screenshot, time=time, color_by=color_by)
        typer.echo(f"written to {screenshot}", err=True)

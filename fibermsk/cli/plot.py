"""`fibermsk plot`: curves of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["plot"]

_FORMATS = (".png", ".svg", ".pdf")


def plot(
    file: Annotated[Path, typer.Argument(metavar="FILE.h5", help="Result file.")],
    out: Annotated[Path, typer.Option("--out", metavar="PNG|SVG", help="Picture to write.")],
    what: Annotated[
        list[str] | None,
        typer.Option(
            "--what", metavar="FIELD ...", help="What to draw; by default one page of the run."
        ),
    ] = None,
) -> None:
    """Draw curves of a result: activations, angles, forces, fields along the fibers."""
    from fibermsk.errors import ModelError
    from fibermsk.io import check_writable, load

    if out.suffix.lower() not in _FORMATS:
        raise ModelError(f"--out {out}; must end with one of: {', '.join(_FORMATS)}")
    result = load(file)
    check_writable(out)
    from fibermsk.view import plot as draw

    draw(result, what or None).savefig(out, dpi=150)
    typer.echo(f"written to {out}", err=True)

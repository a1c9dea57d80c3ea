"""Output of commands on standard output."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

import typer

from fibermsk._extras import CURVES, check_drawing
from fibermsk.errors import ModelError
from fibermsk.files import check_writable
from fibermsk.rescue import write_whole

COLUMNS = 80
"""Width of a terminal that lines should fit."""

PICTURES = (".png", ".svg", ".pdf")
"""Kinds of files that `write_figure` writes."""


def printing_beside(json: bool) -> AbstractContextManager[Any]:
    """Context that redirects the output of a scene to standard error if JSON is printed."""
    return redirect_stdout(sys.stderr) if json else nullcontext()


def check_out(out: Path, endings: Sequence[str]) -> None:
    """Refuse a file of another kind, a picture that cannot be drawn, or a file without room."""
    if out.suffix.lower() not in endings:
        raise ModelError(f"--out {out}; must end with one of: {', '.join(endings)}")
    if out.suffix.lower() in PICTURES:
        check_drawing(str(out), CURVES)
    check_writable(out)


def write_figure(figure: Any, out: Path, *, dpi: int = 150) -> None:
    """Write a figure of Matplotlib, of the kind that the file's name ends with."""
    image = io.BytesIO()
    figure.savefig(image, dpi=dpi, format=out.suffix[1:].lower())
    write_whole(out, lambda beside: beside.write_bytes(image.getbuffer()))


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object; numbers that are not finite become null."""
    typer.echo(json.dumps(plain(value), allow_nan=False))


def plain(value: Any) -> Any:
    """Value as JSON types; numbers that are not finite become None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    return str(value)


def aligned(rows: Sequence[Sequence[str]], indent: int = 2) -> list[str]:
    """Lines of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ((f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [(" " * indent + "  ".join(line)).rstrip() for line in cells]


def described(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Lines of names and what they are, in several lines where it is long."""
    found = list(rows)
    column = min(max((len(name) for name, _ in found), default=0), COLUMNS // 2) + 2
    lines = []
    for name, words in found:
        head = f"{name:{column}}" if len(name) < column else f"{name}  "
        lines += wrap(
            words, COLUMNS, initial_indent=head, subsequent_indent=" " * column,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return lines


_LARGE = 0.05
"""Estimated error in time [rad, m or 1] from which on it says no more than that it is large."""


def print_time_error(found: dict[str, float | None]) -> None:
    """Print the estimated error of the time steps."""
    units = {
        "coordinates": "rad or m",
        "fibers": "of fiber length",
        "states": "of the scale of a state",
    }
    shown = {kind: value for kind, value in found.items() if value or kind != "states"}
    parts = [
        f"{value:.1e} {units[kind]}" for kind in units if (value := shown.get(kind)) is not None
    ]
    line = f"largest error in time, estimated: {', '.join(parts) or 'not known'}"
    if not parts or max(value for value in shown.values() if value is not None) > _LARGE:
        line += "; compare with a run of shorter steps"
    typer.echo(fill(line, COLUMNS, initial_indent="  ", subsequent_indent="    "))


def print_check(found: dict[str, Any] | None) -> None:
    """Print a table of the mismatch between forces and motion by coordinate and fiber."""
    if found is None:
        typer.echo("  forces not checked: the run has too few frames")
        return
    rows = [*found["coordinates"].items(), *found["fibers"].items()]
    width = max(len(name) for name, _ in rows) if rows else 0
    typer.echo(
        f"  forces required by the motion, compared with those applied, {found['start']:.4g} to "
        f"{found['end']:.4g} s: rms mismatch, largest mismatch (time), of rms applied"
    )
    for name, one in rows:
        typer.echo(
            f"    {name:{width}}  {one['rms']:9.3g}  {one['largest']:9.3g} ({one['time']:.4g} s)"
            f"  of {one['applied']:9.3g} {one['unit']}"
        )

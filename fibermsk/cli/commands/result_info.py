"""Contents of a result file as text: in one screen, or all of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import typer

from fibermsk._shown import names
from fibermsk.cli.output import aligned, print_check, print_time_error
from fibermsk.results import Slack, Softening

_WIDTH = 80
_NAMED = "bodies", "coordinates", "elements", "fibers", "muscles", "speeds", "states"
"""Folders with a part or an array for each item of the model, by name."""

_ALIKE = "control", "multipliers", "optimum"
"""Folders of optimal control, with arrays that are together by unit."""

_MANY = 20
"""Kinds of arrays of a folder from which most are only named."""

_FEW = "activation", "fiber_length", "length", "tendon_force"
"""Those of line muscles that are shown nevertheless."""

_LATER = (
    "contact_line_force", "cut_force", "length_jump", "lengthening_speed", "muscle_fraction",
    "node_theta", "path", "rotation", "tangent", "theta", "tissue_force",
)  # fmt: skip
"""Arrays that are only named: what others follow from, and what pictures are drawn from."""

_RECORDS = "/shapes/", "/visuals/", "/convergence/", "/sparsity/"
"""Parts of paths of what is only drawn, and of a search."""

_FIRST = "steps", "newton_iterations", "failed_steps", "rejected_steps", "wall_seconds"
"""Numbers of a run that are shown first."""

_APART = "parameters", "stats", "slack", "softening"
"""Attributes that are told in their own way."""

_OF_FILES = "fibermsk_version", "units", "up"
"""Attributes for programs."""

_MOST = 1
"""Intervals of slack or softening that are listed."""


class _Row(NamedTuple):
    """Arrays of one kind: their path, number, shape and range."""

    path: str
    number: int
    shape: str
    low: float | None
    high: float | None
    units: str


def show_result(
    file: Path, attributes: dict[str, Any], datasets: list[dict[str, Any]], *, whole: bool
) -> None:
    """Print attributes and arrays of a result file; arrays of one kind together unless `whole`."""
    typer.echo(str(file))
    for key, value in attributes.items():
        if key not in (*_APART, *(() if whole else _OF_FILES)) and value != "":
            _echo(f"{key}: {value}", whole)
    stats = dict(attributes["stats"])
    check, error = (stats.pop(key, None) for key in ("check", "time_error"))
    if not whole:
        stats = {key: stats[key] for key in _FIRST if key in stats}
    for key, values in (("parameters", attributes["parameters"]), ("stats", stats)):
        if values:
            _echo(f"{key}: {pairs(values)}", whole)
    if error is not None:
        print_time_error(error)
    for key, kind in (("slack", Slack), ("softening", Softening)):
        found = attributes[key]
        most = len(found) if whole else _MOST
        for interval in found[:most]:
            _echo(f"{key}: {kind(**interval)}", whole)
        if found[most:]:
            typer.echo(f"  {key}: {len(found) - most} more intervals (--all)")
    if check is not None:
        print_check(check)
    rows, named = [_row(one) for one in datasets], dict[str, list[str]]()
    if not whole:
        rows, named = _first_of(_together(datasets))
        parts = [one["path"].split("/") for one in datasets]
        for folder in _NAMED:
            own = dict.fromkeys(part[2] for part in parts if part[1] == folder and len(part) > 2)
            if len(own) > 1:
                typer.echo(f"  {folder}: {names(own, _WIDTH - 4 - len(folder))}")
    many = any(row.number > 1 for row in rows)
    for line in aligned([_cells(row, many) for row in rows]):
        typer.echo(line)
    for folder, own in named.items():
        _echo(f"{folder}/*, further: {', '.join(own)}", whole)
    if many or len(rows) < len(datasets):
        typer.echo("  *: all of one kind together, x their number; one by one with --all")


def _echo(text: str, whole: bool) -> None:
    lines = [text] if whole else textwrap.wrap(text, _WIDTH - 4)
    for number, line in enumerate(lines):
        typer.echo(f"  {'  ' if number else ''}{line}")


def _together(datasets: Iterable[dict[str, Any]]) -> list[_Row]:
    """Rows of arrays of one kind and unit, without `_RECORDS`."""
    kinds: dict[Any, list[_Row]] = {}
    for one in datasets:
        row = _row(one)
        if not any(part in row.path for part in _RECORDS):
            kinds.setdefault((_kind(row.path), row.units), []).append(row)
    found = []
    for (path, _), rows in kinds.items():
        first, shapes = rows[0], {row.shape for row in rows}
        lows, highs = ([getattr(row, end) for row in rows] for end in ("low", "high"))
        known = [[x for x in ends if x is not None] for ends in (lows, highs)]
        found.append(
            first._replace(
                path=path if len(rows) > 1 else first.path,
                number=len(rows),
                shape=first.shape if len(shapes) == 1 else "several",
                low=min(known[0], default=None),
                high=max(known[1], default=None),
            )
        )
    return found


def _first_of(rows: Sequence[_Row]) -> tuple[list[_Row], dict[str, list[str]]]:
    """Rows without most of the kinds of folders with many, and these kinds by folder."""
    by_folder: dict[str, list[_Row]] = {}
    for row in rows:
        by_folder.setdefault(row.path.split("/")[1], []).append(row)
    shown, named = list[_Row](), dict[str, list[str]]()
    for folder, own in by_folder.items():
        few = [row for row in own if row.path.split("/", 3)[-1] in _FEW]
        few = few if few and len(own) > _MANY else [one for one in own if not _is_later(one)]
        shown += few
        if rest := [row.path.split("/", 3)[-1] for row in own if row not in few]:
            named[f"/{folder}"] = rest
    return shown, named


def _is_later(row: _Row) -> bool:
    return row.path.split("/", 3)[-1] in _LATER


def _kind(path: str) -> str:
    """Path with a star for the name of an item."""
    _, folder, *rest = path.split("/")
    if folder in (*_NAMED, *_ALIKE) and rest:
        rest[0] = "*"
    return "/".join(["", folder, *rest])


def _row(one: dict[str, Any]) -> _Row:
    shape = " x ".join(map(str, one["shape"]))
    units = "" if one["units"] in (None, "1") else f" {one['units']}"
    return _Row(one["path"], 1, shape, one["min"], one["max"], units)


def _cells(row: _Row, many: bool) -> tuple[str, ...]:
    """Cells of a row; with a column of numbers where arrays are together."""
    text = ""
    if row.low is not None and row.high is not None:
        digits = 3 if many else 6
        text = f"{row.low + 0.0:.{digits}g}"  # not -0
        text += "" if row.low == row.high else f" to {row.high + 0.0:.{digits}g}"
        text += row.units
    number = (f"x {row.number}" if row.number > 1 else "",) if many else ()
    return (row.path, *number, row.shape.replace(" ", "") if many else row.shape, text)


def pairs(values: dict[str, Any]) -> str:
    """Names and values in one line."""
    parts = []
    for key, value in values.items():
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        parts.append(f"{key} = {text if len(text) <= 60 else text[:57] + '...'}")
    return ", ".join(parts)

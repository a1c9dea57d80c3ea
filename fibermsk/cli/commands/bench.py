"""`fibermsk bench`: measure the speed of this package and of other simulators."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fibermsk._check import suggestion
from fibermsk.cli.completing import names_of_benches
from fibermsk.cli.output import aligned, print_json
from fibermsk.errors import ModelError
from fibermsk.scene_files import folder_of

if TYPE_CHECKING:
    from fibermsk.bench import Bench

_COLUMNS = {
    "case": "case",
    "who": "who",
    "n": "n",
    "threads": "threads",
    "seconds": "time [s]",
    "update_seconds": "update [s]",
    "draw_seconds": "drawing [s]",
    "processor_seconds": "processor [s]",
    "frames_per_second": "frames / s",
    "us_per_element_step": "us per element-step",
    "us_per_element": "us per element",
    "us_per_slot": "us per contact point",
    "steps": "steps",
    "newton_iterations": "iterations",
    "newton_iterations_per_step": "iterations per step",
    "sag": "sag [m]",
    "string_sag": "of a string [m]",
    "converged_sag": "converged [m]",
    "worst_sag_error": "worst error",
    "penetration": "penetration / 2r",
    "tip_error": "error",
    "tip_error_end": "at the end",
    "closed_contacts": "closed contacts",
    "model_seconds": "model [s]",
    "build_seconds": "build [s]",
    "run_seconds": "run [s]",
    "seconds_for_8_s": "for 8 s [s]",
    "seconds_per_step": "per step [s]",
    "paths_seconds": "paths [s]",
    "real_time": "times real time",
    "bytes_per_element": "bytes per element",
    "operations_per_element": "operations per element",
    "gflops": "1e9 operations / s",
    "gflops_limit": "at most",
}
"""Columns of the tables; JSON contains all figures."""

_WIDTH = 160


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            autocompletion=names_of_benches,
            help="Benchmarks; without a name, list them.",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, of one benchmark.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only, as a test.")] = False,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Threads; by default all cores.")
    ] = None,
) -> None:
    """Measure the speed of the package; without a name, list the benchmarks."""
    from fibermsk.bench import BENCHES, Options, run_bench

    if not names:
        _list(list(BENCHES.values()), json)
        return
    chosen = [_find(name) for name in dict.fromkeys(names)]
    if json and len(chosen) > 1:
        raise ModelError("--json prints one object: name one benchmark")
    for one in chosen:

        def say(message: str, name: str = one.name) -> None:
            typer.echo(f"{name}: {message}", err=True)

        options = Options(
            quick=quick,
            threads=threads,
            scenes=folder_of("scenes"),
            verification=folder_of("verification"),
            say=say,
        )
        found = run_bench(one, options)
        if json:
            print_json(found)
        else:
            _print(found)


def _find(name: str) -> Bench:
    from fibermsk.bench import BENCHES

    if name not in BENCHES:
        raise ModelError(
            f"there is no benchmark {name!r}; must be one of: {', '.join(BENCHES)}"
            + suggestion(name, list(BENCHES))
        )
    return BENCHES[name]


def _list(benches: list[Bench], json: bool) -> None:
    if json:
        print_json({"benches": [{"name": one.name, "title": one.title} for one in benches]})
        return
    typer.echo("Benchmarks (fibermsk bench NAME)")
    for line in aligned([(one.name, one.title) for one in benches]):
        typer.echo(line)


def _print(found: dict[str, Any]) -> None:
    """Print table, machine, ratios and notes of a benchmark."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    machine = found["machine"]
    # in a file, wide lines
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(f"{found['bench']}: {machine['cpu']}, {found['threads']} threads", markup=False)
    for columns, rows in groupby(found["rows"], _columns_of):
        table = Table(box=SIMPLE)
        for key in columns:
            left = key in ("case", "who")
            # as Text, because brackets contain units, not styles
            table.add_column(Text(_COLUMNS[key]), justify="left" if left else "right", no_wrap=left)
        for row in rows:
            table.add_row(*(Text(_text(row[key])) for key in columns))
        console.print(table)
    for name, ratio in found["ratios"].items():
        console.print(f"{name}: {_text(ratio) or 'not compared'}", markup=False)
    for note in found["notes"]:
        console.print(f"note: {note}", markup=False)
    absent = [name for name, version in found["versions"].items() if version is None]
    if absent:
        how = "in the clone of fibermsk: pip install -e '.[peers]'"
        console.print(f"absent: {', '.join(absent)} ({how})", markup=False)


def _columns_of(row: dict[str, Any]) -> tuple[str, ...]:
    """Columns of a row; rows with the same columns share a table."""
    return tuple(key for key in _COLUMNS if row.get(key) is not None)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)

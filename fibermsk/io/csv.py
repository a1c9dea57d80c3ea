"""Results as tables of comma-separated values, with units in the row of names."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fibermsk.results.result import Result
from fibermsk.results.tables import TABLES, table

Done = Callable[[float], Any]

_ROWS = 50_000
"""Approximate number of rows in memory."""


def csv_writers(result: Result) -> dict[str, Callable[[Path, Done], None]]:
    """Writers of the tables by name; tables without rows are omitted."""
    found = {}
    for what in TABLES:
        first = table(result, what, slice(0, 1))
        rows = first[0].values.size
        if rows:
            step = max(1, _ROWS // rows)
            found[what] = partial(_write, result, what, step)
    return found


def about(result: Result) -> dict[str, str]:
    """Metadata of the run for every exported file, each in one line."""
    status = result.status + (f": {result.message}" if result.message else "")
    return {
        "scene": _line(result.scene),
        "fibermsk_version": _line(result.version),
        "method": _line(result.method),
        "status": _line(status),
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _write(result: Result, what: str, step: int, path: Path, done: Done) -> None:
    n = result.time.size
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in about(result).items())
        rows = csv.writer(file, lineterminator="\n")
        for start in range(0, n, step):
            columns = table(result, what, slice(start, start + step))
            if start == 0:
                rows.writerow([f"{c.name} [{c.unit}]" if c.unit else c.name for c in columns])
            # Python writes the shortest digits that round-trip
            rows.writerows(zip(*(c.values.tolist() for c in columns), strict=True))
            done(min(1.0, (start + step) / n))

"""Tables of analyses as files of OpenSim (.sto) and as .csv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._version import __version__
from fibermsk.io.sto import sto_head
from fibermsk.rescue import write_whole

TABLES = (".sto", ".csv")
"""Endings of tables."""


def write_table(
    path: Path,
    name: str,
    columns: Mapping[str, Array],
    notes: Mapping[str, str] | None = None,
    endings: Sequence[str] = TABLES,
) -> None:
    """Write columns of equal length, in SI units.

    A .sto or .mot file begins with time: if the first column is another, such as a coordinate, time
    counts the rows from 0. Its header has the `notes`.
    """
    ending = _check.choice("write_table", "ending", path.suffix.lower(), endings)
    storage = ending in (".sto", ".mot")
    columns = dict(columns)
    n = len(next(iter(columns.values())))
    if storage and next(iter(columns)) != "time":
        columns = {"time": np.arange(float(n)), **columns}
    mark = "\t" if storage else ","
    lines = [mark.join(columns)]
    if storage:
        told = {"fibermsk": __version__} | dict(notes or {})
        lines = sto_head(name, list(columns), n, told)
    for row in np.stack(list(columns.values()), axis=1):
        lines.append(mark.join(repr(float(one)) for one in row))
    text = "\n".join(lines) + "\n"
    write_whole(path, lambda beside: beside.write_text(text, encoding="utf-8"))

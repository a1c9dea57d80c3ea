"""Heads of tables: columns, each a name and optionally a unit in brackets, and storages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fibermsk.errors import ModelError

_MAX_HEADER = 1000
"""Largest number of lines before endheader."""

_UNIT = re.compile(
    r"%|%\s?MVC|-|a\.?u\.?|°|deg|rad|(deg|rad|m)/s|m/s(²|\^?2)|N\s?[·*]?\s?m"
    r"|[nuµμmckM]?(V|N|m|s|g|Hz|Pa|W)"
)
"""Units recognized in parentheses; other text there belongs to the name: "EMG (left)"."""


def split_heads(heads: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names and units of columns such as ``biceps [mV]`` or ``biceps (mV)``; empty without any.

    The first column is time, whose parentheses always contain the unit.
    """
    names, units = map(list, zip(*(_split(head) for head in heads), strict=True))
    time = re.fullmatch(r"(time|t)\s*\((.*)\)", names[0], re.DOTALL | re.IGNORECASE)
    if time:
        names[0], units[0] = time[1], time[2].strip()
    return names, units


def _split(head: str) -> tuple[str, str]:
    square = re.fullmatch(r"(.*?)\s*\[([^\[\]]*)\]", head, re.DOTALL)
    if square:
        return square[1].strip(), square[2].strip()
    rounded = re.fullmatch(r"(.*?\S)\s*\(([^()]*)\)", head, re.DOTALL)
    if rounded and _UNIT.fullmatch(rounded[2].strip()):
        return rounded[1].strip(), rounded[2].strip()
    return head.strip(), ""


def storage_header(owner: str, lines: list[str]) -> tuple[dict[str, tuple[str, int]], int]:
    """Entries of a storage header with their lines, and the index of the line endheader."""
    header: dict[str, tuple[str, int]] = {}
    for k, line in enumerate(lines[:_MAX_HEADER]):
        line = line.strip()
        if line.lower() == "endheader":
            return header, k
        key, equals, value = line.partition("=")
        key = key.strip().lower()
        if equals and re.fullmatch(r"\w+", key):
            if key in header and header[key][0] != value.strip():
                before = header[key][1]
                raise ModelError(
                    f"{owner}, line {k + 1}: says {line[:40]!r}, in contradiction to line {before}"
                )
            header[key] = (value.strip(), k + 1)
        elif match := re.fullmatch(r"(name|datacolumns|datarows)\s+(\S.*)", line):
            header.setdefault(match[1], (match[2], k + 1))  # format of SIMM
        elif k == 0 and line:
            header["name"] = (line, 1)
    raise ModelError(
        f"{owner}: has no line endheader among its first {min(len(lines), _MAX_HEADER)} lines; "
        "must be a storage of OpenSim, name a plain table .csv"
    )


def check_columns(owner: str, names: list[str], line: int) -> None:
    """Refuse columns without time first, without names, or with duplicate names."""
    where = f"{owner}, line {line}"
    if names[0].lower() not in ("time", "t"):
        raise ModelError(f"{where}: the first column is {names[0][:40]!r}; must be time")
    if len(names) < 2:
        raise ModelError(f"{where}: names no column besides time")
    seen: set[str] = set()
    for k, name in enumerate(names, 1):
        if not name:
            raise ModelError(f"{where}: column {k} has no name")
        if name in seen:
            raise ModelError(f"{where}: {name[:80]!r} is named twice; must be unique, rename one")
        seen.add(name)

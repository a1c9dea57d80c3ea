"""Column headers of a table: a name, and optionally a unit in brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

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

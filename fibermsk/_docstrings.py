"""Parameter descriptions from numpydoc docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any


def parameter_texts(function: Callable[..., Any]) -> dict[str, str]:
    """Description of each parameter in a docstring, as one line of text.

    A set of values, as in ``start : {"initial", "equilibrium"}``, comes first.
    """
    lines = (inspect.getdoc(function) or "").splitlines()
    found: dict[str, list[str]] = {}
    names: list[str] = []
    inside = False
    for k, line in enumerate(lines):
        below = lines[k + 1] if k + 1 < len(lines) else ""
        if line.strip() and re.fullmatch(r"-{3,}", below):
            inside = line.strip() in ("Parameters", "Other Parameters")
            names = []
        elif not inside or re.fullmatch(r"-{3,}", line):
            continue
        elif line and not line[0].isspace():
            head, _, kind = line.partition(" :")
            names = [name.strip(" *") for name in head.split(",")]
            values = re.search(r"\{.*\}", kind)
            for name in names:
                found[name] = [f"{values[0]}:"] if values else []
        else:
            for name in names:
                found[name].append(line.strip())
    return {name: " ".join(" ".join(text).split()).rstrip(":") for name, text in found.items()}

"""What commands write on standard output."""

from __future__ import annotations

import json
import math
import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Any

import typer

__all__ = ["plain", "print_json", "printing_beside"]


def printing_beside(json: bool) -> AbstractContextManager[Any]:
    """Context in which a scene that prints does not spoil the JSON on standard output."""
    return redirect_stdout(sys.stderr) if json else nullcontext()


def print_json(value: dict[str, Any]) -> None:
    """Write one JSON object on standard output; a number that is not finite becomes null."""
    typer.echo(json.dumps(plain(value), allow_nan=False))


def plain(value: Any) -> Any:
    """Form of a value that JSON knows; a number that is not finite becomes None."""
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

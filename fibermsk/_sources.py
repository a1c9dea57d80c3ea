"""Source files on which the compiled code of a module depends."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_COMPILED = ("kernels", "laws", "linalg", "elements", "_prepared")
"""Folders and a file whose functions compiled code calls, or whose constants it has."""
_IMPORT = re.compile(r"^\s*from fibermsk\.([\w.]+) import ([^#\n(]+|\([^)]*\))", re.MULTILINE)


@cache
def sources_stamp(module: str) -> str:
    """Digest of the file of a module and of all that it imports in turn; empty if not of here.

    Code is compiled into its callers, also from other files.
    """
    own = module.removeprefix("fibermsk.")
    if own == module or _file(own) is None:
        return ""
    digest = hashlib.sha256()
    for name in sorted({*_reached(own), "_compile", "_apart"}):
        digest.update(f"{name}\n{_text(name)}".encode())
    return digest.hexdigest()


def _reached(module: str) -> set[str]:
    found, left = {module}, [module]
    while left:
        new = _imported(left.pop()) - found
        found |= new
        left += new
    return found


@cache
def _imported(module: str) -> set[str]:
    found = set()
    for source, names in _IMPORT.findall(_text(module)):
        found |= {source, *(f"{source}.{name}" for name in re.findall(r"\w+", names))}
    return {one for one in found if one.split(".")[0] in _COMPILED and _file(one) is not None}


@cache
def _file(module: str) -> Path | None:
    path = _PACKAGE.joinpath(*module.split("."))
    files = path.with_suffix(".py"), path / "__init__.py"
    return next((file for file in files if file.is_file()), None)


@cache
def _text(module: str) -> str:
    file = _file(module)
    return "" if file is None else file.read_text(encoding="utf-8")

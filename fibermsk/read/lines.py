"""Lines of text files of measurements."""

from __future__ import annotations

import re
from pathlib import Path

from fibermsk import _check
from fibermsk.errors import ModelError

MAX_BYTES = 256 * 2**20
"""Largest file; a minute of 16 channels at 2 kHz has 40 MB."""


def lines_of(owner: str, file: Path) -> list[str]:
    """Lines of a text file in UTF-8; `owner` names it in messages."""
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "not found"
        raise ModelError(f"{owner}: {what}; check the path, from {str(Path.cwd())!r}")
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            _check.refuse(owner, "size", size, f"be at most {MAX_BYTES} bytes", remedy="cut it")
        data = file.read_bytes()
    except OSError as error:
        raise ModelError(f"{owner}: cannot be read: {error.strerror or error}") from error
    if not data.strip():
        raise ModelError(f"{owner}: is empty; export it again")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ModelError(f"{owner}: is encoded in UTF-16; must be UTF-8, save it as such")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ModelError(
            f"{owner}, line {line}: is not UTF-8 text; save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ModelError(f"{owner}, line {line}: has zero bytes; must be a text file, not binary")
    return re.split(r"\r\n|\n|\r", text)

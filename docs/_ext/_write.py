"""Files that the build generates: written when they differ, so that a second build reads few."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["clear_except", "digest", "row", "table", "write"]


def write(path: Path, text: str) -> Path:
    """Write a text unless the file holds it already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def clear_except(folder: Path, kept: Iterable[Path]) -> None:
    """Remove the pages of an earlier build that this one has not written."""
    kept = set(kept)
    for path in [*folder.glob("*.md"), *folder.glob("*.rst")]:
        if path not in kept:
            path.unlink()


def digest(*sources: Path | str) -> str:
    """SHA-256 of files, of all Python files of folders, and of words."""
    total = hashlib.sha256()
    for source in sources:
        if isinstance(source, str):
            total.update(source.encode())
            continue
        files = sorted(source.rglob("*.py")) if source.is_dir() else [source]
        for path in files:
            total.update(path.read_bytes())
    return total.hexdigest()


def row(cells: Sequence[str]) -> str:
    """Row of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown table."""
    return "\n".join([row(head), row(["---"] * len(head)), *map(row, rows)]) + "\n"

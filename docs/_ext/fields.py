"""Table of the contents of result files, from the table of fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from _write import table, write

from fibermsk.results.fields import FIELDS

__all__ = ["page", "setup"]

HEADS = ("dataset", "shape", "units", "contents")


def page() -> str:
    """Markdown table of the datasets, which the page on result files includes."""
    rows = []
    for field in FIELDS:
        if field.in_file:
            shape = ", ".join(map(str, field.full_shape))
            comma = "," if len(field.full_shape) == 1 else ""
            rows.append(
                (f"`{field.path}`", f"({shape}{comma})", field.unit or "text", field.description)
            )
    return table(HEADS, rows)


def generate(app: Any, config: Any) -> None:
    """Write the table before the sources are looked for."""
    write(Path(app.srcdir) / "generated" / "fields.txt", page())


def setup(app: Any) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("config-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Collection of the warnings of a command."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fibermsk.errors import ModelWarning


@contextmanager
def collecting() -> Iterator[list[dict[str, Any]]]:
    """Collect the warnings shown within the context: dicts of kind, fiber, time [s] and text."""
    kept: list[dict[str, Any]] = []
    shown = warnings.showwarning

    def show(message: Any, category: Any, *place: Any, **more: Any) -> None:
        about = isinstance(message, ModelWarning)
        kept.append(
            {
                "kind": message.kind if about else category.__name__,
                "fiber": message.fiber if about else None,
                "time": message.time if about else None,
                "text": str(message),
            }
        )
        shown(message, category, *place, **more)

    warnings.showwarning = show
    try:
        yield kept
    finally:
        warnings.showwarning = shown

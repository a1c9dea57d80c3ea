"""Collection of the warnings of a command."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fibermsk.errors import ModelWarning


@contextmanager
def collecting() -> Iterator[list[dict[str, Any]]]:
    """Collect the warnings raised within the context: dicts of kind, fiber, time [s] and text.

    Those about a model are collected whatever the filters of Python are; the filters decide which
    are shown, and which are errors. An equal text counts once.
    """
    kept: list[dict[str, Any]] = []
    filters = list(warnings.filters)
    told: set[str] = set()
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Any, category: Any, *place: Any, **more: Any) -> None:
            about, text = isinstance(message, ModelWarning), str(message)
            action = _action(filters, category, text) if about else "always"
            if action == "error":
                raise message
            if action != "always" and text in told:
                return
            told.add(text)
            kept.append(
                {
                    "kind": message.kind if about else category.__name__,
                    "fiber": message.fiber if about else None,
                    "time": message.time if about else None,
                    "text": text,
                }
            )
            if action != "ignore":
                shown(message, category, *place, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", ModelWarning)
        yield kept


def _action(filters: Any, category: type[Warning], text: str) -> str:
    """What the first filter for a category and a text does; those for one module are left out."""
    for action, pattern, kind, module, _ in filters:
        matches = pattern is None or pattern.match(text)
        if module is None and matches and issubclass(category, kind):
            return action
    return "default"

"""Warnings that name the line of the user that leads to them."""

from __future__ import annotations

import sys
import warnings

_PACKAGE = __name__.partition(".")[0]
_BETWEEN = "contextlib", "functools"
"""Modules through which the package calls itself."""


def warn(message: str | Warning, category: type[Warning] | None = None) -> None:
    """Warn at the innermost line that is not of the package."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and _is_own(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE or module in _BETWEEN

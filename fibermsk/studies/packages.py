"""Packages that studies stand on, which not every installation has."""

from __future__ import annotations

from typing import Any

from fibermsk import _extras


def package(name: str) -> Any:
    """A module of such a package; refused if it is not installed."""
    return _extras.package(name, "studies", "sweep")

"""Packages that not every installation has."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fibermsk.errors import ModelError


def package(name: str, use: str, extra: str) -> Any:
    """A module of a package that comes with an extra, for a use.

    Raises
    ------
    ModelError
        If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ModelError(
            f"{name} cannot be imported ({error}); must be installed for {use}: in the clone of "
            f'fibermsk run: pip install -e ".[{extra}]"'
        ) from error

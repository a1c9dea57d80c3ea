"""Packages that studies stand on, which not every installation has."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fibermsk.errors import ModelError


def package(name: str) -> Any:
    """A module of such a package.

    Raises
    ------
    ModelError
        If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ModelError(
            f"{name} cannot be imported ({error}); must be installed for studies: in the clone of "
            'fibermsk run: pip install -e ".[sweep]"'
        ) from error

"""Packages that not every installation has."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fibermsk.errors import ModelError

CURVES = ("matplotlib",)
"""What curves, pages and figures of reports are drawn with."""

PICTURES = ("matplotlib", "pyvista", "vtkmodules", "PIL")
"""What pictures, movies and windows are drawn with."""

MP4 = ("imageio_ffmpeg",)
"""What carries the program that writes an mp4."""

_INSTALLED_AS = {"vtkmodules": "vtk", "PIL": "pillow", "imageio_ffmpeg": "imageio-ffmpeg"}


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
            f"{name} cannot be imported ({error}); must be installed for {use}: {remedy(extra)}"
        ) from error


def check_drawing(what: str, modules: Iterable[str] = PICTURES) -> None:
    """Refuse what draws before anything is computed for it; imports none of the modules.

    Raises
    ------
    ModelError
        If a module of the extra ``view`` is missing.
    """
    missing = [_INSTALLED_AS.get(name, name) for name in modules if not _is_there(name)]
    if missing:
        raise ModelError(
            f"cannot draw {what}: {', '.join(missing)} must be installed: {remedy('view')}"
        )


def remedy(extra: str) -> str:
    """How to install an extra."""
    return (
        f'pip install "fibermsk[{extra}]" (in the clone of fibermsk: pip install -e ".[{extra}]")'
    )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False

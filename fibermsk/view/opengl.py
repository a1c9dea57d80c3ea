"""Whether this machine can draw with OpenGL, found out without crashing or chattering."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

__all__ = ["has_display", "off_screen_works"]

_OSMESA_FILES = {
    "linux": ("libOSMesa.so", "libOSMesa.so.8", "libOSMesa.so.6"),
    "win32": ("osmesa.dll", "libOSMesa.dll"),
}


def has_display() -> bool:
    """Whether a window can be opened."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY"))


@cache
def off_screen_works() -> bool:
    """Whether VTK has an OpenGL to draw pictures with, on or off the screen.

    Notes
    -----
    Without a display VTK takes EGL, which Mesa offers on processors too, and else OSMesa. Where
    there is neither it still makes an OSMesa window, and crashes on the first picture.
    """
    if not has_display():
        # Spares the attempt to reach an X server, and its warning.
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    from vtkmodules import (
        vtkRenderingOpenGL2,  # noqa: F401  (registers the windows)
    )
    from vtkmodules.vtkCommonCore import vtkLogger
    from vtkmodules.vtkRenderingCore import vtkRenderWindow

    verbosity = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    try:
        window = vtkRenderWindow()
    finally:
        vtkLogger.SetStderrVerbosity(verbosity)
    if window.GetClassName() != "vtkOSOpenGLRenderWindow":
        return True
    return any(_loads(name) for name in _OSMESA_FILES.get(sys.platform, ()))


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

"""Whether this machine can draw with OpenGL, tested without a crash or output."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

_VIEWER_POINTS = {"processor": 80_000, "graphics card": 400_000}
"""Points of all tubes in a window: what is still drawn more than ten times a second."""

_SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "swr", "basic render")

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


@cache
def renderer_name() -> str:
    """What draws, in the words of OpenGL: a graphics card, or a program; empty where nothing does.

    Without a display this is what draws off the screen.
    """
    if not off_screen_works():
        return ""
    from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow

    window = vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetSize(8, 8)
    window.AddRenderer(vtkRenderer())
    window.Render()
    lines = window.ReportCapabilities().splitlines()
    window.Finalize()
    found = (line.partition(":")[2] for line in lines if "renderer string" in line)
    return next(found, "").strip()


def draws_in_software() -> bool:
    """Whether OpenGL runs on the processor, where smoothing of edges takes most of the time."""
    name = renderer_name().lower()
    return not name or any(program in name for program in _SOFTWARE)


def viewer_points() -> int:
    """Points of all tubes that a viewer on this machine can draw many times a second."""
    return _VIEWER_POINTS["processor" if draws_in_software() else "graphics card"]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

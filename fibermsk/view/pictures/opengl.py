"""Tests of OpenGL on this machine, without a crash or output."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

_VIEWER_POINTS = {"processor": 80_000, "graphics card": 400_000}
"""Points of all tubes in a window that are drawn at least ten times a second."""

_SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "swr", "basic render")

_OSMESA_FILES = {
    "linux": ("libOSMesa.so", "libOSMesa.so.8", "libOSMesa.so.6"),
    "win32": ("osmesa.dll", "libOSMesa.dll"),
}


def has_display() -> bool:
    """Whether a window can be opened."""
    return not sys.platform.startswith("linux") or _answers(os.environ.get("DISPLAY", ""))


@cache
def _answers(display: str) -> bool:
    """Whether an X server answers for this display, which may be left from a closed connection.

    The connection stays: a server without clients may reset, and refuses VTK's meanwhile.
    """
    if not display:
        return False
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    return bool(x11.XOpenDisplay(display.encode()))


@cache
def off_screen_works() -> bool:
    """Whether VTK has an OpenGL, with or without a display.

    Without a display VTK uses EGL or OSMesa. If both are missing, it crashes on the first picture.
    """
    if not has_display():
        # avoids the warning that there is no X server
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
    """Name of the OpenGL renderer; empty without OpenGL."""
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
    """Whether OpenGL runs on the processor, where antialiasing is slow."""
    name = renderer_name().lower()
    return not name or any(program in name for program in _SOFTWARE)


def viewer_points() -> int:
    """Points of all tubes that a viewer on this machine can draw fast enough."""
    return _VIEWER_POINTS["processor" if draws_in_software() else "graphics card"]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

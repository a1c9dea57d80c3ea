"""Plots, pictures, movies and viewers of results; heavy packages are imported when used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fibermsk._extras import CURVES, PICTURES, check_drawing

if TYPE_CHECKING:
    from fibermsk.view.browser import write_page as write_page
    from fibermsk.view.browser.notebook import widget as widget
    from fibermsk.view.browser.server import serve as serve
    from fibermsk.view.pictures.movies import movie as movie
    from fibermsk.view.pictures.scene import screenshot as screenshot
    from fibermsk.view.plots import plot as plot, plot_names as plot_names
    from fibermsk.view.window.opening import play as play, show as show


_HOME = {
    "movie": "pictures.movies",
    "play": "window.opening",
    "plot": "plots",
    "plot_names": "plots",
    "screenshot": "pictures.scene",
    "serve": "browser.server",
    "show": "window.opening",
    "widget": "browser.notebook",
    "write_page": "browser",
}
_FLAT = ("plot", "plot_names", "serve", "widget", "write_page")
"""Which need no VTK."""
__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    check_drawing(f"with fibermsk.view.{name}", CURVES if name in _FLAT else PICTURES)
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})

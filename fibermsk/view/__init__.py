"""Pictures of a result: plots, and the scene in space.

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fibermsk.view.browser import write_page
    from fibermsk.view.browser.notebook import widget
    from fibermsk.view.browser.server import serve
    from fibermsk.view.pictures.movies import movie
    from fibermsk.view.pictures.scene import screenshot
    from fibermsk.view.plots import plot, plot_names
    from fibermsk.view.window.window import play, show

__all__ = [
    "movie",
    "play",
    "plot",
    "plot_names",
    "screenshot",
    "serve",
    "show",
    "widget",
    "write_page",
]

_HOME = {
    "movie": "pictures.movies",
    "play": "window.window",
    "plot": "plots",
    "plot_names": "plots",
    "screenshot": "pictures.scene",
    "serve": "browser.server",
    "show": "window.window",
    "widget": "browser.notebook",
    "write_page": "browser",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)

"""A result in a notebook: the page of `write_page` in an iframe."""

from __future__ import annotations

import html

from fibermsk.errors import ModelError
from fibermsk.results.result import Result
from fibermsk.results.still import Still
from fibermsk.view.browser import page_text

_LOWEST = 200


class Widget:
    """Display of a result in a notebook, made by :func:`widget`; `height` in pixels.

    It contains data and script of the `page`, and needs neither the kernel nor an extension.
    """

    def __init__(self, page: str, height: int, words: str) -> None:
        self.page, self.height = page, height
        self._words = words

    def _repr_html_(self) -> str:
        # The frame may run its script and save pictures, and reaches nothing of the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" title="{html.escape(self._words)}" '
            f'sandbox="allow-scripts allow-downloads" loading="lazy" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #8886; '
            f'border-radius: 6px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<{self._words}, {len(self.page) / 1e6:.1f} MB; a notebook shows it>"


def widget(
    shown: Result | Still,
    *,
    color_by: str = "tissue",
    theme: str = "auto",
    autoplay: bool = False,
    max_frames: int | None = None,
    height: int = 560,
) -> Widget:
    """Animated scene in a notebook.

    Parameters
    ----------
    shown : Result or Still
        A complete, failed or interrupted run; or a model in a pose.
    color_by, theme, autoplay, max_frames
        As for :func:`fibermsk.view.write_page`.
    height : int
        In pixels, at least 200.

    Returns
    -------
    widget : Widget
        Displayed as the last value of a cell, or by ``IPython.display.display``.

    Raises
    ------
    ModelError
        If there is no such field or theme, the height is too small, or there is no frame.
    """
    if height < _LOWEST:
        raise ModelError(f"height = {height} pixels; must be at least {_LOWEST}")
    page = page_text(
        shown, color_by=color_by, theme=theme, autoplay=autoplay, max_frames=max_frames
    )
    result = shown.result if isinstance(shown, Still) else shown
    return Widget(page, height, f"scene {result.scene!r}")

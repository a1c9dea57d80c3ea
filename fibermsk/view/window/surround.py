"""Layout of a viewer: views, captions, legend and axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fibermsk.results.result import Result
from fibermsk.view.drawing.looks import Theme
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.legend import legend_image
from fibermsk.view.window.overlay import ImageOverlay, add_overlay_renderer, text_image

LEGEND_WIDTH = 172
"""In pixels."""
HEAD = 70
"""Height of the captions above the scene, in pixels."""
_AXES = 110
"""Size of the axes in the corner, in pixels."""


class Surround:
    """Views side by side with captions above, a legend at the right, axes in the corner.

    Views are renderers of a plotter from left to right, the first with an axes widget. `annotate`
    is called when sizes have changed, to redraw captions and legend. `overlay` is the renderer over
    all.
    """

    def __init__(self, plotter: Any, views: Sequence[Any], annotate: Callable[[], None]) -> None:
        self._plotter, self._views, self._annotate = plotter, views, annotate
        self._margins = (0, 0)
        self._size = (0, 0)
        self.overlay = add_overlay_renderer(plotter.render_window)
        self._legend = ImageOverlay(self.overlay)
        self._words = [ImageOverlay(self.overlay) for _ in views]
        plotter.render_window.AddObserver("StartEvent", lambda *_: self.fit())

    @property
    def area(self) -> tuple[int, int, int, int]:
        """Left, bottom, width and top of all views together, in pixels."""
        width, height = self._plotter.window_size
        right, bottom = self._margins
        return 0, bottom, max(width - right, 1), height

    def set_margins(self, right: int, bottom: int) -> None:
        """Reserve pixels at the right and below."""
        self._margins = (right, bottom)
        self._size = (0, 0)
        self.fit()

    def fit(self) -> None:
        """Update the layout if the size of the window has changed."""
        size = tuple(self._plotter.window_size)
        if size == self._size:
            return
        self._size = size
        left, bottom, width, top = self.area
        each = width / len(self._views)
        for k, view in enumerate(self._views):
            low, high = left + k * each, left + (k + 1) * each
            view.SetViewport(low / size[0], bottom / size[1], high / size[0], top / size[1])
        corner = min(_AXES / each, 1.0), min(_AXES / max(top - bottom, 1), 1.0)
        self._views[0].axes_widget.SetViewport(0.0, 0.0, *corner)
        self._annotate()

    def view_at(self, x: float, y: float) -> int | None:
        """Number of the view at a pixel; None outside of them."""
        left, bottom, width, top = self.area
        if not (left <= x < left + width and bottom <= y < top):
            return None
        return min(int((x - left) * len(self._views) / width), len(self._views) - 1)

    def show_words(self, lines: Sequence[Sequence[tuple[str, int, str]]]) -> None:
        """Write lines above each view; see `text_image`."""
        left, _, width, top = self.area
        each = width // len(self._views)
        for k, (overlay, written) in enumerate(zip(self._words, lines, strict=True)):
            image = text_image(written, max(each - 24, 1), 52)
            overlay.show(image, left + k * each + 16, top - 64)

    def show_legend(self, stage: Stage, results: Sequence[Result], names: Sequence[str]) -> None:
        """Draw the legend of a stage at the right of the last view; see `draw_legend`."""
        if stage.tubes is None and not stage.arrows and not names:
            self._legend.hide()
            return
        left, bottom, width, top = self.area
        height = max(top - bottom, 200)
        image = legend_image(stage, LEGEND_WIDTH, height, results=results, names=names)
        self._legend.show(image, max(left + width - LEGEND_WIDTH, 0), bottom)

    def show_theme(self, theme: Theme) -> None:
        """Set the color of the axis names."""
        marker = self._views[0].axes_widget.GetOrientationMarker()
        for axis in "XYZ":
            caption = getattr(marker, f"Get{axis}AxisCaptionActor2D")()
            caption.GetCaptionTextProperty().SetColor(*theme.rgb("text"))

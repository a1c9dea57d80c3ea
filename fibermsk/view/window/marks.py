"""Magnitudes of forces over the views of a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.magnitudes import magnitude_image, magnitudes
from fibermsk.view.window.overlay import ImageOverlay


class Marks:
    """Texts over a view, updated before it is drawn; `overlay` is the renderer over all."""

    def __init__(self, view: Any, stage: Stage, overlay: Any) -> None:
        self._view, self._stage, self._overlay = view, stage, overlay
        self._texts: list[ImageOverlay] = []
        self._drawn: tuple[Any, ...] | None = None

    def show(self, frame: int | None) -> None:
        """Write the magnitudes at a frame, as the camera sees them; none for None."""
        theme = self._stage.theme
        texts: Sequence[Any] = ()
        if frame is not None and "attachment" in self._stage.arrows:
            texts = magnitudes(self._stage, frame, self._camera(), self._view.GetSize())
        left, bottom = self._view.GetOrigin()
        height = self._view.GetSize()[1]
        now = (*texts, left, bottom, height, theme.name)
        if now == self._drawn:
            return
        self._drawn = now
        while len(self._texts) < len(texts):
            self._texts.append(ImageOverlay(self._overlay))
        for place, one in zip(self._texts, texts, strict=False):
            image = magnitude_image(one, theme)
            place.show(image, left + one.left, bottom + height - one.top - len(image))
        for place in self._texts[len(texts) :]:
            place.hide()

    def _camera(self) -> Camera:
        view = self._view.GetActiveCamera()
        return Camera(
            np.array(view.GetPosition()),
            np.array(view.GetFocalPoint()),
            float(np.radians(view.GetViewAngle())),
            np.array(view.GetViewUp()),
        )

"""Magnitudes of forces and names of muscles over the views of a window."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.magnitudes import Magnitude, magnitude_image, magnitudes
from fibermsk.view.pictures.moving_names import MovingNames, at_once, name_image
from fibermsk.view.window.overlay import ImageOverlay


class Marks:
    """Texts over a view, updated before it is drawn; `overlay` is the renderer over all."""

    def __init__(self, view: Any, stage: Stage, overlay: Any) -> None:
        self._view, self._stage, self._overlay = view, stage, overlay
        self._texts: list[ImageOverlay] = []
        self._drawn: tuple[Any, ...] | None = None
        self._names: MovingNames | None = None
        self._seen: tuple[Any, ...] = ()

    def show(self, frame: int | None) -> None:
        """Write what is asked for at a frame, as the camera sees it; nothing for None."""
        stage, theme, size = self._stage, self._stage.theme, self._view.GetSize()
        names: list[Any] = []
        texts: list[Magnitude] = []
        if frame is not None and stage.named and not stage.is_still:
            names = self._moving(frame).at(frame)
        if frame is not None and "attachment" in stage.arrows:
            taken = [box for _, box, _ in names]
            texts = magnitudes(stage, frame, self._camera(), size, taken)
        left, bottom = self._view.GetOrigin()
        written = [(words, box, tuple(dot)) for words, box, dot in names]
        now = (*texts, *written, left, bottom, size, theme.name)
        if now == self._drawn:
            return
        self._drawn = now
        images = [name_image(words, box, dot, theme) for words, box, dot in names]
        for one in texts:
            image = magnitude_image(one, theme)
            images.append((image, one.left, size[1] - one.top - len(image)))
        while len(self._texts) < len(images):
            self._texts.append(ImageOverlay(self._overlay))
        for place, (image, right, up) in zip(self._texts, images, strict=False):
            place.show(image, left + right, bottom + up)
        for place in self._texts[len(images) :]:
            place.hide()

    def _moving(self, frame: int) -> MovingNames:
        """Names that follow their muscles; they are placed anew when the camera moves."""
        camera, size = self._camera(), self._view.GetSize()
        seen = (*map(tuple, camera.axes), tuple(camera.position), camera.angle, size)
        seen += (self._stage.theme.name,)
        if self._names is None or seen != self._seen:
            self._names = MovingNames(self._stage, camera, size, frame, at_once)
            self._seen = seen
        return self._names

    def _camera(self) -> Camera:
        view = self._view.GetActiveCamera()
        return Camera(
            np.array(view.GetPosition()),
            np.array(view.GetFocalPoint()),
            float(np.radians(view.GetViewAngle())),
            np.array(view.GetViewUp()),
        )

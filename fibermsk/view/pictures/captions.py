"""Text over a picture: name, time, legend, directions of the axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fibermsk.results.result import Result
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.compare import overlaid_time
from fibermsk.view.drawing.labels import Placed, leader
from fibermsk.view.drawing.looks import Theme
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.fields import flawed_fibers
from fibermsk.view.pictures.framing import (
    Heading,
    axes_side,
    has_axes,
    has_legend,
    legend_left,
)
from fibermsk.view.pictures.legend import draw_legend
from fibermsk.view.pictures.lettering import page, shorten
from fibermsk.view.pictures.magnitudes import magnitudes, write_magnitudes
from fibermsk.view.pictures.moving_names import MovingNames
from fibermsk.view.pictures.names import write_names


class Captions:
    """Text over the pictures of a stage; only time and magnitudes change between frames.

    Names are those of a frame, and placed as `names`; `moving` ones follow their muscles. `title`
    is by default the scene. Of several views the last has the `legend` and the first the `axes`;
    `results` with their names are those drawn over each other. The picture has a `size` and `scale`
    pixels for each of its page.
    """

    def __init__(
        self,
        stage: Stage,
        camera: Camera,
        size: tuple[float, float],
        frame: int = 0,
        *,
        title: str = "",
        legend: bool = True,
        axes: bool = True,
        results: Mapping[str, Result] | None = None,
        moving: bool = False,
        scale: float = 1.0,
    ) -> None:
        width, height = size = size[0] / scale, size[1] / scale
        self._scale = scale
        self._stage, self._camera, self._size = stage, camera, size
        self._time = None if stage.is_still else stage.result.time
        self._ends = {name: float(one.time[-1]) for name, one in (results or {}).items()}
        self._flawed, self._n_fibers = flawed_fibers(stage.result), len(stage.result.drawn)
        figure = page(size, scale, facecolor="none")
        self._canvas = FigureCanvasAgg(figure)
        result, theme = stage.result, stage.theme
        broken = "" if result.status == "success" else f" ({result.status})"
        words = f"{title or result.scene}{broken}"
        head = Heading.of(size)
        text = figure.text(0.02, 0.97, words, va="top", fontsize=head.name, color=theme.text)
        shorten(text, 0.96 * width)
        if legend and has_legend(size):
            several = results or {}
            draw_legend(
                figure, stage, legend_left(size), size,
                results=list(several.values()), names=list(several),
            )  # fmt: skip
        if axes and has_axes(size):
            _draw_axes(figure, camera, theme, width, height)
        forces = magnitudes(stage, frame, camera, size)
        self.names: list[Placed] = []
        self._moving: MovingNames | None = None
        if moving and stage.named:
            self._moving = MovingNames(stage, camera, size, frame)
        elif not moving:
            taken = [one.box(height) for one in forces]
            self.names = write_names(figure, stage, camera, size, frame, taken)
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(figure.bbox)
        still = np.asarray(self._canvas.buffer_rgba()).copy()
        self._inked = np.nonzero(still[..., 3])
        self._ink = still[self._inked]
        below = 0.97 - head.step / height
        self._words = figure.text(0.02, below, "", va="top", fontsize=head.time, color=theme.faint)

    def over(
        self, image: NDArray[np.uint8], frame: int, time: float | None = None
    ) -> NDArray[np.uint8]:
        """Copy of the picture of one frame with its text (height, width, 3).

        A `time` [s] after the last frame is told.
        """
        image = image.copy()
        named = [(one.box, one.point) for one in self.names]
        if self._moving is not None:
            names = self._moving.at(frame)
            self._moving.write(image, names, self._scale)
            named = [(box, (float(x), float(y))) for _, box, (x, y) in names]
        taken = [part for box, point in named for part in (box, *leader(box, point))]
        texts = magnitudes(self._stage, frame, self._camera, self._size, taken)
        write_magnitudes(image, texts, self._stage.theme, self._scale)
        image[self._inked] = _mixed(image[self._inked], self._ink)
        if self._time is not None:
            words = self._when(frame, time)
            if flawed := self._flawed[frame]:
                words += f"\n{flawed} of {self._n_fibers} fibers: numbers not finite"
            self._words.set_text(words)
            self._canvas.restore_region(self._still)
            before = np.asarray(self._canvas.buffer_rgba())
            box = self._words.get_window_extent(self._canvas.get_renderer())
            height, width = image.shape[:2]
            rows = slice(max(int(height - box.y1) - 2, 0), int(height - box.y0) + 3)
            columns = slice(max(int(box.x0) - 2, 0), min(int(box.x1) + 3, width))
            before = before[rows, columns].copy()
            self._words.draw(self._canvas.get_renderer())
            after = np.asarray(self._canvas.buffer_rgba())[rows, columns]
            changed = np.nonzero(np.any(after != before, axis=2))
            part = image[rows, columns]
            part[changed] = _mixed(part[changed], after[changed])
        return image

    def _when(self, frame: int, time: float | None) -> str:
        """Time of a frame, and whether results have ended before a `time` [s]."""
        assert self._time is not None
        if time is not None and len(self._ends) > 1:
            return overlaid_time(time, self._ends)
        ended = time is not None and time > self._time[-1] + 1e-9
        return f"t = {self._time[frame]:.3f} s" + (", its end" if ended else "")


def _mixed(under: NDArray[np.uint8], ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colors (n, 3) under translucent ones (n, 4)."""
    part = ink[:, 3:].astype(np.float32) / 255.0
    mixed = under + part * (ink[:, :3].astype(np.float32) - under)
    return (mixed + 0.5).astype(np.uint8)


def _draw_axes(figure: Figure, camera: Camera, theme: Theme, width: float, height: float) -> None:
    """Small x, y, z arrows in the lower left corner."""
    box = axes_side((width, height))
    axes = figure.add_axes((10 / width, 10 / height, box / width, box / height))
    axes.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
    axes.axis("off")
    for direction, name in zip(np.eye(3), "xyz", strict=True):
        x, y, _ = camera.axes @ direction
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": theme.faint})
        axes.text(1.25 * x, 1.25 * y, name, ha="center", va="center", fontsize=9, color=theme.text)

"""Pictures and words that lie over a scene, at places in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkImageMapper, vtkRenderer


def add_overlay_renderer(render_window: Any) -> Any:
    """Renderer over all others, the size of the window, that no mouse reaches."""
    renderer = vtkRenderer()
    layer = render_window.GetNumberOfLayers()
    render_window.SetNumberOfLayers(layer + 1)
    renderer.SetLayer(layer)
    renderer.InteractiveOff()
    render_window.AddRenderer(renderer)
    return renderer


class ImageOverlay:
    """A picture over a scene; shown again in the same size, it is replaced in place."""

    def __init__(self, renderer: Any) -> None:
        self._data = vtkImageData()
        self._pixels: NDArray[np.uint8] | None = None
        mapper = vtkImageMapper()
        mapper.SetInputData(self._data)
        mapper.SetColorWindow(255.0)
        mapper.SetColorLevel(127.5)
        self.actor = vtkActor2D()
        self.actor.SetMapper(mapper)
        self.actor.GetPositionCoordinate().SetCoordinateSystemToViewport()
        self.actor.VisibilityOff()
        self.actor.PickableOff()
        renderer.AddViewProp(self.actor)

    def show(self, image: NDArray[np.uint8], left: int, bottom: int) -> None:
        """Show a picture (height, width, 4), the upper row first.

        Its lower left corner is at a pixel from the left and from below.
        """
        height, width = image.shape[:2]
        if self._pixels is None or self._pixels.shape != image.shape:
            self._pixels = np.empty_like(image, order="C")
            array = numpy_to_vtk(self._pixels.reshape(-1, image.shape[2]), deep=False)
            array.SetName("pixels")
            self._data.SetDimensions(width, height, 1)
            self._data.GetPointData().SetScalars(array)
        self._pixels[:] = image[::-1]
        self._data.GetPointData().GetScalars().Modified()
        self._data.Modified()
        self.actor.SetPosition(left, bottom)
        self.actor.VisibilityOn()

    def hide(self) -> None:
        """Show nothing."""
        self.actor.VisibilityOff()


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """The font of matplotlib's figures, so that all words look alike."""
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    return ImageFont.truetype(str(path), size)


def text_image(lines: Sequence[tuple[str, int, str]], width: int, height: int) -> NDArray[np.uint8]:
    """Lines (words, size in pixels, color) from the upper left corner, on a transparent ground.

    What does not fit is cut off.
    """
    # the color of words at their edges too, where they are translucent
    ground = Image.new("RGBA", (width, height), (0, 0, 0, 0))
    image = ground
    y = 0
    for words, size, color in lines:
        layer = Image.new("RGBA", (width, height), color + "00")
        ImageDraw.Draw(layer).text((0, y), words, fill=color, font=font(size))
        image = Image.alpha_composite(image, layer)
        y += round(1.45 * size)
    return np.asarray(image)

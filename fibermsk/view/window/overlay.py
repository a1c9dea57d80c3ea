"""Pictures and text over a scene, at pixel positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkImageMapper, vtkRenderer

from fibermsk.view.drawing.fonts import font


def add_overlay_renderer(render_window: Any) -> Any:
    """Renderer over all others, of the size of the window, without interaction."""
    renderer = vtkRenderer()
    layer = render_window.GetNumberOfLayers()
    render_window.SetNumberOfLayers(layer + 1)
    renderer.SetLayer(layer)
    renderer.InteractiveOff()
    render_window.AddRenderer(renderer)
    return renderer


class ImageOverlay:
    """Picture over a scene, updated in place if the size is the same."""

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
        """Show a picture (height, width, 4), top row first; left and bottom in pixels."""
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


def text_image(lines: Sequence[tuple[str, int, str]], width: int, height: int) -> NDArray[np.uint8]:
    """Lines (text, size in pixels, color) on a transparent background, from the top left."""
    # edges of letters are translucent and need the color of the text
    ground = Image.new("RGBA", (width, height), (0, 0, 0, 0))
    image = ground
    y = 0
    for words, size, color in lines:
        layer = Image.new("RGBA", (width, height), color + "00")
        ImageDraw.Draw(layer).text((0, y), words, fill=color, font=font(size))
        image = Image.alpha_composite(image, layer)
        y += round(1.45 * size)
    return np.asarray(image)

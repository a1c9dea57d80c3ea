"""Pictures that lie over a scene, at a place in pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkImageMapper

__all__ = ["ImageOverlay"]


class ImageOverlay:
    """A picture over one renderer; shown again, it is replaced in place.

    Parameters
    ----------
    renderer : vtkRenderer
        Where it lies.
    """

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
        """Show a picture with its lower left corner at a pixel.

        Parameters
        ----------
        image : (height, width, 4) uint8 array
            Red, green, blue and opacity, the upper row first.
        left, bottom : int
            Pixels from the left and from below, within the renderer.
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

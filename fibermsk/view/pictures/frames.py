"""Off-screen rendering of frames, by OpenGL or the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.stage import OVERSAMPLING, Stage
from fibermsk.view.pictures import opengl


class FrameDrawer:
    """Context that renders frames of a stage with one camera, by OpenGL if available."""

    def __init__(self, stage: Stage, camera: Camera, size: tuple[int, int]) -> None:
        self._stage, self._camera, self._size = stage, camera, size
        self._plotter: Any = None
        self._scene: Any = None

    def __enter__(self) -> FrameDrawer:
        if opengl.off_screen_works():
            import pyvista as pv

            from fibermsk.view.pictures.vtk_draw import VtkScene, add_lights, set_camera

            window = [OVERSAMPLING * n for n in self._size]
            self._plotter = pv.Plotter(off_screen=True, window_size=window)
            # pictures are averaged instead: some OpenGL lack multisampling
            self._plotter.render_window.SetMultiSamples(0)
            add_lights(self._plotter.renderer)
            self._scene = VtkScene(self._stage, self._plotter)
            set_camera(self._scene.renderer, self._camera)
        return self

    def __exit__(self, *_: object) -> None:
        if self._plotter is not None:
            self._plotter.close()
        self._plotter = self._scene = None

    def draw(self, frame: int) -> NDArray[np.uint8]:
        """Picture of one frame (height, width, 3), without text."""
        if self._scene is None:
            from fibermsk.view.pictures.cpu_draw import draw

            return draw(self._stage, frame, self._camera, self._size)
        self._scene.show_frame(frame)
        self._scene.renderer.ResetCameraClippingRange()
        # a screenshot renders only the first time
        self._plotter.render()
        image = np.asarray(self._plotter.screenshot(None, return_img=True))[..., :3]
        return shrink(image, OVERSAMPLING)


def shrink(image: NDArray[np.uint8], n: int) -> NDArray[np.uint8]:
    """Picture whose pixels are rounded means of n times n pixels."""
    total = np.full((image.shape[0] // n, image.shape[1] // n, 3), n * n // 2, dtype=np.uint16)
    for row in range(n):
        for column in range(n):
            total += image[row::n, column::n]
    return (total // (n * n)).astype(np.uint8)

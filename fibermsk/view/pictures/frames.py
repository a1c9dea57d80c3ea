"""Off-screen rendering of frames, by OpenGL or the processor, with soft shadows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._compile import kernel
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.stage import OVERSAMPLING, Stage
from fibermsk.view.pictures import opengl
from fibermsk.view.pictures.ambient import ambient_light
from fibermsk.view.pictures.floor import Floor
from fibermsk.view.pictures.framing import projected

_BEYOND = 0.06
"""Room around the fibers and bones in which something may be drawn, over the size of the scene."""


class FrameDrawer:
    """Context that renders frames of a stage with one camera, by OpenGL if available.

    Of several stages the first is solid, and the others are ghosts over it. With a `floor` there
    are soft shadows of the first, on it and where surfaces are near each other.
    """

    def __init__(
        self,
        stages: Stage | Sequence[Stage],
        camera: Camera,
        size: tuple[int, int],
        floor: Floor | None = None,
    ) -> None:
        self._stages = [stages] if isinstance(stages, Stage) else list(stages)
        self._camera, self._size = camera, size
        self._floor = floor
        self._window = _window(self._stages, camera, size)
        self._plotter: Any = None
        self._scenes: list[Any] = []

    def __enter__(self) -> FrameDrawer:
        if opengl.off_screen_works():
            import pyvista as pv

            from fibermsk.view.pictures.vtk_draw import VtkScene, add_lights, set_camera

            window = [OVERSAMPLING * n for n in self._size]
            self._plotter = pv.Plotter(off_screen=True, window_size=window)
            # pictures are averaged instead: some OpenGL lack multisampling
            self._plotter.render_window.SetMultiSamples(0)
            add_lights(self._plotter.renderer)
            self._scenes = [VtkScene(stage, self._plotter) for stage in self._stages]
            set_camera(self._plotter.renderer, self._camera)
        return self

    def __exit__(self, *_: object) -> None:
        if self._plotter is not None:
            self._plotter.close()
        self._plotter, self._scenes = None, []

    def draw(self, frame: int | Sequence[int]) -> NDArray[np.uint8]:
        """Picture of one frame of each stage (height, width, 3), without text."""
        frames = [frame] if isinstance(frame, int | np.integer) else list(frame)
        image, depth = self._rendered(frames)
        if self._floor is None:
            return shrink(image, OVERSAMPLING)
        n = OVERSAMPLING
        near = np.ascontiguousarray(depth[::n, ::n])
        light = ambient_light(near, self._camera.angle, self._stages[0].size)
        floor = self._floor.light(frames[0], self._camera, self._size)
        shaded = np.empty((*floor.shape, 3), dtype=np.uint8)
        _shade(image, depth, light, floor, shaded)
        return shaded

    def _rendered(self, frames: list[int]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Rendered pixels, `OVERSAMPLING` along each side of one of the picture, and distances.

        The distances along the view are infinite in the background, and empty without shadows.
        """
        if not self._scenes:
            from fibermsk.view.pictures.cpu_draw import draw

            return draw(self._stages, frames, self._camera, self._size)
        for scene, frame in zip(self._scenes, frames, strict=True):
            scene.show_frame(frame)
            # before the clipping range, which depths depend on
            scene.lift()
        self._plotter.renderer.ResetCameraClippingRange()
        # a screenshot renders only the first time
        self._plotter.render()
        image = np.asarray(self._plotter.screenshot(None, return_img=True))[..., :3]
        if self._floor is None:
            return image, np.empty((0, 0), dtype=np.float32)
        from fibermsk.view.pictures.vtk_draw import distances

        return image, distances(self._plotter.renderer, [OVERSAMPLING * k for k in self._window])


@kernel
def _shade(image, depth, light, floor, shaded):
    """Means of rendered pixels times their light, in place: at edges of both light and floor."""
    height, width, _ = shaded.shape
    total = OVERSAMPLING * OVERSAMPLING
    for row in range(height):
        for column in range(width):
            seen, red, green, blue = 0, 0, 0, 0
            for a in range(OVERSAMPLING):
                for b in range(OVERSAMPLING):
                    i, j = row * OVERSAMPLING + a, column * OVERSAMPLING + b
                    red += np.int64(image[i, j, 0])
                    green += np.int64(image[i, j, 1])
                    blue += np.int64(image[i, j, 2])
                    seen += depth[i, j] < np.inf
            here = seen * light[row, column] + (total - seen) * floor[row, column]
            factor = here / np.float32(total * total)
            shaded[row, column, 0] = np.uint8(red * factor + np.float32(0.5))
            shaded[row, column, 1] = np.uint8(green * factor + np.float32(0.5))
            shaded[row, column, 2] = np.uint8(blue * factor + np.float32(0.5))


def _window(
    stages: Sequence[Stage], camera: Camera, size: tuple[int, int]
) -> tuple[int, int, int, int]:
    """First column and row from below, and last ones, of a part of a picture with the subject."""
    every = 0, 0, size[0] - 1, size[1] - 1
    bodies = [body for stage in stages for body in stage.result.bodies.values()]
    shapes = (shape.kind for body in bodies for shape in body.shapes)
    if any(stage.arrows for stage in stages) or "infinite_cylinder" in shapes:
        return every
    # ends and envelopes are drawn somewhat beyond
    cloud = np.concatenate([stage.cloud for stage in stages])
    margins = np.concatenate([stage.margins + _BEYOND * stage.size for stage in stages])
    places, reach = projected(cloud, margins, camera, size)
    low = np.floor(np.min(places - reach[:, None], axis=0)).astype(int)
    high = np.ceil(np.max(places + reach[:, None], axis=0)).astype(int)
    (left, under), (right, over) = np.maximum(low, 0), np.minimum(high, np.array(size) - 1)
    return (
        (int(left), int(under), int(right), int(over)) if left < right and under < over else every
    )


def shrink(image: NDArray[np.uint8], n: int) -> NDArray[np.uint8]:
    """Picture whose pixels are rounded means of n times n pixels."""
    total = np.full((image.shape[0] // n, image.shape[1] // n, 3), n * n // 2, dtype=np.uint16)
    for row in range(n):
        for column in range(n):
            total += image[row::n, column::n]
    return (total // (n * n)).astype(np.uint8)

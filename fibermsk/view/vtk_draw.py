"""Drawing a stage with PyVista, on OpenGL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from fibermsk.results.units import FIBER_LABELS
from fibermsk.view.camera import Camera
from fibermsk.view.stage import AMBIENT, FIELD_COLORS, LIGHTS, OVERSAMPLING, Stage
from fibermsk.view.surfaces import Surface

__all__ = ["VtkScene", "draw"]


class VtkScene:
    """Actors of a stage in a PyVista plotter, moved from frame to frame.

    Parameters
    ----------
    stage : Stage
        What to draw.
    plotter : pyvista.Plotter
        Where to.
    scalar_bar : bool
        Whether VTK draws the color scale itself.
    """

    def __init__(self, stage: Stage, plotter: pv.Plotter, *, scalar_bar: bool = False) -> None:
        self.stage = stage
        self.plotter = plotter
        plotter.set_background("white")
        plotter.remove_all_lights()
        for direction, strength in LIGHTS:
            light = pv.Light(position=direction, light_type="camera light", intensity=strength)
            plotter.add_light(light)
        self._moving: list[tuple[str, Any]] = []
        for piece in stage.pieces:
            solid = piece.opacity == 1.0
            actor = plotter.add_mesh(
                _mesh(piece.surface),
                color=piece.color,
                opacity=piece.opacity,
                # Of what one sees through, the far side would be drawn over the near one.
                culling="none" if solid else "back",
                ambient=AMBIENT,
                specular=0.15,
                specular_power=20.0,
            )
            actor.prop.interpolation = "phong"
            if piece.body:
                self._moving.append((piece.body, actor))
        self._fibers: pv.PolyData | None = None
        if stage.tubes is not None:
            self._fibers = _mesh(stage.fiber_surface(0))
            self._fibers.point_data["field"] = stage.fiber_values(0)
            actor = plotter.add_mesh(
                self._fibers,
                scalars="field",
                clim=stage.limits,
                cmap=LinearSegmentedColormap.from_list("fibers", FIELD_COLORS),
                ambient=AMBIENT,
                specular=0.2,
                specular_power=30.0,
                show_scalar_bar=scalar_bar,
                scalar_bar_args={
                    "title": FIBER_LABELS[stage.color_by],
                    "vertical": True,
                    "color": "black",
                    "position_x": 0.88,
                    "position_y": 0.25,
                    "height": 0.5,
                    "title_font_size": 18,
                    "label_font_size": 14,
                },
            )
            actor.prop.interpolation = "phong"
        self.show_frame(0)

    def show_frame(self, frame: int) -> None:
        """Move everything to one frame; points are updated, nothing is rebuilt."""
        for body, actor in self._moving:
            actor.user_matrix = self.stage.pose(body, frame)
        if self._fibers is not None:
            surface = self.stage.fiber_surface(frame)
            self._fibers.points = surface.points
            self._fibers.point_data["Normals"] = surface.normals
            self._fibers.point_data["field"] = self.stage.fiber_values(frame)

    def look(self, camera: Camera) -> None:
        """Set the camera."""
        view = self.plotter.camera
        view.position = tuple(camera.position)
        view.focal_point = tuple(camera.focal_point)
        view.up = tuple(camera.axes[1])
        view.view_angle = float(np.degrees(camera.angle))
        self.plotter.renderer.ResetCameraClippingRange()


def draw(stage: Stage, frame: int, camera: Camera, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Picture of one frame, drawn off the screen.

    Returns
    -------
    image : (height, width, 3) uint8 array
        RGB.
    """
    width, height = size
    n = OVERSAMPLING
    plotter = pv.Plotter(off_screen=True, window_size=[n * width, n * height])
    try:
        scene = VtkScene(stage, plotter)
        scene.show_frame(frame)
        scene.look(camera)
        image = np.asarray(plotter.screenshot(None, return_img=True))[..., :3]
    finally:
        plotter.close()
    # Averaging smooths edges on every OpenGL; multisampling is missing from some.
    mean = image.reshape(height, n, width, n, 3).mean(axis=(1, 3))
    return (mean + 0.5).astype(np.uint8)


def _mesh(surface: Surface) -> pv.PolyData:
    mesh = pv.PolyData.from_regular_faces(surface.points, surface.faces)
    mesh.point_data["Normals"] = surface.normals
    mesh.point_data.active_normals_name = "Normals"
    return mesh

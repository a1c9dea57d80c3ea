"""Rendering of a stage with PyVista."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyvista as pv
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkFloatArray

from fibermsk._compile import kernel
from fibermsk.view.drawing.camera import Camera
from fibermsk.view.drawing.envelopes import SHEEN
from fibermsk.view.drawing.looks import ARROW_COLORS, Color
from fibermsk.view.drawing.pieces import Piece
from fibermsk.view.drawing.stage import AMBIENT, LIGHTS, Stage
from fibermsk.view.drawing.surfaces import Surface
from fibermsk.view.drawing.tubes import Tubes

_SHEEN = (
    f"  fragOutput0.a = opacity * mix({SHEEN.facing}, {SHEEN.rim}, "
    f"pow(1.0 - min(abs(normalVCVSOutput.z), 1.0), {SHEEN.exponent}));"
)
"""Opacity of an envelope, in the language of shaders."""
_FACING = "  if (normalVCVSOutput.z < 0.0) normalVCVSOutput = -normalVCVSOutput;"
"""Both sides are lit by their normals; VTK's way shades triangles dark that a fillet has folded."""


class VtkScene:
    """Actors of a stage in the active renderer of a plotter.

    `fibers` shares the arrays of ``stage.tubes``; `fiber_actor` shows it.
    """

    def __init__(self, stage: Stage, plotter: pv.Plotter, *, labels: bool = False) -> None:
        self.stage = stage
        self.plotter = plotter
        self.renderer = plotter.renderer
        self._moving: list[tuple[str, Any]] = []
        self._filleted: list[pv.PolyData] = []
        self._bones: list[tuple[tuple[float, float, float], Any]] = []
        self._of_pose: list[Any] = []
        for piece in stage.pieces:
            mesh = self._add_piece(piece)
            if stage.fillets.joined(piece):
                self._filleted.append(mesh)
        self.fibers: pv.PolyData | None = None
        self.fiber_actor: Any = None
        if stage.tubes is not None:
            tubes = stage.tubes
            self.fibers = polydata(Surface(tubes.points, tubes.normals, tubes.faces))
            self.fibers.point_data["colors"] = tubes.colors
            self.fiber_actor = self._add(
                self.fibers,
                scalars="colors",
                rgb=True,
                opacity=stage.opacity,
                culling="back",  # tubes are closed
                specular=0.2,
                specular_power=30.0,
            )
        self.envelope: pv.PolyData | None = None
        if stage.envelopes is not None and len(stage.envelopes.points):
            skin = stage.envelopes
            self.envelope = polydata(Surface(skin.points, skin.normals, skin.faces))
            self.envelope.point_data["colors"] = skin.colors
            actor = self._add(
                self.envelope,
                scalars="colors",
                rgb=True,
                # translucent: the shader gives the opacity of each place
                opacity=0.99 * stage.opacity,
                culling="back",
                specular=0.25,
                specular_power=25.0,
                pickable=False,
            )
            actor.GetShaderProperty().AddFragmentShaderReplacement(
                "//VTK::Light::Impl", True, f"//VTK::Light::Impl\n{_SHEEN}", False
            )
        self._labeled: Any = None
        self._named = labels
        self._label()
        self._arrows: dict[str, tuple[Any, pv.PolyData, Any]] = {}
        self.renderer.AddObserver("StartEvent", lambda *_: self.lift())
        self.show_theme()
        self.show_arrows()
        self.show_frame(0)

    def _add(self, mesh: pv.PolyData, **look: Any) -> Any:
        """Actor of a mesh."""
        actor = self.plotter.add_mesh(
            mesh, ambient=AMBIENT, reset_camera=False, render=False, **look
        )
        actor.prop.interpolation = "phong"
        actor.GetShaderProperty().AddFragmentShaderReplacement(
            "//VTK::Normal::Impl", True, f"//VTK::Normal::Impl\n{_FACING}", False
        )
        return actor

    def _add_piece(self, piece: Piece) -> pv.PolyData:
        """Show a piece; returns its mesh."""
        solid = piece.opacity == 1.0
        mesh = polydata(piece.surface)
        actor = self._add(
            mesh,
            color=piece.color,
            opacity=piece.opacity,
            # the far side of translucent pieces would cover the near one
            culling="none" if solid else "back",
            specular=0.15,
            specular_power=20.0,
            pickable=solid,
        )
        self._bones.append((piece.color, actor))
        if piece.body:
            self._moving.append((piece.body, actor))
        else:
            self._of_pose.append(actor)
        return mesh

    def show_pose(self) -> None:
        """Follow `Stage.pose_as`."""
        for actor in self._of_pose:
            self.renderer.remove_actor(actor, reset_camera=False, render=False)
        self._bones = [one for one in self._bones if one[1] not in self._of_pose]
        self._of_pose = []
        for piece in self.stage.pieces:
            if not piece.body:
                self._add_piece(piece)
        self._label()
        self.show_theme()
        self.show_frame(0)

    def _label(self) -> None:
        """Write the names of the stage anew."""
        if self._labeled is not None:
            self.renderer.remove_actor(self._labeled, reset_camera=False, render=False)
            self._labeled = None
        if self.stage.labels and self._named:
            self._labeled = self.plotter.add_point_labels(
                np.stack([label.point for label in self.stage.labels]),
                [label.words for label in self.stage.labels],
                font_size=12,
                shape_opacity=0.5,
                show_points=False,
                always_visible=True,
                render=False,
            )

    def show_frame(self, frame: int) -> None:
        """Move all actors to a frame; arrays are updated in place."""
        for body, actor in self._moving:
            actor.user_matrix = self.stage.pose(body, frame)
        self.stage.move(frame)
        for mesh in (self.fibers, self.envelope, *self._filleted):
            if mesh is not None:
                _moved(mesh)
        for _, mesh, _ in self._arrows.values():
            _moved(mesh)

    def show_field(self, frame: int) -> None:
        """Update the colors of the fibers."""
        self.stage.paint(frame)
        for mesh in (self.fibers, self.envelope):
            if mesh is not None:
                _moved(mesh)

    def show_theme(self) -> None:
        """Update background and brightness of bones."""
        theme = self.stage.theme
        self.renderer.SetBackground(*theme.rgb("background"))
        for color, actor in self._bones:
            actor.prop.color = tuple(theme.shade * part for part in color)

    def show_arrows(self) -> None:
        """Update the kinds of arrows."""
        for kind, (arrows, _, actor) in list(self._arrows.items()):
            if self.stage.arrows.get(kind) is not arrows:
                self.renderer.RemoveActor(actor)
                del self._arrows[kind]
        for kind, arrows in self.stage.arrows.items():
            if kind in self._arrows:
                continue
            mesh = polydata(Surface(arrows.points, arrows.normals, arrows.faces))
            mapper = pv.DataSetMapper(mesh)
            mapper.scalar_visibility = False
            actor = pv.Actor(mapper=mapper)
            prop = actor.prop
            prop.color = ARROW_COLORS[kind]
            prop.opacity = self.stage.opacity
            prop.ambient, prop.specular, prop.specular_power = 0.35, 0.1, 20.0
            prop.interpolation = "gouraud"
            actor.pickable = False
            self.renderer.AddActor(actor)
            self._arrows[kind] = arrows, mesh, actor

    def lift(self) -> None:
        """Draw arrows in front of their fibers, and the fibers of ghosts behind solid ones."""
        forward = np.array(self.renderer.GetActiveCamera().GetDirectionOfProjection())
        for _, _, actor in self._arrows.values():
            actor.position = tuple(-self.stage.lift * forward)
        if self.stage.behind and self.fiber_actor is not None:
            self.fiber_actor.position = tuple(self.stage.behind * forward)


def add_lights(renderer: Any) -> None:
    """Replace the lights by those of the stage, which move with the camera."""
    renderer.remove_all_lights()
    for direction, strength in LIGHTS:
        light = pv.Light(position=direction, light_type="camera light", intensity=strength)
        renderer.add_light(light)


def set_camera(renderer: Any, camera: Camera) -> None:
    """Set the camera of a renderer."""
    view = renderer.camera
    view.position = tuple(camera.position)
    view.focal_point = tuple(camera.focal_point)
    view.up = tuple(camera.axes[1])
    view.view_angle = float(np.degrees(camera.angle))
    renderer.camera_set = True
    renderer.ResetCameraClippingRange()


def distances(renderer: Any, window: Sequence[int]) -> NDArray[np.float32]:
    """Distances along the view of what was drawn last (height, width) [m].

    Infinite where nothing was drawn, and outside of the window: its left, lower, right and upper
    pixel. Top row first.
    """
    target = renderer.GetRenderWindow()
    width, height = target.GetSize()
    left, low, right, high = window
    stored = vtkFloatArray()
    target.GetZbufferData(left, low, right, high, stored)
    away = np.full((height, width), np.inf, dtype=np.float32)
    near, far = renderer.GetActiveCamera().GetClippingRange()
    buffer = vtk_to_numpy(stored).reshape(high - low + 1, right - left + 1)
    _distance(buffer, near, far, away[height - 1 - high : height - low, left : right + 1])
    return away


@kernel
def _distance(buffer, near, far, away):
    """Distances from the values of a depth buffer, whose rows are reversed."""
    height, width = buffer.shape
    for row in range(height):
        for column in range(width):
            value = buffer[height - 1 - row, column]
            seen = value < 1.0
            away[row, column] = near * far / (far - value * (far - near)) if seen else np.inf


def polydata(surface: Surface) -> pv.PolyData:
    """Mesh that shares the arrays of points and normals."""
    mesh = pv.PolyData.from_regular_faces(surface.points, surface.faces)
    mesh.point_data["Normals"] = surface.normals
    mesh.point_data.active_normals_name = "Normals"
    return mesh


def _moved(mesh: pv.PolyData) -> None:
    """Mark the arrays as modified."""
    mesh.GetPoints().Modified()
    data = mesh.GetPointData()
    for k in range(data.GetNumberOfArrays()):
        data.GetArray(k).Modified()
    mesh.Modified()


class Halo:
    """Outline around the selected fiber: its back faces, slightly enlarged, in one color."""

    def __init__(self) -> None:
        self._renderer: Any = None
        self._tubes: Tubes | None = None
        self._part = slice(0, 0)
        self._fiber = 0
        self._mesh: pv.PolyData | None = None
        self._actor: Any = None

    def around(self, tubes: Tubes, fiber: int, renderer: Any, color: Color) -> None:
        """Outline one fiber."""
        self.hide()
        self._tubes, self._part, self._renderer = tubes, tubes.of(fiber), renderer
        self._fiber = fiber
        n = tubes.detail.n_points
        faces = tubes.faces[: len(tubes.faces) * n // len(tubes.points)]
        self._points = np.empty((n, 3), dtype=np.float32)
        self._mesh = polydata(Surface(self._points, tubes.normals[self._part].copy(), faces))
        self._actor = pv.Actor(mapper=pv.DataSetMapper(self._mesh))
        self._actor.mapper.scalar_visibility = False
        self._actor.prop.lighting = False
        self._actor.prop.culling = "front"
        self._actor.pickable = False
        self._actor.prop.color = color
        self._renderer.AddActor(self._actor)
        self.move()

    def move(self) -> None:
        """Follow the fiber."""
        if self._tubes is None or self._mesh is None:
            return
        points, normals = self._tubes.points[self._part], self._tubes.normals[self._part]
        # in proportion to the radius at the ends
        radius = self._tubes.thickness(self._fiber)
        np.add(points, 0.35 * max(radius, 1e-6) * normals, out=self._points)
        _moved(self._mesh)

    def hide(self) -> None:
        """Remove the outline."""
        if self._actor is not None:
            self._renderer.RemoveActor(self._actor)
        self._tubes = self._mesh = self._actor = None

    def color(self, color: Color) -> None:
        """Change the color."""
        if self._actor is not None:
            self._actor.prop.color = color

"""Arm26 as OpenSim decorates it, beside fibermsk: ``python make_beside_opensim.py [RESULT.h5]``.

Needs opensim 4.6 and the folder of models FIBERMSK_MODELS. On the left is what OpenSim's
``generateDecorations`` gives to its visualizer and to OpenSim Creator: meshes, and muscles as lines
through spheres at their points, blue to red by their activation. The result is one of the scene
`arm26_fibers`, which is run without it.
"""

import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import opensim
import pyvista as pv
from make_moving import WRIST, arm26_fibers, without_finger
from PIL import Image, ImageDraw

import fibermsk as fm
from fibermsk.view.drawing.fonts import font
from fibermsk.view.drawing.looks import THEMES
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.framing import frame_camera
from fibermsk.view.pictures.vtk_draw import add_lights, set_camera

HERE = Path(__file__).parent
MODELS = Path(os.environ["FIBERMSK_MODELS"]) / "opensim-models"
TIME, SIZE, FINE = 0.3, (480, 600), 2


def vector(found):
    """Three numbers of OpenSim."""
    return np.array([found.get(i) for i in range(3)])


def matrix(found):
    """Homogeneous transformation (4, 4)."""
    made = np.eye(4)
    made[:3, 3] = vector(found.p())
    made[:3, :3] = [[found.R().get(i, j) for j in range(3)] for i in range(3)]
    return made


class Drawing(opensim.DecorativeGeometryImplementation):
    """Adds what OpenSim decorates to a plotter, as it says."""

    def __init__(self, plotter, bodies):
        super().__init__()
        self.plotter, self.bodies = plotter, bodies

    def _add(self, mesh, found):
        color = np.abs(vector(found.getColor()))
        opacity = found.getOpacity()
        mesh = mesh.transform(matrix(found.getTransform()), inplace=False)
        mesh = mesh.transform(self.bodies[found.getBodyId()], inplace=False)
        self.plotter.add_mesh(
            mesh, color=color, opacity=1.0 if opacity < 0.0 else opacity, smooth_shading=True,
            ambient=0.22, specular=0.15,
        )  # fmt: skip

    def implementLineGeometry(self, found):  # noqa: N802
        """A part of a muscle."""
        ends = vector(found.getPoint1()), vector(found.getPoint2())
        self._add(pv.Line(*ends).tube(radius=RADIUS), found)

    def implementSphereGeometry(self, found):  # noqa: N802
        """A point of a muscle, or a marker."""
        self._add(pv.Sphere(radius=found.getRadius()), found)

    def implementMeshFileGeometry(self, found):  # noqa: N802
        """A bone, but those of the hand."""
        file = MODELS / "Geometry" / Path(found.getMeshFile()).name
        mesh = (
            pv.read(file)
            .extract_surface(algorithm="dataset_surface")
            .scale(vector(found.getScaleFactors()))
        )
        local = fm.read_mesh(file).vertices
        if not (file.name.startswith("arm_") and local[:, 1].max() < WRIST):
            self._add(mesh.compute_normals(split_vertices=False), found)

    def _none(self, found):
        """Of surfaces that muscles wrap around, which are no part of the arm."""

    implementCylinderGeometry = implementEllipsoidGeometry = implementBrickGeometry = _none  # noqa: N815
    implementCircleGeometry = implementTextGeometry = implementFrameGeometry = _none  # noqa: N815
    implementTorusGeometry = implementConeGeometry = implementArrowGeometry = _none  # noqa: N815
    implementPointGeometry = implementMeshGeometry = _none  # noqa: N815


RADIUS = 0.005
"""Radius of lines: that of the spheres at the points of muscles [m]; OpenSim gives four pixels."""


def in_opensim(pose, activations, camera):
    """Picture of what OpenSim decorates in a pose."""
    opensim.Logger.setLevelString("error")
    opensim.ModelVisualizer.addDirToGeometrySearchPaths(str(MODELS / "Geometry"))
    model = opensim.Model(str(MODELS / "arm26.osim"))
    state = model.initSystem()
    for name, value in pose.items():
        model.getCoordinateSet().get(name).setValue(state, float(value))
    for muscle in model.getMuscles():
        muscle.setActivation(state, max(float(activations[muscle.getName()]), 0.01))
    model.equilibrateMuscles(state)
    model.realizeDynamics(state)
    bodies = {0: np.eye(4)}
    for body in model.getBodySet():
        bodies[int(body.getMobilizedBodyIndex())] = matrix(body.getTransformInGround(state))
    plotter = pv.Plotter(off_screen=True, window_size=[FINE * n for n in SIZE])
    plotter.set_background("white")
    drawing = Drawing(plotter, bodies)
    for fixed in (True, False):
        made = opensim.ArrayDecorativeGeometry()
        for part in [model, *model.getComponentsList()]:
            part.generateDecorations(fixed, model.getDisplayHints(), state, made)
        for k in range(made.size()):
            made.at(k).implementGeometry(drawing)
    add_lights(plotter.renderer)
    set_camera(plotter.renderer, camera)
    image = Image.fromarray(np.asarray(plotter.screenshot(None, return_img=True))[..., :3])
    plotter.close()
    image = image.resize(SIZE, Image.Resampling.LANCZOS)
    words = {"fill": THEMES["light"].text, "font": font(18)}
    ImageDraw.Draw(image).text((10, 16), "OpenSim 4.6", **words)
    return np.asarray(image)


def beside(result):
    """Pictures of one pose: by OpenSim, and by fibermsk as lines and as bundles."""
    frame = int(np.argmin(np.abs(result.time - TIME)))
    pose = {name: values[frame] for name, values in result.coordinates.items()}
    activations = {
        name.rpartition("_")[0]: fiber.activation[frame] for name, fiber in result.fibers.items()
    }
    camera = frame_camera(Stage(result, "tissue"), SIZE, frame, floor=True)
    arm = fm.read_osim(MODELS / "arm26.osim", geometry=MODELS / "Geometry")
    still = fm.still(arm, pose)
    still = replace(still, result=without_finger(still.result), wraps={})
    look = {"size": SIZE}
    pictures = [in_opensim(pose, activations, camera)]
    for shown, more in ((still, {}), (result, {"time": TIME, "envelope": True})):
        file = HERE / "_beside.png"
        fm.view.screenshot(shown, file, **look, **more)
        pictures.append(np.asarray(Image.open(file).convert("RGB")))
        file.unlink()
    return np.concatenate(pictures, axis=1)


if __name__ == "__main__":
    warnings.simplefilter("ignore", fm.ModelWarning)  # of markers in the file
    found = without_finger(fm.load(sys.argv[1])) if sys.argv[1:] else arm26_fibers()
    Image.fromarray(beside(found)).save(HERE / "arm26_beside_opensim.png")

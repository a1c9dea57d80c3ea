"""Arm26 in other programs and in fibermsk: ``python make_beside_others.py RESULT.h5 [PNG]``.

Needs opensim 4.6, mujoco with OSMesa, the folder of models FIBERMSK_MODELS, and MYO_SIM, a copy of
https://github.com/MyoHub/myo_sim with its meshes. The result is one of the scene `arm26_fibers`.

- OpenSim: what its ``generateDecorations`` gives to its visualizer and to OpenSim Creator: meshes,
  and muscles as lines through spheres at their points, blue to red by their activation.
- MuJoCo: ``myoelbow_2dof6muscles.xml``, this arm converted, in MuJoCo's renderer.
- ArtiSynth: a picture of the same pose from the same camera, which are printed, by ArtiSynth's
  ``OpenSimParser`` and ``GL3Viewer``.
"""

import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "osmesa")
import mujoco
import numpy as np
import opensim
import pyvista as pv
from make_moving import WRIST, without_finger
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
    return image.resize(SIZE, Image.Resampling.LANCZOS)


def in_mujoco(pose, activations, humerus, camera):
    """Picture by MuJoCo; `humerus` is the pose of this bone, which has the same frame there."""
    file = Path(os.environ["MYO_SIM"]) / "elbow" / "myoelbow_2dof6muscles.xml"
    model = mujoco.MjModel.from_xml_path(str(file))
    model.vis.global_.offwidth, model.vis.global_.offheight = (FINE * n for n in SIZE)
    model.vis.global_.fovy = np.degrees(camera.angle)
    for number in range(model.ngeom):  # no body but the arm, and no floor
        mesh = model.geom_dataid[number]
        if mesh < 0 or not model.mesh(mesh).name.startswith(("arm_r_hu", "arm_r_ul", "arm_r_ra")):
            model.geom_rgba[number, 3], model.geom_matid[number] = 0.0, -1
    data = mujoco.MjData(model)
    for name, value in pose.items():
        data.joint(name).qpos[0] = value
    for name, value in activations.items():
        data.act[model.actuator(name).actadr[0]] = value
    mujoco.mj_forward(model, data)
    there = data.body("r_humerus")
    turn = there.xmat.reshape(3, 3) @ humerus[:3, :3].T
    seen = mujoco.MjvCamera()
    forward, eye = turn @ camera.axes[2], there.xpos + turn @ (camera.position - humerus[:3, 3])
    seen.distance, seen.lookat = 1.0, eye + forward
    seen.azimuth = np.degrees(np.arctan2(forward[1], forward[0]))
    seen.elevation = np.degrees(np.arcsin(forward[2]))
    look = mujoco.MjvOption()
    look.sitegroup[:] = 0
    with mujoco.Renderer(model, FINE * SIZE[1], FINE * SIZE[0]) as renderer:
        renderer.update_scene(data, seen, look)
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = 0
        image = renderer.render().copy()
        renderer.enable_segmentation_rendering()
        renderer.update_scene(data, seen, look)
        image[renderer.render()[..., 0] < 0] = 255
    return Image.fromarray(image).resize(SIZE, Image.Resampling.LANCZOS)


def named(image, name):
    """Pixels of a picture with a name."""
    words = {"fill": THEMES["light"].text, "font": font(18)}
    ImageDraw.Draw(image).text((10, 16), name, **words)
    return np.asarray(image)


def near_by(result):
    """Muscles of the upper arm in their envelopes, from near."""
    file, size = HERE / "_near_by.png", (3 * SIZE[0], 3 * SIZE[1])
    fm.view.screenshot(result, file, size=size, time=TIME, envelope=True)
    image = Image.open(file).convert("RGB")
    file.unlink()
    left, top = int(0.14 * size[0]), int(0.16 * size[1])
    wide = int(0.46 * size[0])
    return image.crop((left, top, left + wide, top + wide * SIZE[1] // SIZE[0])).resize(
        SIZE, Image.Resampling.LANCZOS
    )


def beside(result, artisynth):
    """Pictures of one pose: by others, and by fibermsk as lines and as bundles."""
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
    print("pose [rad]", pose, "eye", camera.position, "towards", camera.axes[2])
    print("vertical angle [rad]", camera.angle)
    humerus = result.bodies["r_humerus"]
    placed = np.eye(4)
    placed[:3, :3], placed[:3, 3] = humerus.rotation[frame], humerus.position[frame]
    # MuJoCo first: it makes a context of its own
    of_mujoco = in_mujoco(pose, activations, placed, camera)
    pictures = [named(in_opensim(pose, activations, camera), "OpenSim 4.6")]
    pictures.append(named(of_mujoco, f"MuJoCo {mujoco.__version__}"))
    if artisynth:
        image = Image.open(artisynth).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
        pictures.append(named(image, "ArtiSynth"))
    still = replace(still, result=replace(still.result, scene="fibermsk, lines"))
    bundles = replace(result, scene="fibermsk, bundles")
    for shown, more in ((still, {}), (bundles, {"time": TIME})):
        file = HERE / "_beside.png"
        fm.view.screenshot(shown, file, **look, **more)
        pictures.append(np.asarray(Image.open(file).convert("RGB")))
        file.unlink()
    pictures.append(named(near_by(result), "in their envelopes"))
    others = np.concatenate(pictures[:-3], axis=1)
    ours = np.concatenate(pictures[-3:], axis=1)[:, : others.shape[1]]
    return np.concatenate([others, ours])


if __name__ == "__main__":
    warnings.simplefilter("ignore", fm.ModelWarning)  # of markers in the file
    made = beside(without_finger(fm.load(sys.argv[1])), *sys.argv[2:3] or [None])
    Image.fromarray(made).save(HERE / "arm26_beside_others.png")

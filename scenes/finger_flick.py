"""A finger is flicked: without the mass of its muscles it is much lighter than with it.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), section 4.4, with
chosen masses: three phalanges of an index finger, 37 g together, and the two long flexors of 200 g
each, most of it in the forearm. A force pushes the tip for 2 ms. The muscles slide past their path
points as the finger bends, and raise the inertia of its joints by factors of 2 to 4.5.

Joints and path points are those of the hand of MyoSuite, which are not part of this package: give
``hand=path/to/myohand_body.xml``, from https://github.com/MyoHub/myo_sim, or set FIBERMSK_MODELS.

What it shows is inertia, not stability: the paper's claim that a lighter finger bursts holds for
its integrator and time step; with adaptive steps both fingers keep their energy
(``fibermsk verify finger_flick``).
"""

import os
from pathlib import Path

import numpy as np

import fibermsk as fm
from fibermsk.read.xml_tree import read_xml

FILE = "myohand_body.xml"
ROOT, JOINTS = "secondmc", ("mcp2_flexion", "pm2_flexion", "md2_flexion")
MUSCLES = {"FDS2": 8, "FDP2": 10}
"""Flexors with the number of their path points."""
MASSES, RADIUS, TIP = (0.023, 0.010, 0.0045), 0.005, (0.002, -0.018, 0.0)
MUSCLE_MASS, START, PUSH = 0.2, 0.3, 0.002


def find(hand):
    """Path of the file."""
    folder = Path(os.environ.get("FIBERMSK_MODELS", ""))
    tried = [Path(hand)] if hand else [folder / FILE, folder / "myo_sim" / FILE]
    path = next((path for path in tried if path.is_file()), None)
    if path is None:
        raise fm.ModelError(
            f"finger_flick: hand = {hand!r}; must be the path of {FILE} (looked at "
            f"{', '.join(map(str, tried))}); get it from https://github.com/MyoHub/myo_sim"
        )
    return path


def numbers(element, name="pos"):
    """Three numbers of an element of the file."""
    return np.array(element.attributes[name].split(), float)


def hand_of(path):
    """Joints as (body, place, axis), and path points as (body, place); places in the body [m].

    Bodies above the second metacarpal do not move: their points are given in its frame. No body of
    the file between forearm and finger is turned.
    """
    joints, points, place = {}, {}, {}
    for body in read_xml(path).walk():
        if body.tag != "body" or "pos" not in body.attributes:
            continue
        above = body.parent.name if body.parent is not None else ""
        place[body.name] = place.get(above, np.zeros(3)) + numbers(body)
        for part in body.children:
            if part.tag == "joint" and part.name in JOINTS:
                joints[part.name] = body.name, numbers(body), numbers(part, "axis")
            if part.tag == "site" and part.name.split("-P")[0] in MUSCLES:
                points[part.name] = body.name, numbers(part)
    moved = {body for body, *_ in joints.values()}
    for name, (body, at) in points.items():
        if body not in moved:
            points[name] = None, at + place[body] - place[ROOT]
    wanted = [f"{name}-P{k}" for name, n in MUSCLES.items() for k in range(1, n + 1)]
    missing = [name for name in (*JOINTS, *wanted) if name not in joints and name not in points]
    if missing:
        raise fm.ModelError(f"finger_flick: {path} has no {', '.join(missing)}; is it {FILE}?")
    return joints, points


def rod(name, mass, end):
    """Phalanx: a uniform rod from its joint to an end."""
    end = np.asarray(end)
    length = np.linalg.norm(end)
    along = np.outer(end, end) / length**2
    across = mass * length**2 / 12.0 * (np.eye(3) - along)
    inertia = across + 0.5 * mass * RADIUS**2 * along
    shape = fm.Capsule((0.0, 0.0, 0.0), end, RADIUS)
    return fm.Body(name, mass, 0.5 * end, inertia, shapes=shape)


class Push:
    """Force along -z that ends after 2 ms [N]."""

    breakpoints = (PUSH,)

    def __init__(self, force):
        self.force = force

    def __call__(self, t):
        """The force at a time, (3,)."""
        return 0.0, 0.0, -self.force if t < PUSH else 0.0


def scene(
    muscles: bool = True,
    force: float = 5.0,
    points: int = 20,
    muscle_mass: float = MUSCLE_MASS,
    hand: str = "",
    steps: int = 200,
    duration: float = 0.05,
    tolerance: float = 1e-7,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    muscles : bool
        Whether there are flexors; they are mass only.
    force : float
        Force on the tip along -z for 2 ms [N].
    points : int
        Mass points of each flexor.
    muscle_mass : float
        Mass of each flexor [kg].
    hand : str
        Path of myohand_body.xml; by default it is searched in the folder FIBERMSK_MODELS.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    tolerance : float
        Relative tolerance of the time steps.
    """
    joints, places = hand_of(find(hand))
    model = fm.Model("finger_flick", gravity=(0.0, 0.0, 0.0), meant=("mass",))
    ends = [joints[name][1] for name in JOINTS[1:]] + [TIP]
    bones, below = {None: model.ground}, model.ground
    for name, mass, end in zip(JOINTS, MASSES, ends, strict=True):
        body, at, axis = joints[name]
        bones[body] = model.add(rod(body, mass, end))
        model.add(fm.Hinge(name, below, bones[body], at, axis, value=START))
        below = bones[body]
    for name, n in MUSCLES.items() if muscles else ():
        path = [f"{name}-P{k}" for k in range(1, n + 1)]
        model.add(
            fm.LineMuscle(
                name,
                [fm.PathPoint(one, bones[places[one][0]].at(places[one][1])) for one in path],
                max_isometric_force=200.0,
                optimal_fiber_length=0.08,
                tendon_slack_length=0.2,
                mass=fm.MuscleMass(muscle_mass, points=points),
            )
        )
    model.add(fm.ExternalForce("push", below, Push(force), TIP))
    return fm.Scene(model, duration=duration, steps=steps, method="sdirk4", tolerance=tolerance)


if __name__ == "__main__":
    result = fm.run_scene(scene)
    print(f"joints at the end: {np.round([result.coordinate(q)[-1] for q in JOINTS], 4)}")

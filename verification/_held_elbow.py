"""Bundles of arm26 at an elbow that is held at one angle after the other, and their moment arms."""

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from _wrenches import bone_wrenches

import fibermsk as fm
from fibermsk.verify import Unavailable

FILE = "arm26.osim"
BONES = {
    "r_humerus": ["arm_r_humerus.vtp"],
    "r_ulna_radius_hand": ["arm_r_ulna.vtp", "arm_r_radius.vtp"],
}
ELBOW, UPPER, LOWER = "r_elbow_flex", "r_humerus", "r_ulna_radius_hand"
ROLL = "TRI"
"""Wrap surface of the file about the axis of the elbow."""
START = np.radians(40.0)
"""Elbow angle at which the bundles are made: between both ends, as in scenes/arm26_fibers.py."""

PROXIMAL = {"TRIlong": 0.3, "TRIlat": 0.2, "TRImed": 0.2, "BICshort": 0.6, "BRA": 0.2}
"""Share of the tendon at the origin, as in scenes/arm26_fibers.py."""

LEAST_STEP = np.radians(1.0)
"""Smallest step of the elbow from one equilibrium to the next."""

LAW, BONE_LAW = fm.PenaltyContact(2000.0, 3.0), fm.PenaltyContact(4000.0, 8.0)
POINTS = 9


def model_file(name: str) -> Path:
    """A model of OpenSim, which is not part of the package."""
    base = os.environ.get("FIBERMSK_MODELS", "")
    tried = [Path(base), Path(base) / "opensim-models"] if base else []
    for one in tried:
        if (one / name).is_file():
            return one / name
    raise Unavailable(
        f"{name} is not there (looked at {', '.join(map(str, tried)) or 'nothing'}); it comes with "
        "OpenSim and on https://github.com/opensim-org/opensim-models: set FIBERMSK_MODELS to a "
        "folder that holds it, and Geometry with its meshes"
    )


def folder() -> Path:
    """Folder of arm26."""
    return model_file(FILE).parent


def skeleton(path: Path, sign: float, bones: bool) -> fm.Model:
    """Bones and line muscles; the elbow flexes by sign times t from START, the shoulder is fixed.

    With `bones`, their meshes guide the fibers; otherwise the wrap surface of the elbow does.
    """
    shapes = {"contact": BONES} if bones else {}
    source = fm.read_osim(path / FILE, geometry=path / "Geometry", **shapes)
    arm = fm.Model("held_elbow", gravity=(0.0, 0.0, 0.0), ground=source.ground)
    arm.add(*source.bodies[1:])
    for joint in source.joints:
        held = tuple(
            replace(c, value=0.0, forces=(), prescribed=fm.Linear(sign, START))
            if c.name == ELBOW
            else replace(c, value=0.0, forces=(), locked=True)
            for c in joint.coordinates
        )
        arm.add(replace(joint, coordinates=held) if held else joint)
    if not bones:
        shape = fm.shapes_from_wraps(source.muscles, [ROLL])[UPPER]
        roll = arm.add(fm.Body("roll", shapes=shape))
        arm.add(fm.Weld(part(arm.bodies, UPPER), roll))
    arm.add(*source.muscles)
    return arm


def part(items, name: str):
    """The item of that name."""
    return next(one for one in items if one.name == name)


class Bundle:
    """One muscle of arm26 as a bundle at a held elbow; the others are left out.

    Parameters
    ----------
    muscle : str
        Its name in the file.
    guide : {"bones", "wrap"}
        What guides it: meshes of the bones, or the cylinder of the file at the elbow.
    sign : float
        1 flexes the elbow from START, -1 extends it.
    activation, tendon, tension, fibers, elements
        As `run` of elbow_moment_arms.py.
    """

    def __init__(self, muscle, guide, sign, activation, tendon, tension, fibers, elements):
        model = skeleton(folder(), sign, guide == "bones")
        touched = [body for body in model.bodies if body.shapes]
        made = fm.fibers_from_muscle(
            part(model.muscles, muscle),
            fibers,
            model=model,
            n_elements=elements,
            activation=activation,
            specific_tension=tension,
            tendon_radius=tendon,
            proximal=PROXIMAL[muscle],
            smoothing=0.1,
            prestress=0.05,
            bending=0.1,
            bones=touched,
        )
        model.add(*made.fibers)
        model.add(*made.contact(touched, LAW, BONE_LAW, points_per_element=POINTS))
        self.sign, self.model, self.report = sign, model, made.report
        with warnings.catch_warnings():
            # the other line muscles have no fibers
            warnings.simplefilter("ignore", fm.ModelWarning)
            self.system = fm.build(model)
        self.y, self.v = self.system.initial_state()
        self.angle = START

    @property
    def t(self) -> float:
        """Time at which the elbow has its angle [s]."""
        return float(self.sign * (self.angle - START))

    def settle(self, angle: float) -> None:
        """Static equilibrium at an elbow angle [rad], from that at the last one."""
        before, self.angle = self.angle, angle
        try:
            self.y, self.v = fm.equilibrium(self.system, (self.y, self.v), t=self.t)
        except fm.ConvergenceError:  # the bones have moved too far into the fibers
            self.angle = before
            if abs(angle - before) < LEAST_STEP:
                raise
            self.settle(0.5 * (before + angle))
            self.settle(angle)

    def measure(self) -> tuple[float, float, float]:
        """Moment about the elbow [N m], sum of the pulls on the forearm [N], mean length [m].

        The moment is that of the pulls of the fibers on the forearm, and of their contact with its
        bones; it is positive in flexion.
        """
        system = self.system
        now = system.evaluate(self.t, self.y, self.v, 0.0 * self.v, tangent=False)
        wrenches = bone_wrenches(system)
        at = system.moment(self.t, self.y, self.v, now.reactions)
        joint = next(one for one in self.model.joints if one.coordinates[:1] and
                     one.coordinates[0].name == ELBOW)  # fmt: skip
        upper = part(self.model.bodies, UPPER)
        center = at.position(upper.at(joint.at))
        axis = at.position(upper.at(joint.at + joint.axes[0].direction)) - center
        moment = tension = 0.0
        for fiber, reaction in zip(self.model.fibers, now.reactions[1::2], strict=True):
            moment -= axis @ np.cross(at.position(fiber.attach[1]) - center, reaction)
            tension += float(np.linalg.norm(reaction))
        own = system.partners.shape_link == system.tree.frames[LOWER][0]
        force, about_ground = wrenches[own, :3], wrenches[own, 3:]
        moment += (about_ground - np.cross(center, force)).sum(axis=0) @ axis
        length = [history.length[0] for history in at.report.fibers.values()]
        return float(moment), tension, float(np.mean(length))


def sweep(muscle, degrees, **options) -> np.ndarray:
    """Moment, pull and length, (n, 3) as `Bundle.measure`, at increasing elbow angles [degrees]."""
    angles, rows = np.radians(degrees), {}
    for sign in (-1.0, 1.0):
        bundle = Bundle(muscle, sign=sign, **options)
        ahead = sign * (angles - START)
        for k in np.argsort(ahead):
            if ahead[k] > 0.0 or (ahead[k] == 0.0 and sign > 0.0):
                bundle.settle(float(angles[k]))
                rows[int(k)] = bundle.measure()
    return np.array([rows[k] for k in sorted(rows)])

"""The arm of an OpenSim model with its muscles as bundles of fibers: a curl.

Reads `arm26.osim`, with two joints and six muscles, and replaces every muscle by a bundle of
fibers: the lengths of muscle and tendon, the cross-section and the stress follow from the
parameters of the muscle, and the path around the humerus from contact with its mesh. The flexors
lift the forearm, with shoulder and elbow free, and the extensors stop it. The model is not part of
this package: it comes with OpenSim and on https://github.com/opensim-org/opensim-models.
"""

from dataclasses import replace

import numpy as np
from _arm26_file import find

import fibermsk as fm

BONES = {
    "r_humerus": ["arm_r_humerus.vtp"],
    "r_ulna_radius_hand": ["arm_r_ulna.vtp", "arm_r_radius.vtp"],
}
START = {"r_shoulder_elev": 0.0, "r_elbow_flex": 0.7}  # rad
# Chosen for bellies of plausible size: at the 3e5 N/m^2 of measured muscle the forces of this model
# need 1.6 kg of muscle, in an upper arm of 1.9 kg.
SPECIFIC_TENSION = 1.4e6  # N/m^2
# Share of the tendon at the origin: the triceps and the brachialis are fleshy there.
PROXIMAL = {
    "TRIlong": 0.3,
    "TRIlat": 0.2,
    "TRImed": 0.2,
    "BIClong": 0.6,
    "BICshort": 0.6,
    "BRA": 0.2,
}
# The long head of the biceps keeps its path over the head of the humerus.
SMOOTHING = {"BIClong": 0.04}
# The mesh of the humerus has no groove that would guide this tendon: its inner wall, from the third
# to the fifth path point, 13 mm towards the body.
WALL = fm.Capsule((0.0213, 0.0179, -0.0027), (0.0135, -0.0283, -0.0116), 0.007)
LAW = fm.PenaltyContact(stiffness=2000.0, limit=3.0)
# Contact points per element: with five, tendons slip past edges of bones between two.
POINTS = 9
BONE_LAW = fm.PenaltyContact(stiffness=4000.0, limit=8.0)


def rise(x):
    """Smooth step from 0 to 1 over x in [0, 1]."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


class Curl:
    """Activation of the flexors: rise, plateau, and fall."""

    def __init__(self, peak):
        self.peak = peak

    def __call__(self, t):
        """Activation at time t [s]."""
        return 0.02 + self.peak * rise(t / 0.15) * (1.0 - rise((t - 0.25) / 0.2))


def brake(t):
    """Activation of the extensors: a late pulse against the flexion."""
    return 0.02 + 0.06 * rise((t - 0.3) / 0.15) * (1.0 - rise((t - 0.6) / 0.2))


def holding(coordinate):
    """Damping of a joint, and limits of its range if the file has one."""
    forces = [fm.Damper(0.2)]
    if coordinate.lower is not None and coordinate.upper is not None:
        limit = fm.SmoothLimit(coordinate.lower, coordinate.upper, 20.0, 20.0, 0.5, 0.1)
        forces.append(limit)
    return forces


def skeleton(path, geometry):
    """Bones, joints and line muscles of the file, with enforced ranges of motion."""
    source = fm.read_osim(path, geometry=geometry, contact=BONES)
    arm = fm.Model("arm26_fibers", gravity=source.gravity, ground=source.ground)
    arm.add(*source.bodies[1:])
    for joint in source.joints:
        held = [
            replace(c, value=START.get(c.name, c.value), forces=holding(c))
            for c in joint.coordinates
        ]
        arm.add(replace(joint, coordinates=tuple(held)) if held else joint)
    humerus = next(body for body in arm.bodies if body.name == "r_humerus")
    wall = arm.add(fm.Body("groove", shapes=WALL))
    arm.add(fm.Weld(humerus, wall), *source.muscles)
    return arm


def scene(
    model: str = "",
    geometry: str = "",
    fibers: int = 3,
    elements: int = 8,
    steps: int = 100,
    duration: float = 1.0,
    peak: float = 0.16,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    model : str
        Path of arm26.osim; by default it is searched in the folder FIBERMSK_MODELS.
    geometry : str
        Folder of its meshes; by default Geometry beside the model.
    fibers : int
        Fibers of each muscle.
    elements : int
        Finite elements of each fiber.
    steps : int
        Time steps.
    duration : float
        Simulated time [s].
    peak : float
        Largest activation of the flexors, in addition to the resting one.
    """
    arm = skeleton(*find("arm26_fibers", model, geometry))
    bones = [body for body in arm.bodies if body.name in BONES]
    groove = next(body for body in arm.bodies if body.name == "groove")
    for muscle in arm.muscles:
        touched = [*bones, groove] if muscle.name == "BIClong" else bones
        bundle = fm.fibers_from_muscle(
            muscle,
            fibers,
            model=arm,
            n_elements=elements,
            activation=brake if muscle.name.startswith("TRI") else Curl(peak),
            specific_tension=SPECIFIC_TENSION,
            proximal=PROXIMAL.get(muscle.name, 0.5),
            smoothing=SMOOTHING.get(muscle.name, 0.1),
            # with less tension or damping the lightly activated flexors overshoot and become slack
            prestress=0.08,
            damping=0.35,
            bending=0.1,
            bones=touched,
        )
        # paths of different muscles of this model share points, so that only the fibers of one
        # muscle are in contact
        contacts = bundle.contact(touched, LAW, BONE_LAW, points_per_element=POINTS)
        arm.add(*bundle.fibers, *contacts)
    # equal steps of backward Euler, as for the numbers in the documentation
    return fm.Scene(arm, duration=duration, steps=steps, method="backward_euler", tolerance=0.0)


if __name__ == "__main__":
    fm.run_scene(scene)

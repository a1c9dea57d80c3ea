"""Both arms are moved to new poses with the least torques, by optimal control.

A torso that is fixed, and two arms of four bodies: a spherical shoulder, hinges at elbow and wrist,
and one along the forearm. From rest to rest in a second, with torques at all joints that are
weighed by their largest values, and damping. After Penner and others, optimal control of
musculoskeletal models by discrete mechanics (DMOCC); all numbers are chosen.

New here: torques as controls, also of a spherical joint, and several starts.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import fibermsk as fm

BODIES = {
    "humerus": (2.1, (0.0, 0.0, -0.13), (0.0150, 0.0150, 0.0025), 0.29),
    "ulna": (0.7, (0.0, 0.0, -0.11), (0.0040, 0.0040, 0.0005), 0.24),
    "radius": (0.5, (0.01, 0.0, -0.13), (0.0030, 0.0030, 0.0004), 0.24),
    "hand": (0.45, (0.0, 0.0, -0.07), (0.0010, 0.0008, 0.0003), 0.16),
}
"""Mass [kg], center of mass [m], inertia [kg m^2] and length [m]."""
DAMPING = {"shoulder": 1.0, "elbow": 0.6, "forearm": 0.05, "wrist": 0.1}
"""[N m s/rad]"""
LARGEST = {"shoulder": 50.0, "elbow": 40.0, "forearm": 10.0, "wrist": 8.0}
"""Largest torques [N m]."""
START = 0.0, 0.1, 0.0, 0.5, 0.0, 0.0
ENDS = {"right": (1.2, 0.4, 0.3, 0.9, 0.8, -0.3), "left": (0.6, 0.8, -0.2, 1.8, 0.5, 0.4)}
"""Flexion, abduction and axial rotation of the shoulder, elbow, forearm and wrist [rad]."""
SIDES = {"right": -1.0, "left": 1.0}


def shoulder(side: float, flexion: float, abduction: float, axial: float) -> np.ndarray:
    """Rotation of an upper arm in the torso."""
    vectors = (0, -flexion, 0), (side * abduction, 0, 0), (0, 0, -side * axial)
    turns = [Rotation.from_rotvec(one) for one in vectors]
    return (turns[0] * turns[1] * turns[2]).as_matrix()


def arms(gravity=(0.0, 0.0, -9.81), turned=None) -> fm.Model:
    """Describe the torso with both arms, perhaps turned as a whole."""
    model = fm.Model("upper_body", gravity=gravity)
    torso = model.add(
        fm.Body(
            "torso", 33.0, (0.0, 0.0, 0.25), (1.0, 0.8, 0.35),
            shapes=fm.Capsule((0.0, 0.0, 0.05), (0.0, 0.0, 0.37), 0.1),
        )
    )  # fmt: skip
    model.add(fm.Weld(model.ground, torso, rotation=np.eye(3) if turned is None else turned))
    for name, s in SIDES.items():
        bodies = [
            model.add(
                fm.Body(
                    f"{part}_{name}", *numbers[:3],
                    shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, 0.0, -numbers[3]), 0.02),
                )
            )
            for part, numbers in BODIES.items()
        ]  # fmt: skip
        ball = model.add(fm.Spherical(f"shoulder_{name}", torso, bodies[0], (0.0, 0.19 * s, 0.42)))
        model.add(fm.JointTorque(f"shoulder_{name}_damping", ball, damping=DAMPING["shoulder"]))
        hinges = {
            "elbow": ((0.0, 0.0, -0.29), (0, -1, 0)),
            "forearm": ((0.0, 0.0, -0.02), (0, 0, -s)),
            "wrist": ((0.0, 0.0, -0.24), (-s, 0, 0)),
        }
        for k, (part, (at, axis)) in enumerate(hinges.items()):
            own = fm.Coordinate(f"{part}_{name}", forces=[fm.Damper(DAMPING[part])])
            joint = f"{part}_joint_{name}"
            model.add(fm.Hinge(joint, bodies[k], bodies[k + 1], at, axis, coordinate=own))
    return model


def pose(right, left) -> fm.EndState:
    """Both arms at rest."""
    angles, turns = {}, {}
    for name, values in (("right", right), ("left", left)):
        turns[f"shoulder_{name}"] = shoulder(SIDES[name], *values[:3])
        parts = zip(("elbow", "forearm", "wrist"), values[3:], strict=True)
        angles |= {f"{part}_{name}": value for part, value in parts}
    return fm.AtRest(angles, rotations=turns)


def scene(steps: int = 50, duration: float = 1.0) -> fm.OptimalControl:
    """Describe the problem.

    Parameters
    ----------
    steps : int
        Number of intervals.
    duration : float
        Duration of the motion [s].
    """
    return fm.OptimalControl(
        arms(),
        duration=duration,
        steps=steps,
        controls=fm.Torques(
            {f"{part}_{name}": value for name in SIDES for part, value in LARGEST.items()}
        ),
        objective=fm.Effort(),
        start=pose(START, START),
        end=pose(ENDS["right"], ENDS["left"]),
    )


if __name__ == "__main__":
    fm.run_scene(scene)

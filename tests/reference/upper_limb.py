"""The upper limb of G 5.4 (Table 4, eqs. 77-78) as plain data.

Numbers the paper does not give or that cannot be right are set as in the project's model statement:
r0 = 6 mm, the attachment points, eta = 1e4 N s/m^2, prestress in kN/m^2, an elbow damping.
"""

from dataclasses import dataclass

import numpy as np

from .cable import straight_cable

ELBOW = np.array([0.0, 0.0, -0.351])
FOREARM_LENGTH, RADIUS, FOREARM_MASS = 0.287, 0.035, 1.5
UPPER_ARM, FOREARM = 0, 1


@dataclass
class System:
    """Coupled fibers and bodies; see `upper_limb` for the meaning of the entries."""

    names: list
    cables: list
    ends: list
    activations: list
    bodies: list
    bones: list
    fiber_law: tuple
    bone_law: tuple
    gravity: np.ndarray
    points: int = 5


def bump(theta):
    """16 (1 - theta)^2 theta^2, the muscle fraction of G 77."""
    return 16.0 * (1.0 - theta) ** 2 * theta**2


def radius(theta):
    """Give the reference radius [m], G 77 with r0 = 6 mm."""
    return 0.006 * (1.0 + bump(theta))


def activation_biceps(t):
    """G 78."""
    return 0.0704 * np.tanh(np.pi * t) + 0.0608 * np.sin(np.pi * t)


def activation_triceps(t):
    """G 78."""
    return 0.008 * (1.0 - np.cos(np.pi * t))


def tissue(S_max, prestress):
    """Table 4a; only S_max and the prestress differ between biceps and triceps."""
    return {
        "density": 900.0,
        "mu_M": 2e4,
        "mu_T": 1e6,
        "eta_M": 1e4,
        "eta_T": 1e4,
        "S_max": S_max,
        "lambda_opt": 1.3,
        "width": 0.3,
        "nu": 4.0,
        "prestress": prestress,
        "quadrature": 5,
    }


def upper_limb(n_e):
    """Build the model with `n_e` elements per fiber.

    Returns
    -------
    system : System
        cables: biceps 1, 2, triceps 1, 2, 3; ends: per cable two (body, point in the body);
        activations: per cable t -> alpha; bodies: see `rigid`, the upper arm welded to ground and
        the forearm with its origin at the elbow; bones: dicts of `contact.bone_contact` with the
        points in the axes of bone['body']; fiber_law, bone_law: (kappa, gamma), every fiber with
        every other fiber and every bone.
    """
    biceps, triceps = tissue(4.2e7, 32.7e3), tissue(1.4e7, 16e3)
    plan = [
        (f"biceps_{k + 1}", (0.05, y, -0.01), (0.045, y, -0.045), biceps, activation_biceps)
        for k, y in enumerate((-0.013, 0.013))
    ] + [
        (f"triceps_{k + 1}", (-0.05, y, -0.02), (-0.05, y, -0.03), triceps, activation_triceps)
        for k, y in enumerate((-0.026, 0.0, 0.026))
    ]
    cables = [
        straight_cable(origin, ELBOW + insertion, n_e, radius, bump, params)
        for _, origin, insertion, params, _ in plan
    ]
    across = FOREARM_MASS * (3.0 * RADIUS**2 + FOREARM_LENGTH**2) / 12.0
    joint = {"child_at": np.zeros(3), "rotation": np.eye(3)}
    bodies = [
        {
            **joint,
            "parent": -1,
            "at": np.zeros(3),
            "axis": None,
            "mass": 1.92,
            "com": 0.5 * ELBOW,
            "inertia": np.zeros((3, 3)),  # never moves
        },
        {
            **joint,
            "parent": UPPER_ARM,
            "at": ELBOW,
            "axis": np.array([0.0, -1.0, 0.0]),  # q > 0 moves the hand to +x
            "mass": FOREARM_MASS,
            "com": np.array([0.0, 0.0, -0.5 * FOREARM_LENGTH]),
            "inertia": np.diag([across, across, 0.5 * FOREARM_MASS * RADIUS**2]),
            "damping": 0.2,
        },
    ]
    tip = np.array([0.0, 0.0, -FOREARM_LENGTH])
    y = np.array([0.0, 1.0, 0.0])
    bones = [
        {"name": "upper_arm", "body": UPPER_ARM, "kind": "capsule", "a": np.zeros(3), "b": ELBOW},
        {"name": "forearm", "body": FOREARM, "kind": "capsule", "a": np.zeros(3), "b": tip},
        {
            "name": "wrapping",
            "body": UPPER_ARM,
            "kind": "infinite_cylinder",
            "a": ELBOW,
            "b": ELBOW + y,
        },
    ]
    return System(
        names=[row[0] for row in plan],
        cables=cables,
        ends=[((UPPER_ARM, np.array(row[1])), (FOREARM, np.array(row[2]))) for row in plan],
        activations=[row[4] for row in plan],
        bodies=bodies,
        bones=[{**bone, "radius": RADIUS} for bone in bones],
        fiber_law=(768.0, 3.0),
        bone_law=(768.0, 4.0),
        gravity=np.array([0.0, 0.0, -9.81]),
    )

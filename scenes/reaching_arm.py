"""A three-dimensional arm with muscles that have mass reaches a target.

An arm like that of Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022),
section 4.7: a shoulder with three axes, a hinge at the elbow, three heads of the deltoid over a
sphere-capped cylinder on the upper arm, two heads of the triceps over a cylinder at the elbow, and
two flexors. The hand is to be at a target after 0.6 s, slowly: by constant torques on the bones,
and by the excitations of the seven muscles, with activation dynamics.

New here: the same task by torques and by muscles, both by derivatives of the run.
"""

import numpy as np
from scipy.optimize import minimize

import fibermsk as fm

UPPER, FORE = 0.30, 0.27
"""Lengths of the bones [m]."""
TARGET = np.array([0.36, -0.12, 0.16])
SLOW, EFFORT = 0.01, 2e-4
"""Weights of squared speeds of the hand [s^2], and of squared excitations [m^2]."""
KNOTS = 4
"""Of each excitation."""
MUSCLES = {
    "deltoid_anterior": (550.0, 0.11, 0.05),
    "deltoid_middle": (550.0, 0.11, 0.05),
    "deltoid_posterior": (300.0, 0.08, 0.05),
    "triceps_long": (400.0, 0.13, 0.16),
    "triceps_medial": (300.0, 0.11, 0.09),
    "biceps": (450.0, 0.12, 0.21),
    "brachialis": (500.0, 0.09, 0.08),
}
"""Largest force [N], length of fibers and of tendon [m]."""
OVER_HEAD = "deltoid_anterior", "deltoid_middle", "deltoid_posterior"
FOUND = {
    "torques": (0.624, -1.521, 3.397, 1.646),
    "muscles": {
        "deltoid_anterior": (0.031, 0.18, 0.346, 0.23),
        "deltoid_middle": (0.006, 0.18, 0.349, 0.014),
        "deltoid_posterior": (0.052, 0.064, 0.104, 0.176),
        "triceps_long": (0.149, 0.001, 0.0, 0.018),
        "triceps_medial": (0.034, 0.077, 0.362, 0.018),
        "biceps": (0.066, 0.519, 0.817, 0.31),
        "brachialis": (0.128, 0.338, 0.502, 0.196),
    },
}
"""Torques on upper arm (three) and forearm [N m], and knots of the excitations, that `reach` found.
"""
RESTING = 0.05
"""Excitation from which `reach` starts."""
DENSITY, SPECIFIC = 1060.0, 3.0e5
"""Of muscle [kg/m^3], and its force over its area [N/m^2]."""


def _bones():
    """Model with bones and joints; upper arm and forearm."""
    model = fm.Model("reaching_arm", gravity=(0.0, -9.81, 0.0))
    upper = model.add(
        fm.Body(
            "upper_arm", 1.6, (0.0, -0.14, 0.0), (0.012, 0.002, 0.012),
            shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, -UPPER, 0.0), 0.018),
        )
    )  # fmt: skip
    fore = model.add(
        fm.Body(
            "forearm", 1.3, (0.0, -0.13, 0.0), (0.009, 0.001, 0.009),
            shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, -FORE, 0.0), 0.015),
        )
    )  # fmt: skip

    def coordinate(name, value, damping, *limits):
        limit = fm.SmoothLimit(
            *limits, lower_stiffness=400.0, upper_stiffness=400.0, damping=2.0, transition=0.1
        )
        return fm.Coordinate(name, "rotation", value, forces=[fm.Damper(damping), limit])

    # ligaments, without which trials of a search leave the range of the networks
    shoulder = [
        coordinate("flexion", 0.1, 0.6, -0.3, 1.2),
        coordinate("abduction", 0.15, 0.6, -0.2, 1.0),
        coordinate("rotation", 0.0, 0.1, -0.5, 0.6),
    ]
    directions = (0, 0, 1), (-1, 0, 0), (0, 1, 0)
    axes = [
        fm.Axis("rotation", way, one.name) for way, one in zip(directions, shoulder, strict=True)
    ]
    model.add(fm.FunctionalJoint("shoulder", model.ground, upper, shoulder, axes))
    elbow = coordinate("elbow", 0.4, 0.2, 0.0, 2.4)
    at = (0.0, -UPPER, 0.0)
    model.add(fm.Hinge("elbow_joint", upper, fore, at, (0, 0, 1), coordinate=elbow))
    return model, upper, fore


def _paths(model, upper, fore):
    """Path points and wrap surfaces of each muscle."""
    # axis y of the bone is axis z of the capped cylinder
    along = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    head = fm.WrapCappedCylinder("head", upper, rotation=along, radius=0.028)
    cylinder = fm.WrapCylinder("elbow", upper, (0.0, -UPPER, 0.0), radius=0.022)
    over, behind = [fm.PathWrap(head)], [fm.PathWrap(cylinder, side=1)]
    ground, olecranon = model.ground, fore.at(-0.024, 0.012, 0.0)
    return {
        "deltoid_anterior": (ground.at(0.049, 0.028, -0.019), upper.at(0.002, -0.12, 0.038), over),
        "deltoid_middle": (ground.at(-0.018, 0.038, 0.05), upper.at(0.031, -0.12, 0.019), over),
        "deltoid_posterior": (
            ground.at(-0.052, -0.028, -0.022),
            upper.at(-0.01, -0.12, 0.037),
            over,
        ),
        "triceps_long": (ground.at(-0.04, -0.02, 0.0), olecranon, behind),
        "triceps_medial": (upper.at(-0.024, -0.12, 0.0), olecranon, behind),
        "biceps": (ground.at(0.035, 0.01, 0.0), fore.at(0.018, -0.04, 0.0), []),
        "brachialis": (upper.at(0.02, -0.15, 0.0), fore.at(0.018, -0.035, 0.0), []),
    }


def scene(
    drive: str = "muscles",
    found: bool = True,
    steps: int = 60,
    duration: float = 0.6,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    drive : {"torques", "muscles"}
        What moves the arm.
    found : bool
        Whether torques or excitations are those that `reach` found; else none, or constant ones.
    steps : int
        Time steps, and frames.
    duration : float
        Time to reach the target [s].
    """
    model, upper, fore = _bones()
    times = np.linspace(0.0, duration, KNOTS)
    for name, (origin, insertion, wraps) in _paths(model, upper, fore).items():
        force, fibers, tendon = MUSCLES[name]
        mass = fm.MuscleMass(
            DENSITY * force * fibers / SPECIFIC,
            wrapping="network" if name in OVER_HEAD else "blend",
        )
        own = {}
        if drive == "muscles":
            knots = FOUND["muscles"][name] if found else np.full(KNOTS, RESTING)
            activation = fm.ActivationDynamics(fm.Table(times, knots), start=RESTING)
            own = {"law": fm.HillLaw(), "activation": activation}
        points = [fm.PathPoint("origin", origin), fm.PathPoint("insertion", insertion)]
        numbers = {
            "max_isometric_force": force, "optimal_fiber_length": fibers,
            "tendon_slack_length": tendon,
        }  # fmt: skip
        model.add(fm.LineMuscle(name, points, wraps=wraps, mass=mass, **numbers, **own))
    if drive == "torques":
        x, y, z, elbow = FOUND["torques"] if found else np.zeros(4)
        for name, body, torque in (("shoulder", upper, (x, y, z)), ("elbow", fore, (0, 0, elbow))):
            model.add(fm.ExternalForce(f"{name}_torque", body, torque=torque, frame="body"))
    own = {"method": "sdirk2", "tolerance": 0.0}
    return fm.Scene(model, duration=duration, steps=steps, **own)


def aim(model: fm.Model) -> fm.Objective:
    """Squared distance of the hand from the target and squared speeds of the joints, at the end."""
    names = "flexion", "abduction", "rotation", "elbow"
    return fm.Objective(
        lambda time, x, **speeds: (
            ((x[-1] - TARGET) ** 2).sum() + SLOW * sum(one[-1] ** 2 for one in speeds.values())
        ),
        {"x": model.body("forearm").at(0.0, -FORE, 0.0)}
        | {f"v{k}": f"{name}/speed" for k, name in enumerate(names)},
    )


PARAMETERS = {
    "torques": [*(f"shoulder_torque/torque/{axis}" for axis in "xyz"), "elbow_torque/torque/z"],
    "muscles": ["*/activation/excitation/knots"],
}


def task(drive: str, **settings):
    """Objective with its gradient, start, bounds, and the problem that counts its runs."""
    made = scene(drive=drive, found=False, **settings)
    run = fm.Simulation.of_scene(made)
    wanted = PARAMETERS[drive]
    n = 4 if drive == "torques" else KNOTS * len(MUSCLES)
    problem = fm.GradientProblem(run, aim(made.model), wanted, scales=np.ones(n))
    effort = EFFORT if drive == "muscles" else 0.0

    def both(x):
        value, slope = problem(x)
        return value + effort * (x**2).mean(), slope + 2.0 * effort * x / x.size

    bounds = [(-10.0, 10.0)] * n if drive == "torques" else problem.bounds
    return both, problem.start, bounds, problem


def reach(drive: str = "torques", iterations: int = 60, **settings):
    """Numbers that reach the target, by L-BFGS-B; solution, and the problem."""
    both, start, bounds, problem = task(drive, **settings)
    options = {"maxiter": iterations, "gtol": 1e-6, "ftol": 1e-12}
    found = minimize(both, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return found, problem


if __name__ == "__main__":
    for kind in FOUND:
        found, problem = reach(kind)
        print(f"{kind}: objective {found.fun:.4g} after {problem.runs} runs")

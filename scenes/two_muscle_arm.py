"""A forearm is lifted by biceps and triceps with the least excitation, by optimal control.

The upper arm is fixed, the forearm a hinge that two Hill muscles with rigid tendons move, each
around a cylinder. From rest at 0.3 rad it comes to rest at 1.7 rad after 0.6 s. The activations at
the start are those of the least sum of squares that hold it. After Penner and others, optimal
control of musculoskeletal models by discrete mechanics (DMOCC); all numbers are chosen.

New here: `fm.OptimalControl`: the controls are found, and the model is then simulated with them.
"""

import numpy as np

import fibermsk as fm

ELBOW = np.array([0.0, 0.0, -0.351])
"""Center of the elbow in ground [m]."""
RADIUS = 0.025
"""Of both cylinders [m]."""
MUSCLES = {
    "biceps": (300.0, 0.130, 0.205, 0.0),
    "triceps": (250.0, 0.100, 0.245, 0.15),
}
"""Largest force [N], lengths of fibers and tendon [m], and pennation angle [rad]."""
PATHS = {
    "biceps": ((0.030, 0.0, 0.300), (0.025, 0.0, 0.060), 1, (0.010, 0.005, -0.045)),
    "triceps": ((-0.025, 0.0, 0.280), (0.004, 0.0, 0.006), -1, (-0.020, -0.005, -0.030)),
}
"""Origin, center of the cylinder and side about +y, and insertion on the forearm, from the elbow at
zero angle [m]."""
RANGE = 0.1, 1.9
"""Of the elbow [rad]: there both muscles touch their cylinders."""


def arm() -> fm.Model:
    """Describe the forearm with its muscles."""
    model = fm.Model("two_muscle_arm", gravity=(0.0, 0.0, -9.81))
    upper = model.add(fm.Body("upper_arm", shapes=fm.Capsule((0.0, 0.0, 0.0), ELBOW, 0.018)))
    model.add(fm.Weld(model.ground, upper))
    forearm = model.add(
        fm.Body(
            "forearm", 1.5, (0.0, 0.0, -0.1435), (0.01075553125, 0.01075553125, 0.00091875),
            shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, 0.0, -0.28), 0.018),
        )
    )  # fmt: skip
    elbow = fm.Coordinate("elbow", "rotation", 0.3)
    model.add(fm.Hinge("elbow_joint", upper, forearm, ELBOW, (0, -1, 0), coordinate=elbow))
    # axis z of a cylinder along y of the ground
    axes = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    for name, (force, fibers, tendon, pennation) in MUSCLES.items():
        origin, center, side, insertion = PATHS[name]
        cylinder = fm.WrapCylinder(
            f"{name}_cylinder", upper, ELBOW + center, axes, radius=RADIUS, length=0.2
        )
        points = [
            fm.PathPoint("origin", upper.at(ELBOW + origin)),
            fm.PathPoint("insertion", forearm.at(insertion)),
        ]
        model.add(
            fm.LineMuscle(
                name, points, wraps=[fm.PathWrap(cylinder, side=side)],
                max_isometric_force=force, optimal_fiber_length=fibers, tendon_slack_length=tendon,
                pennation_angle=pennation, max_contraction_velocity=10.0,
                law=fm.HillLaw(tendon="rigid", damping=0.1),
                activation=fm.ActivationDynamics(0.0, fm.SmoothActivation(sharpness=0.1)),
            )
        )  # fmt: skip
    return model


def paths(path: str, nodes: int) -> fm.DiscretePaths | None:
    """How the paths of the muscles are described, by name."""
    if path not in ("exact", "discrete"):
        raise fm.ModelError(f'path = {path!r}; must be "exact" or "discrete"')
    return fm.DiscretePaths(nodes) if path == "discrete" else None


def scene(
    steps: int = 50, duration: float = 0.6, path: str = "exact", path_nodes: int = 20
) -> fm.OptimalControl:
    """Describe the problem.

    Parameters
    ----------
    steps : int
        Number of intervals.
    duration : float
        Duration of the motion [s].
    path : {"exact", "discrete"}
        Paths of the muscles: exact geodesics, or nodes around the cylinders that are unknowns.
    path_nodes : int
        Number of intervals of these around each cylinder.
    """
    return fm.OptimalControl(
        arm(),
        duration=duration,
        steps=steps,
        controls=fm.Excitations(),
        objective=fm.Effort(),
        start=fm.AtRest(elbow=0.3, activations="hold"),
        end=fm.AtRest(elbow=1.7),
        path=[fm.Range("elbow", *RANGE)],
        muscle_paths=paths(path, path_nodes),
    )


if __name__ == "__main__":
    fm.run_scene(scene)

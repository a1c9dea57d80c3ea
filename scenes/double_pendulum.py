"""A double pendulum with a muscle of 1 kg: straight, through a via point, or around a cylinder.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), Figs. 4, 7 and 8:
two bones of 1 kg and a muscle as heavy as each, without force, released at rest. Its mass moves
with its path: between its ends (``muscle=I``), through a via point of the first bone (II), or
around a cylinder at the second hinge (III), where it lifts off and touches again. With
``muscle=group`` it is divided among cylinders of many radii, which their parts touch one by one.

New here: line muscles with mass. The energy of a continuous mass is kept to the order of the time
integrator. That of mass points (``mass=points``) jumps whenever one passes the via point, whatever
the time step. If the path of type III switches between wrapped and straight (``wrapping=switch``),
steps end there and the velocities are refracted.
"""

import numpy as np

import fibermsk as fm

LENGTH = 0.3
RADIUS, CENTER = 0.04, (0.0, -LENGTH, 0.0)
PATHS = {
    "I": ((None, (0.04, 0.06, 0.0)), ("second", (0.04, -0.16, 0.0))),
    "II": (
        (None, (0.04, 0.06, 0.0)),
        ("first", (0.04, -0.20, 0.0)),
        ("second", (0.04, -0.16, 0.0)),
    ),
    "III": ((None, (0.10, 0.05, -0.02)), ("second", (0.03, -0.15, 0.02))),
}
PATHS["group"] = PATHS["III"]
START = {"I": (0.8, 0.5), "II": (0.8, 0.5), "III": (1.2, -0.9), "group": (1.2, -0.9)}
RADII = 0.02, 0.06  # of the cylinders of a group [m]
UNCROSSED = tuple(0.04 * k for k in (*range(1, 11), *range(15, 25)))
"""Fractions of mass points of type II, none of which passes the via point."""


def scene(
    muscle: str = "II",
    mass: str = "continuous",
    points: int = 20,
    wrapping: str = "blend",
    blend: float = 0.15,
    muscle_mass: float = 1.0,
    cylinders: int = 5,
    steps: int = 500,
    duration: float = 5.0,
    tolerance: float = 1e-7,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    muscle : {"I", "II", "III", "group"}
        Straight, with a via point, around a cylinder, or in parts around several cylinders.
    mass : {"continuous", "points", "uncrossed"}
        Continuous, even mass points, or 20 points of type II that never pass the via point.
    points : int
        Number of mass points, with mass=points.
    wrapping : {"blend", "switch", "network"}
        Path where it touches or leaves the cylinder, for type III: a mean of wrapped and straight,
        exact, or by a network.
    blend : float
        Wrap angle up to which the path is a mean of wrapped and straight [rad]; for type III.
    muscle_mass : float
        Mass of the muscle [kg]; without it, the pendulum is that of the bones.
    cylinders : int
        Number of cylinders of a group, two or more.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    tolerance : float
        Relative tolerance of the time steps, also of speeds: a path that touches or leaves the
        cylinder accelerates its mass strongly for a moment.
    """
    for field, value, known in (
        ("muscle", muscle, tuple(PATHS)),
        ("mass", mass, ("continuous", "points", "uncrossed")),
        ("wrapping", wrapping, ("blend", "switch", "network")),
    ):
        if value not in known:
            raise fm.ModelError(
                f"double_pendulum: {field} = {value!r}; must be one of {', '.join(known)}"
            )
    if cylinders < 2:
        raise fm.ModelError(f"double_pendulum: cylinders = {cylinders}; must be 2 or more")
    if mass == "uncrossed" and muscle != "II":
        raise fm.ModelError(
            f"double_pendulum: mass = 'uncrossed' with muscle = {muscle!r}; must be 'continuous' "
            "or 'points': only the path of muscle II has a via point that points may not cross"
        )
    if wrapping == "network" and muscle == "group":
        raise fm.ModelError(
            "double_pendulum: wrapping = 'network' with muscle = 'group'; must be 'blend' or "
            "'switch': its origin is more than 12 radii from the smallest cylinder, outside the "
            "range of the network"
        )
    wrapped = muscle in ("III", "group")
    radii = np.linspace(*RADII, cylinders) if muscle == "group" else [RADIUS]
    model = fm.Model("double_pendulum", gravity=(0.0, -9.81, 0.0))
    bones = {None: model.ground}
    below, inertia = model.ground, LENGTH**2 / 12.0
    for name, joint, at, value in zip(
        ("first", "second"), ("q1", "q2"), (0.0, -LENGTH), START[muscle], strict=True
    ):
        shapes = [fm.Capsule((0.0, 0.0, 0.0), (0.0, -LENGTH, 0.0), 0.01)]
        if wrapped and name == "first":
            ends = [(0.0, -LENGTH, z) for z in (-0.03, 0.03)]
            shapes.append(fm.Capsule(*ends, radii[-1]))
        bone = model.add(
            fm.Body(
                name,
                mass=1.0,
                com=(0.0, -0.5 * LENGTH, 0.0),
                inertia=(inertia, 1e-4, inertia),
                shapes=tuple(shapes),
            )
        )
        model.add(fm.Hinge(joint, below, bone, (0.0, at, 0.0), (0.0, 0.0, 1.0), value=value))
        bones[name] = below = bone
    way = wrapping if wrapped else "blend"
    places = {"continuous": None, "points": points, "uncrossed": UNCROSSED}[mass]
    for k, radius in enumerate(radii, 1):
        end = f"_{k}" if muscle == "group" else ""
        path = [
            fm.PathPoint(f"muscle{end}_{j}", bones[name].at(point))
            for j, (name, point) in enumerate(PATHS[muscle], 1)
        ]
        wraps = []
        if wrapped:
            cylinder = fm.WrapCylinder(
                f"cylinder{end}", bones["first"], CENTER, radius=radius, length=0.1
            )
            wraps = [fm.PathWrap(cylinder, side=-1)]
        own = muscle_mass / len(radii)
        model.add(
            fm.LineMuscle(
                f"muscle{end}",
                path,
                wraps=wraps,
                max_isometric_force=100.0,
                optimal_fiber_length=0.3,
                tendon_slack_length=0.1,
                mass=fm.MuscleMass(own, points=places, wrapping=way, blend=blend),
            )
        )
    return fm.Scene(
        model,
        duration=duration,
        steps=steps,
        method="sdirk4",
        tolerance=tolerance,
        rate_tolerance=tolerance or None,
    )


if __name__ == "__main__":
    result = fm.run_scene(scene)
    print(f"hinges at the end: {np.round([result.coordinate(q)[-1] for q in ('q1', 'q2')], 4)}")

"""A knee with a moving center: a shank swings on a spline joint, with the mass of its muscle.

The shank's rotation and both translations are functions of one angle: the knee of the gait10 model,
natural cubic splines through its points, as in Wang, Verheul, Yeo, Kalantari and Sueda, ACM
Transactions on Graphics 41 (2022), section 4.6. A single muscle of 0.6 kg, an undamped fiber with
mass and elasticity, hangs behind the joint. Released from a flexed position at rest, the shank
swings under gravity. Energy is conserved to the order of the time integrator; ``joint=hinge`` fixes
the center at the spline's position at zero, and the swing differs (both are tested).

``muscle=line`` is a line muscle with the same mass and no force, and ``muscle=hill`` one with the
force of a Hill muscle too, whose excitation raises the shank again after it has swung down.
"""

import numpy as np

import fibermsk as fm

# Knee angle [rad] and position of the shank in the thigh [m]; straight is 0, bent is negative.
X = (
    (-2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, -0.174533, 0.197344, 0.337395)
    + (0.490178, 1.52146, 2.0944),
    (-0.0032, 0.00179, 0.00411, 0.0041, 0.00212, -0.001, -0.0031, -0.005227, -0.005435)
    + (-0.005574, -0.005435, -0.00525),
)
Y = (
    (-2.0944, -1.22173, -0.523599, -0.349066, -0.174533, 0.159149, 2.0944),
    (-0.4226, -0.4082, -0.399, -0.3976, -0.3966, -0.395264, -0.396),
)
ORIGIN, INSERTION, MUSCLE_MASS = (-0.03, -0.02, 0.0), (-0.03, -0.06, 0.0), 0.6
START = -1.6
HILL = {"max_isometric_force": 800.0, "optimal_fiber_length": 0.11, "tendon_slack_length": 0.31}
PULL, BEGIN, END = 0.5, 0.2, 0.6  # excitation, and when it rises and falls [s]


def knee(joint, thigh, shank):
    """Joint of the knee, with the coordinate ``knee``."""
    x, y = fm.NaturalSpline(*X), fm.NaturalSpline(*Y)
    if joint == "hinge":
        at = float(x(0.0)), float(y(0.0)), 0.0
        return fm.Hinge("knee", thigh, shank, at=at, axis=(0, 0, 1), value=START)
    axes = (
        fm.Axis("translation", (1, 0, 0), [("knee", x)]),
        fm.Axis("translation", (0, 1, 0), [("knee", y)]),
        fm.Axis("rotation", (0, 0, 1), "knee"),
    )
    return fm.FunctionalJoint("knee", thigh, shank, fm.Coordinate("knee", value=START), axes)


def scene(
    joint: str = "spline",
    elements: int = 8,
    steps: int = 500,
    duration: float = 1.0,
    muscle_mass: float = MUSCLE_MASS,
    shear_modulus: float = 2.0e4,
    prestress: float = 2.0e4,
    viscosity: float = 0.0,
    muscle: str = "fiber",
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    joint : {"spline", "hinge"}
        Whether the joint's center moves with the angle, or is fixed at its position at zero.
    elements : int
        Finite elements of the muscle.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    muscle_mass : float
        Mass of the muscle [kg].
    shear_modulus, prestress : float
        Shear modulus of the muscle, and prestress that keeps it taut [N/m^2].
    viscosity : float
        Viscosity of the muscle [N s/m^2]; without it energy is conserved.
    muscle : {"fiber", "line", "hill"}
        An elastic fiber, a line with mass and no force, or one with the force of a Hill muscle.
    """
    if muscle not in ("fiber", "line", "hill"):
        raise fm.ModelError(f"muscle = {muscle!r}; must be 'fiber', 'line' or 'hill'")
    if joint not in ("spline", "hinge"):
        raise fm.ModelError(f"joint = {joint!r}; must be 'spline' or 'hinge'")
    model = fm.Model("spline_knee", gravity=(0.0, -9.81, 0.0))
    bone = 0.012
    thigh = model.add(fm.Body("thigh", shapes=fm.Capsule((0, 0, 0), (0, -0.38, 0), bone)))
    shank = model.add(
        fm.Body(
            "shank",
            mass=3.5,
            com=(0.0, -0.187, 0.0),
            inertia=(0.05, 0.005, 0.05),
            shapes=fm.Capsule((0, 0, 0), (0, -0.38, 0), bone),
        )
    )
    model.add(fm.Weld(model.ground, thigh), knee(joint, thigh, shank))

    if muscle != "fiber":
        model.add(line_muscle(thigh, shank, muscle_mass, muscle == "hill"))
        return fm.Scene(model, duration=duration, steps=steps, method="sdirk4", tolerance=1e-6)
    density = 1060.0
    length = np.linalg.norm(start_of(shank_at(joint), INSERTION) - ORIGIN)
    model.add(
        fm.Fiber(
            "muscle",
            attach=(thigh.at(ORIGIN), shank.at(INSERTION)),
            radius=np.sqrt(muscle_mass / (np.pi * density * length)),
            n_elements=elements,
            tissue=fm.Tissue(
                density, fm.KelvinVoigt(shear_modulus, viscosity), prestress=prestress
            ),
        )
    )
    return fm.Scene(model, duration=duration, steps=steps, method="generalized_alpha")


def line_muscle(thigh, shank, mass, pulls):
    """The muscle on a line, with mass in 20 points."""
    knots = (0.0, BEGIN, BEGIN + 0.05, END, END + 0.05), (0.01, 0.01, PULL, PULL, 0.01)
    force = {
        "law": fm.HillLaw(),
        "activation": fm.ActivationDynamics(fm.Table(*knots), start=0.01),
    }
    return fm.LineMuscle(
        "muscle",
        [
            fm.PathPoint("origin", thigh.at(ORIGIN)),
            fm.PathPoint("insertion", shank.at(INSERTION)),
        ],
        mass=fm.MuscleMass(mass, points=20),
        **HILL,
        **(force if pulls else {}),
    )


def shank_at(joint):
    """Initial position of the shank in the thigh [m]."""
    angle = 0.0 if joint == "hinge" else START
    return np.array([fm.NaturalSpline(*X)(angle), fm.NaturalSpline(*Y)(angle), 0.0])


def start_of(position, point):
    """Initial position of a point of the shank in the thigh [m]."""
    c, s = np.cos(START), np.sin(START)
    return position + np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ point


if __name__ == "__main__":
    fm.run_scene(scene)

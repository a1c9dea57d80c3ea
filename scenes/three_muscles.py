"""One muscle, three models: a massless line, a line with mass, and a bundle of fibers.

A forearm hangs at the elbow and is lifted by an elbow flexor that runs straight from the shoulder:
a Hill muscle without mass (``muscle=massless``), the same muscle whose mass moves with its path
(``inertial``), or a bundle of fibers made from it, with titin and an even stretch (``bundle``). All
have the force, lengths and activation of the first; its mass of 0.21 kg is that of its volume. It
lies along the upper arm, which is fixed, so that nothing is taken from the forearm for it.
``fibermsk verify three_muscles`` compares torque, effective inertia, motion and cost.

New here: one muscle in three models.
"""

from dataclasses import replace

import fibermsk as fm

MUSCLES = ("massless", "inertial", "bundle")
UPPER, FOREARM = 0.30, 0.26
"""Lengths of the bones [m]."""
TENSION = 3.0e5
"""Specific tension, force over cross-section [N/m^2]."""
DENSITY, BALL = 1060.0, 0.03


def flexor(model: fm.Model, forearm: fm.Body, signal: fm.Ramp) -> fm.LineMuscle:
    """The muscle as a massless line."""
    ends = model.ground.at(0.02, 0.0, 0.0), forearm.at(0.012, 0.0, -0.05)
    points = [
        fm.PathPoint(name, end) for name, end in zip(("origin", "insertion"), ends, strict=True)
    ]
    return fm.LineMuscle(
        "flexor",
        points,
        max_isometric_force=600.0,
        optimal_fiber_length=0.10,
        tendon_slack_length=0.23,
        # a slack tendon never pushes
        law=fm.HillLaw(fm.DeGrooteCurves(slack_width=0.01)),
        activation=signal,
    )


def scene(
    muscle: str = "massless",
    activation: float = 0.6,
    start: float = 0.5,
    load: float = 2.0,
    fibers: int = 3,
    elements: int = 12,
    duration: float = 0.4,
    steps: int = 80,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    muscle : {"massless", "inertial", "bundle"}
        Model of the muscle.
    activation : float
        Activation that it reaches within 0.1 s.
    start : float
        Angle of the elbow at the start [rad]; zero is the straight arm.
    load : float
        Mass of a ball in the hand [kg].
    fibers : int
        Fibers of the bundle.
    elements : int
        Finite elements of each fiber.
    duration : float
        Simulated time [s].
    steps : int
        Time steps.
    """
    if muscle not in MUSCLES:
        raise fm.ModelError(f"muscle = {muscle!r}; must be one of: {', '.join(MUSCLES)}")
    model = fm.Model("three_muscles")
    forearm = fm.Body(
        "forearm",
        mass=1.5,
        com=(0.0, 0.0, -0.13),
        inertia=(0.009, 0.009, 0.001),
        shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, 0.0, -FOREARM), 0.02),
    )
    sphere = 0.4 * load * BALL**2
    shape = fm.Capsule((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), BALL)
    ball = fm.Body("ball", mass=load, com=(0, 0, 0), inertia=(sphere,) * 3, shapes=shape)
    elbow = fm.Coordinate(
        "elbow",
        value=start,
        forces=(fm.Damper(0.05), fm.SmoothLimit(0.0, 2.4, 50.0, 50.0, 0.5, 0.1)),
    )
    at = (0.0, 0.0, -UPPER)
    model.add(forearm, ball, fm.Weld(forearm, ball, at=(0.0, 0.0, -FOREARM - BALL)))
    model.add(fm.Hinge("elbow", model.ground, forearm, at, (0, -1, 0), coordinate=elbow))
    line = flexor(model, forearm, fm.Ramp(0.0, 0.1, activation))
    if muscle == "inertial":
        volume = line.max_isometric_force * line.optimal_fiber_length / TENSION
        line = replace(line, mass=fm.MuscleMass(DENSITY * volume))
    if muscle == "bundle":
        line = replace(line, law=None, activation=None)
    model.add(line)
    if muscle == "bundle":
        made = fm.fibers_from_muscle(
            line, fibers, model=model, n_elements=elements, specific_tension=TENSION,
            activation=fm.Ramp(0.0, 0.1, activation), titin=fm.Titin(stress=1.0), bones=(),
        )  # fmt: skip
        model.add(*made.fibers, *made.contact())
    return fm.Scene(model, duration=duration, steps=steps, method="sdirk2")


if __name__ == "__main__":
    fm.run_scene(scene)

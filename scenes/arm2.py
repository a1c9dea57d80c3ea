"""An arm with two line muscles around a cylinder at the elbow, driven by their excitation.

The arm of Munoz-Pepi, Sanchez, Dong, Ocampo and Parra-Vega (2023), section III-E and F: humerus and
forearm on two hinges, brachialis and the medial head of the triceps as Hill muscles with elastic
tendons. Periodic excitations swing the elbow, so that both muscles wrap and unwrap. In condition II
a robot with two motors also acts on the forearm: its own motion depends on nothing else.

New here: line muscles with activation and tendon, wrapping surfaces, a user-defined element that
couples two mechanisms. Look at the moment arms, ``fibermsk plot``, which have a kink where a path
touches the cylinder, and none has a jump.

``formulation=reproduce`` shows the motion as its authors computed it, by their formulation in plain
NumPy (`_arm2_published.py`), which is within 2e-6 rad of their files: the model is then moved along
that motion, by a spline through its angles, with the authors' forces as reported fields.
"""

import _arm2_published as published
import numpy as np
from _arm2_robot import add_robot

import fibermsk as fm
from fibermsk.results import Field

arm = published.arm
NAMES = "brachialis", "triceps"
CONDITIONS = "I", "II"
FORMULATIONS = "scene", "reproduce"


def excitation(muscle, duration):
    """Periodic trapezoid from the beginning to the end."""
    high, low = muscle.excitation
    periods = range(int(duration // arm.PERIOD) + 1)
    times = np.array([0.0, 1.0, 1.5, 2.5])
    return fm.Table(
        np.r_[*(arm.PERIOD * k + times for k in periods), arm.PERIOD * len(periods)],
        np.r_[np.tile([high, high, low, low], len(periods)), high],
    )


def add_arm(model, prescribed=(None, None)):
    """Humerus and forearm on hinges with passive tissue."""
    ends = arm.ELBOW, arm.WRIST
    bones, below = [], model.ground
    at = arm.SHOULDER, arm.ELBOW
    for k, (name, joint) in enumerate((("humerus", "shoulder"), ("forearm", "elbow"))):
        shapes = [fm.Capsule((0, 0, 0), ends[k], 0.01)]
        if name == "humerus":
            # the middle of the cylinder, to be seen
            axis = 0.02 * arm.cylinder_axes()[:, 2]
            shapes.append(fm.Capsule(arm.CENTER - axis, arm.CENTER + axis, arm.RADIUS))
        bone = fm.Body(name, arm.MASS[k], arm.COM[k], arm.INERTIA[k], shapes=tuple(shapes))
        coordinate = fm.Coordinate(
            joint,
            value=arm.START[k] if prescribed[k] is None else 0.0,
            lower=arm.RANGES[k, 0],
            upper=arm.RANGES[k, 1],
            forces=(fm.Spring(1.0), fm.Damper(1.0), fm.QuadraticLimit(*arm.RANGES[k], 1e4)),
            prescribed=prescribed[k],
        )
        model.add(bone)
        model.add(fm.Hinge(joint, below, bone, at[k], arm.AXES[k], coordinate=coordinate))
        bones.append(bone)
        below = bone
    return bones


def add_muscles(model, humerus, forearm, law, damping, duration):
    """Brachialis and medial head of the triceps, over the cylinder at the elbow."""
    cylinder = fm.WrapCylinder(
        "elbow", humerus, arm.CENTER, arm.cylinder_axes(), radius=arm.RADIUS, length=0.1
    )
    for name, muscle, start in zip(NAMES, arm.MUSCLES, arm.START_ACTIVATION, strict=True):
        bodies = [humerus] * (len(muscle.points) - 1) + [forearm]
        points = [
            fm.PathPoint(f"{name}_{i}", body.at(point))
            for i, (body, point) in enumerate(zip(bodies, muscle.points, strict=True), 1)
        ]
        last = len(points)
        activation = fm.ActivationDynamics(
            excitation(muscle, duration), fm.SmoothActivation(sharpness=0.1), start=start
        )
        model.add(
            fm.LineMuscle(
                name,
                points,
                wraps=[fm.PathWrap(cylinder, last - 1, last, side=int(muscle.side))],
                max_isometric_force=muscle.force,
                optimal_fiber_length=muscle.fiber,
                tendon_slack_length=muscle.tendon,
                pennation_angle=muscle.pennation,
                max_contraction_velocity=arm.VELOCITY,
                law=fm.HillLaw(fm.DeGrooteCurves(), tendon=law, damping=damping),
                activation=activation,
            )
        )


class Published:
    """Element without forces that reports what the authors' formulation gives for the muscles."""

    name, bodies, coordinates, signals = "published", (), (), ()

    def __init__(self, motion):
        self.motion = motion
        self.reports = tuple(
            Field(f"{name}_{key}", unit, f"{name}: {label}", "of the published formulation")
            for name in NAMES
            for key, unit, label in (
                ("activation", "1", "activation"),
                ("length", "m", "length"),
                ("lengthening_speed", "m/s", "lengthening speed"),
                ("normalized_fiber_length", "1", "fiber length"),
                ("force", "N", "force on the bones"),
            )
        )

    def contribute(self, configuration):
        """Create the contribution: itself."""
        return self

    def add(self, at, sums):
        """Add nothing."""

    def fields(self, at):
        """Values at the last of the authors' steps."""
        own = self.motion
        k = min(int(at.t / published.STEP + 1e-9), own.time.size - 1)
        columns = own.activation, own.length, own.speed, own.fiber, own.force
        values = [column[k, muscle] for muscle in range(2) for column in columns]
        return {field.name: value for field, value in zip(self.reports, values, strict=True)}

    def fingerprint(self, times):
        """The motion."""
        return {"the published motion": [self.motion.q]}


def scene(
    condition: str = "I",
    formulation: str = "scene",
    tendon: str = "elastic",
    damping: float = arm.DAMPING,
    steps: int = 500,
    duration: float = 5.0,
    tolerance: float = 3e-6,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    condition : {"I", "II"}
        Without or with the robot.
    formulation : {"scene", "reproduce"}
        Muscles with exact paths and states, or the motion by the authors' formulation, with steps
        of 10 ms.
    tendon : {"elastic", "balance", "implicit", "rigid"}
        Tendon of the muscles, see `HillLaw`; not for "reproduce".
    damping : float
        Damping of the fibers, over the largest isometric force; not for "reproduce".
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    tolerance : float
        Relative tolerance of the time steps.
    """
    for field, value, known in (
        ("condition", condition, CONDITIONS),
        ("formulation", formulation, FORMULATIONS),
    ):
        if value not in known:
            raise fm.ModelError(f"arm2: {field} = {value!r}; must be one of {', '.join(known)}")
    if not 0.0 < duration < float("inf"):
        raise fm.ModelError(f"arm2: duration = {duration} s; must be positive and finite")
    model = fm.Model("arm2", gravity=tuple(arm.GRAVITY))
    if formulation == "reproduce":
        if (tendon, damping) != ("elastic", arm.DAMPING):
            raise fm.ModelError(
                f"arm2: tendon = {tendon!r}, damping = {damping}; must be left out with "
                "formulation=reproduce, whose muscles are the authors'"
            )
        motion = published.march(condition, duration)
        followed = [fm.SimmSpline(motion.time, angles) for angles in motion.q.T]
        add_arm(model, followed)
        model.add(Published(motion))
        return fm.Scene(model, duration=duration, steps=steps, tolerance=0.0)
    humerus, forearm = add_arm(model)
    add_muscles(model, humerus, forearm, tendon, damping, duration)
    if condition == "II":
        add_robot(model, forearm)
    return fm.Scene(model, duration=duration, steps=steps, tolerance=tolerance)


if __name__ == "__main__":
    result = fm.run_scene(scene)
    print(f"elbow at the end: {result.coordinate('elbow')[-1]:.5f} rad")

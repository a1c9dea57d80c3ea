"""A fiber around a bone: a muscle lifts a weight by a tendon that slides over a bone.

A muscle hangs on the left of a bone; its tendon runs over the bone and carries a weight on the
right. Activated, the muscle shortens and pulls the tendon around. New here: contact with a bone,
and tendon besides muscle. There is no friction: the tension is the same on the bone and on both
sides, and the contact line force is tension over radius, as on a frictionless capstan (printed, and
tested). The end forces differ, since the fiber has weight: at the muscle's end 5 percent less than
at the weight. On the bone the strain of the tendon is 5 percent larger than beside it: it is
incompressible, so that lateral pressure lengthens it. Color by contact force or by stretch.
"""

import numpy as np

import fibermsk as fm

BONE = 0.020  # m, radius
BELLY, TENDON = 5.0e-3, 2.0e-3  # m, radii
LEFT, RIGHT = 0.20, 0.08  # m, free lengths at the start
AROUND = BONE + 1.02 * TENDON  # radius of the path, just clear of the bone
ARC = np.pi * AROUND
TOTAL = LEFT + ARC + RIGHT
FIRST, LAST, TRANSITION = 0.015, 0.125, 0.025  # m along the fiber: muscle part


def path(theta):
    """Straight up, half around the bone (axis y), straight down."""
    s = np.asarray(theta) * TOTAL
    angle = np.clip((s - LEFT) / AROUND, 0.0, np.pi)
    below = np.minimum(s - LEFT, 0.0) - np.maximum(s - LEFT - ARC, 0.0)
    return np.stack([-AROUND * np.cos(angle), 0.0 * s, AROUND * np.sin(angle) + below], axis=1)


def muscle_fraction(theta):
    """Share of muscle: 1 in the belly on the left, 0 in the tendons."""
    s = np.asarray(theta) * TOTAL
    x = np.clip(np.minimum(s - FIRST, LAST - s) / TRANSITION + 0.5, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def nodes(elements):
    """Nodes of the fiber, refined at the muscle-tendon transition."""
    half = 0.5 * TRANSITION
    places = (0.0, FIRST - half, FIRST + half, LAST - half, LAST + half, TOTAL)
    shares = np.cumsum((0, 1, 6, 5, 6, 30)) / 48.0
    return np.interp(np.linspace(0.0, 1.0, elements + 1), shares, np.array(places) / TOTAL)


def radius(theta):
    """Radius along the fiber [m]."""
    return TENDON + (BELLY - TENDON) * muscle_fraction(theta)


def scene(
    elements: int = 48,
    steps: int = 150,
    duration: float = 1.5,
    mass: float = 0.2,
    activation: float = 0.25,
    stiffness: float = 2.0e4,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; multiples of 48 match its muscle and tendons.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    mass : float
        Mass of the weight [kg].
    activation : float
        Activation reached after half a second.
    stiffness : float
        Penalty stiffness of the contact [N/m].
    """
    model = fm.Model("fiber_around_bone")
    bone = model.add(fm.Body("bone", shapes=fm.Capsule((0, -0.03, 0), (0, 0.03, 0), BONE)))
    ball = np.cbrt(mass / 7800.0 / (4.0 / 3.0 * np.pi))  # of steel
    weight = model.add(
        fm.Body(
            "weight",
            mass=mass,
            com=(0.0, 0.0, -ball),
            inertia=np.full(3, 0.4 * mass * ball**2),
            shapes=fm.Capsule((0.0, 0.0, -ball), (0.0, 0.0, -ball), ball),
        )
    )
    model.add(fm.Weld(model.ground, bone))
    end = (AROUND, 0.0, -RIGHT)
    model.add(fm.Slider("lift", model.ground, weight, at=end, axis=(0, 0, 1), damping=5.0))
    tissue = fm.Tissue(
        density=1060.0,
        muscle=fm.KelvinVoigt(shear_modulus=4.0e4, viscosity=1.0e4),
        tendon=fm.KelvinVoigt(shear_modulus=2.0e6, viscosity=1.0e3),
        active=fm.ActiveStress(3.0e5, optimal_stretch=1.3, width=0.67, exponent=2.0),
        prestress=5.0e3,
    )
    fiber = model.add(
        fm.Fiber(
            "muscle",
            path,
            attach=(model.ground.at(-AROUND, 0.0, -LEFT), weight.at(0.0, 0.0, 0.0)),
            radius=radius,
            muscle_fraction=muscle_fraction,
            n_elements=elements,
            nodes=nodes(elements),
            tissue=tissue,
            activation=fm.Ramp(0.1, 0.5, activation),
        )
    )
    model.add(fm.Contact(fiber, bone, fm.PenaltyContact(stiffness, limit=8.0)))
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


def tensions(muscle):
    """Mean axial force at the end, just left of the bone, on it, and just right of it [N]."""
    x, _, z = muscle.centerline(muscle.theta, -1).T
    force, beside = muscle.axial_force[-1], (z < -5e-3) & (z > -25e-3)
    return [force[part].mean() for part in (beside & (x < 0.0), z > 5e-3, beside & (x > 0.0))]


if __name__ == "__main__":
    result = fm.run_scene(scene)
    muscle = result.fibers["muscle"]
    left, on, right = tensions(muscle)
    print(f"tension: {left:.3f} N left, {right:.3f} N right of the bone, {on:.3f} N on it")
    ends = [np.linalg.norm(end[-1]) for end in (muscle.force_origin, muscle.force_insertion)]
    print(f"pull: {ends[0]:.3f} N at the muscle's end, {ends[1]:.3f} N at the weight")
    line = muscle.contact_force_density[-1]
    line = np.median(line[line > 0.5 * line.max()])
    print(f"line force: {line:.1f} N/m, tension over radius {right / AROUND:.1f} N/m")

"""A contracting fiber: isometric, isotonic and quick release, as in a muscle-physiology lab.

A muscle of a frog between two tendons, held by a clamp, is stimulated to a tetanus.

- ``isotonic`` (the default): it lifts a weight off a support. Its force rises until it carries the
  weight, stays constant while the muscle shortens and bulges, more and more slowly.
- ``isometric``: its lower end is held. The force rises to a plateau, while the muscle shortens a
  little and stretches its tendons.
- ``quick_release``: the lower end is held, then moved up fast, and held again. The tendons shorten
  at once, so the force drops; the muscle takes up the slack, so it recovers.

Look at the force at the ends and at the stretch over time. (The axial force is the same all along
the fiber, except for its weight; `tissue_force`, what the stress law gives at single points,
oscillates by up to 30 percent at the muscle-tendon transition, where the mesh is coarse.) The
force-velocity relation of this tissue is linear, from its viscosity, not Hill's hyperbola.
"""

import numpy as np

import fibermsk as fm

# Sartorius of a frog at 0 degrees C, in round numbers (Hill, Proc. R. Soc. B 126 (1938), 136-195):
# 30 mm long, 0.1 g, 200 kPa, unloaded shortening by 1.3 lengths a second.
LENGTH, TENDON, RADIUS = 0.030, 0.006, 1.0e-3  # m; a tendon at each end, a muscle of 0.1 g
TRANSITION = 5.0e-3  # m, from tendon to muscle
ISOMETRIC = 2.0e5  # N/m^2, of the tetanized muscle at its reference length
FASTEST = 1.3  # 1/s
PRESTRESS = 5.0e3  # N/m^2, the resting tension
# Hill's series elasticity stretches by some 2 percent of the muscle's length under full force
# (Hill, Proc. R. Soc. B 137 (1950), 273-280); here all of it is in the tendons.
GIVES = 0.02
SLENDER = 0.5  # radius of the tendons over that of the muscle
# The curve of Thelen, J. Biomech. Eng. 125 (2003), 70-77, with the optimum beyond the reference
# length: on the ascending limb, where fibers in series are stable.
OPTIMUM, WIDTH, EXPONENT = 1.3, 0.67, 2.0
GRAVITY, STEEL = 9.81, 7800.0  # m/s^2, kg/m^3
TETANUS = fm.Ramp(start=0.05, end=0.15, value=1.0)
EXPERIMENTS = ("isotonic", "isometric", "quick_release")


def muscle_fraction(theta):
    """Share of muscle along the fiber: 0 in the tendons, 1 between."""
    from_end = np.minimum(theta, 1.0 - theta) * (LENGTH + 2.0 * TENDON)
    x = np.clip((from_end - TENDON) / TRANSITION + 0.5, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def nodes(elements):
    """Nodes of the fiber, refined at the muscle-tendon transition."""
    begin, end = np.array([TENDON - 0.5 * TRANSITION, TENDON + 0.5 * TRANSITION]) / (
        LENGTH + 2.0 * TENDON
    )
    shares = (0.0, 1.0 / 16.0, 5.0 / 16.0, 11.0 / 16.0, 15.0 / 16.0, 1.0)
    places = (0.0, begin, end, 1.0 - end, 1.0 - begin, 1.0)
    return np.interp(np.linspace(0.0, 1.0, elements + 1), shares, places)


def tissue() -> fm.Tissue:
    """Muscle, and tendons that stretch by the fraction `GIVES` of its length."""
    curve = np.exp(-(np.abs((1.0 / OPTIMUM - 1.0) / WIDTH) ** EXPONENT))
    tendon_strain = GIVES * LENGTH / (2.0 * TENDON)
    return fm.Tissue(
        density=1060.0,
        # the viscous stress at the fastest shortening, 3 eta rate, equals the isometric stress
        muscle=fm.KelvinVoigt(shear_modulus=2.0e4, viscosity=ISOMETRIC / (3.0 * FASTEST)),
        tendon=fm.KelvinVoigt(ISOMETRIC / SLENDER**2 / (3.0 * tendon_strain), viscosity=1.0e3),
        active=fm.ActiveStress((ISOMETRIC - PRESTRESS) / curve, OPTIMUM, WIDTH, EXPONENT),
        prestress=PRESTRESS,
    )


def scene(
    experiment: str = "isotonic",
    load: float = 0.4,
    release: float = 4.0e-4,
    activation: float = 1.0,
    radius: float = RADIUS,
    elements: int = 16,
    steps: int = 600,
    duration: float = 1.2,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    experiment : {"isotonic", "isometric", "quick_release"}
        Experiment, which sets the motion of the lower end.
    load : float
        Weight that the isotonic muscle lifts, relative to the isometric force of the default
        muscle.
    release : float
        Displacement of the end in the quick release [m].
    activation : float
        Activation in the tetanus, in [0, 1].
    radius : float
        Radius of the muscle [m].
    elements : int
        Finite elements of the fiber; multiples of 16 match its muscle and tendons.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    """
    if experiment not in EXPERIMENTS:
        raise fm.ModelError(f"experiment = {experiment!r}; must be one of {EXPERIMENTS}")
    model = fm.Model("contracting_fiber", gravity=(0.0, 0.0, -GRAVITY))
    bottom = -(LENGTH + 2.0 * TENDON)
    clamp = model.add(fm.Body("clamp", shapes=bar(2.0e-3)))
    model.add(fm.Weld(model.ground, clamp))
    if experiment == "isotonic":
        end = hang_weight(model, load, bottom)
    elif experiment == "isometric":
        transducer = model.add(fm.Body("transducer", shapes=bar(-2.0e-3)))
        model.add(fm.Weld(model.ground, transducer, at=(0.0, 0.0, bottom)))
        end = transducer.at(0.0, 0.0, 0.0)
    else:
        end = fm.MovingPoint(Release(bottom, release))
    model.add(
        fm.Fiber(
            "muscle",
            attach=(clamp.at(0.0, 0.0, 0.0), end),
            radius=lambda s: radius * (SLENDER + (1.0 - SLENDER) * muscle_fraction(s)),
            muscle_fraction=muscle_fraction,
            n_elements=elements,
            nodes=nodes(elements),
            tissue=tissue(),
            activation=fm.Ramp(TETANUS.start, TETANUS.end, activation),
        )
    )
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


def bar(height):
    """Shape of a horizontal bar with its middle at a height [m]."""
    return fm.Capsule((-8.0e-3, 0.0, height), (8.0e-3, 0.0, height), 2.0e-3)


def hang_weight(model, load, bottom):
    """Add a steel ball that can be lifted off a support; return its attachment point."""
    if not 0.0 < load < 1.0:
        raise fm.ModelError(f"load = {load}; must lie between 0 and 1: more cannot be lifted")
    mass = load * ISOMETRIC * np.pi * RADIUS**2 / GRAVITY
    ball = np.cbrt(mass / STEEL / (4.0 / 3.0 * np.pi))
    weight = model.add(
        fm.Body(
            "weight",
            mass=mass,
            com=(0.0, 0.0, -ball),
            inertia=np.full(3, 0.4 * mass * ball**2),
            shapes=fm.Capsule((0.0, 0.0, -ball), (0.0, 0.0, -ball), ball),
        )
    )
    support = model.add(fm.Body("support", shapes=bar(-2.0e-3)))
    model.add(fm.Weld(model.ground, support, at=(0.0, 0.0, bottom - 2.0 * ball)))
    # it yields by 0.1 mm under the weight; lift is positive
    holds = fm.QuadraticLimit(0.0, 1.0, mass * GRAVITY / 1.0e-4**2)
    lift = fm.Coordinate("lift", "translation", forces=holds)
    at = (0.0, 0.0, bottom)
    model.add(fm.Slider("lift", model.ground, weight, at, (0.0, 0.0, 1.0), coordinate=lift))
    return weight.at(0.0, 0.0, 0.0)


class Release:
    """Position of an end that moves up smoothly within 5 ms, around 0.6 s."""

    def __init__(self, bottom, distance):
        self.bottom, self.distance = bottom, distance

    def __call__(self, t):
        """Position at time t [s]."""
        x = np.clip((t - 0.6) / 5.0e-3 + 0.5, 0.0, 1.0)
        rise = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
        return np.array([0.0, 0.0, self.bottom + self.distance * rise])


if __name__ == "__main__":
    result = fm.run_scene(scene)
    muscle = result.fibers["muscle"]
    force = np.linalg.norm(muscle.force_origin, axis=1)
    belly = muscle.stretch[:, muscle.theta.size // 2]
    print(f"force: {1e3 * force[0]:.0f} mN at rest, at most {1e3 * force.max():.0f} mN")
    print(f"stretch of the belly: {belly[0]:.3f} at rest, at least {belly.min():.3f}")

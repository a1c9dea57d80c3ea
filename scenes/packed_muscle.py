"""A packed muscle: 37 fibers side by side bulge as they shorten.

The fibers of a muscle are in a hexagonal packing, thin in the tendons and thick in the muscle, and
carry a weight. Activated together, each of them shortens and thickens, since its volume is
constant; contact keeps them apart, so that the whole muscle bulges (its girth is printed, and
tested). New here: many fibers at once, packed by `fm.pack_section`. Color by stretch to tell muscle
from tendon. The contact force of a fiber is the net force: it is small if pressure from all sides
cancels.
"""

import numpy as np

import fibermsk as fm

LENGTH, RADIUS = 0.16, 2.0e-3  # m: 4.6 cm^2 of muscle, as the biceps brachii of man
SLENDER = 0.5  # radius of the tendons over that of the muscle
ROOM = 1.02  # distance of neighbors over their diameter, at the start


def muscle_fraction(theta):
    """Share of muscle along a fiber: 1 in the middle, 0 (tendon) at the ends."""
    x = np.clip((np.minimum(theta, 1.0 - theta) - 0.05) / 0.25, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def width(theta):
    """Width of the fibers and of the whole muscle, relative to the middle."""
    return SLENDER + (1.0 - SLENDER) * np.sin(np.pi * np.asarray(theta))


def scene(
    fibers: int = 37,
    elements: int = 16,
    steps: int = 60,
    duration: float = 1.2,
    activation: float = 0.3,
    mass: float = 1.0,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    fibers : int
        Fibers of the muscle; 7, 19, 37 and 61 fill hexagons.
    elements : int
        Finite elements of each fiber.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    activation : float
        Activation that all fibers reach, in [0, 1].
    mass : float
        Mass that the muscle lifts, for 37 fibers; proportional for other numbers [kg].
    """
    if fibers < 2:
        raise fm.ModelError(f"fibers = {fibers}; must be 2 or more, which touch each other")
    mass *= fibers / 37
    model = fm.Model("packed_muscle")
    bone = model.add(fm.Body("bone", shapes=fm.Capsule((-0.03, 0, 7e-3), (0.03, 0, 7e-3), 8e-3)))
    ball = np.cbrt(mass / 7800.0 / (4.0 / 3.0 * np.pi))  # of steel
    center = (0.0, 0.0, 2e-3 - ball)
    weight = model.add(
        fm.Body(
            "weight",
            mass=mass,
            com=center,
            inertia=np.full(3, 0.4 * mass * ball**2),
            shapes=fm.Capsule(center, center, ball),
        )
    )
    model.add(
        fm.Weld(model.ground, bone),
        fm.Slider("lift", model.ground, weight, (0, 0, -LENGTH), (0, 0, 1), damping=20.0),
    )
    tissue = fm.Tissue(
        density=1060.0,
        muscle=fm.KelvinVoigt(shear_modulus=4.0e4, viscosity=1.0e4),
        tendon=fm.KelvinVoigt(shear_modulus=1.0e6, viscosity=1.0e4),
        active=fm.ActiveStress(3.0e5, optimal_stretch=1.3, width=0.67, exponent=2.0),
        prestress=5.0e3,
        bending=0.1,
    )
    muscle = [
        model.add(
            fm.Fiber(
                f"fiber_{i}",
                lambda s, place=place: np.column_stack(
                    [np.outer(width(s), place), -LENGTH * np.asarray(s)]
                ),
                attach=(bone.at(*SLENDER * place, 0.0), weight.at(*SLENDER * place, 0.0)),
                radius=lambda s: RADIUS * width(s),
                muscle_fraction=muscle_fraction,
                n_elements=elements,
                tissue=tissue,
                activation=fm.Ramp(0.1, 0.5, activation),
            )
        )
        for i, place in enumerate(ROOM * RADIUS * fm.pack_section(fibers), start=1)
    ]
    law = fm.PenaltyContact(stiffness=2.0e3, limit=3.0)
    model.add(fm.Contact(muscle, muscle, law, points_per_element=6))
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


def girth(result, frame):
    """Circumference of the circle around the middle of the muscle [m]."""
    far = [
        np.hypot(*fiber.centerline([0.5], frame)[0, :2])
        + fiber.radius[frame, fiber.theta.size // 2]
        for fiber in result.fibers.values()
    ]
    return 2.0 * np.pi * max(far)


if __name__ == "__main__":
    result = fm.run_scene(scene)
    print(f"lifted by {1e3 * np.ptp(result.coordinate('lift')):.0f} mm")
    print(f"girth: {1e3 * girth(result, 0):.1f} mm before, {1e3 * girth(result, -1):.1f} mm after")

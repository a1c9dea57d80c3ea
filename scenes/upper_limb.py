"""The upper limb: five fiber muscles move a forearm.

Two biceps and three triceps fibers, muscle in the middle and tendon at the ends, pull on a forearm
with a hinge at the elbow; they slide on each other and on the bones. The scene of Gfrerer and
Simeon, Multibody System Dynamics 52 (2021), section 5.4, with the parameters that its figures need
and its method, backward Euler in fixed steps, which reduces the first swing by 7 %: ``--method
sdirk2 --set tolerance=3e-4`` is accurate to 0.05 %.

Its active stress of 42 and 14 MPa is not that of muscle, 0.2 to 0.4 MPa: it is the paper's, whose
activations stay below 0.14 and 0.02, on the steep flank of the force-length curve far below its
optimum. The script of the README has the same arm with the stress of muscle and full activation.
"""

from typing import NamedTuple

import numpy as np

import fibermsk as fm

ELBOW = (0.0, 0.0, -0.351)
FOREARM_LENGTH, FOREARM_MASS, BONE_RADIUS = 0.287, 1.5, 0.035


def belly(theta):
    """Share of muscle along a fiber: 1 in the middle, 0 (tendon) at the ends."""
    return 16.0 * (1.0 - theta) ** 2 * theta**2


def radius(theta):
    """Radius along a fiber [m]."""
    return 0.006 * (1.0 + belly(theta))


def biceps_activation(t):
    """Activation of both biceps fibers."""
    return 0.0704 * np.tanh(np.pi * t) + 0.0608 * np.sin(np.pi * t)


def triceps_activation(t):
    """Activation of the three triceps fibers."""
    return 0.008 * (1.0 - np.cos(np.pi * t))


class Numbers(NamedTuple):
    """Viscosity [N s/m^2], prestress of biceps and triceps [N/m^2], joint damping [N m s/rad]."""

    viscosity: float
    biceps: float
    triceps: float
    damping: float


# With the printed table the fibers become slack: it needs bending stiffness.
NUMBERS = {
    "corrected": Numbers(1.0e4, 32.7e3, 16.0e3, 0.2),
    "printed": Numbers(1.0e3, 32.7, 16.0, 0.0),
}


def tissue(max_stress, prestress, viscosity, bending):
    """Muscle and tendon of one fiber."""
    return fm.Tissue(
        density=900.0,
        muscle=fm.KelvinVoigt(shear_modulus=2.0e4, viscosity=viscosity),
        tendon=fm.KelvinVoigt(shear_modulus=1.0e6, viscosity=viscosity),
        active=fm.ActiveStress(max_stress, optimal_stretch=1.3, width=0.3, exponent=4.0),
        prestress=prestress,
        bending=bending,
    )


def scene(
    elements: int = 8,
    steps: int = 256,
    duration: float = 8.0,
    start: str = "initial",
    tolerance: float = 0.0,
    numbers: str = "corrected",
    bending: float = 0.0,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    elements : int
        Finite elements of each fiber.
    steps : int
        Time steps; with a tolerance, frames.
    duration : float
        Simulated time [s].
    start : {"initial", "equilibrium"}
        At rest with straight fibers, as in the paper; or hanging in static equilibrium.
    tolerance : float
        Relative tolerance of adaptive steps between the frames; 0 for the fixed steps of the paper.
    numbers : {"corrected", "printed"}
        Viscosity, prestress and damping that keep the fibers taut, or those of the paper's table 4.
    bending : float
        Bending stiffness relative to that of solid circular cross-sections; needed with the printed
        numbers.
    """
    if numbers not in NUMBERS:
        raise fm.ModelError(f"numbers = {numbers!r}; must be 'corrected' or 'printed'")
    chosen = NUMBERS[numbers]
    # The paper's S_max is far above that of muscle; its activations use about a tenth of it.
    model = fm.Model("upper_limb", gravity=(0.0, 0.0, -9.81), meant=["muscle stress"])
    length, mass, bone = FOREARM_LENGTH, FOREARM_MASS, BONE_RADIUS
    across = mass * (3.0 * bone**2 + length**2) / 12.0
    upper_arm = model.add(fm.Body("upper_arm", shapes=fm.Capsule((0.0, 0.0, 0.0), ELBOW, bone)))
    elbow = model.add(fm.Body("elbow", shapes=fm.InfiniteCylinder(ELBOW, (0.0, 1.0, 0.0), bone)))
    forearm = model.add(
        fm.Body(
            "forearm",
            mass=mass,
            com=(0.0, 0.0, -0.5 * length),
            inertia=(across, across, 0.5 * mass * bone**2),
            shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, 0.0, -length), bone),
        )
    )
    model.add(fm.Weld(model.ground, upper_arm), fm.Weld(model.ground, elbow))
    # flexion moves the hand forward, to +x
    model.add(
        fm.Hinge(
            "elbow_flexion",
            upper_arm,
            forearm,
            at=ELBOW,
            axis=(0.0, -1.0, 0.0),
            damping=chosen.damping,
        )
    )

    def fiber(name, origin, insertion, material, activation):
        ends = upper_arm.at(origin), forearm.at(insertion)
        return model.add(
            fm.Fiber(
                name,
                attach=ends,
                radius=radius,
                muscle_fraction=belly,
                n_elements=elements,
                tissue=material,
                activation=activation,
            )
        )

    fibers = []
    for i, y in enumerate((-0.013, 0.013), start=1):
        ends = (0.05, y, -0.01), (0.045, y, -0.045)
        material = tissue(4.2e7, chosen.biceps, chosen.viscosity, bending)
        fibers.append(fiber(f"biceps_{i}", *ends, material, biceps_activation))
    for i, y in enumerate((-0.026, 0.0, 0.026), start=1):
        ends = (-0.05, y, -0.02), (-0.05, y, -0.03)
        material = tissue(1.4e7, chosen.triceps, chosen.viscosity, bending)
        fibers.append(fiber(f"triceps_{i}", *ends, material, triceps_activation))

    bones = [upper_arm, elbow, forearm]
    # five contact points per element as in the paper, without refinement
    paper = {"formulation": "half_pass", "refine": False}
    model.add(fm.Contact(fibers, fibers, fm.PenaltyContact(768.0, 3.0), **paper))
    model.add(fm.Contact(fibers, bones, fm.PenaltyContact(768.0, 4.0), **paper))
    # the paper's method; the package's own default is fm.Scene(model, duration, steps)
    return fm.Scene(
        model,
        duration=duration,
        steps=steps,
        start=start,
        method="backward_euler",
        tolerance=tolerance,
    )


if __name__ == "__main__":
    fm.run_scene(scene)

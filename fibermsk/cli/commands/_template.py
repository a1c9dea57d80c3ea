"""NAME: a muscle of one fiber bends an elbow.

A scene of your own, written by `fibermsk new`. Change what you like and run it:

    fibermsk run NAME.py                          computes it, writes results/NAME.h5
    fibermsk run NAME.py --set radius=0.012       with another value of a parameter
    fibermsk view results/NAME.h5                 shows it
    fibermsk view results/NAME.h5 --movie NAME.mp4
    fibermsk plot results/NAME.h5 --out NAME.png

All numbers are in SI units: m, kg, s, N, N/m^2, rad. The z axis points up.
"""

import numpy as np

import fibermsk as fm


def muscle_fraction(theta):
    """Muscle fraction along the fiber: theta is 0 at the origin and 1 at the insertion.

    0 is tendon, 1 is muscle.
    """
    x = np.clip((np.minimum(theta, 1.0 - theta) - 0.05) / 0.2, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def scene(
    radius: float = 0.010,
    activation: float = 0.5,
    forearm_mass: float = 1.5,
    elements: int = 12,
    steps: int = 100,
    duration: float = 1.5,
) -> fm.Scene:
    """Describe the scene.

    Every parameter here can be set on the command line: --set activation=0.5

    Parameters
    ----------
    radius : float
        Radius of the muscle in its middle [m].
    activation : float
        Activation that the muscle reaches, from 0 (relaxed) to 1.
    forearm_mass : float
        Mass of forearm and hand [kg].
    elements : int
        Finite elements of the fiber; more are more accurate and take longer.
    steps : int
        Frames of the result; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    """
    model = fm.Model("NAME", gravity=(0.0, 0.0, -9.81))

    # Bodies. Shapes are drawn and are in contact with fibers; fm.read_mesh("bone.stl") returns
    # one of a file. A body's frame is yours to choose: here each bone hangs down from its origin.
    bone = 0.015
    upper_arm = model.add(fm.Body("upper_arm", shapes=fm.Capsule((0, 0, 0), (0, 0, -0.32), bone)))
    length = 0.28
    forearm = model.add(
        fm.Body(
            "forearm",
            mass=forearm_mass,
            com=(0.0, 0.0, -0.5 * length),
            # of a rod, about its center of mass
            inertia=forearm_mass * np.array([length**2 / 12, length**2 / 12, 0.5 * bone**2]),
            shapes=fm.Capsule((0, 0, 0), (0, 0, -length), bone),
        )
    )

    # Joints. Each body hangs on the ground or on another body by one of them; fm.Slider,
    # fm.Spherical and others are there too. The axis -y makes bending forward (to +x) positive.
    model.add(fm.Weld(model.ground, upper_arm))
    model.add(
        fm.Hinge(
            "elbow",
            upper_arm,
            forearm,
            at=(0.0, 0.0, -0.32),
            axis=(0.0, -1.0, 0.0),
            # Where the fibers below are described [rad]: there they have their own length, and are
            # neither stretched nor shortened. The run starts where everything is in balance.
            value=0.5,
            damping=0.2,  # [N m s/rad]
        )
    )

    # Material. The active stress is that of mammalian muscle, 0.3 N/mm^2. The prestress keeps the
    # fiber taut while it is relaxed, the viscosity limits how fast it can shorten.
    tissue = fm.Tissue(
        density=1060.0,
        muscle=fm.KelvinVoigt(shear_modulus=4.0e4, viscosity=5.0e3),
        tendon=fm.KelvinVoigt(shear_modulus=2.0e6, viscosity=5.0e3),
        active=fm.ActiveStress(max_stress=3.0e5, optimal_stretch=1.3, width=0.67, exponent=2.0),
        prestress=1.0e4,
    )

    # A fiber from a point of one body to a point of another, each in the frame of its body. Give
    # path=[(x, y, z), ...] for one that is not straight at the start, and add more fibers for a
    # thicker muscle (fm.pack_section places them side by side).
    muscle = model.add(
        fm.Fiber(
            "biceps",
            attach=(upper_arm.at(0.027, 0.0, 0.0), forearm.at(0.018, 0.0, -0.05)),
            radius=lambda theta: radius * (0.4 + 0.6 * muscle_fraction(theta)),
            muscle_fraction=muscle_fraction,
            n_elements=elements,
            tissue=tissue,
            # From 0 at t = 0.2 s to its value at t = 0.5 s. Any function of time does, and
            # fm.Table(times, values), or fm.emg_activation of a recorded electromyogram.
            activation=fm.Ramp(start=0.2, end=0.5, value=activation),
        )
    )

    # What may touch what; without this the muscle would pass through the bones.
    model.add(fm.Contact(muscle, [upper_arm, forearm], fm.PenaltyContact(2.0e3, limit=4.0)))

    # start="equilibrium" begins at rest, where everything hangs in balance. tolerance=1e-4 makes
    # shorter steps: the run prints an estimate of the error of its steps.
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


if __name__ == "__main__":
    result = fm.run_scene(scene)
    # A result holds arrays over time; print(result.fibers["biceps"]) shows what there is.
    angle = result.coordinate("elbow")
    # Force of the muscle on the forearm; result.tension("biceps") is that along the fiber.
    force = np.linalg.norm(result.fibers["biceps"].force_insertion, axis=1)
    print(f"elbow: {np.degrees(angle[0]):.0f} to {np.degrees(angle[-1]):.0f} degrees")
    print(f"largest force in the muscle: {force.max():.0f} N")

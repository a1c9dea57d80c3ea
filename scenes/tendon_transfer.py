"""Where on the forearm a transferred tendon gives the most elbow torque.

A muscle that has lost its insertion is to flex the elbow. Sewn on far from the joint it has a long
lever; but flexion then shortens its fibers more, down the force-length curve, and the path cuts the
corner less than the lever promises. The elbow rests on a stiff spring at a bent angle, so that its
deflection is the torque; the muscle, a bundle of three fibers over the bones, is fully active.

New here: a static equilibrium with contact, differentiated in an attachment (the implicit function
theorem, ``fm.Simulation(start="equilibrium")``).
"""

import numpy as np
from scipy.optimize import minimize

import fibermsk as fm

ELBOW, BONE = (0.0, 0.0, -0.30), 0.025
STIFFNESS = 200.0
"""Of the spring that measures the torque [N m/rad]."""
SITES = 0.02, 0.12
"""Range of the insertion along the forearm, from the elbow [m]."""
OFFSET = -0.012, 0.0, 0.012


def belly(theta):
    """Share of muscle along a fiber: the first half; the rest is tendon."""
    return 1.0 / (1.0 + np.exp((theta - 0.55) / 0.02))


def scene(
    insertion: float = 0.0445,
    angle: float = 1.0,
    max_stress: float = 3.0e5,
    elements: int = 8,
    steps: int = 2,
    duration: float = 0.002,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    insertion : float
        Distance of the insertion from the elbow, along the forearm [m].
    angle : float
        Flexion at which the spring is at rest [rad].
    max_stress : float
        Largest active stress [N/m^2].
    elements : int
        Finite elements of each fiber.
    steps : int
        Time steps, and frames.
    duration : float
        Simulated time [s]; the arm is in equilibrium.
    """
    model = fm.Model("tendon_transfer", gravity=(0.0, 0.0, 0.0))
    upper = model.add(fm.Body("upper_arm", shapes=fm.Capsule((0, 0, 0), ELBOW, BONE)))
    forearm = model.add(
        fm.Body(
            "forearm", 1.2, (0.0, 0.0, -0.12), (8e-3, 8e-3, 1e-3),
            shapes=fm.Capsule((0, 0, 0), (0.0, 0.0, -0.24), BONE),
        )
    )  # fmt: skip
    model.add(fm.Weld(model.ground, upper))
    spring = fm.Spring(STIFFNESS, angle), fm.Damper(2.0)
    elbow = fm.Coordinate("elbow_flexion", "rotation", forces=spring)
    axis = (0.0, -1.0, 0.0)
    model.add(fm.Hinge("elbow", upper, forearm, at=ELBOW, axis=axis, coordinate=elbow))
    tissue = fm.Tissue(
        density=1060.0,
        muscle=fm.KelvinVoigt(shear_modulus=6.0e3, viscosity=500.0),
        tendon=fm.KelvinVoigt(shear_modulus=2.0e7, viscosity=500.0),
        active=fm.HillStress(max_stress),
    )
    fibers = [
        fm.Fiber(
            f"transfer_{k}",
            attach=(upper.at(0.035, y, -0.04), forearm.at(0.034, y, -insertion)),
            radius=0.006,
            muscle_fraction=belly,
            n_elements=elements,
            tissue=tissue,
            activation=1.0,
        )
        for k, y in enumerate(OFFSET, start=1)
    ]
    model.add(*fibers)
    model.add(fm.Contact(fibers, [upper, forearm], fm.PenaltyContact(2000.0, 4.0)))
    own = {"method": "sdirk2", "tolerance": 0.0, "start": "equilibrium"}
    return fm.Scene(model, duration=duration, steps=steps, **own)


def torque(model: fm.Model) -> fm.Objective:
    """Torque on the spring [N m]."""
    spring = model.coordinate("elbow_flexion").forces[0]
    rest = spring.rest
    return fm.Objective(
        lambda time, q: STIFFNESS * (q[0] - rest), {"q": "elbow_flexion"},
        slopes=lambda time, q: {"q": np.r_[STIFFNESS, np.zeros(q.size - 1)]},
    )  # fmt: skip


def best(start: float = 0.06, angle: float = 1.0):
    """Insertion with the largest torque, by its derivative; solution and problem."""
    made = scene(start, angle)
    run = fm.Simulation.of_scene(made)
    site = "transfer_*/attach/insertion/z"
    problem = fm.GradientProblem(run, torque(made.model), site, scales=np.ones(len(OFFSET)))

    def both(x):
        value, slope = problem(np.full(len(OFFSET), -x[0]))
        return -value, np.array([slope.sum()])

    return minimize(both, [start], jac=True, method="L-BFGS-B", bounds=[SITES]), problem


if __name__ == "__main__":
    found, problem = best()
    print(f"{1e3 * found.x[0]:.1f} mm from the elbow: {-found.fun:.3f} N m, {problem.runs} runs")

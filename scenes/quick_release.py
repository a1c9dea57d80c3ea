"""Tissue of a fiber, recovered from a quick release: the load on an active muscle suddenly drops.

A muscle with tendons holds a load in a tetanus. Within two milliseconds it drops to a part of it:
the tendons recoil at once, and then the muscle shortens at the speed that its force-velocity curve
gives, slower when its fibers become short. Three such trials, side by side in one model, are the
record, here made by the model itself with noise. Recovered are the largest active stress, the
largest velocity, and the stiffness of muscle and tendon.

New here: parameters of tissue from a measured motion, by least squares with the exact derivatives
of all frames (``fm.GradientProblem.at(x).jacobian``).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

import fibermsk as fm

LENGTH, RADIUS = 0.1, 0.003
HELD, MASS = 6.0, 0.05
"""Load of the tetanus [N], and inertia of each rig [kg]."""
PARTS = 0.25, 0.45, 0.65
"""Load after the release over that before."""
NUMBERS = {
    "active/max_stress": 2.5e5,
    "active/max_velocity": 8.0,
    "muscle/shear_modulus": 8.0e3,
    "tendon/shear_modulus": 5.0e6,
}
"""What is recovered [N/m^2, 1/s], with the values behind the record."""
NOISE = 2e-5
"""Standard deviation of the measured lengths [m]."""


def belly(theta):
    """Share of muscle along a fiber: tendons at both ends."""
    return 1.0 / (1.0 + np.exp(-(0.35 - np.abs(theta - 0.5)) / 0.02))


@dataclass(frozen=True)
class Drop:
    """Load [N] along z that drops from `held` within two milliseconds."""

    held: float
    part: float
    at: float = 0.01

    @property
    def breakpoints(self):
        """Corners [s]."""
        return np.array([self.at, self.at + 2e-3])

    def __call__(self, t):
        """Force (3,) at a time [s]."""
        fallen = np.clip((t - self.at) / 2e-3, 0.0, 1.0)
        return np.array([0.0, 0.0, -self.held * (1.0 - (1.0 - self.part) * fallen)])


def scene(
    max_stress: float = NUMBERS["active/max_stress"],
    max_velocity: float = NUMBERS["active/max_velocity"],
    muscle: float = NUMBERS["muscle/shear_modulus"],
    tendon: float = NUMBERS["tendon/shear_modulus"],
    elements: int = 5,
    steps: int = 60,
    duration: float = 0.12,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    max_stress : float
        Largest active stress [N/m^2].
    max_velocity : float
        Largest velocity of shortening [optimal lengths/s].
    muscle, tendon : float
        Shear moduli [N/m^2].
    elements : int
        Finite elements of each fiber.
    steps : int
        Time steps, and frames.
    duration : float
        Simulated time [s].
    """
    model = fm.Model("quick_release", gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(
        density=1060.0,
        muscle=fm.KelvinVoigt(shear_modulus=muscle, viscosity=200.0),
        tendon=fm.KelvinVoigt(shear_modulus=tendon, viscosity=200.0),
        active=fm.HillStress(max_stress, max_velocity=max_velocity),
    )
    for k, part in enumerate(PARTS, start=1):
        x = 0.03 * (k - 1)
        load = model.add(fm.Body(f"load_{k}", MASS, inertia=(1e-5, 1e-5, 1e-5)))
        rail = fm.Slider(f"length_{k}", model.ground, load, (x, 0.0, -LENGTH), (0.0, 0.0, -1.0))
        model.add(rail)
        model.add(fm.ExternalForce(f"weight_{k}", load, force=Drop(HELD, part)))
        model.add(
            fm.Fiber(
                f"muscle_{k}",
                attach=(model.ground.at(x, 0.0, 0.0), load.at(0.0, 0.0, 0.0)),
                radius=RADIUS,
                muscle_fraction=belly,
                n_elements=elements,
                tissue=tissue,
                activation=1.0,
            )
        )
    own = {"method": "sdirk2", "tolerance": 0.0, "start": "equilibrium"}
    return fm.Scene(model, duration=duration, steps=steps, **own)


def record(seed: int = 0) -> np.ndarray:
    """Measured coordinates of the rigs (n_frames, 3) [m]: those of the scene, with noise."""
    run = fm.simulate_scene(scene())
    exact = np.stack([run.coordinates[f"length_{k + 1}"] for k in range(len(PARTS))], axis=1)
    return exact + NOISE * np.random.default_rng(seed).normal(size=exact.shape)


def recover(measured: np.ndarray, start: tuple[float, ...] = (1.5, 0.6, 2.0, 0.5)):
    """Numbers over those behind the record, by least squares; solution and problem."""
    run = fm.Simulation.of_scene(scene())
    reads = {f"length_{k + 1}": f"length_{k + 1}" for k in range(len(PARTS))}
    # least squares take all frames: the number that the objective is has no part in it
    quantities = fm.Objective(lambda time, **x: sum((one**2).sum() for one in x.values()), reads)
    problem = fm.GradientProblem(run, quantities, [f"*/tissue/{name}" for name in NUMBERS])
    # the same tissue in all fibers
    tissues = list(NUMBERS)
    of = [tissues.index(one.path.split("/", 2)[2]) for one in problem.parameters]
    spread = np.eye(len(tissues))[of]

    def rows(x):
        run = problem.linear_run(spread @ x)
        slopes = run.jacobian(spread.T * problem.scales)
        own = np.stack([run.samples[name] for name in reads], axis=1)
        moved = np.stack([slopes[name] for name in reads], axis=2)
        return (own - measured).ravel() / NOISE, moved.reshape(len(x), -1).T / NOISE

    last = {}

    def both(x):
        if last.get("x") is None or not np.array_equal(last["x"], x):
            last["x"], last["rows"] = x.copy(), rows(x)
        return last["rows"]

    found = least_squares(
        lambda x: both(x)[0], start, jac=lambda x: both(x)[1], bounds=(0.2, 5.0), x_scale="jac"
    )
    return found, problem


if __name__ == "__main__":
    found, problem = recover(record())
    spread = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    for (name, value), part, off in zip(NUMBERS.items(), found.x, spread, strict=True):
        print(f"{name}: {part * value:.4g} +- {off * value:.1g}, behind the record {value:.4g}")
    print(problem.runs, "runs")

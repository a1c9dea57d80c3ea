"""Activations of fiber muscles with contact, found so that the forearm follows a given angle.

The upper limb of the scene ``upper_limb``, whose biceps and triceps fibers slide on each other and
on the bones; the elbow is to flex, to hold, and to extend half the way back. Unknown are the knots
of two activations, that of the biceps and that of the triceps fibers.

New here: optimal control of fiber muscles, by derivatives of the whole run (``fm.gradient``).
"""

import numpy as np
from scipy.optimize import minimize

import fibermsk as fm

MUSCLES = "biceps", "triceps"
LARGEST = 0.15
"""Largest activation: the scene's muscles are a hundred times as strong as real ones."""
EFFORT = 1e-3
"""Weight of squared activations over the largest one, beside squared angles [rad^2]."""

# what `follow` finds from constant activations
FOUND = {
    "biceps": (
        0.02342, 0.01613, 0.01034, 0.01271, 0.02173, 0.03436, 0.03189, 0.03195, 0.03223,
        0.03087, 0.02494, 0.01633, 0.00956, 0.01007, 0.00974, 0.0082, 0.0096,
    ),
    "triceps": (
        0.02419, 0.01652, 0.00704, 0.00251, 0.0, 0.00087, 0.00019, 0.00046, 0.00052,
        0.0, 0.00117, 0.00278, 0.00147, 0.00185, 0.00147, 0.00067, 0.00188,
    ),
}  # fmt: skip


def wanted(time):
    """Angle to follow [rad]: flexed within 1.2 s, held, and half the way back."""

    def rise(start, end):
        s = np.clip((time - start) / (end - start), 0.0, 1.0)
        return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)

    return 0.1 + 0.6 * rise(0.2, 1.4) - 0.3 * rise(2.2, 3.2)


def scene(
    elements: int = 8,
    steps: int = 128,
    duration: float = 4.0,
    found: bool = True,
    level: float = 0.02,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    elements : int
        Finite elements of each fiber.
    steps : int
        Time steps, and frames.
    duration : float
        Simulated time [s].
    found : bool
        Whether activations are those that `follow` found; else they are constant.
    level : float
        Constant activation of the biceps; that of the triceps is a tenth of it.
    """
    model = fm.make_scene("upper_limb", elements=elements).model
    times = np.linspace(0.0, duration, len(FOUND["biceps"]))
    flat = {"biceps": np.full(times.size, level), "triceps": np.full(times.size, 0.1 * level)}
    knots = FOUND if found else flat
    model = model.edit(
        {
            fiber: {"activation": fm.Table(times, knots[fiber.name.split("_")[0]])}
            for fiber in model.fibers
        }
    )
    own = {"method": "sdirk2", "tolerance": 0.0, "start": "equilibrium"}
    return fm.Scene(model, duration=duration, steps=steps, **own)


def aim() -> fm.Objective:
    """Mean squared deviation of the elbow from the angle to follow."""
    return fm.Objective(
        lambda time, q: ((q - wanted(time)) ** 2).mean(),
        {"q": "elbow_flexion"},
        slopes=lambda time, q: {"q": 2.0 * (q - wanted(time)) / q.size},
    )


def follow(made: fm.Scene, iterations: int = 60):
    """Knots of both activations that follow the angle, by L-BFGS-B; solution and problem."""
    run = fm.Simulation.of_scene(made)
    problem = fm.GradientProblem(run, aim(), "*/activation/knots")
    # fibers of a muscle have the same activation
    of = [MUSCLES.index(one.name.split("_")[0]) for one in problem.parameters]
    knots = np.array([one.place[0] for one in problem.parameters])
    n = knots.max() + 1
    spread = np.zeros((knots.size, 2 * n))
    spread[np.arange(knots.size), np.array(of) * n + knots] = LARGEST

    def both(z):
        value, slope = problem(spread @ z / problem.scales)
        slope = spread.T @ (slope / problem.scales)
        return value + EFFORT * (z**2).mean(), slope + 2.0 * EFFORT * z / z.size

    start = np.linalg.lstsq(spread, problem.start * problem.scales, rcond=None)[0]
    options = {"maxiter": iterations, "ftol": 1e-7, "gtol": 1e-6}
    bounds = [(0.0, 1.0)] * start.size
    found = minimize(both, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return LARGEST * found.x.reshape(2, n), found, problem


if __name__ == "__main__":
    knots, found, problem = follow(scene(found=False, level=0.005))
    print(found.message, f"objective {found.fun:.3g} rad^2 after {problem.runs} runs")
    for muscle, values in zip(MUSCLES, knots.round(5).tolist(), strict=True):
        print(muscle, values)

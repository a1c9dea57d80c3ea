"""Two bones with a heavy muscle reach a target: constant joint torques, found by gradients.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), section 4.7, with
chosen numbers: the double pendulum whose muscle of 1 kg passes a via point is to have its tip at a
target after half a second, and to be slow there.

New here: derivatives of a whole run (``fm.gradient``) for an optimizer.
"""

import numpy as np
from double_pendulum import scene as double_pendulum
from scipy.optimize import least_squares, minimize

import fibermsk as fm

START = {"q1": 0.2, "q2": 0.3}
TARGET, SLOW = np.array([0.35, -0.30, 0.0]), 0.01
TORQUES = "first_torque/torque/z", "second_torque/torque/z"
"""Torques on the bones; those of the joints are their sum and the second one."""


def scene(
    shoulder: float = 2.3455,
    elbow: float = 1.7831,
    muscle_mass: float = 1.0,
    steps: int = 100,
    duration: float = 0.5,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    shoulder, elbow : float
        Joint torques [N m]; by default those that `reach` finds from zero.
    muscle_mass : float
        Mass of the muscle [kg].
    steps : int
        Time steps, and frames.
    duration : float
        Time to reach the target [s].
    """
    model = double_pendulum(muscle="II", muscle_mass=muscle_mass).model
    model = model.edit({model.coordinate(name): {"value": at} for name, at in START.items()})
    for name, torque in (("first", shoulder - elbow), ("second", elbow)):
        model.add(fm.ExternalForce(f"{name}_torque", model.body(name), torque=(0.0, 0.0, torque)))
    return fm.Scene(model, duration=duration, steps=steps, method="sdirk2")


def aim(model: fm.Model) -> fm.Objective:
    """Squared distance of the tip from the target, and squared speeds, at the end."""
    return fm.Objective(
        lambda time, x, p, q: ((x[-1] - TARGET) ** 2).sum() + SLOW * (p[-1] ** 2 + q[-1] ** 2),
        {"x": model.body("second").at(0.0, -0.3, 0.0), "p": "q1/speed", "q": "q2/speed"},
    )


def rows(run):
    """Numbers whose squares are summed, at the end of a run, and their derivatives (5, 2)."""
    weights = {"x": 1.0, "p": SLOW**0.5, "q": SLOW**0.5}
    ends = {name: one[-1] for name, one in run.samples.items()}
    off = [ends["x"] - TARGET, *(weights[name] * ends[name] for name in "pq")]
    slopes = [weights[name] * one[:, -1] for name, one in run.jacobian().items()]
    return np.hstack(off), np.column_stack(slopes).T


def reach(made: fm.Scene, start: tuple[float, float] = (0.0, 0.0), method: str = "least squares"):
    """Torques on the bones that reach the target; the solution, and the problem.

    By least squares, with the derivatives of where the tip and the speeds end, or by BFGS, with
    those of the objective alone.
    """
    run = fm.Simulation.of_scene(made)
    problem = fm.GradientProblem(run, aim(made.model), TORQUES, scales=np.ones(2))
    if method == "bfgs":
        options = {"gtol": 1e-6}
        return minimize(problem, start, jac=True, method="BFGS", options=options), problem
    last = {}

    def both(x):
        if not np.array_equal(last.get("x"), x):
            last.update(x=x.copy(), rows=rows(problem.linear_run(x)))
        return last["rows"]

    found = least_squares(lambda x: both(x)[0], start, jac=lambda x: both(x)[1], xtol=1e-12)
    return found, problem


if __name__ == "__main__":
    found, problem = reach(scene())
    print(f"torques {found.x[0] + found.x[1]:.4f} and {found.x[1]:.4f} N m, {problem.runs} runs")

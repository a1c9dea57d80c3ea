"""The scene `reaching`."""

import numpy as np
import pytest
from scenes_of_tests import load_scene

import fibermsk as fm


@pytest.fixture(scope="module")
def reaching():
    return load_scene("reaching")


def test_gradient_is_that_of_differences(reaching):
    made = reaching.scene(0.0, 0.0, steps=20, duration=0.1)
    run = fm.Simulation.of_scene(made)
    problem = fm.GradientProblem(run, reaching.aim(made.model), reaching.TORQUES, scales=[1.0, 1.0])
    x, h = np.array([0.7, 0.4]), 1e-3
    (_, found), slopes = problem(x), []
    for one in h * np.eye(2):
        near, far = (problem.value(x + k * one) - problem.value(x - k * one) for k in (1, 2))
        slopes.append((8.0 * near - far) / (12.0 * h))
    np.testing.assert_allclose(found, slopes, rtol=1e-7)


def test_the_found_torques_reach(reaching):
    made = reaching.scene()
    result = fm.simulate_scene(made)
    assert result.status == "success"
    run = fm.Simulation.of_scene(made)
    problem = fm.GradientProblem(run, reaching.aim(made.model), reaching.TORQUES)
    value, slopes = problem(problem.start)
    rest = reaching.scene(0.0, 0.0)
    start = fm.GradientProblem(run, reaching.aim(rest.model), reaching.TORQUES)
    assert value < 0.05 * start.value(np.zeros(2))
    assert np.abs(slopes / problem.scales).max() < 1e-3


@pytest.mark.slow
def test_fewer_runs_than_without_gradients(reaching):
    # Nelder and Mead's method takes 96 to reach this, the slow test below
    made = reaching.scene(0.0, 0.0)
    found, problem = reaching.reach(made)
    assert found.success and problem.runs <= 15
    np.testing.assert_allclose(found.x, [0.5623, 1.7831], atol=1e-3)
    assert 2.0 * found.cost == pytest.approx(problem.value(found.x), rel=1e-12)


@pytest.mark.slow
def test_runs_without_gradients(reaching):
    from scipy.optimize import minimize

    made = reaching.scene(0.0, 0.0)
    found, problem = reaching.reach(made, method="bfgs")
    assert found.success and np.abs(found.jac).max() < 1e-6 and problem.runs < 20
    least, run = problem.value(found.x), fm.Simulation.of_scene(made)
    other = fm.GradientProblem(run, reaching.aim(made.model), reaching.TORQUES, scales=[1.0, 1.0])
    needed = []

    def value(x):
        found = other.value(x)
        if found < least + 1e-4:
            needed.append(other.runs)
        return found

    minimize(value, (0.0, 0.0), method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-10})
    assert min(needed) > 10 * 7

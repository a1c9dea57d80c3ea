"""Scenes whose numbers were found by gradients."""

from dataclasses import replace

import numpy as np
import pytest
from scenes_of_tests import load_scene

import fibermsk as fm


def tight(scene):
    """Run of a scene, solved to round-off."""
    return replace(fm.Simulation.of_scene(scene), newton=fm.Newton(tolerance=1e-12))


def slopes_of(problem, x, ways, h):
    """Differences of fourth order of an objective along ways (m, n)."""
    found = []
    for one in ways:
        near, far = (
            problem.value(x + k * h * one) - problem.value(x - k * h * one) for k in (1, 2)
        )
        found.append((8.0 * near - far) / (12.0 * h))
    return found


def test_transferred_tendon_is_at_the_best_place(rng):
    own = load_scene("tendon_transfer")
    made = own.scene(0.06)
    run = fm.Simulation.of_scene(made)
    site = "transfer_*/attach/insertion/z"
    problem = fm.GradientProblem(run, own.torque(made.model), site, scales=np.ones(3))
    far, slope = problem(problem.start)
    (expected,) = slopes_of(problem, problem.start, [np.ones(3)], 1e-5)
    assert slope.sum() == pytest.approx(expected, rel=1e-5)
    place = -0.0445 * np.ones(3)
    best, level = problem(place)
    # the slope is that per meter, of a torque of newton meters
    assert abs(level.sum()) < 0.05 and best > max(far, problem.value(place + 0.01))


def test_released_muscle_follows_its_numbers(rng):
    own = load_scene("quick_release")
    run, reads = tight(own.scene(steps=12, duration=0.024)), {"a": "length_1", "b": "length_3"}
    shortening = fm.Objective(lambda time, a, b: 1e3 * (a[-1] + 2.0 * b[7]), reads)
    paths = [f"*/tissue/{name}" for name in own.NUMBERS]
    problem = fm.GradientProblem(run, shortening, paths)
    assert len(problem.parameters) == 12
    way = rng.uniform(0.5, 1.0, 12)
    _, slope = problem(problem.start)
    (expected,) = slopes_of(problem, problem.start, [way], 1e-4)
    assert slope @ way == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
def test_numbers_of_a_tissue_are_recovered():
    own = load_scene("quick_release")
    measured = own.record()
    found, problem = own.recover(measured)
    off = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    assert found.success and problem.runs < 25
    assert (np.abs(found.x - 1.0) < 3.5 * off).all() and off.max() < 0.03
    # what is left is the noise
    assert 2.0 * found.cost / measured.size == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize(
    "drive, most", [pytest.param("torques", 0.034, marks=pytest.mark.slow), ("muscles", 2e-5)]
)
def test_the_arm_reaches(drive, most, rng):
    own = load_scene("reaching_arm")
    made = own.scene(drive)
    run = fm.Simulation.of_scene(made)
    parameters = own.PARAMETERS[drive]
    found = fm.gradient(run, own.aim(made.model), parameters)
    assert found.value < most
    short = tight(own.scene(drive, found=False, steps=6, duration=0.06))
    problem = fm.GradientProblem(short, own.aim(made.model), parameters, found.gradient**0)
    way = rng.uniform(0.5, 1.0, found.gradient.size)
    (expected,) = slopes_of(problem, problem.start, [way], 2e-4)
    assert problem(problem.start)[1] @ way == pytest.approx(expected, rel=1e-6)


def test_the_forearm_follows():
    own = load_scene("follow_angle")
    result = fm.simulate_scene(own.scene())
    off = result.coordinates["elbow_flexion"] - own.wanted(result.time)
    assert np.sqrt((off**2).mean()) < 0.006 and np.ptp(own.wanted(result.time)) > 0.5
    run = tight(own.scene(found=False, elements=3, steps=8, duration=0.25))
    problem = fm.GradientProblem(run, own.aim(), "*/activation/knots")
    way = np.ones(problem.start.size)
    (expected,) = slopes_of(problem, problem.start, [way], 1e-4)
    assert problem(problem.start)[1] @ way == pytest.approx(expected, rel=1e-6)

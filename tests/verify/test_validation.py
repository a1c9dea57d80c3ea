"""Problems that compare simulated with measured muscle."""

import numpy as np
import pytest
from verify.problem_files import load_module, load_problem

from fibermsk.verify import run_problem


def outcome_of(name):
    problem = load_problem(name)
    defaults = {key: parameter.default for key, parameter in problem.parameters.items()}
    return run_problem(problem, defaults)


@pytest.mark.parametrize(
    "name",
    [
        "tetanus",
        pytest.param("soleus_force_velocity", marks=pytest.mark.slow),
        pytest.param("soleus_force_length", marks=pytest.mark.slow),
        pytest.param("active_stretch", marks=pytest.mark.slow),
    ],
)
def test_measured_muscle_is_met(name):
    outcome = outcome_of(name)
    assert outcome.passed, outcome.as_dict()


def test_tetanus_has_its_time_constants():
    values = load_module("tetanus").run()
    assert values["rise_s"] == pytest.approx(0.021, abs=0.002)
    assert values["fall_s"] == pytest.approx(0.020, abs=0.002)


def test_calibrated_curve_of_scott():
    """The published numbers of the guide are the calibrated ones."""
    fastest, curve = load_module("soleus_force_velocity").calibrate()
    assert fastest == pytest.approx(4.67, rel=0.05)
    assert curve.eccentric == pytest.approx(1.38, abs=0.03)


@pytest.mark.slow
def test_cat_soleus_is_the_calibrated_muscle():
    problem = load_module("active_stretch")
    stored, fitted = problem.SOLEUS, problem.muscle(problem.NAMES)
    pairs = [
        (stored.max_isometric_force, fitted.max_isometric_force),
        (stored.tendon_strain, fitted.tendon_strain),
        (stored.activation.activation_time, fitted.activation.activation_time),
        (stored.activation.deactivation_time, fitted.activation.deactivation_time),
    ]
    names = "share near_share passive_damping active_damping strain shape".split()
    pairs += [(getattr(stored.tissue.titin, n), getattr(fitted.tissue.titin, n)) for n in names]
    assert np.allclose(*np.transpose(pairs), rtol=0.01)


@pytest.mark.slow
def test_even_stretch_is_stable_at_the_calibrated_numbers():
    """Unlike with the curves of line muscles: the passive curve is steep."""
    titin = load_module("active_stretch").SOLEUS.tissue.titin
    rate, h = titin.shape / titin.strain, 1e-6
    x = np.linspace(0.9, 1.25, 71)

    def passive(x):
        offset = np.exp(rate * (0.2 - 1.0))
        return (np.exp(rate * (x - 1.0)) - offset) / (np.exp(titin.shape) - offset)

    def active(x):
        return np.exp(-(((x - 1.0) / np.where(x < 1.0, 0.465, 0.554)) ** 2))

    bound = titin.share / (1.0 - titin.near_share) + 1.0 - titin.share
    slope = (bound * (passive(x + h) - passive(x - h)) + active(x + h) - active(x - h)) / (2 * h)
    assert slope.min() > 0.3

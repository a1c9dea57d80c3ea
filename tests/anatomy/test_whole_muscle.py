"""A muscle with tendon in an experiment, against the equations of a massless fiber."""

from dataclasses import replace

import numpy as np
import pytest
from _soleus_fit import simulate as massless

import fibermsk as fm

SOLEUS = fm.cat_soleus()


def test_stretch_follows_the_equations_of_a_massless_fiber():
    """They are written independently, and solved by implicit Euler with steps of 1 ms."""
    on, off, h = 0.05, 1.4, 1e-3
    times, way = np.array([0.0, 0.6, 1.0, 1.6]), np.array([0.0, 0.0, 3e-3, 3e-3])
    pulse = fm.Table((0, on, on + 1e-6, off, off + 1e-6), (0, 0, 1, 1, 0))
    run = SOLEUS.simulate((times, SOLEUS.optimal_length + way), pulse, 1.6, 0.1)
    titin, law = SOLEUS.tissue.titin, SOLEUS.activation
    numbers = np.array([
        SOLEUS.max_isometric_force, titin.share, titin.near_share, titin.passive_damping,
        titin.active_damping, titin.strain, titin.shape, SOLEUS.tendon_strain,
        law.activation_time, law.deactivation_time, on, off,
    ])  # fmt: skip
    grid = np.arange(1601) * h
    slack = SOLEUS.tendon_slack_length
    along = SOLEUS.optimal_length - slack
    force = massless(numbers, np.interp(grid, times, way), True, h, along, slack)
    # viscosity of the fiber in the current length, and Euler's error in fast changes
    away = np.abs(run.time[:, None] - np.array([on, 0.6, 1.0, off])).min(axis=1) > 0.04
    expected = np.interp(run.time, grid, force)
    np.testing.assert_allclose(run.force[away], expected[away], atol=0.01 * 21.2)
    assert np.ptp(run.result.fibers["fiber"].stretch, axis=1).max() < 1e-3
    np.testing.assert_allclose(run.length, SOLEUS.optimal_length + np.interp(run.time, times, way))


@pytest.mark.parametrize("strain", [0.0, 0.05])
def test_isometric_force_is_that_of_the_curves(strain):
    """The root of active and passive force and tendon."""
    own = replace(SOLEUS, tendon_strain=strain, activation=None)
    stretched = 1e-9 + own.tendon_slack_length * strain
    run = own.simulate(own.optimal_length + stretched, fm.Ramp(0.01, 0.02, 1.0), 2.0, 0.5)
    titin = own.tissue.titin
    rate = titin.shape / titin.strain
    offset = np.exp(rate * (0.2 - 1.0))
    passive = (1.0 - offset) / (np.exp(titin.shape) - offset)
    # titin of a fiber on an elastic tendon is stretched before, and bound: within 1 %
    expected = own.max_isometric_force * (1.0 + passive)
    assert run.force[-1] == pytest.approx(expected, rel=1e-3 if strain == 0.0 else 0.02)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"optimal_fiber_length": 0.0}, "optimal_fiber_length = 0.0 m; must be positive"),
        ({"max_isometric_force": -1.0}, "max_isometric_force = -1.0 N; must be positive"),
        ({"tendon_strain": 0.5}, "tendon_strain = 0.5; must be at most 0.2"),
        ({"tendon_slack_length": 0.0}, "tendon_slack_length = 0.0 m; must be positive for"),
        ({"tissue": None}, "tissue = None; must be a Tissue"),
        ({"tissue": replace(SOLEUS.tissue, active=None)}, "tissue.active = None; must be a Hill"),
        (
            {"tissue": replace(SOLEUS.tissue, titin=fm.Titin(3e5, optimal_stretch=1.1))},
            "tissue.titin.optimal_stretch = 1.1; must be 1",
        ),
    ],
)
def test_bad_muscles_are_refused(change, words):
    with pytest.raises(fm.ModelError, match=words.replace(".", r"\.")):
        replace(SOLEUS, **change)


@pytest.mark.parametrize(
    "length, words",
    [
        (0.0, "length = 0.0 m; must be positive"),
        (0.02, "length at t = 0 = 0.02 m; must exceed the slack length"),
        (([0.0, 0.0], [0.07, 0.07]), "length times"),
        (([0.0, 1.0], [0.07, -0.07]), "lengths = -0.07 m; must be positive"),
        (([0.0, 1.0],), r"length has 1 entries; must be \(times, lengths\)"),
    ],
)
def test_bad_lengths_are_refused(length, words):
    with pytest.raises(fm.ModelError, match=words):
        SOLEUS.simulate(length, 0.0, 1.0)

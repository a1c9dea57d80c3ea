"""The line force of the gap: value, derivative, limits."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose

from fibermsk.laws.penalty import line_energy, line_force


@pytest.mark.parametrize(("kappa", "gamma"), [(768.0, 3.0), (500.0, 4.0), (1.0, 1.001)])
def test_line_force_and_derivative(rng, kappa, gamma):
    for gap in -rng.uniform(0.0, 0.95, 50) / gamma:
        with mpmath.workdps(30):
            g = mpmath.mpf(gap)
            force = -kappa * g / (1 + mpmath.mpf(gamma) * g)
            slope = mpmath.diff(lambda x: -kappa * x / (1 + mpmath.mpf(gamma) * x), g)
        # 1 + gamma g is 0.05 or more here, so rounding grows by 20 and in the slope by 40
        assert_allclose(line_force(gap, kappa, gamma), [float(force), float(slope)], rtol=2e-14)


@given(st.floats(min_value=0.0, allow_nan=False))
def test_open_contact_is_exactly_free_of_force(gap):
    assert line_force(gap, 768.0, 3.0) == (0.0, 0.0)


def test_limits():
    """Continuous at zero with slope -kappa; without bound towards -1/gamma."""
    force, slope = line_force(-1e-12, 768.0, 3.0)
    assert_allclose([force, slope], [768e-12, -768.0], rtol=1e-11)  # gamma g = 3e-12
    assert line_force(-0.0, 768.0, 3.0) == (0.0, 0.0)
    assert line_force(-1.0 / 3.0 + 1e-9, 768.0, 3.0)[0] > 768.0 / 3.0 / 3.1e-9
    gaps = np.linspace(-0.3333, -1e-6, 500)
    forces = np.array([line_force(gap, 768.0, 3.0) for gap in gaps])
    assert np.all(forces[:, 0] > 0.0)  # repulsive
    assert np.all(np.diff(forces[:, 0]) < 0.0)  # the deeper, the stronger
    assert np.all(np.diff(forces[:, 1]) > 0.0)  # and the stiffer


@pytest.mark.parametrize(("kappa", "gamma"), [(768.0, 3.0), (500.0, 4.0), (1.0, 1.001)])
def test_line_energy(rng, kappa, gamma):
    """Its slope is minus the force; zero at the gap zero, and where the contact is open."""
    for gap in -rng.uniform(0.0, 0.95, 50) / gamma:
        with mpmath.workdps(30):
            g, limit = mpmath.mpf(gap), mpmath.mpf(gamma)
            # the integral of the force from the gap to zero
            exact = kappa * (g / limit - mpmath.log(1 + limit * g) / limit**2)
        # both terms cancel to second order in gamma g
        atol = 1e-15 * kappa * abs(gap) / gamma
        assert_allclose(line_energy(gap, kappa, gamma), float(exact), rtol=1e-13, atol=atol)
        with mpmath.workdps(30):
            slope = mpmath.diff(
                lambda s: kappa * (s / mpmath.mpf(gamma) - mpmath.log(1 + gamma * s) / gamma**2),
                mpmath.mpf(gap),
            )
        assert_allclose(line_force(gap, kappa, gamma)[0], -float(slope), rtol=2e-14)
    assert line_energy(0.0, kappa, gamma) == line_energy(0.3, kappa, gamma) == 0.0
    assert 0.0 <= line_energy(-1e-9, kappa, gamma) < 1e-17 * kappa + 1e-24

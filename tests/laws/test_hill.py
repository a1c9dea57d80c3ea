"""The Hill curves: derivatives against the complex step, and the facts that are known of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.errors import ModelError
from fibermsk.laws import hill

CURVES = {
    hill.active_force_length: (0.3, 1.8),
    hill.passive_force_length: (0.3, 1.8),
    hill.force_velocity: (-1.0, 1.0),
    hill.tendon_force_length: (0.95, 1.06),
}


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.__name__)
def test_slope_is_the_derivative(curve):
    at = np.linspace(*CURVES[curve], 31)
    assert_allclose(curve(at)[1], curve(at + 1e-30j)[0].imag / 1e-30, rtol=1e-12, atol=1e-14)


def test_facts():
    length = np.linspace(0.9, 1.1, 200001)
    force, slope = hill.active_force_length(length)
    peak = np.argmax(force)
    assert_allclose(force[peak], 1.00107, atol=5e-6)
    assert_allclose(length[peak], 1.01329, atol=5e-6)
    assert_allclose(hill.passive_force_length(1.0)[0], 0.018, atol=5e-4)
    assert_allclose(hill.passive_force_length(1.6)[0], 1.0)
    assert hill.passive_force_length(0.2)[0] == 0.0
    assert_allclose(hill.force_velocity(-1.0)[0], 0.0, atol=1e-6)
    assert_allclose(hill.force_velocity(0.0)[0], 1.0, atol=5e-3)
    assert_allclose(hill.force_velocity(1.0)[0], 1.794, atol=5e-4)
    assert_allclose(hill.tendon_force_length(np.array([1.0, 1.049]))[0], [0.0, 1.0], atol=1e-14)
    assert hill.tendon_force_length(0.9)[0] < 0.0  # a slack tendon pushes


@pytest.mark.parametrize("activation", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_isometric_force_balances_fibers_and_tendon(activation, angle):
    f0, l0, slack = 600.0, 0.1, 0.2
    total = slack + l0 * np.linspace(0.4, 1.6, 13)
    force, length = hill.isometric_force(total, activation, f0, l0, slack, angle)
    cosine = np.sqrt(1.0 - (l0 * np.sin(angle) / length) ** 2)
    fibers = activation * hill.active_force_length(length / l0)[0]
    fibers = f0 * cosine * (fibers + hill.passive_force_length(length / l0)[0])
    assert_allclose(force, fibers, rtol=1e-9, atol=1e-9)
    tendon = f0 * hill.tendon_force_length((total - length * cosine) / slack)[0]
    assert_allclose(force, tendon, rtol=1e-9, atol=1e-9)


def test_refusals_name_the_number():
    with pytest.raises(ModelError, match=r"pennation_angle = 2.* rad; must lie in \[0, pi/2\)"):
        hill.isometric_force([0.3], 1.0, 600.0, 0.1, 0.2, 2.0)
    with pytest.raises(ModelError, match="activation"):
        hill.isometric_force([0.3], 2.0, 600.0, 0.1, 0.2)
    with pytest.raises(ModelError, match="admit a muscle"):
        hill.isometric_force([0.05], 1.0, 600.0, 0.1, 0.2)
    with pytest.raises(ModelError, match=r"path = 300.0 m; must leave .* tendon would overflow"):
        hill.isometric_force([0.3, 300.0], 1.0, 600.0, 0.1, 0.2)

"""Tendon with a toe region."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.laws import hill
from fibermsk.laws.toe import ToeTendon

LAW = ToeTendon(1e6, hill.TENDON_SHAPE, np.log(1.05), 5e4, 100.0)


def test_curve_is_that_of_the_hill_tendon():
    """With the prestress of the tissue, from slack to 1.8 F_0."""
    slack = 1.0 - LAW.start / LAW.rate
    for stretch in (slack, 1.0, 1.02, 1.05):
        force, slope = hill.tendon_force_length(1.0 + stretch - slack)
        P, P_stretch, _ = LAW.stress(stretch, 0.0, 0.0)
        assert_allclose(P + 5e4 / stretch, 5e6 * force, rtol=1e-9, atol=1e-3)
        assert_allclose(P_stretch - 5e4 / stretch**2, 5e6 * slope, rtol=1e-9)
    assert_allclose(LAW.stress(1.0, 0.0, 0.0)[0], 0.0, atol=1e-3)


@pytest.mark.parametrize("stretch", [0.9, 0.99, 1.0, 1.03, 1.06, 1.3])
@pytest.mark.parametrize("rate", [0.0, -3.0, 2.0])
def test_derivatives(stretch, rate):
    """Stress is analytic between its corners in curvature: differences, and a complex energy."""
    h = 1e-6
    _, P_stretch, P_rate = LAW.stress(stretch, rate, 0.0)
    ahead, behind = (LAW.stress(stretch + d, rate, 0.0)[0] for d in (h, -h))
    assert_allclose(P_stretch, (ahead - behind) / (2 * h), rtol=1e-7)
    ahead, behind = (LAW.stress(stretch, rate + d, 0.0)[0] for d in (h, -h))
    assert_allclose(P_rate, (ahead - behind) / (2 * h), rtol=1e-4)
    slope = LAW.energy(stretch + 1e-30j).imag / 1e-30
    assert_allclose(slope, LAW.stress(stretch, 0.0, 0.0)[0], rtol=1e-9, atol=1e-3)


def test_complex_step_between_the_corners():
    for stretch in (1.01, 1.04):
        at = stretch + 1e-30j
        P = LAW.stress_of_toe * (np.exp(LAW.rate * (at - 1.0) + LAW.start) - 1.0)
        P -= LAW.prestress / at
        assert_allclose(LAW.stress(stretch, 0.0, 0.0)[1], P.imag / 1e-30, rtol=1e-12)

"""The nominal stress against its table, written out again with 30 digits."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.laws.stress import nominal_stress, stored_energy

# shear modulus, viscosity, gamma S_max, optimal stretch, width, exponent, prestress
FULL = (2.0e4, 1.0e4, 3.1e5, 1.3, 0.3, 4.0, 1.6e4)
PARTS = {
    "elastic": (2.0e4, 0.0, 0.0, 1.3, 0.3, 4.0, 0.0),
    "viscous": (0.0, 1.0e4, 0.0, 1.3, 0.3, 4.0, 0.0),
    "active": (0.0, 0.0, 3.1e5, 1.3, 0.3, 4.0, 0.0),
    "active, sharp": (0.0, 0.0, 3.1e5, 1.05, 0.45, 1.5, 0.0),
    "prestress": (0.0, 0.0, 0.0, 1.3, 0.3, 4.0, 1.6e4),
    "all": FULL,
    "stiffening": (0.0, 0.0, 0.0, 1.3, 0.3, 4.0, 0.0, 5.0e3, 6.7),
    "all with stiffening": (*FULL, 5.0e3, 6.7),
}


def table(
    stretch, rate, activation, mu, eta, active_max, optimal, width, exponent, prestress,
    stiffening=0.0, growth=1.0,
):  # fmt: skip
    """Cauchy stress of the parts over the stretch: force per reference area."""
    stretch, rate = mpmath.mpf(stretch), mpmath.mpf(rate)
    offset = (stretch / mpmath.mpf(optimal) - 1) / mpmath.mpf(width)
    cauchy = mu * (stretch**2 - 1 / stretch)
    cauchy += 3 * mpmath.mpf(eta) * rate / stretch
    cauchy += activation * active_max * mpmath.exp(-(abs(offset) ** mpmath.mpf(exponent)))
    cauchy += stretch * stiffening * mpmath.exp(growth * (stretch - 1))
    return (cauchy + prestress) / stretch


def states(rng):
    """Stretches on both sides of the optimum and of 1, rates of both signs, activations."""
    return np.column_stack(
        (rng.uniform(0.4, 2.2, 40), rng.normal(0.0, 3.0, 40), rng.uniform(0.0, 1.0, 40))
    )


@pytest.mark.parametrize("part", PARTS)
def test_stress_and_its_derivatives(rng, part):
    law = PARTS[part]
    for stretch, rate, activation in states(rng):
        found = nominal_stress(stretch, rate, activation, *law)
        with mpmath.workdps(30):
            expected = [
                table(stretch, rate, activation, *law),
                mpmath.diff(lambda s, r=rate, a=activation: table(s, r, a, *law), stretch),
                mpmath.diff(lambda r, s=stretch, a=activation: table(s, r, a, *law), rate),
            ]
        # Rounding: the sums cancel by less than a factor of 100 of their largest term, and the
        # curve far from its optimum has the condition nu |offset|^nu, about 100 as well.
        scale = max(
            law[0], law[1] * abs(rate), law[2] * activation, law[6], abs(float(expected[0]))
        )
        expected = [float(value) for value in expected]
        assert_allclose(found, expected, rtol=1e-12, atol=1e-14 * scale)


def test_table_in_numbers():
    """Values worked out by hand, so that test and law cannot share a misreading."""
    off = (1.3, 0.3, 4.0)
    assert nominal_stress(2.0, 3.0, 0.5, 5.0, 0.0, 0.0, *off, 0.0)[0] == 5.0 * (2.0 - 0.25)
    assert nominal_stress(2.0, 3.0, 0.5, 0.0, 5.0, 0.0, *off, 0.0)[0] == 3.0 * 5.0 * 3.0 / 4.0
    assert nominal_stress(2.0, 3.0, 0.5, 0.0, 0.0, 0.0, *off, 6.0)[0] == 3.0
    # one width above the optimum, at 1.3 * 1.3, the curve has fallen to 1/e
    P = nominal_stress(1.69, 3.0, 0.5, 0.0, 0.0, 13.52, *off, 0.0)[0]
    assert_allclose(P, 0.5 * 8.0 * np.exp(-1.0), rtol=1e-14)  # rounding of the offset, times 4


def test_reference_state_is_free_of_passive_stress():
    P, dP_dstretch, dP_drate = nominal_stress(1.0, 0.0, 0.0, *FULL[:6], 0.0)
    assert P == 0.0
    assert dP_dstretch == 3.0 * FULL[0]  # Young's modulus of an incompressible solid
    assert dP_drate == 3.0 * FULL[1]


@pytest.mark.parametrize("exponent", [1.0001, 2.0, 4.0, 7.5])
def test_optimum_of_the_active_curve(exponent):
    """The Cauchy stress is largest at the optimal stretch; the nominal slope there is -P/lambda."""

    def active(stretch):
        return nominal_stress(stretch, 0.0, 0.7, 0.0, 0.0, 2.0e5, 1.25, 0.2, exponent, 0.0)

    P, slope, _ = active(1.25)
    assert_allclose(1.25 * P, 0.7 * 2.0e5, rtol=1e-15)
    assert_allclose(slope, -P / 1.25, rtol=1e-15)
    around = np.linspace(0.5, 2.0, 301)
    cauchy = np.array([stretch * active(stretch)[0] for stretch in around])
    assert around[np.argmax(cauchy)] == 1.25
    # farther out than this the curve falls below the smallest float for large exponents
    low, high = around[around <= 1.25], around[around >= 1.25]
    assert np.all(np.diff(cauchy[around <= 1.25][low >= 1.0]) > 0.0)
    assert np.all(np.diff(cauchy[around >= 1.25][high <= 1.5]) < 0.0)
    assert np.all(np.diff(cauchy[around <= 1.25]) >= 0.0)
    assert np.all(np.diff(cauchy[around >= 1.25]) <= 0.0)
    # the same height a width below and above
    low, high = active(1.25 * 0.8), active(1.25 * 1.2)
    assert_allclose(1.25 * 0.8 * low[0], 1.25 * 1.2 * high[0], rtol=1e-14)  # offset's rounding


def test_exponent_four_is_no_exception():
    """Its power is a product, that of its neighbors in the floats a general power."""
    for stretch in np.linspace(0.6, 2.2, 33):
        found = nominal_stress(stretch, 0.3, 0.7, *FULL[:5], 4.0, FULL[6])
        for near in (np.nextafter(4.0, 0.0), np.nextafter(4.0, 5.0)):
            expected = nominal_stress(stretch, 0.3, 0.7, *FULL[:5], near, FULL[6])
            # d^nu varies by eps nu log d, and the largest |offset| here has d^nu = 30
            assert_allclose(found, expected, rtol=1e-13)


def test_a_broken_activation_shows():
    """Not a number stays one, though a muscle without activation skips its curve."""
    assert np.isnan(nominal_stress(1.0, 0.0, np.nan, *FULL)[0])
    assert np.isnan(nominal_stress(np.nan, 0.0, 0.0, *FULL)[0])


def test_energy_derivative_is_the_conservative_stress(rng):
    for stretch in rng.uniform(0.4, 2.2, 40):
        with mpmath.workdps(30):
            slope = mpmath.diff(
                lambda s: mpmath.mpf(FULL[0]) / 2 * (s**2 + 2 / s - 3) + FULL[6] * mpmath.log(s),
                mpmath.mpf(stretch),
            )
        P, _, _ = nominal_stress(stretch, 0.0, 0.0, *FULL)
        # rounding, where elastic part and prestress may cancel
        assert_allclose(P, float(slope), rtol=1e-14, atol=1e-14 * FULL[0])
        h = 1e-5
        ahead, behind = (stored_energy(stretch + s, FULL[0], FULL[6]) for s in (h, -h))
        # central difference: h^2 W'''/6 with W''' < 6 mu / 0.4^4, and rounding eps W / h
        assert_allclose((ahead - behind) / (2.0 * h), P, rtol=0.0, atol=1e-7 * FULL[0])


def test_energy_of_stiffening(rng):
    own = 5.0e3, 6.7
    for stretch in rng.uniform(0.4, 2.0, 20):
        P = nominal_stress(stretch, 0.0, 0.0, 0.0, 0.0, 0.0, 1.3, 0.3, 4.0, 0.0, *own)[0]
        with mpmath.workdps(30):
            slope = mpmath.diff(
                lambda s: own[0] / own[1] * (mpmath.exp(own[1] * (s - 1)) - 1), stretch
            )
        assert_allclose(P, float(slope), rtol=1e-13)  # rounding of the exponent
        h = 1e-5  # h^2 W'''/6 with W''' = b^2 P, and rounding of W over h
        ahead, behind = (stored_energy(stretch + s, 0.0, 0.0, *own) for s in (h, -h))
        assert_allclose((ahead - behind) / (2.0 * h), P, rtol=1e-8, atol=1e-6)


def test_energy_is_zero_and_least_in_the_reference_state(rng):
    assert stored_energy(1.0, FULL[0], FULL[6]) == 0.0
    assert all(stored_energy(s, FULL[0], 0.0) > 0.0 for s in rng.uniform(0.1, 0.99, 20))
    assert all(stored_energy(s, FULL[0], 0.0) > 0.0 for s in rng.uniform(1.01, 3.0, 20))

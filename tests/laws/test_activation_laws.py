"""Laws of activation: their derivatives, their published form and their exact solutions."""

from dataclasses import dataclass

import numpy as np
import pytest
from activation_answers import step_response
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.laws.checking import check_activation_law
from fibermsk.laws.derivatives import activation_rate

LAWS = [
    fm.SmoothActivation(),
    fm.SmoothActivation(0.113, 0.142, sharpness=0.1),
    fm.PiecewiseActivation(),
    fm.PiecewiseActivation(0.113, 0.142, variation=0.0),
    fm.PiecewiseActivation(0.02, 0.05, variation=0.4),
]


def plain(law, e, a):
    """Rates as the sources print them."""
    rise, fall = law.activation_time, law.deactivation_time
    if isinstance(law, fm.SmoothActivation):
        f = 0.5 * np.tanh(law.sharpness * (e - a))
        first = (f + 0.5) / (rise * (0.5 + 1.5 * a))
        return (first + (0.5 + 1.5 * a) / fall * (0.5 - f)) * (e - a)
    k = (1.0 - law.variation) + law.variation * (0.5 + 1.5 * a)
    return (e - a) / (rise * k) if e > a else (e - a) / (fall / k)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_rates_and_all_derivatives(law, rng):
    step = 1e-40
    for e, a in rng.uniform(0.0, 1.0, (200, 2)):
        rate, by_e, by_a = law.rate(e, a)
        assert rate == pytest.approx(plain(law, e, a), rel=1e-13)
        assert by_e == pytest.approx(law.rate(e + 1j * step, a)[0].imag / step, rel=1e-12)
        assert by_a == pytest.approx(law.rate(e, a + 1j * step)[0].imag / step, rel=1e-12)
    both = rng.uniform(0.0, 1.0, (2, 7))
    of_arrays = law.rate(*both)
    for k, pair in enumerate(both.T):
        np.testing.assert_allclose([part[k] for part in of_arrays], law.rate(*pair), rtol=1e-15)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_activation_tends_to_the_excitation_and_stays_between(law):
    for start, e in ((0.0, 0.8), (1.0, 0.3), (0.4, 0.4)):
        found = solve_ivp(
            lambda t, a, e=e: [law.rate(e, a[0])[0]], (0.0, 3.0), [start], rtol=1e-9, atol=1e-12
        )
        low, high = min(start, e), max(start, e)
        assert (found.y[0] >= low - 1e-9).all() and (found.y[0] <= high + 1e-9).all()
        assert found.y[0, -1] == pytest.approx(e, abs=1e-6)


@pytest.mark.parametrize("law", LAWS[2:], ids=repr)
def test_step_response_of_the_piecewise_law(law):
    times = np.linspace(0.0, 0.3, 7)
    for a, e in ((0.05, 0.9), (0.95, 0.1)):
        found = solve_ivp(
            lambda t, y, e=e: [law.rate(e, y[0])[0]],
            (0.0, 0.3), [a], t_eval=times, rtol=1e-12, atol=1e-14,
        )  # fmt: skip
        exact = [step_response(law, a, e, t) for t in times]
        np.testing.assert_allclose(found.y[0], exact, rtol=1e-8)
    constant = fm.PiecewiseActivation(0.02, 0.05, variation=0.0)
    fall = 0.1 + 0.8 * np.exp(-times / 0.05)
    np.testing.assert_allclose([step_response(constant, 0.9, 0.1, t) for t in times], fall)
    rise = 0.9 - 0.8 * np.exp(-times / 0.02)
    np.testing.assert_allclose([step_response(constant, 0.1, 0.9, t) for t in times], rise)


def test_published_sharpness_mixes_both_time_constants():
    """With 0.1 the rise has half its rate and half that of the fall; with 10 nearly its own."""
    e, a = 1.0, 1.0 / 3.0
    half = 0.5 * (1.0 / 0.015 + 1.0 / 0.060) * (e - a)
    assert fm.SmoothActivation(sharpness=0.1).rate(e, a)[0] == pytest.approx(half, rel=0.05)
    assert fm.SmoothActivation().rate(e, a)[0] == pytest.approx((e - a) / 0.015, rel=1e-4)


@dataclass(frozen=True)
class Quadratic:
    """Rate without derivatives."""

    time: float = fm.law_constant("s", above=0.0, default=0.05)

    def rate(self, excitation, activation):
        return (excitation - activation) * (1.0 + excitation) / self.time


@dataclass(frozen=True)
class Wrong(Quadratic):
    def rate(self, excitation, activation):
        return (excitation - activation) / self.time, 1.0 / self.time, 1.0 / self.time


@dataclass(frozen=True)
class Real(Quadratic):
    def rate(self, excitation, activation):
        return float(np.real(excitation - activation)) / self.time


def test_laws_of_a_user():
    check_activation_law("x", Quadratic())
    rate, by_excitation, slope = activation_rate(Quadratic(), 0.5, 0.2)
    assert rate == pytest.approx(9.0) and slope == pytest.approx(-30.0)
    assert by_excitation == pytest.approx(36.0)
    with pytest.raises(fm.ModelError, match=r"'Wrong'.*dr_dactivation = 20; must be -20"):
        fm.ActivationDynamics(0.5, Wrong())
    with pytest.raises(fm.ModelError, match=r"'Real'.*must accept complex numbers"):
        fm.ActivationDynamics(0.5, Real())
    with pytest.raises(fm.ModelError, match="law = 0.1; must be a frozen dataclass with rate"):
        fm.ActivationDynamics(0.5, 0.1)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"activation_time": 0.0}, "activation_time = 0.0 s; must be positive"),
        ({"deactivation_time": -1.0}, "deactivation_time = -1.0 s; must be positive"),
        ({"variation": 1.5}, r"variation = 1.5; must lie in \[0, 1\]"),
    ],
)
def test_constants_out_of_range_are_refused(change, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.PiecewiseActivation(**change)


def test_least_activation():
    """Below it excitation and activation act like it; above nothing changes."""
    law, free = fm.PiecewiseActivation(min_activation=0.1), fm.PiecewiseActivation()
    assert law.rate(0.7, 0.3) == free.rate(0.7, 0.3)
    rate, by_e, by_a = law.rate(0.7, 0.05)
    assert (rate, by_e, by_a) == (*free.rate(0.7, 0.1)[:2], 0.0)
    assert law.rate(0.0, 0.3)[0] == free.rate(0.1, 0.3)[0]
    assert law.rate(0.0, 0.02) == (0.0, 0.0, 0.0)

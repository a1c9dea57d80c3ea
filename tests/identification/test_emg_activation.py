"""Activation from EMG: exact steps, filter and delay, with exact derivatives."""

import numpy as np
import pytest
from identification.planar_arm import TRUTH, H, activations
from scipy.integrate import solve_ivp

from fibermsk.kernels.identification.emg import activation_of_emg

STEPS = [  # before, excitation
    (0.01, 1.0), (0.9, 0.05), (0.3, 0.3 + 1e-6), (0.3, 0.3 - 1e-6), (0.0, 0.02), (1.0, 0.0),
    (0.5, 0.5),
]  # fmt: skip


def run(emg, h, common, smooth=True):
    kind = np.result_type(emg.dtype, np.asarray(common).dtype)
    a, by = np.empty(emg.shape, kind), np.empty((*emg.shape, 5), kind)
    activation_of_emg(emg, h, np.asarray(common), smooth, a, by)
    return a, by


@pytest.mark.parametrize("a, u", STEPS)
def test_a_step_is_that_of_a_stiff_integrator(a, u):
    """From rest at a to constant u: a filter without memory, and no delay in the first samples."""
    rise, fall = 0.01, 0.04

    def rate(_, x):
        k = 0.5 + 1.5 * x
        return (u - x) / (rise * k) if u > x[0] else (u - x) * k / fall

    exact = solve_ivp(rate, (0.0, H), [a], method="Radau", rtol=1e-13, atol=1e-15).y[0, -1]
    emg = np.array([[a], [u], [u], [u]])
    found, _ = run(emg, H, (0.0, 0.0, 0.0, rise, fall))
    # held over the sample that begins at its EMG
    assert found[2, 0] == pytest.approx(exact, abs=2e-13)


def test_many_short_steps_are_a_long_one():
    emg = np.r_[0.1, np.full(64, 0.8)][:, None]
    fine, _ = run(emg, H / 64, (0.0, 0.0, 0.0, 0.01, 0.04))
    coarse, _ = run(emg[:3], H, (0.0, 0.0, 0.0, 0.01, 0.04))
    assert fine[-1, 0] == pytest.approx(coarse[2, 0], rel=0.05)  # the last sample is not held
    emg = np.r_[0.1, np.full(65, 0.8)][:, None]
    fine, _ = run(emg, H / 64, (0.0, 0.0, 0.0, 0.01, 0.04))
    assert fine[-1, 0] == pytest.approx(coarse[2, 0], abs=1e-14)


def test_activation_is_that_of_equations_written_once_more(rng):
    emg = np.clip(rng.uniform(0.0, 1.0, (60, 2)).cumsum(axis=0) % 1.0, 0.05, 0.95)
    found, _ = run(emg, H, TRUTH)
    np.testing.assert_allclose(found, activations(emg, TRUTH), atol=1e-14)


def test_a_filter_has_gain_one():
    emg = np.r_[np.full(5, 0.2), np.full(400, 0.7)][:, None]
    assert run(emg, H, TRUTH)[0][-1, 0] == pytest.approx(0.7, abs=1e-9)


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("which", range(5))
def test_derivatives_are_complex_steps(rng, which, smooth):
    emg = 0.5 + 0.3 * np.sin(np.linspace(0, 9, 80))[:, None] + 0.05 * rng.normal(size=(80, 2))
    _, by = run(emg, H, TRUTH, smooth)
    common = np.array(TRUTH, complex)
    common[which] += 1e-30j
    a, _ = run(emg, H, common, smooth)
    np.testing.assert_allclose(by[..., which], a.imag / 1e-30, rtol=1e-10, atol=1e-12)


def test_the_delay_is_differentiable_at_whole_samples(rng):
    """Cubics have one slope there; lines have two."""
    emg = 0.5 + 0.1 * rng.uniform(-1.0, 1.0, size=(40, 1))  # u stays within [0, 1]

    emg[0] = 0.5
    # with these, rise and fall have one slope at 0.5, where the activation starts at rest
    times = 0.01, 0.015625

    def slopes(smooth):
        found = []
        for d in (8.0 - 1e-6, 8.0 + 1e-6):
            common = (0.0, 0.0, d * H, *times)
            found.append(run(emg, H, common, smooth)[1][:, 0, 2])
        return np.abs(found[0] - found[1]).max()

    assert slopes(True) < 1e-3 < slopes(False)

"""Rise and fall of a measured tetanus: rabbit tibialis anterior of Winters et al. (2011)."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import fibermsk as fm

RADIUS = 4e-3
AREA = np.pi * RADIUS**2
BELL = np.exp(-(((1.0 - 1.0 / 1.3) / 0.3) ** 4))


@pytest.fixture(scope="module")
def measured(shared_models):
    """Time [s] and force [N] of figure 1A, at equal intervals of 1 ms."""
    file = shared_models.parent / "experiments" / "winters2011_fig1a_activation.csv"
    if not file.is_file():
        pytest.skip(f"no file {file}")
    t, force = np.genfromtxt(file, delimiter=",", skip_header=1).T
    time = np.arange(0.0, t[-1], 1e-3)
    return time, np.interp(time, t, force)


def exponential(time, on, off, rise, fall):
    """Exact activation with constant time constants, excited fully from on to off."""
    top = 1.0 - np.exp(-(off - on) / rise)
    after = top * np.exp(-np.clip(time - off, 0.0, None) / fall)
    during = 1.0 - np.exp(-np.clip(time - on, 0.0, None) / rise)
    return np.where(time > off, after, during)


def test_a_held_fiber_rises_and_falls_as_measured(measured):
    """Calibrated on this tetanus: onset, end, two time constants, active and resting force.

    The force declines by 6 % during the plateau, which the model has no cause for, and it starts to
    rise and to fall more gradually than an exponential: the largest difference is on the flanks.
    """
    time, force = measured

    def off_by(p):
        return (p[5] + p[4] * exponential(time, *p[:4]) - force) / p[4]

    fit = least_squares(
        off_by, [0.105, 0.78, 0.02, 0.02, 14.0, 0.1], bounds=([0.09, 0.7, 1e-3, 1e-3, 5, 0], 20.0)
    )
    on, off, rise, fall, active, resting = fit.x
    assert rise == pytest.approx(0.021, abs=0.002) and fall == pytest.approx(0.020, abs=0.002)

    law = fm.PiecewiseActivation(rise, fall, variation=0.0)
    jump = 1e-7
    pulse = fm.Table([on, on + jump, off, off + jump], [0.0, 1.0, 1.0, 0.0])
    tissue = fm.Tissue(
        1060,
        fm.KelvinVoigt(2e4, 1e3),
        # on the ascending limb, where elements do not run apart
        active=fm.ActiveStress(active / AREA / BELL, optimal_stretch=1.3),
        prestress=resting / AREA,
    )
    model = fm.Model("tetanus", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(0.04, 0, 0)
    dynamics = fm.ActivationDynamics(pulse, law)
    model.add(
        fm.Fiber(
            "anterior", attach=ends, radius=RADIUS, n_elements=2, tissue=tissue, activation=dynamics
        )
    )
    n = time.size - 1
    result = fm.simulate(
        fm.build(model), t_end=n * 1e-3, dt=1e-3, control=fm.AdaptiveSteps(1e-5, landing=False)
    )
    found = -result.fibers["anterior"].force_insertion[:, 0]
    np.testing.assert_allclose(result.time, time, atol=1e-12)
    np.testing.assert_allclose(
        found, resting + active * exponential(time, *fit.x[:4]), atol=2e-3 * active
    )
    rms = np.sqrt(np.mean((found - force) ** 2)) / force.max()
    assert rms <= 0.03

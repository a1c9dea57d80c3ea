"""The compiled multistep method: its corrections, its orders, the motion, and what it refuses.

The model is the scene `arm2`: two hinges with springs, dampers and limits, two muscles with elastic
tendons around a cylinder, and excitations with corners.
"""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import fsolve

import fibermsk as fm
from fibermsk.kernels.forward.correction import correct
from fibermsk.kernels.forward.multistep import _respace
from fibermsk.kernels.lines.hill import rebuilding
from fibermsk.solvers.compiled import run
from fibermsk.solvers.compiled.tableau import tableau

END = (-0.339992953, 1.700344442)
"""Shoulder and elbow of `arm2` after 5 s, by `Explicit` at 1e-10 [rad]."""


@pytest.fixture(scope="module")
def arm():
    return fm.build(fm.make_scene("arm2").model)


def at_end(result):
    return np.array([result.coordinate(name)[-1] for name in ("shoulder", "elbow")])


def test_motion_of_the_scene(arm):
    """The angles after 5 s, by two other methods; errors fall with the tolerance."""
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        result = fm.simulate(arm, t_end=5.0, dt=0.5, method=fm.NDF(tolerance))
        errors.append(np.abs(at_end(result) - END).max())
    assert errors[0] < 1e-4 and errors[1] < 2e-6 and errors[2] < 2e-8
    assert result.method == "ndf" and result.status == "success"
    assert result.muscles and result.states


def test_stiff_tendons_do_not_limit_the_steps(arm):
    """A fraction of the evaluations of the explicit method, whose steps stability limits."""
    loose = [fm.simulate(arm, t_end=5.0, dt=5.0, method=m(1e-4)) for m in (fm.NDF, fm.Explicit)]
    counts = [result.stats["evaluations"] for result in loose]
    assert counts[0] < counts[1] / 5


def correction(arm, h, memory):
    """Correction of a prediction u + h f of order one, and its share of that by a dense solver."""
    engine, n = arm.marching(), arm.skeleton.n
    y, v = arm.initial_state()
    y[:n], v[:n] = (0.02, 0.37), (0.5, -0.4)
    u = engine.pack(y, v)
    f, rates = np.zeros_like(u), np.zeros_like(u)
    assert engine.rates_at(1.2, u, f, memory) == 0
    run = engine.stiff_run(tableau(), 5, (1e-9, math.inf, np.array([0.0, 1.0]), y, v))
    work, guess, t = run._work, u + h * f, 1.2 + h
    work.psi[:], work.size[:] = h * f, 1e-9
    assert engine.rates_at(t, guess, rates, run._state) == 0
    law = arm.model.muscles[0].law
    solve = rebuilding(type(law.curves), law.tendon).of(correct)
    assert solve(engine.arrays, t, guess, rates, h, run._state, work)

    def residual(d):
        at = np.zeros_like(u)
        assert engine.rates_at(t, guess + d, at, memory) == 0
        return h * at - h * f - d

    return work.d, fsolve(residual, np.zeros_like(u), xtol=1e-14)


def test_correction_solves_the_formula(arm):
    """Against a dense solver with exact rates: what masses and levers change falls with the step.

    The correction is of second order in the step, the change of masses and levers within it of
    fourth.
    """
    memory = arm.marching().memory()
    found = [correction(arm, h, memory) for h in (2e-3, 1e-3)]
    shares = [np.abs(d - exact).max() / np.abs(exact).max() for d, exact in found]
    assert shares[0] < 1e-2 and shares[1] < shares[0] / 3


def test_differences_at_another_step():
    """Those of a polynomial of the order, at a fraction and at a multiple of the step."""
    powers = np.array([0.3, -1.0, 2.0, 0.5, -0.7])

    def differences(h):
        rows = [np.polyval(powers, 1.0 - h * k) for k in range(5)]
        return np.array([np.diff(rows[: k + 1], k)[0] * (-1) ** k for k in range(5)])

    for factor in (0.37, 1.9):
        D = np.zeros((8, 1))
        D[:5, 0] = differences(0.2)
        _respace(D, 4, factor)
        np.testing.assert_allclose(D[:5, 0], differences(0.2 * factor), atol=1e-14)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_order(arm, order):
    """Steps grow with the tolerance by its power 1 / (order + 1)."""
    steps = []
    for tolerance in (1e-4, 1e-4 * 0.1 ** (order + 1)):
        method = fm.NDF(tolerance, order=order)
        steps.append(fm.simulate(arm, t_end=0.4, dt=0.4, method=method).stats["substeps"])
    assert 0.8 < np.log10(steps[1] / steps[0]) < 1.1


def test_frames_between_steps(arm):
    """Frames do not change the steps, and lie on the motion."""
    results = [
        fm.simulate(arm, t_end=0.5, dt=dt, method=fm.NDF(1e-7)) for dt in (0.5 / 64, 0.5 / 4)
    ]
    ends = [result.coordinate("elbow") for result in results]
    fine = fm.simulate(arm, t_end=0.5, dt=0.125, method=fm.NDF(1e-10)).coordinate("elbow")
    assert results[0].stats["substeps"] == results[1].stats["substeps"]
    np.testing.assert_allclose(ends[0][::16], ends[1], atol=1e-12)
    np.testing.assert_allclose(ends[1], fine, atol=1e-6)


@pytest.mark.parametrize("method", [fm.NDF(1e-8), fm.Explicit(1e-8)])
def test_velocities_of_fibers_in_frames(arm, method):
    """The march does not record the rates of states: reports solve for them."""
    result = fm.simulate(arm, t_end=0.2, dt=5e-4, method=method)
    for muscle in result.muscles.values():
        speed = np.gradient(muscle["fiber_length"], result.time)[1:-1]
        error = np.abs(muscle["fiber_velocity"][1:-1] - speed)
        # excitations have corners at 50 and 100 ms
        assert error.max() < 0.02 * np.abs(speed).max() and np.median(error) < 1e-4


def test_a_run_within_a_run(arm, monkeypatch):
    monkeypatch.setattr(run, "_AT_ONCE", 10)
    begin, settings = arm.line_muscles.memory(), {"t_end": 0.2, "dt": 0.01, "method": fm.NDF(1e-6)}
    y, v = arm.initial_state()

    def again(_):
        fm.simulate(arm, (y, v + 2.0), **settings)

    alone = fm.simulate(arm, **settings)
    arm.line_muscles.restore(begin)
    nested = fm.simulate(arm, progress=again, **settings)
    assert nested.stats["evaluations"] == alone.stats["evaluations"]
    for name, angles in alone.coordinates.items():
        np.testing.assert_array_equal(nested.coordinates[name], angles)


def test_refusals(arm):
    """Settings out of range, and what the loop does not have, are named."""
    for given, what in (
        ({"tolerance": 0.5}, r"tolerance = 0\.5.*\[1e-13, 0\.1\]"),
        ({"order": 6}, "order = 6"),
        ({"longest": 0.0}, "longest = 0"),
    ):
        with pytest.raises(fm.ModelError, match=what):
            fm.NDF(**given)
    with pytest.raises(fm.ModelError, match=r"newton.*NDF\(\)"):
        fm.simulate(arm, t_end=0.1, dt=0.1, method=fm.NDF(), newton=fm.Newton())
    model = fm.make_scene("arm2", tendon="balance").model
    with pytest.raises(fm.ModelError, match="balance"):
        fm.simulate(fm.build(model), t_end=0.1, dt=0.1, method=fm.NDF())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gait10dof18musc.osim", "leg6dof9musc.osim"])
def test_whole_models(name):
    """Imported models with their muscles: SDIRK2 of another code comes near, Explicit nearer.

    Errors of SDIRK2 fall with the power 0.6 of its tolerance: 1.6e-5, 3.7e-6, 8e-7 rad.
    """
    path = Path(os.environ.get("FIBERMSK_MODELS", "../shared/models")) / "opensim-models" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    system = fm.build(fm.with_muscle_forces(fm.read_osim(path), 0.2))
    end = {"t_end": 0.05, "dt": 0.05}
    fast = fm.simulate(system, **end, method=fm.NDF(1e-8))
    for settings, angle, length in (
        ({"control": fm.AdaptiveSteps(1e-7)}, 6e-6, 2e-7),
        ({"method": fm.Explicit(1e-9)}, 1e-7, 1e-8),
    ):
        other = fm.simulate(system, **end, **settings)
        for one, found in fast.coordinates.items():
            np.testing.assert_allclose(found, other.coordinates[one], rtol=0.0, atol=angle)
        for one, found in fast.muscles.items():
            expected = other.muscles[one]["fiber_length"]
            np.testing.assert_allclose(found["fiber_length"], expected, rtol=0.0, atol=length)

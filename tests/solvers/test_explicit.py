"""The compiled explicit method: the same equations, its order, and what it refuses.

The model is the scene `arm2`: two hinges with springs, dampers and limits, two muscles with elastic
tendons around a cylinder, and excitations with corners.
"""

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.solvers import State
from fibermsk.solvers.initial import begin_from


@pytest.fixture(scope="module")
def arm():
    return fm.build(fm.make_scene("arm2").model)


def test_rates_are_those_of_the_other_methods(arm):
    """The implicit methods solve the residual of the contributions; this one computes the rates."""
    engine, n = arm.marching(), arm.skeleton.n
    y, v = arm.initial_state()
    for t, q, p in ((0.0, (0.0, 0.35), (0.0, 0.0)), (1.2, (0.02, 0.37), (0.5, -0.4))):
        y[:n], v[:n] = q, p
        state, v_dot = begin_from(arm, State(t, y, v))
        status, f = engine.rates(t, y, v)
        assert status == 0
        np.testing.assert_allclose(f[:n], p)
        np.testing.assert_allclose(f[n : 2 * n], v_dot[:n], rtol=1e-9)
        np.testing.assert_allclose(f[2 * n :], state.v[n:], rtol=1e-8, atol=1e-10)


def test_motion_of_the_scene(arm):
    """The angles after 5 s, by other methods and by plain NumPy; corners are met exactly."""
    result = fm.simulate(arm, t_end=5.0, dt=0.05, method=fm.Explicit(1e-8))
    end = [float(result.coordinate(name)[-1]) for name in ("shoulder", "elbow")]
    np.testing.assert_allclose(end, (-0.33999, 1.70034), atol=6e-6)
    assert result.method == "explicit" and result.status == "success"
    assert result.muscles and result.states


def test_order_is_five_at_least(arm):
    """Steps halved three times: the error at the end falls by 2^15 at least, up to a tenth."""

    def end(h, tolerance=0.1):
        method = fm.Explicit(tolerance, longest=h)
        result = fm.simulate(arm, t_end=0.064, dt=0.064, method=method)
        return np.array([result.coordinate(name)[-1] for name in ("shoulder", "elbow")])

    exact = end(0.064 / 1024)
    errors = [np.abs(end(0.064 / k) - exact).max() for k in (16, 128)]
    assert np.log2(errors[0] / errors[1]) / 3.0 > 4.7


def test_frames_between_steps(arm):
    """Frames within steps are on the motion that steps ending there give."""
    ends = [
        fm.simulate(arm, t_end=0.5, dt=dt, method=fm.Explicit(1e-7)).coordinate("elbow")
        for dt in (0.5 / 64, 0.5 / 4)
    ]
    fine = fm.simulate(arm, t_end=0.5, dt=0.125, method=fm.Explicit(1e-11)).coordinate("elbow")
    np.testing.assert_allclose(ends[0][::16], ends[1], atol=1e-12)
    np.testing.assert_allclose(ends[1], fine, atol=1e-5)


def test_refusals(arm):
    """What the loop does not have is named."""
    with pytest.raises(fm.ModelError, match=r"tolerance = 0\.5.*\[1e-13, 0\.1\]"):
        fm.Explicit(0.5)
    with pytest.raises(fm.ModelError, match="newton"):
        fm.simulate(arm, t_end=0.1, dt=0.1, method=fm.Explicit(), newton=fm.Newton())
    cases = {
        "balance": fm.make_scene("arm2", tendon="balance").model,
        "element": fm.make_scene("arm2", condition="II").model,
        "prescribed|element": fm.make_scene("arm2", formulation="reproduce", duration=0.1).model,
    }
    for what, model in cases.items():
        with pytest.raises(fm.ModelError, match=what):
            fm.simulate(fm.build(model), t_end=0.1, dt=0.1, method=fm.Explicit())

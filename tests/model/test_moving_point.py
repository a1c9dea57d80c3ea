import numpy as np
import pytest

import fibermsk as fm


@pytest.mark.parametrize(
    "motion", [None, (0, 0, 0), lambda t: 1.0, lambda t: (0, np.nan, 0), lambda t: 1 / 0]
)
def test_refused(motion):
    with pytest.raises(fm.ModelError, match="moving point: motion"):
        fm.MovingPoint(motion)


def test_end_of_a_fiber_follows():
    model = fm.Model("pulled", gravity=(0, 0, 0))
    hand = fm.MovingPoint(lambda t: (0.1 + 0.02 * t, 0.0, 0.0))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 100.0))
    ends = model.ground.at(0, 0, 0), hand
    model.add(fm.Fiber("fiber", attach=ends, radius=1e-3, n_elements=3, tissue=tissue))
    result = fm.simulate(
        fm.build(model), t_end=1.0, dt=0.1, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    np.testing.assert_allclose(
        result.fibers["fiber"].position[:, -1, 0], 0.1 + 0.02 * result.time, atol=1e-15
    )
    # slow pull: the stretch is uniform, 1.2 at the end, and the rate 0.2 / s
    stretch, area = 1.2, np.pi * 1e-6
    force = area * (1e5 * (stretch - stretch**-2) + 3 * 100.0 * 0.2 / stretch**2)
    assert result.tension("fiber")[-1] == pytest.approx(np.full(9, force), rel=1e-3)


def test_motion_that_fails_later_is_refused_before_computing():
    model = fm.Model("pulled")
    hand = fm.MovingPoint(lambda t: (0.1 if t < 0.5 else np.nan, 0.0, 0.0))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 100.0))
    ends = model.ground.at(0, 0, 0), hand
    model.add(fm.Fiber("fiber", attach=ends, radius=1e-3, n_elements=3, tissue=tissue))
    with pytest.raises(fm.ModelError, match="moving point: motion at t = 0.5 s"):
        fm.simulate(
            fm.build(model), t_end=1.0, dt=0.1, method=fm.BackwardEuler(), control=fm.FixedSteps()
        )


@pytest.mark.parametrize("t", [0.0, 1e-4, 2.5e-3, 0.7])
def test_derivatives_of_the_motion(t):
    """Fourth order in 1 ms, and round-off of 1e-16 m / (1 ms)^2; nothing is asked before t = 0."""
    asked = []

    def motion(time):
        asked.append(time)
        return np.sin(3 * time), np.cos(5 * time), 0.2 * time

    point = fm.MovingPoint(motion)
    velocity = (3 * np.cos(3 * t), -5 * np.sin(5 * t), 0.2)
    acceleration = (-9 * np.sin(3 * t), -25 * np.cos(5 * t), 0.0)
    np.testing.assert_allclose(point.velocity_at(t), velocity, atol=2e-9)
    np.testing.assert_allclose(point.acceleration_at(t), acceleration, atol=1e-5)
    assert min(asked) >= 0.0 and max(asked) <= max(t, 4.1e-3)

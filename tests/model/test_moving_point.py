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


def wave(t):
    return 0.1 + 0.02 * np.sin(40.0 * t), 0.01 * t**2, 0.0


def wave_speed(t):
    return 0.8 * np.cos(40.0 * t), 0.02 * t, 0.0


def wave_acceleration(t):
    return -32.0 * np.sin(40.0 * t), 0.02, 0.0


def pulled_by(point):
    """A fiber that a moving point pulls along."""
    model = fm.Model("pulled", gravity=(0, 0, 0))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 100.0), prestress=1e4)
    ends = model.ground.at(0, 0, 0), point
    model.add(fm.Fiber("fiber", attach=ends, radius=1e-3, n_elements=3, tissue=tissue))
    return fm.build(model)


@pytest.mark.parametrize("field", ["velocity", "acceleration"])
@pytest.mark.parametrize("wrong", [1.0, (0, 0, 0), lambda t: 1.0, lambda t: 1 / 0])
def test_derivatives_that_are_no_functions_are_refused(field, wrong):
    with pytest.raises(fm.ModelError, match=f"moving point: {field}"):
        fm.MovingPoint(wave, **{field: wrong})


def test_given_derivatives_are_taken_as_they_are():
    point = fm.MovingPoint(wave, wave_speed, wave_acceleration)
    np.testing.assert_array_equal(point.velocity_at(0.3), wave_speed(0.3))
    np.testing.assert_array_equal(point.acceleration_at(0.3), wave_acceleration(0.3))
    # with the velocity alone, the acceleration is its derivative: closer than that of the motion
    errors = [
        np.abs(p.acceleration_at(0.3) - wave_acceleration(0.3)).max()
        for p in (fm.MovingPoint(wave, wave_speed), fm.MovingPoint(wave))
    ]
    assert errors[0] < 0.1 * errors[1]


@pytest.mark.parametrize(
    "given",
    [
        {"velocity": wave_speed},
        {"acceleration": wave_acceleration},
        {"velocity": wave_speed, "acceleration": wave_acceleration},
    ],
)
def test_true_derivatives_are_accepted_at_any_time(given):
    pulled_by(fm.MovingPoint(wave, **given)).check_inputs(np.linspace(0.0, 900.0, 1001))


@pytest.mark.parametrize(
    "given, message",
    [
        ({"velocity": lambda t: 1.01 * np.array(wave_speed(t))}, "velocity at t = 0 s"),
        ({"velocity": lambda t: wave_speed(t + 1e-3)}, "velocity at t = 0.01 s"),
        ({"velocity": wave_acceleration}, "velocity at t = 0 s"),
        (
            {"velocity": wave_speed, "acceleration": wave_speed},
            "acceleration at t = 0 s.*derivative of the velocity",
        ),
        ({"acceleration": wave_speed}, "acceleration at t = 0 s.*derivative of the motion"),
    ],
)
def test_false_derivatives_are_refused_before_computing(given, message):
    system = pulled_by(fm.MovingPoint(wave, **given))
    with pytest.raises(fm.ModelError, match=f"moving point: {message}"):
        fm.simulate(system, t_end=0.1, dt=0.01)


def test_corners_may_have_the_velocity_of_either_side_and_nothing_is_asked_after_the_end():
    def ramp(t):
        assert 0.0 <= t <= 1.0
        return 0.1 + 0.05 * max(t - 0.5, 0.0), 0.0, 0.0

    for side in (np.greater, np.greater_equal):
        point = fm.MovingPoint(ramp, lambda t, side=side: (0.05 * side(t, 0.5), 0.0, 0.0))
        pulled_by(point).check_inputs(np.linspace(0.0, 1.0, 11))
        # the last time may be a corner, too: at rest afterwards
        pulled_by(point).check_inputs(np.array([0.5]))
    late = fm.MovingPoint(ramp, lambda t: (0.05 * (t > 0.65), 0.0, 0.0))
    with pytest.raises(fm.ModelError, match="velocity at t = 0.6 s"):
        pulled_by(late).check_inputs(np.linspace(0.0, 1.0, 11))

"""Runs that end where a condition changes its sign."""

import numpy as np
import pytest
from same_results import differences
from scenes_of_tests import two_link_arm
from scipy.special import ellipk

import fibermsk as fm

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha()]
CONTROLS = [
    fm.FixedSteps(),
    fm.FixedSteps(4),
    fm.AdaptiveSteps(),
    fm.AdaptiveSteps(landing=False),
]
DROP, GRAVITY = 5.0, 9.81


@pytest.fixture(scope="module")
def falling():
    """A ball on a vertical slider, 5 m above the table: the system and the ball."""
    model = fm.Model("fall", gravity=(0, 0, -GRAVITY))
    ball = model.add(fm.Body("ball", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(fm.Slider("height", model.ground, ball, (0, 0, DROP), axis=(0, 0, 1)))
    return fm.build(model), ball


def fall(falling, stops, **options):
    return fm.simulate(falling[0], **{"t_end": 2.0, "dt": 0.3, "observers": stops} | options)


@pytest.mark.parametrize("control", CONTROLS, ids=["fixed", "four", "landing", "dense"])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_falling_ball_stops_on_the_table(falling, method, control):
    ball = falling[1]
    lands = fm.StopWhen(lambda now: now.position(ball)[2], "the ball lands")
    result = fall(falling, [lands], method=method, control=control)
    assert result.status == "stopped" and result.is_complete
    assert result.message == f"stopped at t = {result.time[-1]:.6g} s: the ball lands"
    # 1e-10 of a step of at most 0.6 s, at 10 m/s, from above or below
    assert abs(result.coordinate("height")[-1] + DROP) < 1e-9
    assert result.time.size == 1 + np.ceil(result.time[-1] / (2.0 / 7))
    if method.order == 2:  # exact for a constant acceleration
        assert result.time[-1] == pytest.approx(np.sqrt(2 * DROP / GRAVITY), abs=1e-10)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_time_of_the_stop_is_of_the_methods_order(method):
    """A quarter of the period of a pendulum let go at 1 rad."""
    model = fm.Model("swing", gravity=(0, 0, -GRAVITY))
    rod = model.add(fm.Body("rod", mass=1.0, com=(0, 0, -1.0), inertia=(1e-9, 1e-9, 1e-9)))
    model.add(fm.Hinge("angle", model.ground, rod, (0, 0, 0), axis=(0, 1, 0), value=1.0))
    system = fm.build(model)
    down = fm.StopWhen(lambda now: now.coordinate("angle"), "it hangs down")
    exact = ellipk(np.sin(0.5) ** 2) / np.sqrt(GRAVITY)
    errors = []
    for n in (20, 40, 80) if method.order == 2 else (160, 320, 640):
        control = fm.FixedSteps()
        newton = fm.Newton(tolerance=1e-12)
        result = fm.simulate(
            system, t_end=1.0, dt=1.0 / n, method=method, newton=newton, control=control,
            observers=[down], time_error=False,
        )  # fmt: skip
        errors.append(abs(result.time[-1] - exact))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    # the last step is of another length each time
    np.testing.assert_allclose(orders, method.order, atol=0.2)


def test_direction_and_start(falling):
    """Zero at the start is no change; a rise is none where falls count."""

    def lap(now):
        return np.sin(4.0 * np.pi * now.t)

    times = {}
    for direction in ("either", "rising", "falling"):
        stop = fm.StopWhen(lap, "zero", direction=direction)
        times[direction] = fall(falling, [stop], dt=0.04).time[-1]
    assert times["either"] == pytest.approx(0.25) and times["falling"] == times["either"]
    assert times["rising"] == pytest.approx(0.5)


def test_the_first_of_several_stops_ends_the_run(falling):
    stops = [
        fm.StopWhen(lambda now, at=at: at - now.t, f"at {at}", name=f"{at}") for at in (0.61, 0.6)
    ]
    result = fall(falling, stops)
    assert result.time[-1] == pytest.approx(0.6, abs=1e-9) and result.message.endswith("at 0.6")


def test_change_just_after_a_step(falling):
    """No step is so short that what is divided by it is lost."""
    stop = fm.StopWhen(lambda now: 0.3 + 1e-13 - now.t, "soon")
    result = fall(falling, [stop], t_end=0.9, control=fm.FixedSteps())
    assert result.status == "stopped" and 0.3 < result.time[-1] < 0.3 + 1e-6


def test_step_that_has_to_be_halved_on_its_way(falling, monkeypatch):
    """A step to the located time that fails is made in parts, which are looked at as others are."""
    from fibermsk.solvers.newton.newton import Newton

    solve, times = Newton.solve, []

    def fail_once(self, system, t, start, evaluate):
        y, report = solve(self, system, t, start, evaluate)
        times.append(t)
        report.converged = report.converged and len(times) != 5
        return y, report

    monkeypatch.setattr(Newton, "solve", fail_once)
    stop = fm.StopWhen(lambda now: 1.0 + now.coordinate("height"), "a meter")
    options = {"dt": 0.5, "method": fm.BDF2(), "control": fm.FixedSteps()}
    result = fall(falling, [stop], **options)
    assert result.stats["failed_steps"] == 1
    assert abs(result.coordinate("height")[-1] + 1.0) < 1e-9


def test_what_is_not_reached_does_not_stop(falling):
    never = fm.StopWhen(lambda now: 3.0 - now.t, "never")
    result = fall(falling, [never])
    assert result.status == "success" and result.message == ""
    alone = fall(falling, [])
    np.testing.assert_array_equal(result.coordinate("height"), alone.coordinate("height"))


@pytest.mark.parametrize(
    ("method", "control"),
    [(fm.BDF2(), fm.AdaptiveSteps(1e-2)), (fm.BackwardEuler(), fm.FixedSteps())],
)
def test_stopped_run_is_resumed_bitwise(method, control, tmp_path):
    """From any checkpoint, the last included, also where the condition uses the system."""
    system = fm.build(two_link_arm(elements=3))
    y, v = system.initial_state()

    def bent(now):
        system.energy(y, v)  # finds contact elsewhere
        return now.coordinate("elbow") - 0.15

    stop = fm.StopWhen(bent, "bent")
    run = {"t_end": 0.12, "dt": 0.012, "method": method, "control": control}
    taken = []
    whole = fm.simulate(
        system, **run, observers=[stop], checkpoint=taken.append, checkpoint_every=0
    )
    assert whole.status == "stopped" and len(taken) > 3
    assert abs(whole.coordinate("elbow")[-1] - 0.15) < 1e-9
    for one in taken[:: -max(1, len(taken) // 4)]:
        rest = fm.simulate(system, **run, observers=[stop], resume_from=one)
        assert differences(rest, whole, tmp_path) == []


BAD = {
    "StopWhen 'stop': condition = 3; must be a function of a Moment": {"condition": 3},
    "StopWhen 'stop': message = None; must be a text": {"message": None},
    "direction = 'down'; must be one of 'either', 'rising', 'falling'": {"direction": "down"},
    'StopWhen: name = "a/b"|must have no "/"': {"name": "a/b"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_stops(message):
    with pytest.raises(fm.ModelError, match=message):
        fm.StopWhen(**{"condition": lambda now: 1.0, "message": ""} | BAD[message])


def test_conditions_that_are_no_numbers(falling):
    at = "StopWhen 'stop' at t = 0 s: condition"
    for value, words in (
        (True, "True; must be a number; return the"),
        (np.nan, "nan; must be finite"),
    ):
        with pytest.raises(fm.ModelError, match=f"{at} = {words}"):
            fall(falling, [fm.StopWhen(lambda now, value=value: value, "")])
    unknown = fm.StopWhen(lambda now: now.coordinate("elbow"), "")
    with pytest.raises(fm.ModelError, match="coordinate = 'elbow'; must be one of height"):
        fall(falling, [unknown])

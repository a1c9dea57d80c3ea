"""The estimate of the error in time, and the method that runs have unless told otherwise."""

from dataclasses import dataclass

import _limb_reference as limb
import numpy as np
import pytest
from pendulum import Pendulum, exact
from scenes_of_tests import load_scene
from test_corners import hanging

import fibermsk as fm

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]
NEWTON = fm.Newton(tolerance=1e-12)


@pytest.mark.parametrize("control", [fm.FixedSteps(10), fm.AdaptiveSteps(1e-4)], ids=["f", "a"])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_estimate_of_a_pendulum(method, control):
    result = fm.simulate(
        Pendulum(), t_end=6.0, dt=0.5, method=method, newton=NEWTON, control=control
    )
    true = max(abs(y[0] - exact()(t)[0][0]) for t, y, *_ in zip(*result.frames, strict=True))
    # asymptotically the methods' estimates of a step are right, or up to 2.5 times too large
    assert 1.0 < result.stats["time_error"]["coordinates"] / true < 1.5
    assert result.stats["time_error"]["fibers"] == 0.0


def compute(system, start, method, control):
    return fm.simulate(system, start, t_end=0.3, dt=0.02, method=method, control=control)


@pytest.fixture(scope="module")
def rod():
    """A rod that an active fiber lifts: system, start, and the motion by fine steps."""
    system = fm.build(hanging(fm.Ramp(0.05, 0.15, 0.3)))
    start = fm.equilibrium(system)
    return system, start, compute(system, start, fm.SDIRK2(), fm.FixedSteps(32))


def true_errors(system, found, fine):
    """Largest error of the angle, and of the fiber's positions over its length."""
    angle = np.abs(found.coordinate("angle") - fine.coordinate("angle")).max()
    apart = found.fibers["fiber"].position - fine.fibers["fiber"].position
    share = np.r_[0.5, np.ones(apart.shape[1] - 2), 0.5] / (apart.shape[1] - 1)
    square = (share * (apart**2).sum(axis=2)).sum(axis=1)
    return angle, np.sqrt(square.max()) / system.cables.length[0]


@pytest.mark.parametrize("control", [fm.FixedSteps(), fm.AdaptiveSteps(1e-4)], ids=["f", "a"])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_estimate_of_a_rod_on_a_fiber(method, control, rod):
    system, start, fine = rod
    found = compute(system, start, method, control)
    angle, fiber = true_errors(system, found, fine)
    estimate = found.stats["time_error"]
    most = 6.0 if method.name == "generalized_alpha" else 2.5
    assert 0.7 < estimate["coordinates"] / angle < most
    assert 0.7 < estimate["fibers"] / fiber < most


def test_the_default_is_right_to_half_a_percent_of_the_swing():
    """Where backward Euler, in steps as long as a frame, is off by a tenth."""
    system = fm.build(load_scene("upper_limb").scene().model)
    known = limb.ANGLE[:9]  # every 1/32 s, on the way up to 1.02 rad
    result = fm.simulate(system, t_end=0.25, dt=1 / 32)
    assert result.method == "sdirk2"
    error = np.abs(result.coordinate("elbow_flexion") - known).max()
    assert error < 0.005 * 1.02
    assert error < result.stats["time_error"]["coordinates"] < 5.0 * error
    first_order = fm.simulate(
        system, t_end=0.25, dt=1 / 32, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    error = np.abs(first_order.coordinate("elbow_flexion") - known).max()
    assert error > 0.05
    assert 0.7 < first_order.stats["time_error"]["coordinates"] / error < 1.5


def test_scenes_have_the_tolerance_of_runs():
    scene = fm.Scene(fm.Model("m"), duration=1.0, steps=10)
    assert scene.tolerance == fm.AdaptiveSteps().relative
    assert scene.method == fm.SDIRK2().name


@dataclass(frozen=True)
class Mute:
    """A method that does not estimate its errors."""

    name, order, error_order, most_growth = "mute", 2, 3, 5.0

    def start(self, system, state):
        return fm.SDIRK2().start(system, state)

    def step(self, system, newton, memory, h):
        step = fm.SDIRK2().step(system, newton, memory, h)
        return step._replace(error=None, velocity_error=None)


def test_an_error_that_is_not_known_is_none():
    unknown = {"coordinates": None, "fibers": None, "states": None}
    for options in ({"method": Mute()}, {"time_error": False}):
        result = fm.simulate(Pendulum(), t_end=1.0, dt=0.1, control=fm.FixedSteps(), **options)
        assert result.stats["time_error"] == unknown
    with pytest.raises(fm.ModelError, match="simulate: time_error = 1; must be True or False"):
        fm.simulate(Pendulum(), t_end=1.0, dt=0.1, time_error=1)


def test_the_estimate_changes_nothing():
    runs = [fm.simulate(Pendulum(), t_end=2.0, dt=0.1, time_error=told) for told in (True, False)]
    np.testing.assert_array_equal(runs[0].frames.y, runs[1].frames.y)

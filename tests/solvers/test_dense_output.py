"""Frames between steps."""

import numpy as np
import pytest
from pendulum import Pendulum, exact
from scenes_of_tests import two_link_arm
from test_error_control import exact_memory

import fibermsk as fm
from fibermsk.solvers.march import interpolate

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha()]


def test_interpolant_is_of_fourth_order():
    """Between two exact states: positions and velocities to h^4, accelerations to h^3."""
    errors = []
    for h in (0.2, 0.1, 0.05):
        before, after = (exact_memory(fm.BackwardEuler(), h) for _ in range(2))
        y, v, v_dot = exact()(before.state.t + h)
        after = after._replace(state=after.state._replace(t=before.state.t + h, y=y, v=v))
        after = after._replace(v_dot=v_dot)
        worst = np.zeros(3)
        for s in np.linspace(0.05, 0.95, 10):
            t = before.state.t + s * h
            state, rate = interpolate(Pendulum(), before, after, t)
            found = np.array([state.y, state.v, rate])[:, 0]
            worst = np.maximum(worst, np.abs(found - np.array(exact()(t))[:, 0]))
        errors.append(worst)
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(order[-1], [4.0, 4.0, 3.0], atol=0.2)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_interpolated_frames_are_of_the_methods_order(method):
    """On steps of equal length, with frames that fall anywhere between their ends."""
    errors = []
    for h in (0.04, 0.02, 0.01):
        # a tolerance that never matters; the first steps grow to the longest
        control = fm.AdaptiveSteps(1e3, longest=h, landing=False)
        frames = fm.simulate(
            Pendulum(),
            t_end=2.0,
            dt=2.0 / 127,
            method=method,
            newton=fm.Newton(tolerance=1e-12),
            control=control,
        ).frames
        assert frames.t.size == 128 and frames.step_size.max() <= h * (1.0 + 1e-12)
        y, v = np.array([exact()(t)[:2] for t in frames.t])[:, :, 0].T
        errors.append((np.abs(frames.y[:, 0] - y).max(), np.abs(frames.v[:, 0] - v).max()))
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(order[-1], method.order, atol=0.15)


@pytest.fixture(scope="module")
def arm():
    return fm.build(two_link_arm())


def run(system, n_frames, landing, relative=1e-3):
    control = fm.AdaptiveSteps(relative, landing=landing)
    return fm.simulate(system, t_end=0.2, dt=0.2 / n_frames, method=fm.BDF2(), control=control)


@pytest.mark.slow
def test_frames_cost_no_steps_without_landing(arm):
    few, many = run(arm, 2, False), run(arm, 400, False)
    # landing on all frames would take a step for each
    assert few.stats["substeps"] == many.stats["substeps"] < 400
    np.testing.assert_allclose(many.time, np.linspace(0.0, 0.2, 401), rtol=1e-15)
    # the states where both have frames are those of the same steps; the frames in between are
    # evaluated, and where candidates were found last affects round-off
    np.testing.assert_allclose(
        many.coordinate("elbow")[[0, 400]], few.coordinate("elbow")[[0, 2]], rtol=1e-14
    )
    assert many.newton_iterations.sum() == many.stats["newton_iterations"]
    # exactly attached, whatever the polynomial says
    assert many.stats["position_drift"] < 1e-15 and many.stats["velocity_drift"] < 1e-14


def test_interpolated_forces_follow_the_tolerance():
    smooth = fm.build(two_link_arm(elements=3, contact=False))
    fine = fm.simulate(smooth, t_end=0.2, dt=0.2 / 800, method=fm.SDIRK2(), control=fm.FixedSteps())
    medians = []
    for relative in (1e-3, 1e-4, 1e-5):
        forces = run(smooth, 50, False, relative).fibers["fiber_1"].force_insertion
        error = np.abs(forces - fine.fibers["fiber_1"].force_insertion[::16])
        medians.append(np.median(error.max(axis=1)))
    assert medians[1] < 0.8 * medians[0] and medians[2] < 0.6 * medians[1]
    assert medians[2] < 1e-3


def test_steps_still_end_on_the_corners_of_a_signal_and_at_the_end():
    class Ramped(Pendulum):
        def next_breakpoint(self, t, t_end):
            return min(0.777, t_end) if t < 0.777 else t_end

    times = []
    control = fm.AdaptiveSteps(1e-3, landing=False)
    fm.simulate(
        Ramped(),
        t_end=2.0,
        dt=0.5,
        method=fm.BDF2(),
        control=control,
        progress=lambda p: times.append(p.time),
    )
    assert 0.777 in times and times[-1] == 2.0
    assert not {0.5, 1.0, 1.5} & set(times)


def test_a_frame_that_is_not_admissible_is_landed_on():
    class Picky(Pendulum):
        """Refuses the first evaluation at t = 0.5, as if contacts were too deep there."""

        asked = 0

        def evaluate(self, t, *state, **options):
            found = super().evaluate(t, *state, **options)
            if t == 0.5:
                self.asked += 1
                if self.asked == 1:
                    return found._replace(admissibility=-1.0)
            return found

    times = []
    result = fm.simulate(
        Picky(),
        t_end=1.0,
        dt=0.25,
        method=fm.SDIRK2(),
        control=fm.AdaptiveSteps(1e-3, landing=False),
        progress=lambda p: times.append(p.time),
    )
    assert result.status == "success" and 0.5 in times and 0.25 not in times
    assert result.frames.admissibility.min() == 1.0
    assert result.stats["rejected_steps"] == 1 and result.stats["substeps"] == len(times)

"""Step control: what one call does, what is counted, and what is kept when a run ends early."""

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.solvers.steps.control import Counters

CONTROLS = [fm.FixedSteps(), fm.FixedSteps(3), fm.AdaptiveSteps(1e-3)]


@pytest.fixture(scope="module")
def arm():
    return fm.build(two_link_arm())


@pytest.mark.parametrize("control", CONTROLS, ids=repr)
def test_advance_makes_one_accepted_step(arm, control):
    """Every call ends at a new state; failed and rejected attempts in between are counted apart."""
    from fibermsk.solvers import State

    method, newton = fm.BDF2(), fm.Newton(max_iterations=6)
    memory = method.start(arm, State(0.0, *arm.initial_state()))
    pace = control.start(arm, method, memory, 0.05)
    counters, times = Counters(), []
    while memory.state.t < 0.05:
        new = control.advance(arm, method, newton, memory, pace, 0.05, counters)
        memory, pace, h = new.memory, new.control, new.h
        times.append(memory.state.t)
        assert counters.substeps == len(times)
        assert times[-1] == pytest.approx(sum(np.diff([0.0, *times])), abs=1e-15)
        assert h == pytest.approx(times[-1] - ([0.0, *times])[-2], abs=1e-15)
        assert new.evaluation.admissibility > 0.0
    assert times[-1] == 0.05 and np.all(np.diff(times) > 0.0)
    if isinstance(control, fm.FixedSteps):
        assert counters.failed_steps > 0 and len(times) > 1


@pytest.mark.parametrize("control", CONTROLS, ids=repr)
def test_run_stopped_between_frames_keeps_the_last_step(arm, control):
    def stop(progress):
        if progress.step == 3:
            raise KeyboardInterrupt

    # few iterations are allowed, so that fixed steps are halved
    newton = fm.Newton(max_iterations=6)
    result = fm.simulate(
        arm,
        t_end=0.1,
        dt=0.05,
        newton=newton,
        control=control,
        progress=stop,
        method=fm.BackwardEuler(),
    )
    assert result.status == "interrupted" and result.stats["substeps"] == 3
    assert 0.0 < result.time[-1] < 0.05 and result.time.size == 2
    assert f"t = {result.time[-1]:.6g} s" in result.message
    assert result.fibers["fiber_0"].position.shape[0] == 2


@pytest.mark.parametrize("control", CONTROLS, ids=repr)
def test_progress_says_why_steps_are_short(arm, control):
    told = []
    fm.simulate(
        arm, t_end=0.1, dt=0.05, newton=fm.Newton(max_iterations=6), control=control,
        progress=told.append, method=fm.BackwardEuler(),
    )  # fmt: skip
    steps = np.diff([0.0, *(one.time for one in told)])
    assert [one.step_size for one in told] == pytest.approx(steps)
    if isinstance(control, fm.AdaptiveSteps):
        assert "the error of the step stays above the tolerance" in {one.obstacle for one in told}
    else:
        failed = [one.obstacle for one in told if one.obstacle]
        assert 0 < len(failed) < len(told)
        assert all(text.startswith("no convergence in 6 iterations; largest") for text in failed)
        assert "at fiber_2 node 3" in failed[0]


def test_steps_that_end_at_outputs_are_not_called_short(arm):
    """As long as the outputs are apart, so that nothing stands in their way."""
    told = []
    control = fm.AdaptiveSteps(0.1)
    result = fm.simulate(arm, t_end=0.01, dt=0.001, control=control, progress=told.append)
    assert result.stats["substeps"] == 10 and len(told) == 10
    assert {one.obstacle for one in told} == {""}


def test_failure_between_frames_keeps_the_last_step_and_counts_the_attempts(arm, monkeypatch):
    from fibermsk.solvers.newton.newton import Newton

    solve, solved = Newton.solve, []

    def fail_later(self, *arguments):
        y, report = solve(self, *arguments)
        if report.converged:
            solved.append(arguments[1])
        if len(solved) > 4:
            report.converged, report.reason = False, "made up"
        return y, report

    monkeypatch.setattr(Newton, "solve", fail_later)
    control = fm.AdaptiveSteps(1e-3, shortest=1e-6)
    with pytest.raises(fm.ConvergenceError, match="made up") as caught:
        fm.simulate(arm, t_end=0.1, dt=0.1, control=control, method=fm.BackwardEuler())
    result = caught.value.result
    stats = result.stats
    assert stats["substeps"] + stats["rejected_steps"] == 4 and stats["substeps"] > 0
    assert result.time.size == 2
    assert result.time[-1] == caught.value.time > 0.0
    assert result.stats["failed_steps"] > 5


@pytest.mark.parametrize(
    "method", [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha()], ids=repr
)
def test_attachments_hold_to_round_off(arm, method):
    result = fm.simulate(arm, t_end=0.05, dt=0.005, method=method, control=fm.FixedSteps())
    # positions of 0.1 m and velocities of 1 m/s, a few roundings each
    assert result.stats["position_drift"] < 1e-15
    assert result.stats["velocity_drift"] < 1e-14


def test_drift_is_what_it_says(arm):
    y, v = arm.initial_state()
    v[-2:] = 1.0, -2.0
    v = arm.enforce(y, v)
    assert max(arm.drift(0.0, y, v)) < 1e-16
    node = arm.cables.attached_nodes[1]
    y[6 * node : 6 * node + 3] += (3e-4, 0.0, 4e-4)
    v[6 * node : 6 * node + 3] += (0.0, 0.12, 0.05)
    assert arm.drift(0.0, y, v) == pytest.approx((5e-4, 0.13), rel=1e-12)


def test_several_steps_a_frame_are_the_steps_of_as_many_frames(arm):
    every = fm.simulate(
        arm, t_end=0.125, dt=1.0 / 64.0, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    some = fm.simulate(
        arm,
        t_end=0.125,
        dt=1.0 / 16.0,
        control=fm.FixedSteps(steps_per_frame=4),
        method=fm.BackwardEuler(),
    )
    assert some.stats["substeps"] == every.stats["substeps"]
    np.testing.assert_array_equal(some.time, every.time[::4])
    for name in ("shoulder", "elbow"):
        np.testing.assert_array_equal(some.coordinate(name), every.coordinate(name)[::4])
    assert some.newton_iterations.sum() == every.newton_iterations.sum()


def test_a_step_that_is_halved_among_several_of_a_frame(arm):
    """The next ones are as long as they would have been."""
    newton, ends = fm.Newton(max_iterations=6), []
    result = fm.simulate(
        arm,
        t_end=0.1,
        dt=0.1,
        newton=newton,
        control=fm.FixedSteps(steps_per_frame=2),
        progress=lambda progress: ends.append(progress.time),
        method=fm.BackwardEuler(),
    )
    assert result.stats["failed_steps"] > 0 and len(ends) > 2
    assert ends[-1] == 0.1 and 0.05 in ends and np.all(np.diff(ends) > 0.0)


def test_the_number_of_steps_a_frame_is_an_int():
    assert repr(fm.FixedSteps(np.int64(3))) == repr(fm.FixedSteps(3))


def test_too_many_steps_a_frame_are_refused(arm):
    with pytest.raises(fm.ModelError, match="must take at most"):
        fm.simulate(
            arm, t_end=1.0, dt=1.0, control=fm.FixedSteps(10**15), method=fm.BackwardEuler()
        )


def test_frames_without_steps_are_refused():
    with pytest.raises(fm.ModelError, match="FixedSteps: steps_per_frame = 0"):
        fm.FixedSteps(0)

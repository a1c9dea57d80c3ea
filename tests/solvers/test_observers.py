"""What observers of a run see, and that they do not change it."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from pendulum import Pendulum
from same_results import differences
from scenes_of_tests import two_link_arm

import fibermsk as fm

FIXED = {"t_end": 1.0, "dt": 0.1, "method": fm.BDF2(), "control": fm.FixedSteps()}


class Count(NamedTuple):
    """What was seen: how many steps, and when."""

    steps: int
    times: np.ndarray


@dataclass
class Witness:
    """Keeps the times of all steps in its memory, and those of its own calls beside it."""

    name: str = "witness"
    calls: list = field(default_factory=list)
    ends: list = field(default_factory=list)

    def start(self, now):
        self.calls.append("start")
        return Count(0, np.zeros(0))

    def step(self, seen, now):
        assert now.before.state.t + now.h == pytest.approx(now.t)
        self.calls.append(now.t)
        return Count(seen.steps + 1, np.append(seen.times, now.t))

    def finish(self, seen, now):
        self.ends.append((seen, now.t))


def swing(*observers, **options):
    return fm.simulate(Pendulum(), **FIXED | {"observers": observers} | options)


def test_every_step_once_and_in_order_even_after_a_resume(tmp_path):
    taken, witness = [], Witness()
    whole = swing(witness, checkpoint=taken.append, checkpoint_every=0.0)
    np.testing.assert_array_equal(witness.calls[1:], whole.frames.t[1:])
    ((seen, end),) = witness.ends
    np.testing.assert_array_equal(seen.times, whole.frames.t[1:])
    assert seen.steps == len(taken) == 10 and end == 1.0
    for k, one in enumerate(taken):
        path = fm.save_checkpoint(one, tmp_path / "swing.checkpoint.h5")
        later = Witness()
        swing(later, resume_from=fm.load_checkpoint(path))
        np.testing.assert_array_equal(later.calls[1:], whole.frames.t[k + 2 :])
        ((again, _),) = later.ends
        assert again.steps == 10
        np.testing.assert_array_equal(again.times, seen.times)


def test_an_interrupted_observer_sees_the_step_again():
    """A step counts when all have seen it; one that was cut short is seen after the resume."""

    class Impatient(Witness):
        def step(self, seen, now):
            if now.t > 0.45:
                raise KeyboardInterrupt
            return super().step(seen, now)

    taken, first, rest = [], Witness("first"), Witness("first")
    cut = swing(first, Impatient(), checkpoint=taken.append, checkpoint_every=1e9)
    assert cut.status == "interrupted" and taken[0].time == pytest.approx(0.4)
    assert first.calls[-1] == pytest.approx(0.5) and first.ends[0][0].steps == 4
    whole = swing(rest, Witness(), resume_from=taken[0])
    assert rest.ends[0][0].steps == 10 and whole.status == "success"
    np.testing.assert_array_equal(whole.frames.y, swing().frames.y)


def test_observers_see_the_frames_of_the_result():
    frames = []

    class Stream(Witness):
        def start(self, now):
            frames.extend(now.frames)

        def step(self, seen, now):
            frames.extend(now.frames)

    control = fm.AdaptiveSteps(1e-2, landing=False)
    result = swing(Stream(), control=control, dt=0.01)
    assert len(frames) == 101
    for column, values in zip(zip(*frames, strict=True), result.frames, strict=True):
        np.testing.assert_array_equal(np.array(column), values)


def test_an_observer_stops_a_run_at_a_step():
    class Enough(Witness):
        def step(self, seen, now):
            seen = super().step(seen, now)
            return fm.Stop("enough", seen) if now.state.y[0] < 0.9 else seen

    witness, enough = Witness("after"), Enough()
    result = swing(enough, witness, control=fm.AdaptiveSteps(1e-3))
    assert result.status == "stopped" and result.message.endswith(": enough")
    assert result.frames.y[-1, 0] < 0.9 < result.frames.y[-2, 0] + 0.1
    # all see the last step, and are told of the end
    assert witness.calls == enough.calls and witness.ends[0][1] == result.frames.t[-1]
    assert enough.ends[0][0].steps == len(enough.calls) - 1


def test_error_in_an_observer_ends_the_run_and_says_where():
    class Broken(Witness):
        def step(self, seen, now):
            return seen if now.t < 0.25 else 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        swing(Broken("broken"))
    assert caught.value.__notes__ == ["raised in the observer 'broken' at t = 0.3 s"]


@pytest.mark.parametrize("how", ["failed", "interrupted"])
def test_finish_is_told_once_however_a_run_ends(how):
    def end(progress):
        if progress.step == 3:
            raise KeyboardInterrupt

    witness = Witness()
    options = {"progress": end}
    if how == "failed":
        options = {"newton": fm.Newton(max_iterations=1, tolerance=1e-30), "throw": False}
    assert swing(witness, **options).status == how
    steps = {"failed": 0, "interrupted": 3}[how]
    assert [seen.steps for seen, _ in witness.ends] == [steps]


def test_observers_that_use_the_system_change_nothing(tmp_path):
    system = fm.build(two_link_arm(elements=3))
    run = {"t_end": 0.12, "dt": 0.012, "method": fm.SDIRK2(), "control": fm.AdaptiveSteps(1e-2)}
    alone = fm.simulate(system, **run)
    y, v = system.initial_state()

    class Curious(Witness):
        def start(self, now):
            return self.step(None, now)

        def step(self, seen, now):
            system.step_fraction(y, 0.1 * y, 0.1)
            system.energy(y, v)
            assert now.view.report.time == now.t

    assert differences(fm.simulate(system, **run, observers=[Curious()]), alone, tmp_path) == []


def test_moment_says_what_the_result_does():
    model = two_link_arm(elements=3)
    system, lower = fm.build(model), model.bodies[2]
    hand, rows = lower.at(0.01, 0.02, -0.1), []

    class Look(Witness):
        def start(self, now):
            self.step(None, now)

        def step(self, seen, now):
            if now.frames:
                rows.append((now.view, now.view.position(hand), now.view.velocity(hand)))

    result = fm.simulate(system, t_end=0.03, dt=0.01, observers=[Look()])
    motion = result.bodies[lower.name]
    assert len(rows) == 4
    for i, (view, x, v) in enumerate(rows):
        for name in result.coordinates:
            assert view.coordinate(name) == result.coordinate(name)[i]
            assert view.speed(name) == result.speeds[name][i]
        np.testing.assert_allclose(view.position(lower), motion.position[i], atol=1e-15)
        there = motion.position[i] + motion.rotation[i] @ hand.position
        np.testing.assert_allclose(x, there, atol=1e-15)
        # the velocity, from the motion a little later
        q, p = (
            np.array([table[name][i] for name in result.coordinates])
            for table in (result.coordinates, result.speeds)
        )
        places = []
        for s in (-1e-6, 1e-6):
            R, at = system.skeleton.poses(q + s * p)[lower.name]
            places.append(at + R @ hand.position)
        np.testing.assert_allclose(v, (places[1] - places[0]) / 2e-6, atol=1e-8)
        report = view.report
        for name, fiber in result.fibers.items():
            own = report.fibers[name]
            # contact points added since this frame change it a little
            np.testing.assert_allclose(own.axial_force[0], fiber.axial_force[i], rtol=1e-5)
            np.testing.assert_array_equal(own.force_origin[0], fiber.force_origin[i])
    for point, words in (
        ((0, 0, 0), "must be a body"),
        (fm.Body("other", 1.0), "must be of one of"),
    ):
        with pytest.raises(fm.ModelError, match=f"moment: point = .*{words}"):
            rows[0][0].position(point)


class Memo(Witness):
    def __init__(self, first, later):
        super().__init__("memo")
        self.first, self.later = first, later

    def start(self, now):
        return self.first

    def step(self, seen, now):
        return self.later


class Other(NamedTuple):
    steps: int


@pytest.mark.parametrize(
    "first", [[], np.array(["a"]), np.array([1, "a"], object), 2**70, 1j, Count(1, "text"), "a"]
)
def test_memory_that_no_checkpoint_can_keep_is_refused(first):
    with pytest.raises(fm.ModelError, match="observer 'memo': memory = .*; must be None, a num"):
        swing(Memo(first, 0.0))


@pytest.mark.parametrize(
    "first, later, kinds",
    [
        (0, 0.5, "int64, and is float64"),
        (0.0, True, "float64, and is bool"),
        (None, 1.0, "None, and is float64"),
        (1.0, None, "float64, and is None"),
        (np.zeros(2, int), np.zeros(2), "array of int64, and is array of float64"),
        (Count(0, None), Count(1, np.ones(2)), "None, and is array of float64"),
        (Count(0, None), Other(1), "Count, and is Other"),
        (0.0, fm.Stop("enough"), "float64, and is None"),
    ],
)
def test_memory_keeps_its_kind(first, later, kinds):
    words = f"observer 'memo': memory = (.|\\n)*; must keep its initial type, {kinds}"
    with pytest.raises(fm.ModelError, match=words):
        swing(Memo(first, later))


def test_a_stop_says_why():
    with pytest.raises(fm.ModelError, match="observer 'memo': Stop.message = 3; must be a text"):
        swing(Memo(0.0, fm.Stop(3, 0.0)))


def test_other_observers_are_another_run():
    taken = []
    swing(Witness(), checkpoint=taken.append, checkpoint_every=0.0)
    with pytest.raises(
        fm.ModelError, match=r"differs in the observers \(witness there, none now\)"
    ):
        swing(resume_from=taken[2])


BAD = {
    r"observers = 3; must be a tuple of observers": 3,
    r"observers\[0\] = .*; must be an observer, with a name and the methods": [lambda now: None],
    r"observers\[0\] = .*; must be an observer": [Witness],
    r"observers\[1\].name = 'witness'; must differ from": [Witness(), Witness()],
    r"observers\[0\]: name = 3; must be a text": [Witness(3)],
}


@pytest.mark.parametrize("message", BAD)
def test_bad_observers(message):
    with pytest.raises(fm.ModelError, match=f"simulate: {message}"):
        fm.simulate(Pendulum(), **FIXED, observers=BAD[message])


def test_system_without_names():
    stop = fm.StopWhen(lambda now: now.coordinate("angle"), "")
    with pytest.raises(fm.ModelError, match="Pendulum has no method moment; must have one"):
        swing(stop)


def test_snapshot_of_the_stop_is_that_of_a_run_that_has_ended(tmp_path):
    class Enough(Witness):
        def step(self, seen, now):
            seen = super().step(seen, now)
            return fm.Stop("enough: θ < 0.9", seen) if now.state.y[0] < 0.9 else seen

    taken, later = [], Enough()
    whole = swing(Enough(), checkpoint=taken.append, checkpoint_every=0.0)
    path = fm.save_checkpoint(taken[-1], tmp_path / "end.checkpoint.h5")
    again = swing(later, resume_from=fm.load_checkpoint(path))
    assert whole.status == again.status == "stopped" and again.message == whole.message
    assert later.calls == ["start"] and later.ends[0][0].steps == len(taken)
    np.testing.assert_array_equal(again.frames.y, whole.frames.y)


def test_all_are_told_of_the_end_where_one_raises():
    class Broken(Witness):
        def step(self, seen, now):
            return super().step(seen, now) if now.t < 0.25 else 1 / 0

        def finish(self, seen, now):
            super().finish(seen, now)
            raise OSError("cannot close")

    first, broken, last = Witness("first"), Broken("broken"), Witness("last")
    with pytest.raises(ZeroDivisionError) as caught:
        swing(first, broken, last)
    assert "finish then raised OSError('cannot close')" in caught.value.__notes__[-1]
    for one in (first, broken, last):
        ((seen, t),) = one.ends
        assert seen.steps == 2 and t == pytest.approx(0.2)


class Wrapped:
    """A method that is no dataclass."""

    name, order, error_order, most_growth, one_step = "wrapped", 2, 3, 5.0, True

    def __init__(self, setting=1.0):
        self.method, self.setting = fm.SDIRK2(), setting

    def start(self, *given):
        return self.method.start(*given)

    def step(self, *given):
        return self.method.step(*given)


def test_method_that_is_no_dataclass_is_known_by_its_class_and_attributes():
    taken = []
    whole = swing(method=Wrapped(), checkpoint=taken.append, checkpoint_every=0.0)
    again = swing(method=Wrapped(), resume_from=taken[3])
    np.testing.assert_array_equal(again.frames.y, whole.frames.y)
    with pytest.raises(fm.ModelError, match=r"differs in the method \(Wrapped.*setting=1.0\) th"):
        swing(method=Wrapped(2.0), resume_from=taken[3])

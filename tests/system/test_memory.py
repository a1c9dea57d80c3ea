"""Contributions that remember more than the unknowns."""

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.system.ports import CoordinatePort


class Latch:
    """A brake on a coordinate that locks for good once it has turned far enough."""

    name, bodies, signals = "latch", (), ()
    coordinates = ("elbow",)

    def contribute(self, configuration):
        self.port = CoordinatePort(configuration, "elbow")
        self.locked = np.zeros(1)
        return self

    def add(self, at, sums):
        _, rate = self.port.at(at)
        c = 5.0 * self.locked[0]
        self.port.push(at, sums, -c * rate, 0.0, -c)

    def begin(self, t, y):
        return False

    def judge(self, before, after):
        from fibermsk.protocol import Verdict

        return Verdict()

    def refine_along(self, t, y):
        if y[-1] < 0.15:
            self.locked = np.ones(1)
        return False

    def memory(self):
        return {"locked": self.locked}

    def restore(self, memory):
        self.locked = memory["locked"]


@pytest.mark.parametrize("control", [fm.FixedSteps(), fm.AdaptiveSteps(1e-3)])
def test_memory_is_kept_by_steps_and_checkpoints(control):
    """A run that an observer sends back, and one that is resumed, remember as a plain run does."""

    def run(observers=(), **options):
        model = two_link_arm(elements=2)
        latch = Latch()
        model.add(latch)
        result = fm.simulate(
            fm.build(model), t_end=0.12, dt=0.01, method=fm.BDF2(), control=control,
            observers=observers, **options,
        )  # fmt: skip
        return result.coordinate("elbow"), latch.locked[0]

    taken = []
    angle, locked = run(checkpoint=taken.append, checkpoint_every=0.0)
    assert locked == 1.0 and angle.min() < 0.15
    before = [one for one in taken if not one.arrays["system.1.locked"][0]]
    after = [one for one in taken if one.arrays["system.1.locked"][0]]
    assert before and after
    for one in (before[-1], after[0], after[-1]):
        again, locked = run(resume_from=one)
        np.testing.assert_array_equal(again, angle)
        assert locked == 1.0
    # the step that would lock is taken back: it ends before
    stop = fm.StopWhen(lambda now: now.coordinate("elbow") - 0.16, "near")
    _, locked = run(observers=[stop])
    assert locked == 0.0

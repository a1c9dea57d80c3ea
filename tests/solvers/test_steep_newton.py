"""Newton's method where forces are steep, or jump."""

import numpy as np

import fibermsk as fm
from fibermsk.protocol import Evaluation


class Line:
    """One unknown."""

    n, scale = 1, np.ones(1)

    def retract(self, t, y, increment):
        return y + increment

    def step_fraction(self, y, increment, keep):
        return 1.0

    def describe(self, unknown):
        return "the unknown"

    def found(self, residual, slope, tangent):
        matrix = np.array([[slope]]) if tangent else None
        return Evaluation(np.array([residual]), matrix, 1.0, np.zeros((0, 3)), "", abs(residual))


class Sigmoid(Line):
    """atan(20 y): from 0.1 on, each full update lands further on the other side."""

    def evaluate(self, y, tangent):
        x = 20.0 * float(y[0])
        return self.found(np.arctan(x), 20.0 / (1.0 + x * x), tangent)


def test_a_sigmoid_is_solved_from_far():
    system = Sigmoid()
    full = [0.2]
    for _ in range(3):
        x = 20.0 * full[-1]
        full.append(full[-1] - np.arctan(x) * (1.0 + x * x) / 20.0)
    assert np.all(np.abs(full[1:]) > np.abs(full[:-1]))
    for start in (0.05, 0.1, 0.2, 0.5):
        y, report = fm.Newton().solve(system, 0.0, np.array([start]), system.evaluate)
        assert report.converged and abs(y[0]) < 1e-9
        assert (min(report.fractions) < 1.0) == (start > 0.08)


class Corner(Line):
    """A force that jumps at y = 2e-4, where it would have to be zero, and can be frozen."""

    place, side, asked = 2e-4, 0, 0

    def __init__(self, freezes):
        self.freezes = freezes

    def evaluate(self, y, tangent):
        right = float(y[0]) > self.place if self.side == 0 else self.side > 0
        return self.found(float(y[0]) - self.place + (3e-4 if right else -3e-4), 1.0, tangent)

    def freeze(self, t, y, other):
        self.asked += 1
        if not self.freezes or (y[0] > self.place) == (other[0] > self.place):
            return []
        self.side = 1 if y[0] > self.place else -1
        return ["fiber 'a' and fiber 'b'"]

    def thaw(self):
        self.side = 0


def test_a_jump_is_solved_on_one_side():
    system = Corner(True)
    y, report = fm.Newton().solve(system, 0.0, np.zeros(1), system.evaluate)
    assert report.converged and report.frozen == ["fiber 'a' and fiber 'b'"]
    assert abs(abs(y[0] - system.place) - 3e-4) < 1e-12
    assert system.side == 0  # released


def test_a_jump_that_cannot_be_frozen_fails():
    system = Corner(False)
    _, report = fm.Newton().solve(system, 0.0, np.zeros(1), system.evaluate)
    assert not report.converged and system.asked and not report.frozen


def test_a_freeze_ends_with_a_failure():
    system = Corner(True)
    newton = fm.Newton(max_iterations=4)
    _, report = newton.solve(system, 0.0, np.zeros(1), system.evaluate)
    assert not report.converged and report.frozen and system.side == 0


def test_damping_can_be_left_out():
    system = Sigmoid()
    _, report = fm.Newton(damping=False).solve(system, 0.0, np.array([0.2]), system.evaluate)
    assert not report.converged and "grew" in report.reason and min(report.fractions) == 1.0

"""The last increment of Newton's method is an estimate of the error, by the last factors."""

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.protocol import Evaluation

ROOT = np.log(2.0)


class Exponential:
    """exp(y) = 2, an unknown without contact."""

    n, scale = 1, np.ones(1)
    kink, out_of_balance = -np.inf, 0.0

    def retract(self, t, y, increment):
        return y + increment

    def step_fraction(self, y, increment, keep):
        return 1.0

    def evaluate(self, y, tangent):
        x = float(y[0])
        below = x < self.kink
        residual = np.exp(x) - 2.0 + (10.0 * (x - self.kink) if below else 0.0)
        slope = np.array([[np.exp(x) + (10.0 if below else 0.0)]]) if tangent else None
        balance = self.out_of_balance * abs(residual)
        return Evaluation(np.array([residual]), slope, 1.0, np.zeros((0, 3)), "", balance)

    def solved(self, start, **settings):
        """Error, and the report."""
        y, report = fm.Newton(**settings).solve(self, 0.0, np.array([start]), self.evaluate)
        assert report.converged
        assert report.solution is y
        return abs(float(y[0]) - ROOT), report


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("start", [0.6, 0.71, 0.8, 1.0, 1.5])
def test_the_estimate_is_the_error(tolerance, start):
    error, report = Exponential().solved(start, tolerance=tolerance)
    if len(report.fractions) < len(report.history):  # the last one was not applied
        assert report.tangents == len(report.fractions) == len(report.history) - 1
        assert error <= 0.1 * tolerance * 1.01
        assert report.history[-1] == pytest.approx(error, rel=1e-2, abs=1e-15)
    else:
        assert error <= 1e-2 * tolerance + 1e-15
    # the tangent at the last iterate is never needed for it
    assert report.tangents < len(report.history)


def test_most_solutions_need_one_tangent_less():
    starts = np.linspace(0.5, 1.5, 40)
    reports = [Exponential().solved(float(start))[1] for start in starts]
    spared = [len(report.history) - report.tangents for report in reports]
    assert np.mean(spared) > 0.8


def test_a_kink_that_the_prediction_does_not_know_is_found():
    """Beyond it the last factors are wrong, and the estimate is above the tolerance."""
    system = Exponential()
    system.kink = ROOT + 1e-6
    y, report = fm.Newton().solve(system, 0.0, np.array([0.8]), system.evaluate)
    assert report.converged
    assert abs(float(report.final.residual[0])) < 1e-7
    root = ROOT + 10.0 / 12.0 * 1e-6
    assert abs(float(y[0]) - root) < 1e-8


def test_forces_out_of_balance_are_not_accepted():
    system = Exponential()
    system.out_of_balance = 1e8
    _, report = system.solved(0.71)
    assert report.final.imbalance <= fm.Newton().balance
    assert len(report.fractions) == len(report.history)


def test_linear_convergence_ends_as_well():
    """A slope that is too steep by a third: increments fall to a quarter, never faster."""
    system = Exponential()

    def evaluate(y, tangent):
        found = system.evaluate(y, tangent)
        return found._replace(tangent=None if found.tangent is None else found.tangent * 4.0 / 3.0)

    y, report = fm.Newton().solve(system, 0.0, np.array([0.71]), evaluate)
    assert report.converged and abs(float(y[0]) - ROOT) < 0.3e-7
    ratio = np.divide(report.history[1:], report.history[:-1])
    assert np.all(np.abs(ratio - 0.25) < 0.01)
    assert report.history[-1] <= 1e-7 and report.tangents >= len(report.history) - 1


def test_a_run_keeps_the_tolerance():
    """A fiber that falls on a bone: as with solutions to round-off, and fewer tangents."""
    model = fm.Model("wrap", gravity=(0, 0, -9.81))
    ends = model.ground.at(-0.1, 0, 0), model.ground.at(0.1, 0, 0)
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e4, 100.0), prestress=1e3)
    fiber = fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=6, tissue=tissue)
    bone = fm.Body("bone", shapes=fm.Capsule((0, -0.1, -0.02), (0, 0.1, -0.02), 8e-3))
    model.add(fiber, bone, fm.Weld(model.ground, bone))
    model.add(fm.Contact(fiber, bone, fm.PenaltyContact(200.0, 4.0)))
    system, runs = fm.build(model), []
    for newton in (fm.Newton(), fm.Newton(tolerance=1e-12)):
        for method in (fm.BackwardEuler(), fm.SDIRK2()):
            runs.append(
                fm.simulate(
                    system, t_end=0.1, dt=0.01, method=method, newton=newton,
                    control=fm.FixedSteps(),
                )
            )  # fmt: skip
    for loose, exact in zip(runs[:2], runs[2:], strict=True):
        off = loose.fibers["fiber"].position - exact.fibers["fiber"].position
        assert np.abs(off).max() / 0.2 < 10 * 1e-7

"""A small increment is not enough: forces must be in balance."""

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.protocol import Evaluation


class Wall:
    """A load of 1 N on a contact whose tangent grows without bound: 1/x = 1 + x."""

    n, scale = 1, np.ones(1)

    def retract(self, t, y, increment):
        return y + increment

    def step_fraction(self, y, increment, keep):
        return min(1.0, (1.0 - keep) * y[0] / max(-increment[0], 1e-300))

    def describe(self, unknown):
        return "the wall"

    def evaluate(self, y, tangent):
        residual = np.array([1.0 + y[0] - 1.0 / y[0]])
        slope = np.array([[1.0 + 1.0 / y[0] ** 2]]) if tangent else None
        force = max(1.0, 1.0 / y[0])
        return Evaluation(
            residual, slope, float(y[0]), np.zeros((0, 3)), "", abs(residual[0]) / force
        )


@pytest.mark.parametrize(("tolerance", "start", "off"), [(0.5, 0.3, 0.5), (1e-3, 1e-4, 1e3)])
def test_a_steep_tangent_does_not_stop_the_iteration(tolerance, start, off):
    """The first increment is below the tolerance, and leaves the forces out of balance by far."""
    wall, start = Wall(), np.array([start])
    loose = fm.Newton(tolerance=tolerance, balance=1e9, max_iterations=40)
    _, report = loose.solve(wall, 0.0, start, wall.evaluate)
    assert report.converged
    assert abs(report.final.residual[0]) > off
    strict = fm.Newton(tolerance=tolerance, max_iterations=40)
    y, report = strict.solve(wall, 0.0, start, wall.evaluate)
    if start[0] > 0.1:
        assert report.converged
        assert y[0] == pytest.approx(0.5 * (np.sqrt(5.0) - 1.0), rel=1e-3)
    else:
        assert not report.converged
        assert "grew" in report.reason


def test_what_cannot_be_balanced_is_told():
    """A residual that no increment removes."""
    wall = Wall()

    def stuck(y, tangent):
        slope = np.array([[1e12]]) if tangent else None
        return Evaluation(np.array([1.0]), slope, 1.0, np.zeros((0, 3)), "", 0.5)

    _, report = fm.Newton().solve(wall, 0.0, np.ones(1), stuck)
    assert not report.converged
    assert "out of balance by 0.5" in report.reason


def test_every_accepted_step_is_balanced():
    """Of a fiber on a bone, the residual is a small part of the pulls at its ends."""
    model = fm.Model("wrap", gravity=(0, 0, -9.81))
    ends = model.ground.at(-0.1, 0, 0), model.ground.at(0.1, 0, 0)
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e4, 100.0), prestress=1e3)
    fiber = fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=6, tissue=tissue)
    bone = fm.Body("bone", shapes=fm.Capsule((0, -0.1, -0.02), (0, 0.1, -0.02), 8e-3))
    model.add(fiber, bone, fm.Weld(model.ground, bone))
    model.add(fm.Contact(fiber, bone, fm.PenaltyContact(200.0, 4.0)))
    newton = fm.Newton(tolerance=1e-2)
    result = fm.simulate(fm.build(model), t_end=0.1, dt=0.02, newton=newton)
    pull = max(
        float(np.linalg.norm(force, axis=1).max())
        for force in (result.fibers["fiber"].force_origin, result.fibers["fiber"].force_insertion)
    )
    assert result.stats["largest_residual"] <= newton.balance * pull

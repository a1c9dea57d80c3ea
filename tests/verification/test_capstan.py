"""Friction along a fiber on a cylinder: the force at every node, and creep."""

import capstan
import numpy as np
import pytest

MU, ANGLE = 0.5, 120.0


@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_moment_of_the_force_grows_along_the_circle(formulation):
    """The force through every node, by equilibrium with friction; slope mu within half a percent.

    Its moment about the axis is A e^(mu' phi); 0.27 % and a scatter of 1.1e-4 measured.
    """
    _, result = capstan.solve(MU, ANGLE, 32, formulation, 60)
    fiber = result.fibers["fiber"]
    x, force = fiber.position[-1], fiber.cut_force[-1]
    moment = np.log(np.abs(np.cross(x, force)[:, 1]))
    phi = np.arctan2(x[:, 0], x[:, 2])
    on = np.abs(phi) < 0.46 * np.radians(ANGLE)
    assert on.sum() >= 6
    slope, start = np.polyfit(phi[on], moment[on], 1)
    assert abs(abs(slope) / capstan.mobilized(MU) - 1.0) < 5e-3
    assert np.abs(moment[on] - slope * phi[on] - start).max() < 5e-4
    # reported along the fiber, up to the ends
    ends = [np.linalg.norm(fiber.force_origin[-1]), np.linalg.norm(fiber.force_insertion[-1])]
    np.testing.assert_allclose(fiber.axial_force[-1, [0, -1]], ends, rtol=1e-6)


def test_slow_sliding_mobilizes_a_part_of_the_friction(monkeypatch):
    """At the regularization speed 1 / sqrt(2) of it: what a rope that creeps so fast can hold."""
    monkeypatch.setattr(capstan, "OMEGA", capstan.SPEED / capstan.CONTACT)
    monkeypatch.setattr(capstan, "END", 40.0)  # slow: the tensions need seconds
    got, want = (f(0.5, 120.0, 24, "variational", 50) for f in (capstan.run, capstan.expected))
    exact = np.exp(0.5 / np.sqrt(2.0) * np.radians(120.0))
    assert abs(want["tension_ratio"].value / exact - 1.0) < 1e-12
    for name in ("tension_ratio", "moment_ratio_over_exact"):
        assert want[name].holds(got[name])

"""Transposed tangents: products and solutions against each other and in full."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scenes_of_tests import two_link_arm
from tangents import moving_state
from titin_models import between, tissue

import fibermsk as fm
from fibermsk.solvers.newton.linear import factorize


def titin():
    """A fiber with titin, whose binding follows an activation state, beside a hinge."""
    dynamics = fm.ActivationDynamics(fm.Ramp(0.0, 0.1, 0.8))
    model = between(activation=dynamics, tissue=tissue(titin=fm.Titin(3e5)))
    bone = model.add(fm.Body("bone", 0.3, (0, -0.1, 0), (1e-3, 1e-3, 1e-3)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1)))
    ends = model.ground.at(0.01, 0.02, 0), bone.at(0.0, -0.1, 0)
    model.add(fm.Fiber("g", attach=ends, radius=5e-3, n_elements=5, activation=dynamics,
                       tissue=tissue(titin=fm.Titin(3e5))))  # fmt: skip
    return model


@pytest.mark.parametrize("make", [two_link_arm, titin], ids=["contact", "titin"])
def test_tangents_of_systems(rng, make):
    system = fm.build(make())
    system.begin(0.0, system.initial_state()[0])
    tangent = system.evaluate(0.1, *moving_state(system, rng), 1e3, 1e3).tangent
    x, y = rng.normal(size=(2, system.n))
    turned = tangent.T
    forward, backward = tangent @ x, turned @ y
    size = np.linalg.norm(forward) * np.linalg.norm(y)
    assert abs(y @ forward - backward @ x) < 1e-13 * size
    assert_allclose(turned.T @ x, forward, rtol=1e-13, atol=1e-13 * np.abs(forward).max())
    found = factorize(turned)(backward)
    assert_allclose(turned @ found, backward, atol=1e-9 * np.abs(backward).max())

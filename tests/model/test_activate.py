"""Models with other activations."""

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm


def test_named_fibers_are_activated_and_the_rest_stays():
    model = two_link_arm()
    ramp = fm.Ramp(0.0, 1.0, 0.8)
    other = fm.with_activations(model, {"fiber_1": ramp, "fiber_2": 0.1})
    assert [fiber.activation_at(0.5) for fiber in other.fibers] == [0.3, 0.4, 0.1]
    assert [fiber.activation_at(0.5) for fiber in model.fibers] == [0.3, 0.3, 0.3]
    assert other.bodies == model.bodies and other.joints == model.joints
    assert other.fibers[0] is model.fibers[0]
    assert other.name == model.name and (other.gravity == model.gravity).all()


def test_contacts_name_the_new_fibers():
    model = two_link_arm()
    other = fm.with_activations(model, {"fiber_1": 0.5})
    for before, after in zip(model.contacts, other.contacts, strict=True):
        assert [item.name for item in after.first] == [item.name for item in before.first]
        assert [item.name for item in after.second] == [item.name for item in before.second]
        assert (after.law, after.formulation) == (before.law, before.formulation)
        assert set(after.first) == set(other.fibers)


def test_forces_differ_by_the_activation_only():
    model = two_link_arm()
    same = fm.build(fm.with_activations(model, {fiber.name: 0.3 for fiber in model.fibers}))
    system = fm.build(model)
    stronger = fm.build(fm.with_activations(model, {"fiber_0": 0.6}))
    y, v = system.initial_state()
    forces = [
        s.evaluate(0.0, y, v, 0.0 * v, tangent=False).residual for s in (system, same, stronger)
    ]
    np.testing.assert_array_equal(forces[0], forces[1])
    assert np.abs(forces[2] - forces[0]).max() > 1e-3


def test_wrong_names_and_values_are_refused():
    model = two_link_arm()
    with pytest.raises(fm.ModelError, match="has no fiber 'fibre_1'; it has: .*; did you mean"):
        fm.with_activations(model, {"fibre_1": 0.5})
    with pytest.raises(fm.ModelError, match="fiber 'fiber_1': activation = 1.5; must lie in"):
        fm.with_activations(model, {"fiber_1": 1.5})
    with pytest.raises(fm.ModelError, match="activations = 0.5; must be a dict"):
        fm.with_activations(model, 0.5)

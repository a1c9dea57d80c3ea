"""What only the geometry shows is refused when the model is built, before anything is computed."""

import numpy as np
import pytest
from scenes_of_tests import rubber

import fibermsk as fm


def one_fiber(path=None, attach=None, **options):
    model = fm.Model("model")
    ends = attach or (model.ground.at(0, 0, 0), model.ground.at(0.2, 0, 0))
    options = {"radius": 5e-3, "n_elements": 4, "tissue": rubber(viscosity=10.0), **options}
    model.add(fm.Fiber("biceps", path, attach=ends, **options))
    return model


def test_straight_fiber_of_length_zero():
    model = fm.Model("model")
    plate = model.add(fm.Body("plate"))
    model.add(fm.Weld(model.ground, plate, at=(0.1, 0, 0)))
    ends = model.ground.at(0.1, 0, 0), plate.at(0, 0, 0)
    model.add(fm.Fiber("biceps", attach=ends, radius=5e-3, n_elements=2, tissue=rubber()))
    with pytest.raises(fm.ModelError, match="'biceps': length = 0 m; must be positive.*move one"):
        fm.build(model)


def test_path_that_misses_its_attachment():
    with pytest.raises(fm.ModelError, match="insertion lies 0.05 m from its attachment.*coincide"):
        fm.build(one_fiber(path=[[0, 0, 0], [0.15, 0, 0]]))


def test_path_that_turns_back():
    def there_and_back(s):
        return np.stack([0.2 * (2 * s - 1) ** 2, 0 * s, 0 * s], axis=1)

    ends = (None, None)
    with pytest.raises(
        fm.ModelError, match="dX/dtheta. = .* m; must be positive; the path turns back"
    ):
        fm.build(one_fiber(path=there_and_back, attach=ends, n_elements=4))


def test_radius_that_quartics_cannot_follow():
    def spike(s):
        return np.where(abs(s - 0.25) < 0.02, 0.05, 1e-4)

    with pytest.raises(fm.ModelError, match="radius = .*use more elements"):
        fm.build(one_fiber(radius=spike, n_elements=2))


def test_fiber_that_starts_deep_in_a_bone():
    model = one_fiber()
    bone = model.add(fm.Body("bone", shapes=fm.Capsule((0.1, -0.1, 0), (0.1, 0.1, 0), 0.05)))
    model.add(fm.Weld(model.ground, bone))
    model.add(fm.Contact(model.fibers, bone, fm.PenaltyContact(500, 4)))
    with pytest.raises(fm.ModelError, match="fiber 'biceps' and body 'bone' start with 1 . gamma"):
        fm.build(model)


def test_fiber_that_starts_deep_in_another():
    model = one_fiber()
    ends = model.ground.at(0, 0.002, 0), model.ground.at(0.2, 0.002, 0)
    other = fm.Fiber("triceps", attach=ends, radius=5e-3, n_elements=3, tissue=rubber())
    model.add(other)
    model.add(fm.Contact(model.fibers[0], other, fm.PenaltyContact(500, 2)))
    with pytest.raises(fm.ModelError, match="fiber '\\w+' and fiber .*must be positive"):
        fm.build(model)


@pytest.mark.parametrize("bad", [np.nan, 1.2, -0.1])
def test_activation_that_turns_bad_later_is_refused_before_computing(bad):
    model = one_fiber(activation=lambda t: 0.5 if t < 0.25 else bad)
    seen = []
    with pytest.raises(fm.ModelError, match="biceps.*activation at t = 0.3 s.*lie in"):
        fm.simulate(
            fm.build(model),
            t_end=1.0,
            dt=0.1,
            progress=seen.append,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
    assert not seen


def test_line_load_that_turns_bad_later_is_refused_before_computing():
    def load(theta, t):
        return np.full((theta.size, 3), 0.0 if t < 0.25 else np.inf)

    seen = []
    with pytest.raises(fm.ModelError, match="biceps.*line_load"):
        fm.simulate(
            fm.build(one_fiber(line_load=load)),
            t_end=1.0,
            dt=0.1,
            progress=seen.append,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
    assert not seen


def test_bone_between_the_contact_points_is_found():
    """One element of 1 m: a thin bone lies between its five quadrature points."""
    model = fm.Model("model")
    ends = model.ground.at(0, 0, 0), model.ground.at(1, 0, 0)
    long = fm.Fiber("biceps", attach=ends, radius=8e-3, n_elements=1, tissue=rubber())
    bone = fm.Body("bone", shapes=fm.Capsule((0.37, -0.1, 0), (0.37, 0.1, 0), 0.01))
    model.add(long, bone)
    model.add(fm.Weld(model.ground, bone))
    model.add(fm.Contact(long, bone, fm.PenaltyContact(500, 4)))
    with pytest.raises(fm.ModelError, match="fiber 'biceps' and body 'bone' start with"):
        fm.build(model)


def test_attachment_deep_inside_a_bone():
    model = fm.Model("model")
    bone = model.add(fm.Body("bone", shapes=fm.Capsule((0, 0, -0.2), (0, 0, 0.2), 0.035)))
    model.add(fm.Weld(model.ground, bone))
    ends = bone.at(0, 0, 0), model.ground.at(1.0, 0, 0)
    model.add(fm.Fiber("biceps", attach=ends, radius=8e-3, n_elements=1, tissue=rubber()))
    model.add(fm.Contact(model.fibers, bone, fm.PenaltyContact(500, 4)))
    with pytest.raises(fm.ModelError, match="fiber 'biceps' and body 'bone' start with"):
        fm.build(model)


def test_contact_points_too_far_apart_are_warned_of():
    model = one_fiber(n_elements=2)
    ends = model.ground.at(0.1, -0.1, 0.05), model.ground.at(0.1, 0.1, 0.05)
    other = fm.Fiber("other", attach=ends, radius=2e-3, n_elements=2, tissue=rubber())
    model.add(other)
    contact = fm.Contact(model.fibers[0], other, fm.PenaltyContact(500, 2), 2, refine=False)
    model.add(contact)
    with pytest.warns(fm.ModelWarning, match="'biceps': contact points lie 0.0577 m apart.*pass"):
        fm.build(model)


def test_bodies_only():
    model = fm.Model("pendulum")
    bob = model.add(fm.Body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-6, 1e-6, 1e-6)))
    model.add(fm.Hinge("swing", model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), value=0.1))
    result = fm.simulate(
        fm.build(model),
        t_end=0.5,
        dt=0.5 / 250,
        method=fm.SDIRK2(),
        control=fm.FixedSteps(),
    )
    # small oscillation cos(w t) with the amplitude's correction 1 - a^2 / 16 of the frequency
    frequency = np.sqrt(9.81 / (1.0 + 1e-6)) * (1.0 - 0.1**2 / 16)
    exact = 0.1 * np.cos(frequency * result.time)
    np.testing.assert_allclose(result.coordinate("swing"), exact, atol=1e-4)


def test_changing_the_model_after_building_changes_nothing():
    model = one_fiber()
    system = fm.build(model)
    model.add(fm.Body("late"))
    ends = model.ground.at(0, 1, 0), model.ground.at(0.2, 1, 0)
    model.add(fm.Fiber("later", attach=ends, radius=5e-3, n_elements=4, tissue=rubber()))
    result = fm.simulate(
        system, t_end=0.02, dt=0.01, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    assert list(result.fibers) == ["biceps"] and not result.bodies


@pytest.mark.parametrize(
    "thing", [None, "upper_limb", fm.Scene(one_fiber(), duration=1.0, steps=1)]
)
def test_building_something_else(thing):
    with pytest.raises(fm.ModelError, match="build: model = .*must be a Model"):
        fm.build(thing)

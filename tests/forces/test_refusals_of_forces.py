"""What a model refuses of elements, and what these refuse themselves."""

import pytest

import fibermsk as fm

INERTIA = (0.02, 0.03, 0.04)


def arm():
    model = fm.Model("arm")
    bone = model.add(fm.Body("bone", 1.0, (0, 0, 0), INERTIA))
    model.add(fm.Hinge("elbow", model.ground, bone, (0, 0, 0), axis=(0, 1, 0)))
    return model, bone


def spring(first, second, name="s", **more):
    return fm.PointSpring(name, first, second, **{"stiffness": 1.0, "rest_length": 0.1} | more)


def test_elements_belong_to_a_model():
    model, bone = arm()
    one = model.add(spring(model.ground.at((0, 0, 1)), bone.at((0, 0, 0))))
    assert model.elements == (one,) and model.copy().elements == (one,)
    with pytest.raises(fm.ModelError, match="element 's': name = 's'; must be unique"):
        model.add(spring(model.ground.at((0, 0, 2)), bone.at((0, 0, 0))))
    other = fm.Body("other", 1.0, (0, 0, 0), INERTIA)
    with pytest.raises(fm.ModelError, match="unknown body 'other'"):
        model.add(fm.ExternalForce("load", other, (0, 0, 1.0)))
    with pytest.raises(fm.ModelError, match=r"coordinate = 'knee'; must be one of model 'arm'"):
        model.add(fm.CoordinateController("c", "knee", 0.0, 1.0))
    with pytest.raises(fm.ModelError, match="add = .*element such as a PointSpring"):
        model.add(fm.PointSpring)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda m, b: spring(b.at((0, 0, 0)), b.at((0, 0, 1))), "be on another body"),
        (lambda m, b: spring(b, m.ground.at((0, 0, 1))), "first = .*must be a Station"),
        (lambda m, b: spring(b.at((0, 0, 0)), m.ground.at((0, 0, 1)), stiffness=-1.0), "stiffness"),
        (lambda m, b: fm.ExternalForce("l", b, (0.0, 1.0)), "force = "),
        (
            lambda m, b: fm.ExternalForce("l", b, frame="hand"),
            "frame = 'hand'; must be 'ground'",
        ),
        (lambda m, b: fm.CoordinateController("c", "elbow", "up", 1.0), "target = 'up'"),
        (lambda m, b: fm.CoordinateController("c", "elbow", 0.0, -1.0), "kp = -1"),
        (lambda m, b: fm.CoordinateActuator("a", "elbow", "up"), "force = 'up'"),
    ],
)
def test_bad_numbers_are_refused(make, words):
    with pytest.raises(fm.ModelError, match=words):
        make(*arm())


def test_a_force_that_is_no_vector_ends_before_the_run():
    model, bone = arm()
    model.add(fm.ExternalForce("load", bone, lambda t: (0.0, 1.0)))
    with pytest.raises(fm.ModelError, match=r"external force 'load' at t = .*force"):
        fm.simulate(fm.build(model), t_end=0.1, dt=0.01)


def test_a_force_that_keeps_state_is_refused():
    model, bone = arm()
    calls = []
    model.add(fm.ExternalForce("load", bone, lambda t: calls.append(t) or (0, 0, len(calls))))
    with pytest.raises(fm.ModelError, match=r"element 'load': force .*keeps state"):
        fm.simulate(fm.build(model), t_end=0.1, dt=0.01)


def test_corners_of_a_force_are_met():
    model, bone = arm()

    def load(t):
        return 0.0, 0.0, 5.0 if t > 0.05 else 0.0

    load.breakpoints = (0.05,)
    model.add(fm.ExternalForce("load", bone, load))
    assert 0.05 in fm.build(model).breakpoints


def test_a_spring_without_length_is_named():
    model, bone = arm()
    model.add(spring(model.ground.at((0, 0, 0)), bone.at((0, 0, 0))))
    system = fm.build(model)
    y, v = system.initial_state()
    with pytest.raises(fm.ModelError, match="spring 's': length = 0 m; must be positive"):
        system.evaluate(0.0, y, v, 0.0 * v)

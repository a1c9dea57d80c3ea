"""Initial accelerations: coordinates without inertia are named."""

import math

import numpy as np
import pytest
from pendulum import Pendulum

import fibermsk as fm
from fibermsk.protocol import Evaluation
from fibermsk.solvers.initial import accelerations

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
SOLID = {"mass": 1.0, "com": (0.0, -0.1, 0.05), "inertia": (0.01, 0.02, 0.03)}


def chain(*hinges, solid=(2,)):
    """Hinges "q0", "q1", ... at one point, as pairs of axis and angle; some bodies have mass."""
    model = fm.Model("chain")
    parent = model.ground
    for k, (axis, value) in enumerate(hinges):
        body = model.add(fm.Body(f"body{k}", **(SOLID if k in solid else {})))
        model.add(fm.Hinge(f"q{k}", parent, body, at=(0, 0, 0), axis=axis, value=value))
        parent = body
    return fm.build(model)


def message(system):
    with pytest.raises(
        fm.ConvergenceError, match="no accelerations at t = 0 s: masses: "
    ) as raised:
        accelerations(system, 0.0, *system.initial_state())
    return str(raised.value)


def test_gimbal_lock_names_the_dependent_coordinates_and_the_one_between():
    text = message(chain((Z, 0.3), (X, 0.0), (Z, 0.2)))
    assert "masses: q0 = 0.3, q2 = 0.2 (rad or m) move no mass together, at rates of 1 : -1" in text
    assert "gimbal lock" in text
    assert "change the coordinates between them (q1 = 0), lock one of them" in text


@pytest.mark.parametrize("angle", [-0.5 * math.pi, 0.5 * math.pi])
def test_gimbal_lock_of_three_axes(angle):
    text = message(chain((X, 0.0), (Y, angle), (Z, 0.1)))
    rate = "1" if angle < 0.0 else "-1"
    assert f"q0 = 0, q2 = 0.1 (rad or m) move no mass together, at rates of 1 : {rate}," in text
    assert f"(q1 = {angle:.6g})" in text


def test_several_dependent_motions():
    text = message(chain((Z, 0.3), (X, 0.0), (Z, 0.2), (X, 0.0), solid=(3,)))
    assert "q0 = 0.3" in text
    assert "no mass" in text


def test_chains_out_of_the_gimbal_lock_have_accelerations():
    system = chain((Z, 0.3), (X, 1.0), (Z, 0.2))
    assert np.isfinite(accelerations(system, 0.0, *system.initial_state())).all()


def test_a_coordinate_that_moves_no_mass_is_named():
    """A point mass on the axis of a hinge, beside a coordinate with inertia."""
    model = fm.Model("point")
    cart, point, other = (
        model.add(fm.Body("cart")),
        model.add(fm.Body("point", mass=1.0, com=(0, 0, 0), inertia=(0, 0, 0))),
        model.add(fm.Body("other", **SOLID)),
    )
    model.add(fm.Slider("slide", model.ground, cart, at=(0, 0, 0), axis=X))
    model.add(fm.Hinge("spin", cart, point, at=(0, 0, 0), axis=Z, value=0.4))
    model.add(fm.Hinge("swing", model.ground, other, at=(0, 0, 0), axis=Z))
    text = message(fm.build(model))
    assert "masses: spin = 0.4 (rad or m) moves no mass: give mass and inertia to a body" in text
    assert "or lock it" in text
    assert "swing" not in text


def test_fixed_coordinates_are_not_named():
    """Their rows of the tangent are not masses."""
    model = fm.Model("driven")
    first, second = model.add(fm.Body("first", **SOLID)), model.add(fm.Body("second"))
    third = model.add(fm.Body("third", **SOLID))
    model.add(fm.Hinge("a", model.ground, first, (0, 0, 0), axis=Z))
    model.add(fm.Hinge("b", first, second, (0, 0, 0), axis=X, value=0.1))
    model.add(fm.Hinge("c", second, third, (0, 0, 0), axis=X, value=0.2))
    times = np.linspace(0.0, 1.0, 5)
    model = fm.drive(model, {"time": times, "a": 0.3 * times}, in_degrees=False)
    text = message(fm.build(model))
    assert "masses: b = 0.1, c = 0.2 (rad or m) move no mass together" in text
    assert "a = " not in text


def test_held_coordinates_have_mass():
    """Only the point mass on its axis is named, not the bodies that a constraint holds."""
    model = fm.Model("two")
    one, other = (model.add(fm.Body(name, **SOLID)) for name in ("one", "other"))
    for body in (one, other):
        model.add(fm.Free(f"{body.name}_free", model.ground, body, position=(0.0, 1.0, 0.0)))
    model.add(fm.PointConstraint("held", one.at(0, 0, 0), other.at(0, 0, 0)))
    point = model.add(fm.Body("point", mass=1.0, com=(0, 0, 0), inertia=(0, 0, 0)))
    model.add(fm.Hinge("spin", other, point, at=(0, 0, 0), axis=Z, value=0.4))
    text = message(fm.build(model))
    assert "masses: spin = 0.4 (rad or m) moves no mass" in text
    assert "_free" not in text


class Massless(Pendulum):
    """Another system, with a dense tangent that is singular."""

    def evaluate(self, *given, **options):
        found = super().evaluate(*given, **options)
        tangent = None if found.tangent is None else 0.0 * found.tangent
        return Evaluation(found.residual, tangent, 1.0, found.reactions)


def test_systems_of_others():
    system = Massless()
    with pytest.raises(fm.ConvergenceError, match=r"masses: .*move"):
        accelerations(system, 0.0, *system.initial_state())


@pytest.mark.parametrize("com", [(0.1, 0.0, 0.0), (0.1, 0.03, -0.02)])
@pytest.mark.parametrize("at", [(0.0, 0.3, 0.0), (0.3, 1.0, 0.2)])
def test_a_free_body_falls_wherever_its_center_is(com, at):
    """Forces in balance but for round-off that falls with each refinement end them."""
    model = fm.Model("falling", gravity=(0.0, -9.81, 0.0))
    body = model.add(fm.Body("body", mass=1.5, com=com, inertia=(0.02, 0.03, 0.04)))
    model.add(fm.Free("free", model.ground, body, position=at))
    system = fm.build(model)
    found = accelerations(system, 0.0, *system.initial_state())
    # one linear acceleration, and nothing else
    assert found.min() == pytest.approx(-9.81, abs=1e-12)
    assert np.abs(found).sum() == pytest.approx(9.81, abs=1e-11)


@pytest.mark.parametrize("held", ["point", "distance", "line"])
def test_bodies_that_hold_each_other_have_mass(held):
    """Two free bodies that fall together, off the origin."""
    model = fm.Model("two", gravity=(0.0, -9.81, 0.0))
    one, other = (
        model.add(fm.Body(name, mass=1.5, com=(0.1, 0.0, 0.0), inertia=(0.02, 0.03, 0.04)))
        for name in ("one", "other")
    )
    for body in (one, other):
        model.add(fm.Free(f"{body.name}_free", model.ground, body, position=(0.0, 1.0, 0.0)))
    closed = {
        "point": lambda: fm.PointConstraint("held", one.at(0, 0, 0), other.at(0, 0, 0)),
        "distance": lambda: fm.PointConstraint(
            "held", one.at(0, 0, 0), other.at(0.2, 0, 0), distance=0.2
        ),
        "line": lambda: fm.PointOnLineConstraint(
            "held", one.at(0, 0, 0), other.at(0, 0, 0), (0.0, 1.0, 0.0)
        ),
    }
    model.add(closed[held]())
    system = fm.build(model)
    found = accelerations(system, 0.0, *system.initial_state())
    assert found.min() == pytest.approx(-9.81, abs=1e-9)
    assert np.abs(found).sum() == pytest.approx(2.0 * 9.81, abs=1e-8)

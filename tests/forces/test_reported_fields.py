"""What springs, loads and controllers report, against values by hand; and what is refused."""

from typing import NamedTuple

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.results import Field

MASS, INERTIA = 1.5, (0.02, 0.03, 0.04)
NO_STEPS = {"method": fm.BackwardEuler(), "control": fm.FixedSteps()}


def arm(*elements, **options):
    """A hinged body from an angle of 0.4 with a speed of 1.5 on."""
    model = fm.Model("arm", gravity=(0, 0, -9.81))
    bone = model.add(fm.Body("bone", MASS, (0.1, 0, 0), INERTIA))
    joint = {"axis": (0, 0, 1), "value": 0.4, "speed": 1.5}
    model.add(fm.Hinge("elbow", model.ground, bone, (0.0, 0.1, 0), **joint))
    model.add(*(make(model, bone) for make in elements))
    return model


def run(model):
    return fm.simulate(fm.build(model), t_end=0.1, dt=0.01, **NO_STEPS)


def turned(angle, x, y):
    """Vectors (x, y, 0) of the body's axes in ground, (n_frames, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x - s * y, s * x + c * y, 0.0 * angle], axis=1)


def test_a_spring_tells_its_length_and_tension():
    k, c, l0 = 300.0, 5.0, 0.1

    def spring(model, bone):
        ends = model.ground.at((0.3, 0.2, 0.1)), bone.at((0.25, 0, 0))
        return fm.PointSpring("band", *ends, stiffness=k, rest_length=l0, damping=c)

    result = run(arm(spring))
    angle, speed = result.coordinate("elbow"), result.speeds["elbow"]
    way = turned(angle, 0.25, 0.0) + [0.0, 0.1, 0.0] - [0.3, 0.2, 0.1]
    length = np.linalg.norm(way, axis=1)
    velocity = speed[:, None] * turned(angle, 0.0, 0.25)
    rate = np.einsum("fi,fi->f", way, velocity) / length
    band = result.elements["band"]
    np.testing.assert_allclose(band["length"], length, rtol=1e-13)
    np.testing.assert_allclose(band["tension"], k * (length - l0) + c * rate, rtol=1e-11)
    assert np.ptp(band["tension"]) > 1.0
    assert {name: field.unit for name, field in band.fields.items()} == {
        "length": "m",
        "tension": "N",
    }


def test_a_slack_spring_has_no_tension():
    def cord(model, bone):
        ends = model.ground.at((0.3, 0.2, 0.1)), bone.at((0.25, 0, 0))
        return fm.PointSpring("cord", *ends, stiffness=9.0, rest_length=2.0, slack=True)

    cord = run(arm(cord)).elements["cord"]
    assert not cord["tension"].any() and (cord["length"] > 0.1).all()


@pytest.mark.parametrize("frame", ["ground", "body"])
def test_a_load_tells_force_torque_and_place_in_ground(frame):
    def force(t):
        return 2.0, 10.0 * t, 0.0

    def load(model, bone):
        return fm.ExternalForce(
            "load", bone, force, (0.2, 0.05, 0.0), torque=(0.3, 0.0, 0.0), frame=frame
        )

    result = run(arm(load))
    angle, found = result.coordinate("elbow"), result.elements["load"]
    F, M = np.stack([force(t) for t in result.time]), np.tile([0.3, 0.0, 0.0], (11, 1))
    if frame == "body":
        F, M = turned(angle, F[:, 0], F[:, 1]), turned(angle, 0.3 + 0.0 * angle, 0.0 * angle)
    np.testing.assert_allclose(found["force"], F, atol=1e-14)
    np.testing.assert_allclose(found["torque"], M, atol=1e-14)
    place = turned(angle, 0.2, 0.05) + [0.0, 0.1, 0.0]
    np.testing.assert_allclose(found["position"], place, atol=1e-14)


def test_a_controller_tells_its_force_and_target():
    target = fm.Polynomial([0.1, 0.7])

    def servo(model, bone):
        return fm.CoordinateController("servo", "elbow", target, kp=20.0, kd=1.5)

    result = run(arm(servo))
    found, t = result.elements["servo"], result.time
    wanted = 0.1 + 0.7 * t
    force = 20.0 * (wanted - result.coordinate("elbow")) + 1.5 * (0.7 - result.speeds["elbow"])
    np.testing.assert_allclose(found["target"], wanted, rtol=1e-14)
    np.testing.assert_allclose(found["force"], force, rtol=1e-12)
    assert found.fields["force"].unit == "N m" and found.fields["target"].unit == "rad"
    model = fm.Model("slider", gravity=(0, 0, 0))
    bob = model.add(fm.Body("bob", MASS, (0, 0, 0), INERTIA))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1)))
    model.add(fm.CoordinateController("servo", "z", 0.1, kp=20.0))
    fields = run(model).elements["servo"].fields
    assert fields["force"].unit == "N" and fields["target"].unit == "m"


def test_an_actuator_turns_its_coordinate():
    """A torque of 0.3 N m for 0.1 s turns 0.03 kg m^2 at 1 rad/s, by hinge and by slider."""
    torque = fm.PiecewiseLinear((0.0, 0.1, 0.1 + 1e-9, 1.0), (0.3, 0.3, 0.0, 0.0))
    model = fm.Model("motor", gravity=(0, 0, 0))
    wheel = model.add(fm.Body("wheel", 1.0, (0, 0, 0), (0.02, 0.03, 0.04)))
    model.add(fm.Hinge("turn", model.ground, wheel, (0, 0, 0), axis=(0, 1, 0)))
    model.add(fm.CoordinateActuator("motor", "turn", torque))
    result = fm.simulate(fm.build(model), t_end=0.2, dt=0.05)
    np.testing.assert_allclose(result.speeds["turn"], [0.0, 0.5, 1.0, 1.0, 1.0], atol=1e-7)
    np.testing.assert_allclose(result.coordinate("turn")[-1], 0.15, atol=1e-7)
    found = result.elements["motor"]
    np.testing.assert_allclose(found["force"], [0.3, 0.3, 0.3, 0.0, 0.0], atol=1e-12)
    assert found.fields["force"].unit == "N m"


class Odd(NamedTuple):
    """An element without a force, that reports as it is told."""

    reports: tuple
    values: dict
    name: str = "odd"
    bodies: tuple = ()
    coordinates: tuple = ()
    signals: tuple = ()

    def contribute(self, configuration):
        return self

    def add(self, at, sums):
        pass

    def fields(self, at):
        return self.values


TENSION = Field("tension", "N", "tension")


@pytest.mark.parametrize(
    ("reports", "values", "words"),
    [
        ((TENSION,), {"pull": 1.0}, "element 'odd': fields = pull; must be .*: tension"),
        ((TENSION,), 3.0, "element 'odd': fields = 3.0; must be a dict of numbers"),
        ((TENSION,), {"tension": (1.0, 2.0)}, r"field 'tension' has the shape \(2,\); must"),
        ((TENSION, TENSION), {"tension": 1.0}, "name = 'tension'; must be unique"),
        ((TENSION._replace(name="a/b"),), {"a/b": 1.0}, "name = 'a/b'; must have no \"/\""),
        ((TENSION._replace(shape=(2,)),), {}, r"shape = \(2,\); must be \(\) for a number"),
        ((TENSION._replace(label=" "),), {}, "label of field 'tension': .*not blank"),
        (("tension",), {"tension": 1.0}, "reports = 'tension'; must be a Field"),
    ],
)
def test_wrong_reports_end_before_the_run(reports, values, words):
    with pytest.raises(fm.ModelError, match=words):
        run(arm(lambda model, bone: Odd(reports, values)))


def test_accelerations_are_not_known_to_reports():
    class Seen(Odd):
        def fields(self, at):
            return {"tension": at.p_dot[0]}

    result = run(arm(lambda model, bone: Seen((TENSION,), {})))
    assert np.isnan(result.elements["odd"]["tension"]).all()


@pytest.mark.parametrize("found", [3.0, {"the odd": 3.0}, {"the odd": [object()]}])
def test_a_fingerprint_that_cannot_be_digested_is_refused(found):
    class Marked(Odd):
        def fingerprint(self, times):
            return found

    system = fm.build(arm(lambda model, bone: Marked((), {})))
    with pytest.raises(fm.ModelError, match="Marked: fingerprint = .*; must be a dict of lists"):
        system.identity(np.array([0.0, 1.0]))

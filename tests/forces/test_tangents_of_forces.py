"""Forces beside fibers and joints have exact tangents, whatever joints carry the bodies."""

from itertools import product

import numpy as np
import pytest
from joint_cases import functional_arm
from scenes_of_tests import apply, independent, two_link_arm
from scipy.spatial.transform import Rotation
from tangents import along, moving_state

import fibermsk as fm


def wrench(t):
    return 3.0 * np.cos(t), 2.0, -np.sin(2.0 * t)


def elements(model, coordinate):
    """One of each kind, on the last two bodies and a coordinate."""
    first, second = model.bodies[-2:]
    ends = first.at((0.05, -0.02, 0.1)), second.at((-0.03, 0.04, -0.1))
    yield fm.PointSpring("spring", *ends, stiffness=300.0, rest_length=0.05, damping=20.0)
    yield fm.PointSpring(
        "cord", model.ground.at((0.3, 0.1, 0.2)), ends[1], stiffness=80.0, rest_length=0.1,
        slack=True,
    )  # fmt: skip
    for frame, at_frame in product(("ground", "body"), repeat=2):
        yield fm.ExternalForce(
            f"{frame} {at_frame}", second, wrench, (0.02, 0.05, -0.1), (0.5, -1.0, 0.7), frame,
            at_frame,
        )  # fmt: skip
    yield fm.CoordinateActuator("motor", coordinate, fm.Polynomial([0.3, 0.4]))
    yield fm.CoordinateController("drive", coordinate, fm.Polynomial([0.1, 0.4]), 30.0, 4.0)


def torques_across_balls():
    """A ball on a ball on a free body, torques across all, and a hinge before and after."""
    model = fm.Model("balls", gravity=(0.0, 0.0, -9.81))
    parent, joints = model.ground, []
    for k, kind in enumerate(("hinge", "free", "spherical", "spherical", "hinge")):
        body = model.add(fm.Body(f"b{k}", 1.0 + k, (0.02, 0.01, -0.1), (0.02, 0.03, 0.01)))
        at, turned = (0.05, -0.02, -0.2), Rotation.from_rotvec((0.3, -0.5, 0.2)).as_matrix()
        if kind == "hinge":
            model.add(fm.Hinge(f"h{k}", parent, body, at, (0.2, 1.0, -0.4), rotation=turned))
        else:
            make = fm.Free if kind == "free" else fm.Spherical
            joints.append(model.add(make(f"j{k}", parent, body, at=at, rotation=turned)))
        parent = body
    model.add(
        *(fm.JointTorque(f"t{k}", one, wrench, 0.3 + k) for k, one in enumerate(joints)),
        fm.JointTorque("constant", joints[1], (1.0, -2.0, 0.5)),
    )
    return model


def case(name):
    if name == "balls":
        return fm.build(torques_across_balls())
    model, coordinate = (
        (two_link_arm(), "elbow")
        if name == "hinges"
        else (functional_arm("multiplier" if name == "multiplier" else "eliminate"), "k")
    )
    model.add(*elements(model, coordinate))
    return fm.build(model)


@pytest.fixture(scope="module", params=["hinges", "functions", "multiplier", "balls"])
def system(request):
    return case(request.param)


@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 0.0), (50.0, 70.0)])
def test_tangent_agrees_with_central_differences(system, rng, beta, alpha):
    y, v, a = moving_state(system, rng)
    evaluation = system.evaluate(0.1, y, v, a, beta, alpha)
    residual = along(system, y, v, a, beta, alpha)
    free, n = independent(system), system.skeleton.n
    for _ in range(4):
        d = rng.normal(size=system.n) * system.scale * free
        h = 1e-6
        ahead, back = (system.retract(0.0, y, sign * h * d) for sign in (1.0, -1.0))
        slope = (residual(ahead) - residual(back)) / (2.0 * h)
        exact = apply(evaluation.tangent, d) * free
        for part in (slice(0, -n), slice(-n, None)):
            atol = 2e-6 * np.abs(slope[part]).max(initial=0.0)
            np.testing.assert_allclose(exact[part], slope[part], atol=atol, rtol=0)

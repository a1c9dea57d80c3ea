"""Forces beside fibers and joints have exact tangents, whatever joints carry the bodies."""

from itertools import product

import numpy as np
import pytest
from joint_cases import functional_arm
from scenes_of_tests import apply, independent, two_link_arm
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


def case(name):
    model, coordinate = (
        (two_link_arm(), "elbow")
        if name == "hinges"
        else (functional_arm("multiplier" if name == "multiplier" else "eliminate"), "k")
    )
    model.add(*elements(model, coordinate))
    return fm.build(model)


@pytest.fixture(scope="module", params=["hinges", "functions", "multiplier"])
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
            atol = 2e-6 * np.abs(slope[part]).max()
            np.testing.assert_allclose(exact[part], slope[part], atol=atol, rtol=0)

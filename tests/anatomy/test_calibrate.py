"""Tissue that pulls like a Hill muscle."""

import math

import numpy as np
import pytest
from muscles import arm
from numpy.testing import assert_allclose

from fibermsk.anatomy.calibrate import calibrate
from fibermsk.errors import ModelError
from fibermsk.laws import hill
from fibermsk.laws.stress import nominal_stress


def muscle_of(**numbers):
    return arm(**numbers)[1]


@pytest.mark.parametrize("start", [0.6, 1.0, 1.3])
@pytest.mark.parametrize("angle", [0.0, 0.25])
def test_curves_follow_the_hill_muscle_from_any_start(start, angle):
    muscle = muscle_of(pennation_angle=angle)
    along = 0.1 * math.cos(angle)
    tendon = 0.2 + 0.2 * hill.TENDON_STRAIN / math.log(6.0) * math.log1p(0.01 / 0.2)
    made = calibrate(muscle, tendon + start * along)
    assert_allclose(made.start_length, start)
    x = np.linspace(0.6, 1.4, 41)
    fibers = np.hypot(x * along, 0.1 * math.sin(angle))
    cosine = x * along / fibers
    active = cosine * hill.active_force_length(fibers / 0.1)[0]
    passive = cosine * hill.passive_force_length(fibers / 0.1)[0]
    resting = made.force(x / start, 0.0) / 300.0
    full = made.force(x / start, 1.0) / 300.0
    assert_allclose(full - resting, active, atol=1e-12)  # the same curve
    assert_allclose(resting, passive, atol=0.03)  # 1 % of tension at rest
    assert made.passive_error < 0.02
    assert (resting > 0.0).all()  # taut over the whole working range


def test_volume_is_that_of_the_muscle():
    made = calibrate(muscle_of(), 0.31, specific_tension=2.5e5, tendon_radius=0.4)
    assert_allclose(made.muscle_area * made.muscle_length, 300.0 / 2.5e5 * 0.1)
    assert_allclose(made.tendon_area, 0.16 * made.muscle_area)


@pytest.mark.parametrize("actual", [0.2, 0.25])
def test_tendon_has_the_curve_and_compliance_of_the_hill_tendon(actual):
    made = calibrate(muscle_of(), 0.31, tendon_length=actual)
    slack = 0.2
    at_rest = hill.TENDON_STRAIN / math.log(6.0) * math.log1p(0.01 / 0.2)
    for longer in (0.0, 0.01, 0.03, 0.05, 0.06):  # than the slack length, over it
        expected = hill.tendon_force_length(1.0 + longer)[0]
        stretch = 1.0 + (longer - at_rest) * slack / actual
        P, _, _ = made.tissue.tendon.stress(stretch, 0.0, 0.0)
        P += made.tissue.prestress / stretch
        assert_allclose(made.tendon_area * P / 300.0, expected, atol=1e-12)


def test_thinner_fibers_pull_as_much():
    muscle = muscle_of()
    whole, thin = (calibrate(muscle, 0.31, radius_factor=f) for f in (1.0, 0.7))
    stretch = np.linspace(0.6, 1.4, 9)
    for activation in (0.0, 0.6):
        assert_allclose(thin.force(stretch, activation), whole.force(stretch, activation))
    assert_allclose(thin.muscle_area, 0.49 * whole.muscle_area)


@pytest.mark.parametrize("angle", [0.0, 0.25])
def test_force_velocity_is_that_of_the_hill_muscle(angle):
    """At the optimum, with the velocity along the path."""
    along = 0.1 * math.cos(angle)
    muscle = muscle_of(max_contraction_velocity=8.0, pennation_angle=angle)
    made = calibrate(muscle, 0.2 + 1.2 * along)
    for v in (-0.8, -0.3, 0.4):
        rate = v * 8.0 * 0.1 / math.cos(angle) / made.muscle_length  # of the stretch
        optimum = made.tissue.active.optimal_stretch
        at, rest = (made.tissue.stress(optimum, rate, a)[0] for a in (1.0, 0.0))
        active = made.muscle_area * (at - rest) / 300.0
        expected = hill.active_force_length(1.0)[0] * hill.force_velocity(v)[0] * math.cos(angle)
        assert_allclose(active, expected, rtol=1e-9)


def test_damping_is_the_slope_in_velocity():
    muscle = muscle_of(max_contraction_velocity=8.0)
    made = calibrate(muscle, 0.31, damping=0.5)
    optimum = made.tissue.active.optimal_stretch
    velocity = 0.01  # m/s, of the muscle
    slow, fast = (
        made.muscle_area
        * nominal_stress(optimum, v / made.muscle_length, 0.0, 1.0,
                         made.tissue.muscle.viscosity, 0.0, 1.0, 1.0, 2.0, 0.0)[0]
        for v in (0.0, velocity)
    )  # fmt: skip
    assert_allclose((fast - slow) / 300.0, 0.5 * velocity / (8.0 * 0.1))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"length": 0.205}, "must exceed the tendon slack length"),
        ({"specific_tension": 0.0}, "specific_tension"),
        ({"tendon_radius": -1.0}, "tendon_radius"),
        ({"working_range": (1.1, 1.4)}, "working_range"),
        ({"prestress": 0.0}, "prestress"),
        ({"damping": "much"}, "damping"),
    ],
)
def test_refusals(change, match):
    with pytest.raises(ModelError, match=match):
        calibrate(muscle_of(), **({"length": 0.31} | change))


def test_tendon_is_needed():
    with pytest.raises(ModelError, match="tendon_slack_length"):
        calibrate(muscle_of(tendon_slack_length=0.0), 0.31)

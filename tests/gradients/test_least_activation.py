"""Gradients at the least activation, where forces of a muscle have a kink, and near zero."""

import numpy as np
import pytest
from gradients.test_run_gradients import worst

import fibermsk as fm

NEWTON = fm.Newton(tolerance=1e-12)
RISE = fm.Table([0.0, 0.02, 0.1], [0.0, 0.0, 1.0])
END = fm.Objective(lambda time, q: q[-1], {"q": "hinge"})
CASES = [
    (0.0, "line/activation"), (RISE, "line/activation/knots"),
    (fm.ActivationDynamics(0.0, start=0.0), "line/activation/excitation"),
    (fm.ActivationDynamics(0.0, start=0.0), "line/activation/start"),
    (fm.ActivationDynamics(RISE), "line/activation/excitation/knots"),
]  # fmt: skip


def run(activation, tendon="rigid", x=0.03):
    model = fm.Model("p")
    bone = model.add(fm.Body("bone", 0.5, (0.01, -0.1, 0), (2e-3, 5e-4, 2e-3)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0.002, 0, 0), (0, 0, 1), value=0.4))
    ends = model.ground.at(x, 0.1, 0), bone.at(0.02, -0.08, 0)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    model.add(
        fm.LineMuscle(
            "line", path, max_isometric_force=40.0, optimal_fiber_length=0.08,
            tendon_slack_length=0.09, law=fm.HillLaw(tendon=tendon), activation=activation,
        )
    )  # fmt: skip
    return fm.Simulation(model, 0.05, 0.01, newton=NEWTON)


@pytest.mark.parametrize("tendon", ["rigid", "elastic"])
@pytest.mark.parametrize("activation, path", CASES)
def test_derivatives_are_those_of_larger_activations(activation, path, tendon):
    problem = fm.GradientProblem(run(activation, tendon), END, path)
    value, slopes = problem(problem.start)
    for k, one in enumerate(np.eye(problem.start.size)):
        if problem.start[k] == 1.0:
            continue
        near, far = (problem.value(problem.start + h * one) for h in (1e-5, 2e-5))
        expected = (4.0 * near - far - 3.0 * value) / 2e-5
        assert slopes[k] == pytest.approx(expected, rel=1e-7)


def test_an_activation_that_rests_follows_its_excitation():
    """At rest it equals the excitation, where the slope of the piecewise law jumps."""
    model = run(0.3).model
    table = fm.Table([0.0, 0.02, 0.1], [0.3, 0.5, 0.2])
    dynamics = fm.ActivationDynamics(table, fm.PiecewiseActivation(), start=0.3)
    model = model.edit({model.muscle("line"): {"activation": dynamics}})
    resting = fm.Simulation(model, 0.03, 0.005, newton=NEWTON, start="equilibrium")
    first = fm.Objective(lambda time, a: a[0], {"a": "line/active_state"})
    last = fm.Objective(lambda time, a: a[-1], {"a": "line/active_state"})
    knot = "line/activation/excitation/knots/0"
    assert fm.gradient(resting, first, knot).gradient[0] == pytest.approx(1.0, rel=1e-8)
    assert worst(resting, last, knot) < 1e-6


def test_numbers_that_are_nearly_zero_are_as_zero():
    found = [
        fm.gradient(run(0.3, x=x), END, "line/points/0/x").gradient[0] for x in (0.0, 1e-9, 6e-18)
    ]
    np.testing.assert_allclose(found[1:], found[0], rtol=1e-6)
    problem = fm.GradientProblem(run(0.3, x=6e-18), END, "line/points/0/x")
    assert problem.scales[0] == pytest.approx(1e-3)
    with pytest.raises(fm.ModelError, match="unknowns = .*must be finite numbers of shape"):
        problem([1.0, 2.0])

"""Numbers inside of fibers and muscles, found together, against whole equations one by one."""

import numpy as np
import pytest
from gradients.test_run_gradients import TIGHT, muscles_with_states, objective, worst

import fibermsk as fm
from fibermsk.gradients.changes.actuators import Actuated
from fibermsk.gradients.changes.entries import entries_of
from fibermsk.gradients.changes.inside import Driven, Family
from fibermsk.gradients.changes.variations import changes_of, variation_of
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.trajectory import Trajectory


def crowd():
    """The limb with two muscles and two fibers more, without dynamics of activation."""
    model = muscles_with_states()
    bone, table = model.body("bone"), fm.Table([0.0, 0.01, 0.02, 0.1], [0.2, 0.5, 0.3, 0.3])
    ends = model.ground.at(0.02, 0.1, 0.01), bone.at(0.02, -0.08, 0.01)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    numbers = {"max_isometric_force": 25.0, "optimal_fiber_length": 0.08}
    elastic = fm.HillLaw(fm.DeGrooteCurves())
    model.add(
        fm.LineMuscle("elastic", path, **numbers, tendon_slack_length=0.09, law=elastic,
                      activation=table),
        fm.LineMuscle("rigid", path, **numbers, tendon_slack_length=0.05,
                      law=fm.HillLaw(tendon="rigid"), activation=0.3),
    )  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(1e4, 1e3), bending=1.0)
    for k, activation in enumerate((table, 0.2)):
        ends = model.ground.at(-0.03, 0.05, 0.02 + 0.02 * k), bone.at(-0.02, -0.08, 0.02 + 0.02 * k)
        model.add(fm.Fiber(f"plain_{k}", attach=ends, radius=4e-3, n_elements=3, tissue=solid,
                           activation=activation))  # fmt: skip
    return model


INSIDE = [
    "*/tissue", "*/max_isometric_force", "*/optimal_fiber_length", "*/tendon_slack_length",
    "*/pennation_angle", "*/max_contraction_velocity", "*/law", "*/activation/knots",
    "*/activation/excitation/knots", "plain_1/activation", "rigid/activation",
    "*/activation/activation_time", "*/activation/start",
]  # fmt: skip


def kept_run(model, until, start="initial"):
    """System of a model, and its accepted steps up to a time [s]."""
    run = fm.Simulation(model, until, until / 6, newton=TIGHT, start=start)
    system, kept = run.system(), Trajectory()
    run.run(system, kept)
    return system, kept


def check_one_by_one(system, kept, entries, changes, size, atol, at_rest, rng):
    """Compare changes found together with each entry by itself, and both sweeps of them."""
    weights, n = rng.normal(size=(2, system.n)), len(entries)
    alone = [variation_of(system, one, k) for k, one in enumerate(entries)]
    several, single = (
        sweeps.pull(system, kept, {4: tuple(weights)}, own, n, at_rest=at_rest)[2]
        for own in (changes, alone)
    )
    scaled = single * size
    atol = atol * np.abs(scaled).max()
    np.testing.assert_allclose(several * size, scaled, rtol=1e-6, atol=atol)
    direction, still = rng.normal(size=n) * size, np.zeros((2, system.n))
    ahead = sweeps.push(system, kept, tuple(still), direction, changes, at_rest=at_rest)[4]
    assert sum(a @ b for a, b in zip(ahead, weights, strict=True)) == pytest.approx(
        several @ direction, rel=1e-7
    )


@pytest.mark.parametrize("start", ["initial", pytest.param("equilibrium", marks=pytest.mark.slow)])
def test_together_as_one_by_one(start, rng):
    model = crowd()
    system, kept = kept_run(model, 0.03, start)
    entries = entries_of(system, INSIDE)
    changes = changes_of(system, entries)
    assert all(isinstance(one, Family | Driven) for one in changes)
    assert len(changes) < len(entries) // 2
    size = np.array([abs(one.value) or 1.0 for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-9, start == "equilibrium", rng)


FORCES = {
    "number": (0.3, 1),
    "line": (fm.Linear(2.0, 0.1), 2),
    "polynomial": (fm.Polynomial([0.1, 2.0, 30.0]), 3),
    "spline": (fm.NaturalSpline([0.0, 0.011, 0.03], [0.1, -0.1, 0.2]), 6),
    "corners": (fm.PiecewiseLinear([0.0, 0.011, 0.03], [0.1, -0.1, 0.2]), 6),
}


@pytest.mark.parametrize("force", FORCES)
def test_numbers_of_an_actuator_share_one_difference(force):
    model = muscles_with_states()
    function, n = FORCES[force]
    model.add(fm.CoordinateActuator("motor", "hinge", function))
    run = fm.Simulation(model, 0.03, 0.01, newton=TIGHT)
    system, aim = run.system(), objective(model)
    entries = entries_of(system, "motor/*")
    (one,) = changes_of(system, entries)
    assert isinstance(one, Actuated) and len(entries) == n
    found = fm.gradient(run, aim, "motor/*")
    direction = np.linspace(-1.0, 1.0, n)
    along = aim.derivatives(found.result.time, found.run.samples)
    ahead = sum((along[name] * moved).sum() for name, moved in found.jvp(direction).items())
    assert ahead == pytest.approx(found.gradient @ direction, rel=1e-9)
    assert worst(run, aim, "motor/*") < 1e-6


def sharing():
    """The limb whose two muscles have the same activation dynamics, and so one state."""
    model = muscles_with_states()
    dynamics = model.muscle("line").activation
    return model.edit({model.fiber("fiber"): {"activation": dynamics}})


def test_muscles_that_share_an_activation_are_varied_apart():
    model = sharing()
    assert len(fm.build(model).states) == len(fm.build(muscles_with_states()).states) - 1
    run = fm.Simulation(model, 0.03, 0.005, newton=TIGHT)
    paths = ["line/activation/excitation/knots/1", "fiber/activation/activation_time"]
    assert worst(run, objective(model), paths) < 1e-6


def test_a_shared_activation_with_a_name_is_refused():
    model = sharing()
    named = fm.ActivationDynamics(0.3, start=0.2, name="both")
    both = {
        model.fiber("fiber"): {"activation": named},
        model.muscle("line"): {"activation": named},
    }
    run = fm.Simulation(model.edit(both), 0.03, 0.005)
    with pytest.raises(fm.ModelError, match="'both'; must be of one muscle, or without a name"):
        fm.gradient(run, objective(model), "line/activation/excitation")

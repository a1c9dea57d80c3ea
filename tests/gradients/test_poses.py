"""Numbers that move bones and paths, found together, against whole equations one by one."""

import dataclasses

import numpy as np
import pytest
from forces.test_reported_fields import Odd
from gradients.test_gradients_at_corners import rope_over_a_drum
from gradients.test_inside import check_one_by_one, crowd, kept_run
from gradients.test_run_gradients import TIGHT, prescribed, rubbing, worst
from gradients.test_shapes import coupled, thick
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.gradients.changes.chained import ChainedShapes
from fibermsk.gradients.changes.contact import ContactNumbers
from fibermsk.gradients.changes.entries import Turn, entries_of, moved, size_of
from fibermsk.gradients.changes.inside import Family, Sizes
from fibermsk.gradients.changes.loose import can_loosen
from fibermsk.gradients.changes.owners import is_of_start
from fibermsk.gradients.changes.poses import Poses
from fibermsk.gradients.changes.rows import PathRows, RowSlopes
from fibermsk.gradients.changes.starts import Starts
from fibermsk.gradients.changes.variations import changes_of, variation_of
from fibermsk.parameters.lookup import find
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.adjoint.variation import Variation


def driven():
    """A motion in time that carries a fiber and a muscle."""
    model = prescribed()
    return model.edit(remove=[model.element("rod")])


def tied():
    """The arm whose elbow follows the shoulder by a multiplier."""
    model = thick()
    model.add(fm.Coupling("elbow", fm.Polynomial([0.1, 0.5]), "shoulder", enforce="multiplier"))
    return model


def ball():
    """A limb that turns by quaternions and slides, with a muscle and a fiber."""
    model = fm.Model("ball", gravity=(0.0, -9.81, 1.0))
    trunk = model.add(fm.Body("trunk", 2.0, (0, -0.1, 0), (5e-3, 2e-3, 4e-3)))
    upper = model.add(fm.Body("upper", 1.0, (0, -0.15, 0), (5e-3, 1e-3, 5e-3)))
    lower = model.add(fm.Body("lower", 0.5, (0, -0.1, 0), (3e-3, 1e-3, 3e-3)))
    plate = model.add(fm.Body("plate"))
    turned = Rotation.from_rotvec([0.2, -0.1, 0.3]).as_matrix()
    model.add(
        fm.Free("trunk", model.ground, trunk, at=(0.01, 0.0, 0.0), child_at=(0.0, 0.02, 0.0)),
        fm.Spherical("ball", trunk, upper, at=(0.0, -0.2, 0.0), rotation=turned),
        fm.Hinge("hinge", upper, lower, (0, -0.3, 0), (0.1, 0.2, 1.0), rotation=turned,
                 child_at=(0.0, 0.01, 0.0), value=0.3, speed=2.0),
        fm.Weld(lower, plate, at=(0.0, -0.05, 0.0), rotation=turned),
    )  # fmt: skip
    path = [
        fm.PathPoint("o", trunk.at(0.03, -0.1, 0)), fm.PathPoint("v", upper.at(0.04, -0.2, 0.01)),
        fm.PathPoint("i", plate.at(0.02, -0.02, 0)),
    ]  # fmt: skip
    drum = fm.WrapCylinder("drum", upper, (0.03, -0.27, 0.0), radius=0.025, length=0.2)
    numbers = {"optimal_fiber_length": 0.15, "tendon_slack_length": 0.15}
    model.add(fm.LineMuscle("line", path, max_isometric_force=40.0, **numbers, law=fm.HillLaw(),
                            activation=0.3, wraps=[fm.PathWrap(drum)], mass=0.1))  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 3e2), prestress=1e4, bending=1.0)
    ends = trunk.at(-0.03, -0.15, 0), plate.at(-0.02, -0.05, 0)
    model.add(fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=3, tissue=solid))
    return model


def tilted():
    """The arm with capsules and a cylinder in no direction of the bodies' axes."""
    model = thick()
    upper, lower = model.body("upper"), model.body("lower")
    tube = fm.Capsule((0.001, -0.002, 0.01), (-0.002, 0.003, -0.09), 0.017)
    drum = fm.InfiniteCylinder((0.0, 0.001, 0.0), (0.1, 1.0, -0.2), 0.018)
    ball = fm.Capsule((0.0, 0.0, -0.03), (0.0, 0.0, -0.03), 0.015)
    return model.edit({lower: {"shapes": (tube, drum)}, upper: {"shapes": (*upper.shapes, ball)}})


MODELS = {
    "tilted": (tilted, 0.036, "initial"),
    "ball": (ball, 0.03, "initial"),
    "driven": (driven, 0.03, "initial"),
    "tied": (tied, 0.03, "initial"),
    "contact": (thick, 0.036, "initial"),
    "equilibrium": (thick, 0.012, "equilibrium"),
    "coupled": (coupled, 0.036, "initial"),
    "states": (crowd, 0.03, "initial"),
    "friction": (rubbing, 0.036, "initial"),
}  # fmt: skip
MOST = 16


@pytest.mark.filterwarnings("ignore:compressed fibers")
@pytest.mark.parametrize("case", MODELS)
def test_together_as_one_by_one(case, rng):
    make, until, start = MODELS[case]
    system, kept = kept_run(make(), until, start)
    every = [path for path in system.parameters if can_loosen(find(system.model, path)[0])]
    few = rng.choice(every, min(MOST, len(every)), replace=False).tolist()
    few += [
        path for path in system.parameters if is_of_start(system, find(system.model, path)[0], path)
    ]
    entries = entries_of(system, few)
    changes = changes_of(system, entries)
    assert {type(one) for one in changes} <= {
        Poses,
        Starts,
        ChainedShapes,
        ContactNumbers,
        RowSlopes,
    }
    size = np.array([size_of(system, one) for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-8, start == "equilibrium", rng)


def test_weights_and_sizes_of_surfaces_by_their_own_rows(rng):
    model = ball()
    muscle = model.muscle("line")
    stiff = {"law": fm.HillLaw(fm.DeGrooteCurves()), "activation": fm.ActivationDynamics(0.3)}
    model.add(dataclasses.replace(muscle, name="elastic", mass=None, **stiff))
    run = fm.Simulation(model, 0.03, 0.005, newton=TIGHT)
    system, kept = run.system(), Trajectory()
    run.run(system, kept)
    entries = entries_of(system, ["model/gravity", "wraps/drum/radius", "fiber/line_load"])
    changes = changes_of(system, entries)
    assert {type(one) for one in changes} == {RowSlopes, PathRows, Family}
    size = np.array([size_of(system, one) for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-8, False, rng)
    aim = fm.Objective(
        lambda time, s, t, p, x: s[2] + 0.01 * t[-1] + p[-1] + x[-1].sum(),
        {
            "s": "line/length",
            "t": "elastic/tendon_force",
            "p": "hinge/speed",
            "x": model.body("lower").at(0.0, -0.2, 0.0),
        },
    )
    assert worst(run, aim, ["model/gravity/y", "wraps/drum/radius"]) < 1e-6


def test_lengths_of_paths_depend_on_sizes_of_surfaces():
    """Of muscles without mass, whose sizes share differences: each has those of its own path."""
    model = ball()
    muscle = model.muscle("line")
    drum = muscle.wraps[0].shape
    other = dataclasses.replace(drum, name="other", radius=0.022)
    light = {"mass": None, "law": fm.HillLaw()}
    model = model.edit(remove=[muscle])
    model.add(
        dataclasses.replace(muscle, name="first", **light),
        dataclasses.replace(muscle, name="second", **light, wraps=[fm.PathWrap(other)]),
        dataclasses.replace(muscle, name="both", **light),
    )
    run = fm.Simulation(model, 0.03, 0.005, newton=TIGHT)
    paths = ["wraps/drum/radius", "wraps/other/radius", "wraps/drum/length"]
    (sizes, *_) = changes_of(run.system(), entries_of(run.system(), paths))
    assert isinstance(sizes, Sizes)
    aim = fm.Objective(
        lambda time, s, t, u, w: s[-1] + s[2] + 2.0 * t[-1] + u[0] + 0.01 * w[-1],
        {"s": "first/length", "t": "second/length", "u": "both/length", "w": "both/tendon_force"},
    )
    assert worst(run, aim, paths[:2]) < 1e-6


def test_numbers_without_effect_cost_nothing():
    """Of muscles without a law, of what is only drawn, and of surfaces that no path has."""
    model = ball()
    muscle = model.muscle("line")
    model = model.edit(remove=[muscle])
    idle = dataclasses.replace(muscle, name="idle", law=None, mass=None, wraps=[], activation=None)
    model.add(idle)
    system = fm.build(model)
    assert changes_of(system, entries_of(system, ["idle/max_isometric_force"])) == []


def test_whole_runs_with_readings_of_forces():
    """Differences of runs, with quantities that depend on shapes and paths themselves."""
    model = crowd()
    reads = {
        "f": "plain_0/tissue_force", "s": "elastic/length", "t": "line/tendon_force",
        "x": model.body("bone").at(0.0, -0.1, 0.0), "p": "hinge/speed",
    }  # fmt: skip
    aim = fm.Objective(
        lambda time, f, s, t, x, p: 0.1 * f[-1] + s[2] + 0.01 * t[-1] + x[-1].sum() + p[-1], reads
    )
    run = fm.Simulation(model, 0.02, 0.005, newton=TIGHT)
    paths = ["hinge/at/y", "hinge/axis", "hinge/value", "hinge/speed", "line/points/1/x",
             "hinge/rotation"]  # fmt: skip
    assert worst(run, aim, paths) < 1e-6


def test_turns_beside_a_turn_have_the_slopes_of_the_exponential():
    for angles in ((0.3, -0.5, 0.2), (1e-5, 2e-5, 0.0), (0.0, 0.0, 0.0)):
        turn = Turn(tuple(np.eye(3).ravel()), angles)
        for k in range(3):
            ahead, behind = (turn.to(k, angles[k] + h).matrix for h in (1e-6, -1e-6))
            spin = turn.matrix.T @ (ahead - behind) / 2e-6
            np.testing.assert_allclose(spin[[2, 0, 1], [1, 2, 0]], turn.slopes[:, k], atol=1e-9)


def test_what_has_a_part_besides_moving_is_found_by_itself():
    model = prescribed()  # with a closed loop
    (alone,) = changes_of(fm.build(model), entries_of(fm.build(model), "h1/at/x"))
    assert isinstance(alone, Variation)
    for model in (rope_over_a_drum(0.045), crowd()):
        path = next(one for one in fm.build(model).parameters if one.endswith("/at/x"))
        model.add(Odd((), {}))
        system = fm.build(model)
        (alone,) = changes_of(system, entries_of(system, path))
        assert isinstance(alone, Variation)


def test_directions_of_any_length():
    """An optimizer's direction does not keep its length; the model has it with length one."""
    model = ball()
    aim = fm.Objective(lambda time, q: q[-1], {"q": "hinge"})
    problem = fm.GradientProblem(fm.Simulation(model, 0.03, 0.01, newton=TIGHT), aim, "hinge/axis")
    x = problem.start * np.array([1.5, 0.8, 1.3])
    _, found = problem(x)
    for k, one in enumerate(1e-4 * np.eye(3)):
        slope = (problem.value(x + one) - problem.value(x - one)) / 2e-4
        assert found[k] == pytest.approx(slope, rel=1e-6)
    (entry,) = [one for one in moved(problem.parameters, x * problem.scales) if one.place == (1,)]
    system = fm.build(fm.with_parameters(model, {"hinge/axis": x * problem.scales}))
    alone = variation_of(system, entry).of(lambda own: own.model.joint("hinge").axes[0].direction)
    along = np.array(entry.along)
    expected = np.eye(3)[1] / np.linalg.norm(along) - along * along[1] / np.linalg.norm(along) ** 3
    np.testing.assert_allclose(alone, expected, rtol=1e-8)

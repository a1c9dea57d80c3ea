"""Numbers of functions of joints and moving points, found together, against one by one."""

import numpy as np
import pytest
from gradients.test_inside import check_one_by_one, kept_run
from gradients.test_run_gradients import TIGHT, worst

import fibermsk as fm
from fibermsk.gradients.changes.chained import ChainedShapes
from fibermsk.gradients.changes.entries import entries_of, size_of
from fibermsk.gradients.changes.functions import Scales
from fibermsk.gradients.changes.poses import Poses
from fibermsk.gradients.changes.variations import changes_of
from fibermsk.solvers.adjoint.variation import Variation


def knee(coupled=False):
    """A shank on a rolling knee, with a fiber, and a muscle through a moving point."""
    model = fm.Model("knee", gravity=(0.5, -9.81, 1.0))
    thigh = model.add(fm.Body("thigh", 3.0, (0, -0.15, 0), (0.03, 0.01, 0.03)))
    shank = model.add(fm.Body("shank", 1.5, (0, -0.2, 0.01), (0.02, 0.004, 0.02)))
    model.add(fm.Hinge("hip", model.ground, thigh, (0, 0, 0), (0.1, 0.0, 1.0), speed=2.0))
    angles = np.array([-1.5, -0.7, 0.0, 0.6])
    lengths = [-0.3, -0.31, -0.32, -0.318]
    axes = [
        fm.Axis("translation", (1, 0, 0), [
            ("bend", fm.SimmSpline(angles, [-0.01, 0.004, 0.0, -0.003])),
            ("hip", fm.Scaled(fm.Polynomial([0.0, 0.01, 0.02]), 0.5)),
        ]),
        fm.Axis("translation", (0, 1, 0), [("bend", fm.NaturalSpline(angles, lengths))]),
        fm.Axis("rotation", (0, 0.1, 1), [("bend", fm.Linear(1.1, 0.02))], offset=0.05),
    ]  # fmt: skip
    bend = fm.Coordinate("bend", "rotation", -0.4, -3.0, forces=fm.Spring(5.0, -0.2))
    model.add(fm.FunctionalJoint("knee", thigh, shank, [bend], axes))
    if coupled:
        model.add(fm.Coupling("bend", fm.Polynomial([-0.4, -0.8, 0.2]), "hip"))
    moving = fm.MovingPathPoint(
        "patella", shank,
        [fm.SimmSpline(angles, [0.05, 0.045, 0.04, 0.042]), fm.Linear(0.01, 0.02),
         fm.Linear(0.0, 0.003)],
        ["bend", "bend", None], rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        ranges=[(-1.2, 0.3), (-0.2, 0.2), None],
    )  # fmt: skip
    path = [fm.PathPoint("o", thigh.at(0.03, -0.05, 0.01)), moving,
            fm.PathPoint("i", shank.at(0.02, -0.1, 0.0))]  # fmt: skip
    numbers = {"optimal_fiber_length": 0.2, "tendon_slack_length": 0.16}
    model.add(fm.LineMuscle("line", path, max_isometric_force=200.0, **numbers, law=fm.HillLaw(),
                            activation=0.3, mass=0.2))  # fmt: skip
    model.add(fm.LineMuscle("light", path, max_isometric_force=100.0, **numbers, activation=0.3,
                            law=fm.HillLaw(fm.DeGrooteCurves())))  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 3e2), prestress=1e4, bending=1.0)
    ends = thigh.at(-0.03, -0.15, 0), shank.at(-0.02, -0.05, 0)
    model.add(fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=3, tissue=solid))
    return model


PATHS = ["knee/axes/*/terms", "line/points/patella/functions", "light/points/patella/functions",
         "knee/axes/*/offset"]  # fmt: skip


def numbers_of(system):
    found = [
        path for path in system.parameters
        if "terms" in path or "functions" in path or path.endswith("offset")
    ]  # fmt: skip
    return entries_of(system, found)


@pytest.mark.parametrize(
    "coupled, start",
    [
        (True, "equilibrium"),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in ((False, "equilibrium"), (False, "initial"), (True, "initial"))
        ),
    ],
)
def test_together_as_one_by_one(coupled, start, rng):
    system, kept = kept_run(knee(coupled), 0.03, start)
    entries = numbers_of(system)
    assert len(entries) > 30
    changes = changes_of(system, entries)
    assert {type(one) for one in changes} == {Poses, ChainedShapes}
    size = np.array([size_of(system, one) for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-8, start == "equilibrium", rng)


def test_whole_runs_with_readings():
    model = knee()
    reads = {
        "s": "light/length", "t": "light/tendon_force", "u": "line/tendon_force",
        "x": model.body("shank").at(0.0, -0.2, 0.0), "p": "bend/speed",
    }  # fmt: skip
    aim = fm.Objective(
        lambda time, s, t, u, x, p: s[2] + 0.01 * (t[-1] + u[1]) + x[-1].sum() + p[-1], reads
    )
    run = fm.Simulation(model, 0.02, 0.005, newton=TIGHT)
    few = ["knee/axes/0/terms/bend/y/1", "knee/axes/1/terms/bend/x/2",
           "knee/axes/2/terms/bend/slope", "light/points/1/functions/0/y/1",
           "light/points/1/functions/1/slope", "knee/axes/0/terms/hip/factor"]  # fmt: skip
    assert worst(run, aim, few) < 1e-6


def test_derivatives_of_functions_follow_these(rng):
    """Value, rates and slope of a held coordinate, against functions of changed models."""
    model = knee()
    system = fm.build(model)
    entries = numbers_of(system)
    scales = Scales(system, entries)
    q, p, p_dot = rng.normal(size=(3, system.skeleton.n)) * 0.3
    found, h = scales.at(q, p, p_dot), 1e-6
    ahead, behind = (scales.at(q + s * h * p, p + s * h * p_dot, p_dot) for s in (1.0, -1.0))
    np.testing.assert_allclose(found.speed, (ahead.place - behind.place) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(found.rate, (ahead.speed - behind.speed) / (2 * h), atol=1e-6)
    names = [one.path for one in entries]
    own = scales.at(np.array([0.3, -0.5]))
    k = names.index("knee/axes/2/terms/bend/slope")
    assert own.place[k] == pytest.approx(-0.5) and own.slope[k] == pytest.approx(1.0)
    k = names.index("knee/axes/0/terms/hip/function/coefficients/2")
    assert own.place[k] == pytest.approx(0.5 * 0.3**2) and own.slope[k] == pytest.approx(0.3)
    assert found.place[names.index("knee/axes/2/offset")] == 1.0


def test_functions_beside_constraints_are_found_by_themselves():
    model = knee()
    model.add(fm.Coupling("bend", fm.Polynomial([-0.4, -0.8]), "hip", enforce="multiplier"))
    system = fm.build(model)
    (alone,) = changes_of(system, entries_of(system, "knee/axes/2/terms/bend/slope"))
    assert isinstance(alone, Variation)

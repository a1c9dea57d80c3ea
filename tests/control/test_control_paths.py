"""Paths of muscles in optimal control: discrete geodesics and fitted polynomials."""

import casadi as ca
import numpy as np
import pytest

import fibermsk as fm
from fibermsk.control.mechanics.discrete import Node
from fibermsk.control.plant import Plant

QUIET = {"progress": False}


def plants(kind, model=None, ranges=None):
    model = fm.make_scene("two_muscle_arm").model if model is None else model
    return Plant(model, {}, True, kind, ranges)


def geometry(plant, values):
    """Lengths and -dl/dq of the muscles of a plant with one turn at angles."""
    found = []
    for q in values:
        node = Node(np.array([q]), np.zeros((3, 0)))
        found.append([np.array(one).ravel() for one in plant.geometry(*node, plant.paths_at(node))])
    lengths, arms = map(np.array, zip(*found, strict=True))
    return lengths, -arms


def reference(model, values):
    skeleton = fm.skeleton(model)
    found = fm.MuscleGeometry(skeleton, model.muscles).at(np.array(values)[:, None])
    return found.length, found.moment_arm[:, :, 0]


def ball_arm():
    """A hinge with a muscle around a sphere, out of plane."""
    model = fm.Model("ball_arm")
    bone = model.add(fm.Body("bone", 1.0, (0, 0, -0.1), (0.01, 0.01, 0.001)))
    model.add(fm.Hinge("elbow", model.ground, bone, (0, 0, 0), (0, -1, 0)))
    sphere = fm.WrapSphere("ball", model.ground, (-0.02, 0.001, 0.0), radius=0.03)
    points = [
        fm.PathPoint("a", model.ground.at(0.0, 0.004, 0.25)),
        fm.PathPoint("b", bone.at(0.0, -0.003, -0.12)),
    ]
    model.add(
        fm.LineMuscle(
            "m", points, wraps=[fm.PathWrap(sphere)], max_isometric_force=100.0,
            optimal_fiber_length=0.1, tendon_slack_length=0.2, law=fm.HillLaw(tendon="rigid"),
            activation=0.1,
        )
    )  # fmt: skip
    return model


@pytest.mark.parametrize("around", ["cylinders", "ball"])
def test_discrete_geodesics_tend_to_exact_ones_with_order_two(around):
    """Lengths with K^-2; arms of the lines are those of the exact path, and not -dl/dq."""
    model, angles = fm.make_scene("two_muscle_arm").model, np.linspace(0.3, 1.7, 8)
    if around == "ball":
        model, angles = ball_arm(), np.linspace(-0.15, 0.05, 6)
    exact = reference(model, angles)
    off = []
    for nodes in (10, 20, 40):
        lengths, arms = geometry(plants(fm.DiscretePaths(nodes), model), angles)
        off.append(np.abs(lengths - exact[0]).max())
        assert arms == pytest.approx(exact[1], abs=2e-8)
    assert np.log2(np.array(off[:-1]) / off[1:]) == pytest.approx(2.0, abs=0.1)


def test_discrete_geodesics_have_the_published_errors():
    """Of length 1.2e-5 m and 1.2e-7 m with 20 intervals, of arms 6e-10 m and 1e-11 m."""
    model, angles = fm.make_scene("two_muscle_arm").model, np.linspace(0.3, 1.7, 29)
    exact = reference(model, angles)
    lengths, arms = geometry(plants(fm.DiscretePaths(20), model), angles)
    off, lever = (np.abs(a - b).max(axis=0) for a, b in zip((lengths, arms), exact, strict=True))
    assert off == pytest.approx([1.2e-7, 1.2e-5], rel=0.1)
    assert lever[0] < 2e-11 and lever[1] < 8e-10
    slope = -np.gradient(lengths, angles, axis=0, edge_order=2)
    assert np.abs(slope - arms)[1:-1].max() < 2e-4


def test_the_optimum_with_discrete_geodesics_tends_to_that_with_exact_ones(brief):
    best = fm.make_scene("two_muscle_arm", steps=20).solve(**QUIET).objective
    off = []
    for nodes in (4, 8):
        own = fm.make_scene("two_muscle_arm", steps=20, path="discrete", path_nodes=nodes)
        solution = own.solve(**QUIET)
        assert solution.resimulation.discrete < 1e-9
        assert any(f"with {nodes + 1} nodes" in one for one in solution.remarks)
        off.append(abs(solution.objective - best))
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.2)


def two_surfaces():
    """The arm whose biceps also goes over a sphere: no closed form."""
    model = fm.make_scene("two_muscle_arm").model
    biceps = next(one for one in model.muscles if one.name == "biceps")
    upper = next(one for one in model.bodies if one.name == "upper_arm")
    ball = fm.WrapSphere("ball", upper, (0.02, 0.002, -0.15), radius=0.02)
    return model.edit({biceps: {"wraps": [*biceps.wraps, fm.PathWrap(ball)]}})


def test_fitted_paths_are_as_near_as_they_say():
    model, ranges = two_surfaces(), {"elbow": (0.1, 1.9)}
    plant = plants(fm.FittedPaths(degree=8), model, ranges)
    path = next(one.path for one in plant.muscles if one.name == "biceps")
    angles = np.random.default_rng(1).uniform(0.1, 1.9, 60)
    exact, (lengths, arms) = reference(model, angles), geometry(plant, angles)
    off = np.abs(lengths - exact[0]).max(axis=0)
    lever = np.abs(arms - exact[1]).max(axis=0)
    assert path.coordinates == ("elbow",) and 1e-8 < path.arm_error < 1e-3
    assert off[0] < 1.2 * path.length_error and lever[0] < 1.2 * path.arm_error
    assert off[1] < 1e-9 and lever[1] < 1e-9  # the triceps stays exact
    h = 1e-6
    more, less = (geometry(plant, angles + d)[0] for d in (h, -h))
    assert -(more - less) / (2 * h) == pytest.approx(arms, abs=1e-8)


def test_fitted_paths_move_an_arm():
    problem = fm.make_scene("two_muscle_arm")
    own = fm.OptimalControl(
        two_surfaces(), duration=0.6, steps=50, start=problem.start, end=problem.end,
        path=problem.path, muscle_paths=fm.FittedPaths(degree=5),
    )  # fmt: skip
    solution = own.solve(**QUIET)
    assert solution.resimulation.coordinate < 5e-3
    assert any("fitted by polynomials" in one for one in solution.remarks)


def test_paths_that_cannot_be_fitted_are_refused():
    model = two_surfaces()
    with pytest.raises(fm.ModelError, match="muscle_paths=fm.FittedPaths"):
        plants(None, model)
    with pytest.raises(fm.ModelError, match="coordinate 'elbow', which it crosses, has no range"):
        plants(fm.FittedPaths(), model)
    with pytest.raises(fm.ModelError, match=r"be at most within = 1e-12 m.*raise degree"):
        plants(fm.FittedPaths(degree=2, within=1e-12), model, {"elbow": (0.1, 1.9)})
    with pytest.raises(fm.ModelError, match="be 2 or more"):
        fm.DiscretePaths(1)


def test_path_equations_have_the_slopes_of_differences():
    plant = plants(fm.DiscretePaths(5))
    node = Node(np.array([0.9]), np.zeros((3, 0)))
    g = plant.paths_at(node) + 1e-3 * np.random.default_rng(0).normal(size=plant.n_path)
    slope = np.array(plant.path_equations(*node, g)[1])
    rest = [
        np.array(plant.path_equations(*node, g + d)[0] - plant.path_equations(*node, g - d)[0])
        for d in 1e-6 * np.eye(g.size)
    ]
    assert np.hstack(rest) / 2e-6 == pytest.approx(slope, abs=1e-8)
    assert isinstance(plant.path_equations, ca.Function)


def test_a_range_beside_that_of_the_fit_is_refused():
    model = two_surfaces()
    model = model.edit({model.coordinates[0]: {"lower": 0.1, "upper": 1.2}})
    problem = fm.make_scene("two_muscle_arm")
    own = fm.OptimalControl(
        model, duration=0.6, start=problem.start, end=problem.end,
        path=[fm.Range("elbow", lower=1.5)], muscle_paths=fm.FittedPaths(degree=5),
    )  # fmt: skip
    with pytest.raises(fm.ModelError, match=r"Range: elbow .*overlap .*\[0\.1, 1\.2\]"):
        own.solve(**QUIET)

"""Elastic tendons, work, points and functions of the pose in optimal control."""

import numpy as np
import pytest
from control.trees import orders, sled

import fibermsk as fm

QUIET = {"progress": False}


def given(steps=50, **settings):
    problem = fm.make_scene("two_muscle_arm", steps=steps)
    names = "duration", "controls", "objective", "start", "end", "path"
    return {name: getattr(problem, name) for name in names} | settings


def changed(**fields):
    """The arm whose muscles have other fields."""
    model = fm.make_scene("two_muscle_arm").model
    return model.edit({one: fields for one in model.muscles})


def test_elastic_tendons_are_those_of_a_run():
    model = changed(law=fm.HillLaw(tendon="elastic", damping=0.1))
    off = []
    for n in (25, 50, 100):
        solution = fm.OptimalControl(model, **given(n)).solve(**QUIET)
        off.append(solution.resimulation.coordinate)
        assert solution.resimulation.discrete < 1e-9
    assert off[-1] < 1e-3 and orders(off)[-1] == pytest.approx(2.0, abs=0.2)
    fibers = solution.fiber_lengths["biceps"]
    run = solution.result.muscles["biceps"]["fiber_length"]
    assert fibers == pytest.approx(run, abs=1e-4)


def test_elastic_tendons_start_a_motion_in_equilibrium():
    """As a run does, whose muscles start in static equilibrium whatever the speed."""
    model = changed(law=fm.HillLaw(tendon="elastic", damping=0.1))
    start = fm.EndState({"elbow": 0.3}, activations="excited", at_rest=False, speeds={"elbow": 1.0})
    solution = fm.OptimalControl(model, **given(20, start=start)).solve(**QUIET)
    assert solution.resimulation.coordinate < 5e-3
    for name, values in solution.activations.items():
        assert values[0] == pytest.approx(solution.controls[name][0], abs=1e-9)


def test_a_solution_with_other_paths_is_a_guess(brief):
    rough = fm.make_scene("two_muscle_arm", steps=10, path="discrete", path_nodes=4)
    guess = rough.solve(**QUIET)
    fine = fm.make_scene("two_muscle_arm", steps=20)
    assert fine.solve(guess=guess, **QUIET).objective == pytest.approx(
        fine.solve(**QUIET).objective, abs=1e-9
    )
    with pytest.raises(fm.ModelError, match=r"guess = '1 coordinates.*must have 12, 0 and 12"):
        fm.make_scene("upper_body", steps=5).solve(guess=guess, **QUIET)


def test_muscles_without_activation_dynamics_are_given_their_activation():
    model = changed(activation=0.1)
    start, end = fm.AtRest(elbow=0.3), fm.AtRest(elbow=1.7)
    solution = fm.OptimalControl(model, **given(start=start, end=end)).solve(**QUIET)
    assert not solution.activations and solution.resimulation.coordinate < 2e-3
    assert solution.objective < 0.0220


def test_muscles_that_are_no_controls_keep_their_activation():
    """A torque that moves an arm whose muscles are active, or follow a constant excitation."""
    found = {}
    for kind, active in (
        ("none", 0.0),
        ("given", 0.3),
        ("driven", fm.ActivationDynamics(0.3, fm.SmoothActivation(sharpness=0.1), start=0.1)),
    ):
        settings = {"start": fm.AtRest(elbow=0.3), "end": fm.AtRest(elbow=1.7)}
        model = changed(activation=active)
        problem = fm.OptimalControl(
            model, **given(60, controls=fm.Torques({"elbow": 20.0}), **settings)
        )
        own = problem.solve(**QUIET)
        found[kind] = own.objective
        assert own.resimulation.discrete < 1e-9 and own.resimulation.coordinate < 3e-3
        if kind == "driven":
            assert own.activations["biceps"][0] == 0.1
            assert own.activations["biceps"][-1] == pytest.approx(0.3, abs=1e-3)
        # the same controls in the model as it is given
        force = fm.PiecewiseConstant(own.time, own.controls["elbow"])
        moved = model.edit(
            {model.coordinates[0]: {"value": 0.3}},
            add=[fm.CoordinateActuator("own", "elbow", force)],
        )
        run = fm.simulate(fm.build(moved), t_end=0.6, dt=0.01, method=fm.SDIRK4())
        assert run.coordinates["elbow"][-1] == pytest.approx(1.7, abs=5e-3)
    assert abs(found["given"] - found["none"]) > 1e-3
    varying = changed(activation=fm.Ramp(0.0, 0.1, 0.5))
    problem = fm.OptimalControl(varying, **given(controls=fm.Torques({"elbow": 20.0}), **settings))
    with pytest.raises(fm.ModelError, match="be a number where muscles are no controls"):
        problem.solve(**QUIET)


@pytest.mark.parametrize("steps", [20, 23, 41])
def test_directions_of_a_point_may_follow_from_others(brief, steps):
    """Three numbers for the hand of an arm that moves in a plane, about one hinge."""
    model = fm.make_scene("two_muscle_arm").model
    hand = model.body("forearm").at(0.0, 0.0, -0.28)
    goal = np.array([0.28 * np.sin(1.2), 0.0, -0.351 - 0.28 * np.cos(1.2)])
    values = [
        fm.OptimalControl(model, **given(steps, end=end)).solve(**QUIET).objective
        for end in (fm.AtRest(points=[(hand, goal)]), fm.AtRest(elbow=1.2))
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_a_point_is_reached_and_a_bound_of_the_pose_is_kept(brief):
    model = fm.make_scene("two_muscle_arm").model
    hand = model.body("forearm").at(0.0, 0.0, -0.28)
    goal = np.array([0.28 * np.sin(1.2), 0.0, -0.351 - 0.28 * np.cos(1.2)])
    end = fm.EndState(points=[(hand, goal)])
    path = [fm.Along("hand is low", lambda pose: pose.point(hand)[2], upper=-0.44)]
    solution = fm.OptimalControl(model, **given(30, end=end, path=path)).solve(**QUIET)
    assert solution.coordinates["elbow"][-1] == pytest.approx(1.2, abs=1e-8)
    height = -0.351 - 0.28 * np.cos(solution.coordinates["elbow"])
    assert height[1:-1].max() < -0.44 + 1e-8


def test_a_bound_that_cannot_be_kept_is_named(brief):
    model = fm.make_scene("two_muscle_arm").model
    hand = model.body("forearm").at(0.0, 0.0, -0.28)
    path = [fm.Along("hand is high", lambda pose: pose.point(hand)[2], lower=-0.3)]
    with pytest.raises(fm.ConvergenceError, match="hand is high"):
        fm.OptimalControl(model, **given(20, path=path)).solve(iterations=100, **QUIET)


@pytest.mark.parametrize("steps", [20, 160])
def test_work_is_that_of_the_muscles(brief, steps):
    """Whatever the steps: what is smooth is the power."""
    solution = fm.OptimalControl(
        changed(), **given(steps, objective=fm.Effort() + 0.01 * fm.Work(positive=True))
    ).solve(**QUIET)
    work = sum(
        np.maximum(-solution.forces[name] * np.diff(solution.lengths[name]), 0.0).sum()
        for name in solution.forces
    )
    assert solution.terms["work"] == pytest.approx(work, rel=0.01)
    total = solution.terms["effort"] + 0.01 * solution.terms["work"]
    assert solution.objective == pytest.approx(total, rel=1e-12)


def test_speeds_and_forces_keep_their_ranges(brief):
    """The bound on a speed is active; multipliers tell what the end costs."""
    free = fm.OptimalControl(changed(), **given(40)).solve(**QUIET)
    fastest = 0.9 * np.diff(free.coordinates["elbow"]).max() / 0.015
    strongest = 0.9 * free.forces["biceps"].max()
    path = [
        fm.Range("elbow/speed", upper=fastest), fm.Range("biceps/tendon_force", upper=strongest)
    ]  # fmt: skip
    kept = fm.OptimalControl(changed(), **given(40, path=path)).solve(**QUIET)
    assert kept.objective > free.objective
    assert np.diff(kept.coordinates["elbow"]).max() / 0.015 == pytest.approx(fastest, rel=1e-6)
    assert kept.forces["biceps"].max() < strongest * (1.0 + 1e-6)
    assert np.abs(kept.multipliers["range of elbow/speed"]).max() > 1e-6
    assert np.abs(kept.multipliers["elbow at the end"]).max() > 1e-3
    for name in ("elbow/rate", "brachialis/tendon_force", "wrist/speed"):
        with pytest.raises(fm.ModelError, match=f"Range: coordinate = '{name.split('/')[0]}"):
            fm.OptimalControl(changed(), **given(path=[fm.Range(name, upper=1.0)])).solve(**QUIET)


def test_size_grows_with_the_steps(brief):
    solutions = [fm.make_scene("two_muscle_arm", steps=n).solve(**QUIET) for n in (50, 200)]
    entries = [one.entries for one in solutions]
    for few, many in zip(*entries, strict=True):
        assert many / few == pytest.approx(4.0, rel=0.02)


def test_speeds_at_the_end_are_met_one_by_one():
    """A double pendulum throws: one speed at the end is given, the other is free."""
    bodies = fm.Model("two", gravity=(0.0, -9.81, 0.0))
    upper = bodies.add(fm.Body("upper", 1.0, (0, -0.15, 0), (0.01, 0.001, 0.01)))
    lower = bodies.add(fm.Body("lower", 0.8, (0, -0.15, 0), (0.008, 0.001, 0.008)))
    bodies.add(
        fm.Hinge("first", bodies.ground, upper, (0, 0, 0), (0, 0, 1)),
        fm.Hinge("second", upper, lower, (0, -0.3, 0), (0, 0, 1)),
    )
    off = []
    for n in (40, 80):
        problem = fm.OptimalControl(
            bodies, duration=0.5, steps=n, controls=fm.Torques({"first": 20.0, "second": 10.0}),
            start=fm.EndState(at_rest=False, speeds={"second": -2.0}),
            end=fm.EndState({"first": 0.6}, at_rest=False, speeds={"first": 4.0}),
        )  # fmt: skip
        solution = problem.solve(**QUIET)
        assert solution.speeds["first"][-1] == pytest.approx(4.0, abs=1e-9)
        assert solution.speeds["second"][0] == pytest.approx(-2.0, abs=1e-9)
        assert abs(solution.speeds["second"][-1]) > 0.1
        off.append(solution.resimulation.coordinate)
    assert orders(off)[0] == pytest.approx(2.0, abs=0.3) and off[1] < 0.01


def test_least_jerk_is_a_quintic(brief):
    """Rest to rest, free accelerations: jerk -60 s (1 - s) d / T^3, its integral 120 d^2 / T^5."""
    model, mass = sled()
    far, T = 0.4, 0.8
    off = []
    for n in (20, 40):
        problem = fm.OptimalControl(
            model, duration=T, steps=n, controls=fm.Torques({"x": 50.0}),
            objective=fm.Jerk([mass.at(0, 0, 0)]), end=fm.AtRest(x=far),
        )  # fmt: skip
        solution = problem.solve(tolerance=1e-8, **QUIET)
        s = solution.time / T
        exact = far * (2.5 * s**2 - 2.5 * s**4 + s**5)
        off.append(
            [
                np.abs(solution.coordinates["x"] - exact).max(),
                abs(solution.objective - 120 * far**2 / T**5),
            ]
        )
    assert orders(off) == pytest.approx(np.full((1, 2), 2.0), abs=0.2)
    assert off[-1] == pytest.approx([0.0, 0.0], abs=0.1) and off[-1][0] < 1e-3 * far
    assert solution.terms["jerk"] == pytest.approx(solution.objective)


def test_reserves_have_no_bounds_and_follow_a_motion(brief):
    """The force of a given motion, of which the effort asks for a little less."""
    model, _ = sled()
    time = np.linspace(0.0, 1.0, 41)
    wanted = 0.1 * np.sin(2 * np.pi * time)
    tracking = fm.Tracking(time, {"x": wanted}, {"x": 1e-3})
    problem = fm.OptimalControl(
        model, duration=1.0, steps=80, controls=fm.Torques({"x": 1.0}, limited=False),
        objective=1e-6 * fm.Effort() + tracking,
        start=fm.EndState(at_rest=False, speeds=tracking.rates(0.0)),
        end=fm.EndState(at_rest=False),
    )  # fmt: skip
    solution = problem.solve(**QUIET)
    t = solution.time
    assert solution.coordinates["x"] == pytest.approx(0.1 * np.sin(2 * np.pi * t), abs=2e-4)
    middle = 0.5 * (t[1:] + t[:-1])[4:-4]
    force = -2.0 * 0.1 * (2 * np.pi) ** 2 * np.sin(2 * np.pi * middle)
    assert np.abs(solution.controls["x"]).max() > 5.0
    assert solution.controls["x"][4:-4] == pytest.approx(force, abs=0.15)


def test_muscles_that_push_are_told_and_the_pose_of_the_model_has_no_part():
    """A fast return makes a rigid tendon push; the way around a cylinder is that of the start."""
    model = fm.make_scene("two_muscle_arm").model
    fast = given(30, end=fm.AtRest(elbow=0.3), start=fm.AtRest(elbow=1.7), duration=0.25)
    fast |= {"controls": [fm.Excitations(), fm.Torques({"elbow": 30.0}, limited=False)]}
    own = [
        fm.OptimalControl(model.edit({model.coordinates[0]: {"value": at}}), **fast).solve(**QUIET)
        for at in (0.0, 1.5)
    ]
    assert own[0].objective == pytest.approx(own[1].objective, abs=1e-10)
    pushes = min(float(one.min()) for one in own[0].forces.values())
    assert pushes < -1.0 and any("pushes with up to" in one for one in own[0].remarks)

"""Conditions at both ends: repeated ones, those of singular poses, and what is refused for them."""

import casadi as ca
import numpy as np
import pytest

import fibermsk as fm


def arm(names=("shoulder", "elbow")):
    """Two links of 0.3 m in the plane of x and y; returns the model and the tip."""
    model = fm.Model("arm", gravity=(0.0, 0.0, 0.0))
    upper = model.add(fm.Body("upper", 1.0, (0, -0.15, 0), (5e-3, 1e-3, 5e-3)))
    lower = model.add(fm.Body("lower", 0.8, (0, -0.15, 0), (4e-3, 1e-3, 4e-3)))
    model.add(
        fm.Hinge(names[0], model.ground, upper, (0, 0, 0), (0, 0, 1)),
        fm.Hinge(names[1], upper, lower, (0, -0.3, 0), (0, 0, 1), value=0.3),
    )
    return model, lower.at(0, -0.3, 0)


def problem(end, *, model=None, names=("shoulder", "elbow"), **more):
    settings = {"duration": 0.5, "steps": 20, "controls": fm.Torques(dict.fromkeys(names, 5.0))}
    own = arm(names)[0] if model is None else model
    return fm.OptimalControl(own, end=end, **(settings | more))


def reach(path):
    """The tip on a level line from one place to another."""
    model, tip = arm()
    start, end = (fm.AtRest(points=[(tip, (x, -0.45, 0.0))]) for x in (-0.1, 0.2))
    return problem(end, model=model, start=start, path=[path(tip)])


LINES = {
    "one": lambda tip: fm.Along("line", lambda p: p.point(tip)[1], -0.45, -0.45, ends=True),
    "with what no pose changes": lambda tip: fm.Along(
        "line", lambda p: ca.vertcat(p.point(tip)[1] + 0.45, p.point(tip)[2]), 0.0, 0.0, ends=True
    ),
}


def test_an_equality_may_hold_at_ends_that_imply_it(brief):
    between = reach(lambda tip: fm.Along("line", lambda p: p.point(tip)[1], -0.45, -0.45))
    expected = between.solve(progress=False).objective
    for path in LINES.values():
        assert reach(path).solve(progress=False).objective == pytest.approx(expected, rel=1e-8)


def test_an_equality_that_no_pose_meets_is_refused():
    above = reach(lambda tip: fm.Along("plane", lambda p: p.point(tip)[2], 0.1, 0.1))
    with pytest.raises(fm.ModelError, match=r"plane = 0.0; must be 0\.1, and no pose changes it"):
        above.solve(progress=False)


def test_a_place_that_only_an_outstretched_arm_reaches_is_to_be_given_by_coordinates(brief):
    model, tip = arm()
    place = 0.6 * np.sin(0.5), -0.6 * np.cos(0.5), 0.0
    with pytest.raises(fm.ModelError, match=r"not singular.*shoulder = 0\.49.*elbow = ") as found:
        problem(fm.AtRest(points=[(tip, place)]), model=model).solve(progress=False)
    assert "point 0 on lower at the end" in str(found.value)
    near = tuple(0.999 * np.array(place))
    for end in (fm.AtRest(shoulder=0.5, elbow=0.0), fm.AtRest(points=[(tip, near)])):
        assert problem(end, model=model).solve(progress=False).status == "success"


END = fm.AtRest(shoulder=0.5, elbow=0.5)


@pytest.mark.parametrize("objective", [fm.Work(), fm.Activation(), fm.Duration(), 0 * fm.Effort()])
def test_an_objective_that_nothing_changes_is_refused(objective):
    with pytest.raises(fm.ModelError, match="objective = .*must change with what is chosen"):
        problem(END, objective=objective).solve(progress=False)


def test_a_guess_of_another_model_is_refused(brief):
    names = "a", "b"
    end = fm.AtRest(a=0.5, b=0.5)
    other = problem(end, model=arm(names)[0], names=names).solve(progress=False)
    with pytest.raises(fm.ModelError, match="guess = .*'a'.*; must have 'shoulder' there"):
        problem(END).solve(other, progress=False)


def test_a_failure_counts_equations_and_names_bounds_that_leave_room(capfd):
    held = fm.Phase(0.25, 1, {"shoulder": 0.0})
    own = problem(END, duration=[held, fm.Phase(0.25, 1)], steps=None,
                  path=[fm.Range("elbow", 0.3, 0.6)])  # fmt: skip
    with pytest.raises(fm.ConvergenceError) as found:
        own.solve(progress=False)
    text = str(found.value)
    assert "6 equations have 5 unknowns: use more steps or controls" in text
    assert "shoulder (2 of 2" not in text
    assert "elbow (" in text
    assert "CasADi" not in capfd.readouterr().err


def test_components_of_a_torque_across_a_ball_are_named():
    model = fm.Model("top")
    body = model.add(fm.Body("body", 1.0, (0, -0.1, 0), (5e-3, 1e-3, 5e-3)))
    model.add(fm.Spherical("ball", model.ground, body, (0, 0, 0)))
    own = fm.OptimalControl(model, duration=[fm.Phase(0.5, 10, {"ball": 0.0})],
                            controls=fm.Torques({"ball": 1.0}))  # fmt: skip
    with pytest.raises(fm.ModelError, match="its components are: ball_x, ball_y, ball_z"):
        own.solve(progress=False)

"""Closed chains in optimal control: motion, speeds, given speeds at the ends, muscles."""

import numpy as np
import pytest
from control.trees import orders
from scipy.optimize import root

import fibermsk as fm

QUIET = {"progress": False}

LEFT, ROD, RIGHT, GROUND = 0.2, 0.26, 0.24, 0.22
"""Lengths of a chain that is no parallelogram [m]."""

ACROSS = ((1.0, 0, 0), (0, 0, 1.0))
"""The directions in which it can open."""


def four_bar(sizes=(LEFT, ROD, RIGHT, GROUND), directions=ACROSS):
    """Two cranks on the ground, and a rod between them."""
    model = fm.Model("four_bar", gravity=(0.0, 0.0, -9.81))
    left, rod, right = (
        model.add(fm.Body(name, mass, (0.0, 0.0, -0.1), (4e-3, 4e-3, 4e-4)))
        for name, mass in (("left", 1.0), ("rod", 0.8), ("right", 1.2))
    )
    axis = (0, -1, 0)
    model.add(
        fm.Hinge("a", model.ground, left, (0, 0, 0), axis, value=0.2),
        fm.Hinge("b", left, rod, (0, 0, -sizes[0]), axis, value=np.pi / 2),
        fm.Hinge("c", model.ground, right, (sizes[3], 0, 0), axis, value=0.2),
    )
    ends = rod.at(0, 0, -sizes[1]), right.at(0, 0, -sizes[2])
    model.add(fm.PointConstraint("joint", *ends, directions=directions))
    return model


def closed_pose(a=0.2, sizes=(LEFT, ROD, RIGHT, GROUND)):
    """Values of the coordinates at which the chain is closed, for a crank at an angle."""
    left, rod, right, ground = sizes

    def opening(x):
        b, c = x
        return (
            left * np.sin(a) + rod * np.sin(a + b) - ground - right * np.sin(c),
            left * np.cos(a) + rod * np.cos(a + b) - right * np.cos(c),
        )

    b, c = root(opening, (np.pi / 2 - a, a), tol=1e-12).x
    return {"a": a, "b": b, "c": c}


def rates(a, speed):
    """Rates of the coordinates of the closed chain, by differences of its poses."""
    d = 1e-4
    low, high = closed_pose(a - d), closed_pose(a + d)
    return {name: speed * (high[name] - low[name]) / (2 * d) for name in low}


def problem(n=40, **settings):
    given = {
        "duration": 0.4, "steps": n, "controls": fm.Torques({"a": 5.0}),
        "start": fm.AtRest(closed_pose()), "end": fm.AtRest(a=0.8),
    }  # fmt: skip
    return fm.OptimalControl(**({"model": four_bar()} | given | settings))


def test_a_closed_chain_moves_as_in_a_run():
    off = []
    for n in (20, 40, 80):
        solution = problem(n).solve(**QUIET)
        own = solution.resimulation
        off.append([own.coordinate, own.speed])
        assert own.discrete < 1e-9
    assert orders(off) == pytest.approx(np.full((2, 2), 2.0), abs=0.25)
    for k in (0, 25, -1):
        pose = closed_pose(solution.coordinates["a"][k])
        wanted = rates(pose["a"], solution.speeds["a"][k])
        for name, value in pose.items():
            assert solution.coordinates[name][k] == pytest.approx(value, abs=1e-10)
            assert solution.speeds[name][k] == pytest.approx(wanted[name], abs=1e-6)


def test_a_speed_at_the_end_is_reached():
    end = fm.EndState({"a": 0.8}, at_rest=False, speeds={"a": 2.5})
    off = []
    for n in (40, 80):
        solution = problem(n, end=end).solve(**QUIET)
        run = solution.result.speeds
        wanted = rates(0.8, 2.5)
        off.append(max(abs(run[name][-1] - wanted[name]) for name in wanted))
        for name, value in wanted.items():
            assert solution.speeds[name][-1] == pytest.approx(value, abs=1e-6)
    assert off[-1] < 0.01 and orders(off) == pytest.approx([2.0], abs=0.4)


def test_speeds_that_the_chain_has_start_a_motion():
    start = fm.EndState(closed_pose(), at_rest=False, speeds=rates(0.2, 1.0))
    own = problem(start=start).solve(**QUIET)
    assert own.resimulation.coordinate < 2e-3
    assert own.speeds["c"][0] == pytest.approx(start.speeds["c"], abs=1e-8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start": fm.AtRest({"a": 0.2, "b": 1.0, "c": 0.2})}, r"start: opening of a closed chain"),
        (
            {"start": fm.EndState(closed_pose(), at_rest=False, speeds={"a": 1.0})},
            r"speed of opening of a closed chain = .* m/s; must be below .*nearest speeds .* a 0\.",
        ),
        (
            {"end": fm.EndState({"a": 0.8}, at_rest=False, speeds={"a": 1.0, "b": 0.0})},
            r"end: number of speeds = 2; must be at most 1",
        ),
        (
            {"model": four_bar(directions=np.eye(3))},
            r"equations of closed chains = 3; must be independent at the start, where 2 are",
        ),
        ({"end": fm.AtRest(a=0.8, b=-1.5)}, r"end: opening of a closed chain = .*no pose was fou"),
    ],
)
def test_what_a_chain_cannot_do_is_refused(settings, message):
    with pytest.raises(fm.ModelError, match=message):
        problem(5, **settings).solve(**QUIET)


def with_muscles():
    """The chain with two muscles at its cranks; gravity pulls it to one side."""
    model = four_bar()
    bodies = {one.name: one for one in model.bodies}
    for name, crank, x in (("front", "left", 0.25), ("back", "right", 0.06)):
        ends = model.ground.at(x, 0, 0.1), bodies[crank].at(0, 0, -0.1)
        points = [fm.PathPoint(f"{name} {k}", one) for k, one in enumerate(ends)]
        model.add(
            fm.LineMuscle(
                name, points,
                max_isometric_force=400.0, optimal_fiber_length=0.12, tendon_slack_length=0.16,
                law=fm.HillLaw(tendon="rigid", damping=0.1),
                activation=fm.ActivationDynamics(0.0, fm.SmoothActivation(sharpness=0.1)),
            )
        )  # fmt: skip
    return model


def test_a_point_beside_a_chain_that_is_given_is_kept(brief):
    """The slopes of a chain in what is free are zero then: no direction follows from them."""
    model = four_bar()
    bodies = {one.name: one for one in model.bodies}
    arm = fm.Body("arm", 0.3, (0, 0, -0.05), (1e-3, 1e-3, 1e-4))
    hinge = fm.Hinge("d", bodies["left"], arm, (0, 0, -0.1), (0, -1, 0))
    model.add(arm)
    model.add(hinge)
    hand, pose = arm.at(0.0, 0.0, -0.1), closed_pose(0.8)
    x = 0.1 * np.sin(0.8) + 0.1 * np.sin(1.4)
    how = {"model": model, "controls": fm.Torques({"a": 9.0, "d": 9.0}, limited=False)}
    ends = fm.AtRest({**pose, "d": 0.6}), fm.AtRest(pose, points=[(hand, (x, None, None))])
    start = fm.AtRest({**closed_pose(), "d": 0.3})
    values = [problem(20, start=start, end=end, **how).solve(**QUIET).objective for end in ends]
    assert values[0] == pytest.approx(values[1], abs=1e-8)


def test_muscles_hold_and_move_a_closed_chain():
    """Activations that hold it keep it where it is, also in a run of `simulate`."""
    model, pose = with_muscles(), closed_pose(0.5)
    start = fm.AtRest(pose, activations="hold")
    own = problem(
        50, model=model, controls=fm.Excitations(), start=start, end=fm.AtRest(a=0.9)
    ).solve(**QUIET)
    assert own.resimulation.discrete < 1e-9 and own.resimulation.coordinate < 5e-3
    first = {name: float(values[0]) for name, values in own.activations.items()}
    assert 0.0 < max(first.values()) < 1.0 and min(first.values()) >= 0.0
    held = fm.OptimalControl(
        model, duration=0.02, steps=2, start=fm.AtRest(pose, activations=first),
        controls=fm.Excitations(), end=fm.EndState(activations=first, coordinates={"a": 0.5}),
    ).solve(**QUIET)  # fmt: skip
    assert np.ptp(held.coordinates["c"]) < 1e-8 and held.resimulation.coordinate < 1e-6
    for name in first:
        assert held.activations[name] == pytest.approx(first[name], abs=1e-6)


def test_a_motion_into_a_singular_pose_has_speeds():
    """A parallelogram that is folded flat at the end."""
    sizes = (0.2, 0.2, 0.2, 0.2)
    model = four_bar(sizes)
    own = fm.OptimalControl(
        model, duration=0.4, steps=20, controls=fm.Torques({"a": 20.0}),
        start=fm.AtRest(closed_pose(0.2, sizes)),
        end=fm.AtRest(a=np.pi / 2, b=0.0, c=np.pi / 2),
    ).solve(**QUIET)  # fmt: skip
    assert all(np.isfinite(one).all() for one in own.speeds.values())
    assert max(abs(one[-1]) for one in own.speeds.values()) < 1e-6

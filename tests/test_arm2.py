"""The arm with line muscles and a robot: published motion, plain NumPy, brute force."""

from math import cos, hypot, pi, sin

import numpy as np
import pytest
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.solvers import accelerations
from fibermsk.verify import run_problem

PROBLEM = load_module("arm2")
arm = PROBLEM.arm


def shortest(o, i, side):
    """Length and wrap angle of the shortest path around the cylinder, by a fine polygon.

    In the plane across the axis, a line from outside touches the ring where the angle of sight is
    extreme; the rise is spread evenly over the trace.
    """
    turns = np.linspace(0.0, 2.0 * pi, 100001)
    ring = arm.RADIUS * np.stack([np.cos(turns), np.sin(turns)], 1)

    def touched(point, sense):
        to = ring - point[:2]
        return turns[np.argmax(sense * np.unwrap(np.arctan2(to[:, 1], to[:, 0])))]

    first, last = touched(o, -side), touched(i, side)
    wrap = (side * (last - first)) % (2.0 * pi)
    P, Q = (arm.RADIUS * np.array([cos(at), sin(at)]) for at in (first, last))
    flat = np.linalg.norm(P - o[:2]) + arm.RADIUS * wrap + np.linalg.norm(i[:2] - Q)
    return hypot(flat, i[2] - o[2]), wrap


def test_the_closed_form_is_the_shortest_path(rng):
    wrapping = 0
    for _ in range(30):
        bones = arm.pose(rng.uniform([-1.0, 0.05], [1.0, 2.2]), np.zeros(2))
        for muscle in arm.MUSCLES:
            R, (center, _) = bones.R[0] @ PROBLEM.AXES, bones.point(0, arm.CENTER)
            o = R.T @ (bones.point(0, muscle.points[-2])[0] - center)
            i = R.T @ (bones.point(1, muscle.points[-1])[0] - center)
            wrap, length, *_ = arm.wrapped(o, i, muscle.side)
            if wrap > 0.0:
                found = shortest(o, i, muscle.side)
                assert found == pytest.approx((length, wrap), abs=1e-4)
                assert found[0] == pytest.approx(length, abs=1e-9)
                wrapping += 1
    assert wrapping > 10


@pytest.mark.parametrize("material", [True, False])
def test_the_published_moment_arm_is_not_the_derivative_of_the_length(material):
    q, h = np.array([0.2, 0.3]), 1e-6
    for muscle in arm.MUSCLES:
        at = q if muscle.side < 0 else q + [0.0, 1.7]  # where it wraps
        path, ends = (arm.path(muscle, arm.pose(at, np.zeros(2)), PROBLEM.AXES, material), [])
        assert path.wrap > 0.1
        for move in h * np.eye(2):
            poses = (arm.pose(at + way * move, np.zeros(2)) for way in (1, -1))
            long, short = (arm.path(muscle, pose, PROBLEM.AXES).length for pose in poses)
            ends.append((long - short) / (2.0 * h))
        off = np.abs(path.slope - ends).max()
        assert off < 1e-9 if material else 2e-4 < off < 5e-4


def test_accelerations_with_the_robot_are_those_of_plain_numpy(rng):
    system = fm.build(fm.make_scene("arm2", condition="II").model)
    assert fm.check_contribution(system, "robot") < 1e-7
    start = system.initial_state()[0]
    for _ in range(3):
        y, v = start.copy(), np.zeros(system.n)
        y[:4] += rng.uniform(-0.3, 0.3, 4)
        v[:4] = rng.normal(size=4)
        t, (q, p), (turn, speed) = rng.uniform(0.0, 5.0), (y[:2], v[:2]), (y[2:4], v[2:4])
        bones, torque = arm.pose(q, p), arm.robot_torque(t, turn, speed)
        M, bias = arm.mass_and_bias(bones)
        push = arm.passive_torque(q, p) - bias
        push += arm.wrench_on_arm(bones, *arm.robot_wrench(turn, speed, torque))
        for muscle, fiber in zip(arm.MUSCLES, fibers(system, y), strict=True):
            path = arm.path(muscle, bones, PROBLEM.AXES)
            stretch = (path.length - fiber * arm.cos_pennation(muscle, fiber)) / muscle.tendon
            push = push - muscle.force * arm.tendon_curve(stretch)[0] * path.slope
        plain = np.r_[np.linalg.solve(M, push), arm.robot_acceleration(turn, speed, torque)]
        np.testing.assert_allclose(accelerations(system, t, y, v)[:4], plain, rtol=1e-9)


def fibers(system, y):
    """Fiber lengths in a state [m]."""
    names = [system.describe(k) for k in range(system.n)]
    return [y[names.index(f"{name}: fiber_length")] for name in ("brachialis", "triceps")]


def test_both_conditions_the_published_motion_and_the_energies():
    problem = load_problem("arm2")
    outcome = run_problem(problem, {"duration": 0.12})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]


@pytest.mark.parametrize("condition", ["I", pytest.param("II", marks=pytest.mark.slow)])
def test_published_files_to_their_end(condition):
    import _arm2_published

    found = _arm2_published.march(condition)
    given = PROBLEM.given(PROBLEM.PUBLISHED, condition, 501)
    assert np.abs(found.q - given).max() < 2e-6


@pytest.mark.slow
def test_the_whole_motion():
    outcome = run_problem(load_problem("arm2"), {"duration": 5.0})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"condition": "III"}, "condition = 'III'; must be one of I, II"),
        ({"formulation": "reproduce", "tendon": "rigid"}, "tendon = 'rigid'.* must be left out"),
        ({"duration": float("nan")}, "duration = nan s; must be positive"),
        ({"formulation": "paper"}, "formulation = 'paper'; must be one of scene, reproduce"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.make_scene("arm2", **options)

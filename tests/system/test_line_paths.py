"""Paths of line muscles on skeletons: lengths, speeds and their exact derivatives."""

from types import SimpleNamespace

import numpy as np
import pytest
from joint_cases import every_joint, functional_arm
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.kernels.lines.material.along import fill_along
from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint,
    LineMuscle,
    MovingPathPoint,
    PathPoint,
)
from fibermsk.model.muscles.wrap import PathWrap, WrapCylinder, WrapSphere
from fibermsk.system.contribution import Slopes
from fibermsk.system.lines.chained import along_chains
from fibermsk.system.lines.paths import LinePaths

NUMBERS = {"max_isometric_force": 1.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}


def point(body, x, name="p"):
    """A path point."""
    return PathPoint(name, fm.Station(body, x))


def random_muscles(model, rng):
    """Straight, around a cylinder and a sphere, with moving and conditional points."""
    bodies = list(model.bodies)
    last, names = bodies[-1], [one.name for one in model.coordinates][:2]

    def somewhere(body, name="p"):
        return point(body, 0.6 * rng.normal(size=3), name)

    cylinder = WrapCylinder("c", bodies[1], 0.1 * rng.normal(size=3), radius=0.25)
    sphere = WrapSphere("s", bodies[2], 0.1 * rng.normal(size=3), radius=0.3)
    functions = fm.Polynomial([0.1, 0.2, 0.3]), fm.Polynomial([0.2, 0.1, 0.1, 0.2]), fm.Linear(0.2)
    drivers = names[0], names[1], names[0]
    moving = MovingPathPoint("m", bodies[2], functions, drivers, at=(0.1, 0.2, 0.3))
    switched = ConditionalPathPoint("s", fm.Station(bodies[1], (0.5, 0.1, 0)), names[0], -9.0, 9.0)
    ends = [somewhere(bodies[0], "o"), somewhere(last, "i")]
    return [
        LineMuscle("a", ends, **NUMBERS),
        LineMuscle("b", ends, wraps=[PathWrap(cylinder, side=1)], **NUMBERS),
        LineMuscle("c", [ends[0], switched, ends[1]], wraps=[PathWrap(sphere, 2, 3)], **NUMBERS),
        LineMuscle("d", [ends[0], moving, ends[1]], wraps=[PathWrap(sphere, 1, 2)], **NUMBERS),
    ]


MODELS = {
    "hinges": lambda rng: every_joint(rng, ["hinge", "universal", "hinge", "slider"]),
    "quaternions": lambda rng: every_joint(rng, ["free", "hinge", "spherical", "cylindrical"]),
    "functions": lambda rng: functional_arm(fibers=False),
}


@pytest.mark.parametrize("name", MODELS)
def test_derivatives_of_the_port(rng, name):
    """Lengths, speeds, forces and tangents agree with differences; rigid motion changes nothing."""
    model = MODELS[name](rng)
    skeleton = fm.skeleton(model)
    n, wrapped = skeleton.n, 0
    slopes = Slopes(3.0, 2.0, False)
    for _ in range(200):
        try:
            paths = LinePaths(skeleton, random_muscles(model, rng))
            q, p = skeleton.start + 0.05 * rng.normal(size=n), rng.normal(size=n)
            at = SimpleNamespace(q=q, p=p, motion=skeleton.evaluate(q, p, 0.0 * p, True))
            placed = paths.at(at)
        except fm.ModelError:  # a random point inside a surface
            continue
        wrapped = np.count_nonzero(placed.state.found[:, 0] > 0.05)
        if wrapped >= 2:
            break
    assert wrapped >= 2
    assert_allclose(placed.by_q @ p, placed.speed, atol=1e-13)

    def shifted(step):
        motion = skeleton.evaluate(q + step, p + 3.0 * step, 0.0 * p)
        return paths.place(motion, q + step, p + 3.0 * step)

    T, by_l, by_v = rng.uniform(1.0, 2.0, (3, 4))
    h = 1e-6
    pairs = [(shifted(h * e), shifted(-h * e)) for e in np.eye(n)]
    slope = np.array([(a.length - b.length) / (2 * h) for a, b in pairs]).T
    assert_allclose(placed.by_q, slope, atol=3e-9)
    X, V = paths.follow(at, placed, slopes)
    assert X is placed.by_q
    assert_allclose(V, np.array([(a.speed - b.speed) / (2 * h) for a, b in pairs]).T, atol=3e-8)

    def pull(now):
        tension = T + by_l * (now.length - placed.length) + by_v * (now.speed - placed.speed)
        return tension @ now.by_q

    sums = SimpleNamespace(force=np.zeros(n), corner=np.zeros((n, n)), slopes=slopes)
    paths.push(at, placed, sums, T, by_l, by_v)
    assert_allclose(sums.force, T @ placed.by_q, atol=1e-14)
    slope = np.array([(pull(a) - pull(b)) / (2 * h) for a, b in pairs]).T
    assert_allclose(sums.corner, slope, atol=1e-7)
    H = paths.curvature(at, placed, T)
    assert_allclose(H, H.T, atol=1e-13)
    moved = {j for k in range(4) for _, _, j in paths.moved_by(k)}
    assert not placed.by_q[:, [j for j in range(n) if j not in moved]].any()


@pytest.mark.parametrize("name", ["hinges", "functions"])
def test_points_at_fractions_of_the_length(rng, name):
    """Positions on the path; Jacobian and bias against differences along a motion."""
    model = MODELS[name](rng)
    skeleton = fm.skeleton(model)
    n, fractions = skeleton.n, np.array([0.0, 0.13, 0.37, 0.5, 0.52, 0.61, 0.83, 1.0])
    for _ in range(300):
        try:
            paths = LinePaths(skeleton, random_muscles(model, rng))
            q, p = skeleton.start + 0.05 * rng.normal(size=n), rng.normal(size=n)
            at = SimpleNamespace(q=q, p=p, motion=skeleton.evaluate(q, p, 0.0 * p, True))
            placed = paths.at(at)
        except fm.ModelError:
            continue
        found, start = placed.state.found, paths._arrays.start
        if (found[: start[2], 0] > 0.2).any() and (found[start[2] :, 0] > 0.2).any():
            break
    else:
        pytest.fail("no wrapped paths found")

    def moved(k, t):
        y = q + t * p
        motion = skeleton.evaluate(y, p, 0.0 * p)
        now = paths.place(motion, y, p)
        return paths.along(SimpleNamespace(motion=motion), now, k, fractions)

    for k in range(4):
        x, J, bias = paths.material(at, placed, k, fractions)
        many = paths.along(at, placed, k, np.linspace(0.0, 1.0, 2001))
        steps = np.linalg.norm(np.diff(many, axis=0), axis=1)
        assert_allclose(steps.sum(), placed.length[k], rtol=1e-3)  # chords cut corners
        assert_allclose(np.median(steps), placed.length[k] / 2000, rtol=1e-6)  # even steps
        assert_allclose(x[[0, -1]], placed.state.x[[start[k], start[k + 1] - 1]], atol=1e-14)
        h = 1e-3
        b, a, c, d = moved(k, -h), moved(k, -2 * h), moved(k, h), moved(k, 2 * h)
        assert_allclose(J @ p, (8 * (c - b) - (d - a)) / (12 * h), atol=1e-8)
        assert_allclose(bias, (16 * (b + c) - a - d - 30 * x) / (12 * h * h), atol=3e-6)
        # closed forms agree with what is for chains of any surfaces
        paths_and_motion = paths.arrays, at.motion.links.S, skeleton.tree.moves, placed.state, k
        u, rest = placed.speed_u, np.zeros_like(placed.speed_u)
        found = np.empty((fractions.size, 3, 6))
        fill_along(*paths_and_motion, fractions, u, rest, np.zeros((3, u.size)), found)
        same = along_chains(*paths_and_motion, fractions, u, rest, paths.built)
        assert_allclose(same, found[:, :, :3], atol=1e-9)


def test_common_motion_of_all_bodies_changes_no_length(rng):
    """A root joint that carries every body has exactly no moment arm, nor an effect."""
    model = every_joint(rng, ["free", "hinge", "hinge"])
    _, root, middle, last = model.bodies
    ends = point(root, (0.3, 0.2, 0.1)), point(last, (-0.2, 0.1, 0.3))
    surface = WrapCylinder("c", middle, (0.1, 0, 0), radius=0.02, length=1.0)
    skeleton = fm.skeleton(model)
    paths = LinePaths(skeleton, [LineMuscle("m", ends, wraps=[PathWrap(surface)], **NUMBERS)])
    q = skeleton.start
    placed = paths.place(skeleton.at(q), q, 0.0 * q)
    assert not placed.by_q[:, :7].any()
    q = np.r_[rng.normal(size=7), q[7:]]
    moved = paths.place(skeleton.at(q), q, 0.0 * q)
    assert_allclose(moved.length, placed.length, rtol=1e-14)


def hinged(points, wraps=()):
    """A hinge about z through the origin, with one muscle from the ground to the arm."""
    model = fm.Model("arm")
    arm = model.add(fm.Body("arm", mass=1.0, com=(0, -0.1, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(fm.Hinge("q", model.ground, arm, at=(0, 0, 0), axis=(0, 0, 1)))
    bodies = {"ground": model.ground, "arm": arm}
    own = [point(bodies[body], x, f"{body}{k}") for k, (body, x) in enumerate(points)]
    return model, LineMuscle("m", own, wraps=wraps(bodies) if wraps else (), **NUMBERS)


def test_wrapped_moment_arm_is_the_radius():
    """Around a cylinder on the hinge axis the moment arm is its radius, on the chosen side."""
    for side in (1, -1):
        model, muscle = hinged(
            [("ground", (0, 0.3, 0)), ("arm", (0, -0.3, 0.1))],
            lambda bodies, side=side: [
                PathWrap(WrapCylinder("c", bodies["ground"], radius=0.05), side=side)
            ],
        )
        skeleton = fm.skeleton(model)
        paths = LinePaths(skeleton, [muscle])
        for angle in (-0.2, 0.0, 0.2):
            q = np.array([angle])
            placed = paths.place(skeleton.at(q), q, 0.0 * q)
            flat = np.sqrt(placed.length[0] ** 2 - 0.1**2)
            # on a helix the arm is that of the part across the axis
            assert_allclose(placed.by_q[0, 0], side * 0.05 * flat / placed.length[0], rtol=1e-12)


def test_troubles_are_named():
    """Points inside, and wrong sides."""
    model, muscle = hinged(
        [("ground", (0, 0.3, 0)), ("arm", (0.1, 0, 0))],
        lambda bodies: [PathWrap(WrapCylinder("c", bodies["ground"], (0, 0.1, 0), radius=0.05))],
    )
    skeleton = fm.skeleton(model)
    paths = LinePaths(skeleton, [muscle])
    q = np.array([0.5 * np.pi])
    with pytest.raises(fm.ModelError, match=r"'m': path point 'arm1' lies 0.05 m inside .*'c'"):
        paths.place(skeleton.at(q), q, 0.0 * q)
    model, muscle = hinged(
        [("ground", (0, 0.3, 0)), ("arm", (0.1, 0, 0))],
        lambda bodies: [PathWrap(WrapSphere("s", bodies["ground"], (0, 0.29, 0), radius=0.05))],
    )
    with pytest.raises(fm.ModelError, match=r"'ground0' lies 0.04 m inside .*'s' at the start"):
        LinePaths(fm.skeleton(model), [muscle])
    model, muscle = hinged(
        [("ground", (0, 0.3, 0)), ("arm", (0, -0.3, 0))],
        lambda bodies: [PathWrap(WrapSphere("s", bodies["ground"], radius=0.05))],
    )
    with pytest.raises(fm.ModelError, match="center on the line"):
        LinePaths(skeleton := fm.skeleton(model), [muscle]).place(
            skeleton.at(np.zeros(1)), np.zeros(1), np.zeros(1)
        )
    twice = [("ground", (0, 0.3, 0)), ("arm", (0.1, 0, 0)), ("arm", (0.1, 0, 0))]
    model, muscle = hinged(twice)
    paths = LinePaths(skeleton := fm.skeleton(model), [muscle])
    q = np.zeros(1)
    placed = paths.place(skeleton.at(q), q, q)  # the same point of a body twice is harmless
    assert_allclose(placed.length, np.hypot(0.1, 0.3))
    model, muscle = hinged([("ground", (0.1, 0, 0)), ("arm", (0.1, 0, 0))])
    with pytest.raises(fm.ModelError, match="distance is zero"):
        LinePaths(skeleton := fm.skeleton(model), [muscle]).place(skeleton.at(q), q, q)
    with pytest.raises(fm.ModelError, match="side"):
        PathWrap(WrapSphere("s", model.ground), side=1)
    with pytest.raises(fm.ModelError, match="side"):
        PathWrap(WrapCylinder("c", model.ground), side=2)

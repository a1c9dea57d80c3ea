"""Paths around ellipsoids, tori and several surfaces, on moving bodies."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fibermsk as fm
from fibermsk.kernels.lines.section import CHAIN
from fibermsk.kernels.lines.taut.surfaces import level
from fibermsk.system.contribution import Slopes
from fibermsk.system.forward.refusals import kind_of
from fibermsk.system.lines.paths import LinePaths

NUMBERS = {"max_isometric_force": 1.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.2}


def ellipsoid(ground, arm):
    """One ellipsoid."""
    return [fm.PathWrap(fm.WrapEllipsoid("e", arm, (0.01, 0, 0), radii=(0.05, 0.06, 0.04)))]


def two(ground, arm):
    """Two surfaces that are touched at once, listed in the other order."""
    upper = fm.WrapEllipsoid("u", ground, (0.02, 0.12, 0), radii=(0.05, 0.06, 0.04))
    lower = fm.WrapCylinder("l", arm, (0.03, -0.1, 0), radius=0.05, length=1.0)
    return [fm.PathWrap(lower, side=1), fm.PathWrap(upper)]


def torus(ground, arm):
    """A torus off the straight line, whose hole the path passes."""
    turned = ((1, 0, 0), (0, 0, 1), (0, -1, 0))
    return [fm.PathWrap(fm.WrapTorus("t", arm, (0.06, 0, 0), turned, "all", True, 0.02, 0.06))]


def two_places(ground, arm):
    """A torus whose tube is touched on the way into its hole and on the way out."""
    c, s = np.cos(1.31), np.sin(1.31)  # the line meets both sides where 0.06 cos < 0.02
    turned = ((c, 0, s), (-s, 0, c), (0, -1, 0))
    return [fm.PathWrap(fm.WrapTorus("t", arm, (0.01, 0, 0.025), turned, "all", True, 0.02, 0.06))]


def egg(size, x, g, H):
    """Level of an ellipsoid with half axes size: sqrt(sum (x/a)^2) - 1."""
    rho = 0.0
    for r in range(3):
        rho += (x[r] / size[r]) ** 2
    rho = math.sqrt(rho)
    for r in range(3):
        g[r] = x[r] / size[r] ** 2 / rho
    for r in range(3):
        for c in range(3):
            H[r, c] = -g[r] * g[c] / rho
        H[r, r] += 1.0 / size[r] ** 2 / rho
    return rho - 1.0


def quadric(size, x, g, H):
    """Level of the same ellipsoid, (sum (x/a)^2 - 1) a_x^2."""
    F = -(size[0] ** 2)
    for r in range(3):
        a = (size[0] / size[r]) ** 2
        F += a * x[r] ** 2
        g[r] = 2.0 * a * x[r]
        for c in range(3):
            H[r, c] = 2.0 * a if r == c else 0.0
    return F


def built_in(ground, arm):
    """Two ellipsoids that are touched at once."""
    upper = fm.WrapEllipsoid("u", ground, (0.02, 0.12, 0), radii=(0.05, 0.06, 0.04))
    lower = fm.WrapEllipsoid("l", arm, (0.03, -0.1, 0), quadrant="-x", radii=(0.05, 0.06, 0.2))
    return [fm.PathWrap(upper), fm.PathWrap(lower)]


def level_sets(ground, arm):
    """The same ellipsoids as level sets of two functions."""
    found = []
    for wrap, function in zip(built_in(ground, arm), (egg, quadric), strict=True):
        one = wrap.shape
        given = {"quadrant": one.quadrant, "level": function, "size": one.radii, "reach": 0.3}
        found.append(fm.PathWrap(fm.WrapLevelSet(one.name, one.body, one.position, **given)))
    return found


def chained(wraps, end=(0.02, -0.3, 0.05)):
    """Skeleton and muscle of a chain of a free body and two links."""
    model = fm.Model("arm")
    numbers = {"mass": 1.0, "com": (0, -0.1, 0), "inertia": (0.1, 0.1, 0.1)}
    root, arm, hand = (model.add(fm.Body(name, **numbers)) for name in ("root", "arm", "hand"))
    model.add(fm.Free("f", model.ground, root))
    model.add(fm.Hinge("q", root, arm, at=(0, 0, 0), axis=(0, 0.1, 1)))
    model.add(fm.Hinge("p", arm, hand, at=(0, -0.1, 0), axis=(1, 0, 0.3)))
    points = [fm.PathPoint("o", root.at(0, 0.3, 0)), fm.PathPoint("i", hand.at(*end))]
    return fm.skeleton(model), fm.LineMuscle("m", points, wraps=wraps(root, arm), **NUMBERS)


def state(skeleton, q, p):
    """What a port is given."""
    return SimpleNamespace(q=q, p=p, motion=skeleton.evaluate(q, p, 0.0 * p, True))


@pytest.mark.parametrize(
    ("wraps", "touched"),
    [
        (ellipsoid, 1), (two, 2), (torus, 1), (two_places, 2),
        pytest.param(level_sets, 2, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_derivatives_of_the_port(rng, wraps, touched):
    """Lengths, speeds and tangents agree with differences; points lie on the path."""
    skeleton, muscle = chained(wraps)
    paths, n = LinePaths(skeleton, [muscle]), skeleton.n
    q, p = skeleton.start + 0.05 * rng.normal(size=n), rng.normal(size=n)
    at = state(skeleton, q, p)
    placed = paths.at(at)
    assert placed.state.touched.sum() == touched
    h = 1e-5

    def shifted(step):
        motion = skeleton.evaluate(q + step, p + 3.0 * step, 0.0 * p)
        return paths.place(motion, q + step, p + 3.0 * step)

    pairs = [(shifted(h * e), shifted(-h * e)) for e in np.eye(n)]
    slope = np.array([(a.length - b.length) / (2 * h) for a, b in pairs]).T
    assert_allclose(placed.by_q, slope, atol=1e-8)
    slope = np.array([(a.by_q[0] - b.by_q[0]) / (2 * h) for a, b in pairs])
    assert_allclose(paths.curvature(at, placed, np.ones(1)), slope, atol=1e-7)
    _, V = paths.follow(at, placed, Slopes(3.0, 2.0, False))
    slope = np.array([(a.speed - b.speed) / (2 * h) for a, b in pairs]).T
    assert_allclose(V, slope, atol=1e-7)
    many = paths.along(at, placed, 0, np.linspace(0.0, 1.0, 2001))
    level_of = paths.built(level)
    for k, kind in enumerate(paths.arrays.kind):
        for point in (many - placed.state.p[k]) @ placed.state.R[k]:
            g, size = np.empty(3), paths.arrays.size[k]
            assert level_of(kind, size, point, g, np.empty((3, 3))) > -1e-9 * np.linalg.norm(g)
    steps = np.linalg.norm(np.diff(many, axis=0), axis=1)
    assert_allclose(steps, placed.length[0] / 2000, rtol=1e-4)
    fractions = np.linspace(0.0, 1.0, 9)
    x, J, bias = paths.material(at, placed, 0, fractions)
    assert_allclose(x, paths.along(at, placed, 0, fractions), atol=1e-13)

    def moved(t):
        motion = skeleton.evaluate(q + t * p, p, 0.0 * p)
        now = paths.place(motion, q + t * p, p)
        return paths.along(SimpleNamespace(motion=motion), now, 0, fractions)

    h = 5e-4
    a, b, c, d, e, f = (moved(k * h) for k in (-3, -2, -1, 1, 2, 3))
    assert_allclose(J @ p, (45 * (d - c) - 9 * (e - b) + f - a) / (60 * h), atol=1e-9)
    second = 270 * (c + d) - 27 * (b + e) + 2 * (a + f) - 490 * x
    assert_allclose(bias, second / (180 * h * h), atol=1e-6)
    path = fm.muscle_path(skeleton, muscle, q)
    assert_allclose(path.length, placed.length[0], rtol=1e-13)
    assert len(path.arcs) == touched
    drawn = np.linalg.norm(np.diff(path.polyline, axis=0), axis=1).sum()
    assert_allclose(drawn, path.length, rtol=1e-3)
    # a common motion of all bodies changes nothing
    assert not placed.by_q[:, :7].any()
    moved = np.r_[rng.normal(size=7), q[7:]]
    assert_allclose(paths.at(state(skeleton, moved, p)).length, placed.length, rtol=1e-13)


@pytest.mark.slow
def test_level_sets_are_their_ellipsoids(rng):
    """Lengths, moment arms, curvatures, material points and batches, of a user's two functions."""
    fractions, found = np.linspace(0.0, 1.0, 9), []
    numbers = rng.normal(size=(3, 20))
    for wraps in (built_in, level_sets):
        skeleton, muscle = chained(wraps)
        paths, n = LinePaths(skeleton, [muscle]), skeleton.n
        q, p = skeleton.start + 0.05 * numbers[0, :n], numbers[1, :n]
        at = state(skeleton, q, p)
        placed = paths.at(at)
        assert placed.state.touched.sum() == 2
        batch = fm.MuscleGeometry(skeleton, [muscle]).at([q, q + 0.02 * p])
        curvature = paths.curvature(at, placed, np.ones(1))
        points = paths.material(at, placed, 0, fractions)
        arcs = [arc.points for arc in fm.muscle_path(skeleton, muscle, q).arcs]
        found.append((placed.length, placed.by_q, batch.length, curvature, *points, *arcs))
    for own, known in zip(*found, strict=True):
        assert_allclose(own, known, rtol=1e-8, atol=1e-9)


def test_the_compiled_loop_refuses_a_level_set():
    _, muscle = chained(level_sets)
    muscle = replace(muscle, law=fm.HillLaw(), activation=0.1)
    with pytest.raises(fm.ModelError, match="NDF: line muscle 'm': the loop has no wrap"):
        kind_of(SimpleNamespace(muscles=[muscle]))


def test_memory_resumes_bitwise():
    """Paths that restore a memory go on with the same bits; a new one finds the same branch."""
    skeleton, muscle = chained(two)
    bend = np.zeros(skeleton.n)
    bend[-2:] = 1.0, -0.5

    def pose(t):
        return state(skeleton, skeleton.start + 1.2 * np.sin(2.0 * t) * bend, bend)

    first, found, memory = LinePaths(skeleton, [muscle]), [], {}
    for k, t in enumerate(np.linspace(0.0, 3.0, 61)):
        if k == 30:
            memory = first.branches.memory()
        found.append(first.at(pose(t)))
    second = LinePaths(skeleton, [muscle])
    second.restore(memory)
    for t, known in zip(np.linspace(0.0, 3.0, 61)[30:], found[30:], strict=True):
        again = second.at(pose(t))
        assert_array_equal(again.length, known.length)
        assert_array_equal(again.by_q, known.by_q)
        fresh = LinePaths(skeleton, [muscle]).at(pose(t))
        assert_allclose(fresh.length, known.length, rtol=1e-12)
    assert {int(one.state.touched.sum()) for one in found} > {2}  # surfaces come and go


def test_a_distant_surface_leads_to_no_other_side():
    """The half hinted on a surface away from the path does not decide on which side of another."""

    def lengths(wraps):
        skeleton, muscle = chained(wraps)
        return LinePaths(skeleton, [muscle]).at(state(skeleton, skeleton.start, 0 * skeleton.start))

    def alone(ground, arm):
        lower = fm.WrapCylinder("l", arm, (0.0, 0, 0), quadrant="x", radius=0.02, length=1.0)
        return [fm.PathWrap(lower)]

    def beside(ground, arm):
        far = fm.WrapEllipsoid(
            "e", ground, (-0.6, -0.4, -0.3), quadrant="x", radii=(0.05, 0.02, 0.03)
        )
        return [*alone(ground, arm), fm.PathWrap(far)]

    one, other = lengths(alone), lengths(beside)
    assert_allclose(other.length, one.length, rtol=1e-13)
    assert_allclose(other.by_q, one.by_q, atol=1e-12)


def test_a_line_clear_of_all_surfaces_needs_no_chain():
    """It is straight where a sphere around the ellipsoid is not met, and as found anew."""
    skeleton, muscle = chained(ellipsoid)
    hinges = np.zeros(skeleton.n)
    hinges[-2] = 1.0
    paths, kinds = LinePaths(skeleton, [muscle]), []
    for t in np.linspace(0.0, 2.0 * np.pi, 121):
        pose = state(skeleton, skeleton.start + 1.5 * np.sin(t) * hinges, 0.0 * hinges)
        found, fresh = paths.at(pose), LinePaths(skeleton, [muscle]).at(pose)
        assert_allclose(found.length, fresh.length, rtol=1e-13)
        assert_allclose(found.by_q, fresh.by_q, atol=1e-12)
        chain = found.state.wrapped[0] == CHAIN
        kinds.append((chain, bool(chain and found.state.touched.any())))
    # solved without a chain, by one that touches nothing, and by one that touches
    assert set(kinds) == {(False, False), (True, False), (True, True)}


def over(names, q=0.0, **numbers):
    """Muscle over surfaces named, in the plane z = 0: a cylinder, and a bump or a ball on it.

    The bump turns with the hinge q about the cylinder's axis.
    """
    model = fm.Model("over")
    ground = model.ground
    body = model.add(fm.Body("b", 1.0, (0, 0, 0), inertia=(50, 50, 50)))
    over = {
        "big": fm.PathWrap(fm.WrapCylinder("big", ground, radius=0.05), side=-1),
        "bump": fm.PathWrap(fm.WrapCylinder("bump", body, (0, 0.04, 0), radius=0.02), side=-1),
        "ball": fm.PathWrap(fm.WrapSphere("ball", ground, (0, 0.04, 0.004), radius=0.02)),
    }
    points = [fm.PathPoint(name, ground.at(x, -0.06, 0)) for name, x in (("o", -0.12), ("i", 0.12))]
    wraps = [over[name] for name in names]
    muscle = fm.LineMuscle("m", points, wraps=wraps, **NUMBERS, **numbers)
    model.add(fm.Hinge("q", ground, body, (0, 0, 0), (0, 0, 1), value=q, speed=-1.0), muscle)
    return model, muscle


def test_surfaces_that_overlap():
    """Over a bump of a cylinder: the convex hull, exactly, if the cylinder is listed twice."""

    def path_over(*names):
        model, muscle = over(names)
        skeleton = fm.skeleton(model)
        return fm.muscle_path(skeleton, muscle, skeleton.start)

    path = path_over("big", "bump", "big")
    away, turn = np.hypot(0.12, 0.06), np.arccos(0.03 / 0.04)
    half = np.sqrt(away**2 - 0.05**2) + np.sqrt(0.04**2 - 0.03**2) + 0.02 * turn
    half += 0.05 * (np.pi / 2 + np.arctan2(0.06, 0.12) - np.arccos(0.05 / away) - turn)
    assert_allclose(path.length, 2 * half, rtol=1e-14)
    assert [arc.surface for arc in path.arcs] == ["big", "bump", "big"]
    # with the bump the arc of the closed form around the cylinder would pass through it
    for names, reason in ((("big", "bump"), "pieces"), (("big", "ball"), "order")):
        with pytest.raises(fm.PathError, match="list a surface twice") as caught:
            path_over(*names)
        assert caught.value.reason == reason


def test_a_lost_path_is_named():
    """Muscle, surface and pose, in a run also the time: the bump comes up under the arc."""
    model, muscle = over(("big", "bump"), 2.5, law=fm.HillLaw(), activation=0.1)
    skeleton = fm.skeleton(model)
    lost = r"line muscle 'm': .* no taut path at q = {}\d* rad: it touches wrap surface 'big' in"
    with pytest.raises(fm.PathError, match=lost.format("0")) as caught:
        fm.muscle_path(skeleton, muscle, np.zeros(1))
    assert caught.value.reason == "order"
    with pytest.raises(fm.PathError, match="pose 1: " + lost.format("0.1")):
        fm.MuscleGeometry(skeleton, [muscle]).at([[2.5], [0.1]])
    with pytest.raises(fm.ConvergenceError, match=lost.format("0.1228")) as failed:
        fm.simulate(fm.build(model), t_end=2.5, dt=0.1)
    # where the path would come to touch the cylinder on the other side of the bump too
    # the muscle hardly pulls, so that the bump turns at 1 rad/s
    assert failed.value.time == pytest.approx(2.5 - 0.1228, abs=2e-3)
    assert str(failed.value).startswith("the step from t = 2.37")


def test_a_point_inside_is_refused_or_passed():
    """The error names point, depth and surface; on request the path is straight instead."""
    skeleton, muscle = chained(ellipsoid, end=(0.0, -0.02, 0.0))
    q = skeleton.start.copy()
    q[-1] = np.pi
    inside = r"'m': path point 'i' lies 0\.0\d+ m inside wrap surface 'e'"
    with pytest.raises(fm.ModelError, match=inside):
        fm.muscle_path(*chained(ellipsoid, end=(0.0, 0.1, 0.0)), skeleton.start)
    wraps = [fm.PathWrap(muscle.wraps[0].shape, inside="straight")]
    passing = fm.LineMuscle("m", muscle.points, wraps=wraps, **NUMBERS)
    y = skeleton.start.copy()
    for angle in np.linspace(0.0, np.pi, 7):
        y[-1] = angle
        path = fm.muscle_path(skeleton, passing, y)
        assert path.length >= np.linalg.norm(path.points[1] - path.points[0]) - 1e-15


@pytest.mark.slow
def test_arm26_runs_with_all_its_muscles(shared_models):
    """An imported arm with ellipsoids, and points inside them, runs."""
    model = fm.read_osim(shared_models / "opensim-models" / "arm26.osim")
    system = fm.build(model)
    result = fm.simulate(system, t_end=0.1, dt=0.005)
    assert result.time[-1] == pytest.approx(0.1)

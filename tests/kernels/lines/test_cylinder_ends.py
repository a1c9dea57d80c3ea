"""When a path leaves a cylinder of finite length, against the rule written with vectors."""

import math

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.kernels.lines.cylinder import beyond_ends, cylinder_angle
from fibermsk.kernels.lines.section import FINE, FOUND, PHI
from fibermsk.system.lines.solved import muscle_path
from fibermsk.system.skeleton.skeleton import Skeleton


def heights(o, i, r, sigma):
    """Heights that OpenSim compares with the half length (WrapCylinder::wrapLine, 4.x)."""
    z = np.array([0.0, 0.0, 1.0])
    feet = [np.array([0.0, 0.0, x[2]]) for x in (o, i)]
    away = [np.linalg.norm(x - foot) for x, foot in zip((o, i), feet, strict=True)]
    touch = []
    for x, foot, d, way in zip((o, i), feet, away, (sigma, -sigma), strict=True):
        out = (x - foot) / d
        near = r * r / d
        touch.append(foot + near * out + way * math.sqrt(r * r - near * near) * np.cross(z, out))
    middle = o + away[0] / (away[0] + away[1]) * (i - o)
    axis = np.array([0.0, 0.0, middle[2]])
    normal = np.cross(o - axis, i - axis)
    apex = axis + r * np.cross(z, normal) / np.linalg.norm(np.cross(z, normal))
    plane = np.cross(o - apex, i - apex)
    found = []
    for x, foot, other in zip(touch, feet, feet[::-1], strict=True):
        # where the line through x along the axis meets the plane through o, i and the apex
        slid = x + z * (plane @ (o - x)) / plane[2]
        nearer = abs(slid[2] - other[2]) < abs(foot[2] - other[2])
        found.append(slid[2] if nearer else x[2])
    return np.array(found)


def random_ends(rng, r):
    """Two points outside a cylinder about z."""
    angle, away = rng.uniform(-np.pi, np.pi, 2), r * rng.uniform(1.05, 6.0, 2)
    z = rng.uniform(-0.2, 0.2, 2)
    return np.stack([away * np.cos(angle), away * np.sin(angle), z], axis=1)


def test_the_rule_against_vectors():
    rng, both = np.random.default_rng(7), [0, 0]
    for _ in range(3000):
        r = rng.uniform(0.01, 0.05)
        o, i = random_ends(rng, r)
        reference, half = rng.uniform(-4.0, 4.0), rng.uniform(0.005, 0.2)
        found = np.zeros(FOUND)
        assert cylinder_angle(o, i, r, reference, found) == FINE
        z = heights(o, i, r, 1.0 if found[1] >= 0.0 else -1.0)
        if np.abs(np.abs(z) - half).min() < 1e-9:
            continue
        beyond = bool(np.all(np.abs(z) > half))
        assert bool(beyond_ends(o, i, r, half, found)) == beyond
        both[beyond] += 1
    assert min(both) > 300


def test_ends_at_opposite_sides_of_the_axis_have_no_plane():
    found = np.zeros(FOUND)
    o, i = np.array([0.05, 0.0, 0.1]), np.array([-0.05, 0.0, 0.3])
    assert cylinder_angle(o, i, 0.02, 3.0, found) == FINE and found[PHI] > 0.0
    assert not beyond_ends(o, i, 0.02, 0.15, found)
    assert beyond_ends(o, i, 0.02, 0.05, found)


def model_of(length):
    """A muscle over a roll on a sliding block; the path slides off the roll with x."""
    model = fm.Model("roll")
    block = model.add(fm.Body("block", 1.0, (0, 0, 0), (0.01, 0.01, 0.01)))
    model.add(fm.Slider("x", model.ground, block, (0, 0, 0), axis=(0, 0, 1)))
    roll = fm.WrapCylinder("roll", model.ground, radius=0.02, length=length)
    muscle = fm.LineMuscle(
        "muscle",
        points=(
            fm.PathPoint("o", block.at(-0.06, 0.01, -0.01)),
            fm.PathPoint("i", block.at(0.06, 0.01, 0.01)),
        ),
        wraps=(fm.PathWrap(roll, side=1),), max_isometric_force=50.0, optimal_fiber_length=0.1,
        tendon_slack_length=0.02, law=fm.HillLaw(tendon="rigid"), activation=0.2,
    )  # fmt: skip
    model.add(muscle)
    return model, muscle


def test_a_path_is_that_of_an_infinite_cylinder_or_straight():
    finite, endless = model_of(0.06), model_of(1e3)
    straight = math.dist((-0.06, 0.01, -0.01), (0.06, 0.01, 0.01))
    seen = set()
    for x in np.linspace(-0.05, 0.05, 41):
        paths = [muscle_path(Skeleton(model), muscle, [x]) for model, muscle in (finite, endless)]
        if paths[0].arcs:
            assert paths[0].length == paths[1].length > straight + 1e-3
        else:
            assert paths[0].length == pytest.approx(straight, abs=1e-15)
        seen.add(bool(paths[0].arcs))
    assert seen == {True, False}


@pytest.mark.parametrize("method", [fm.SDIRK2(), fm.BDF2(), fm.GeneralizedAlpha(), fm.SDIRK4()])
def test_a_run_past_an_end_names_the_jump(method):
    model, muscle = model_of(0.06)
    system = fm.build(model)
    y, v = system.initial_state()
    v[-1] = v[-1] if system.n > 1 else 1.0
    with pytest.warns(fm.ModelWarning, match="muscle by about .* mm before t = ") as told:
        result = fm.simulate(system, (y, v), t_end=0.05, dt=1e-3, method=method)
    assert result.status == "success"
    jumps = result.muscles["muscle"]["length_jump"]
    exact = muscle_path(Skeleton(model), muscle, [0.0]).length - math.dist(
        (-0.06, 0.01, -0.01), (0.06, 0.01, 0.01)
    )
    assert np.count_nonzero(jumps) == 1
    assert jumps.min() == pytest.approx(-exact, rel=1e-6)
    assert any(one.message.kind == "length_jump" for one in told)


def test_the_curves_name_a_jump():
    model, muscle = model_of(0.06)
    curves = fm.muscle_curves(model, "x", over=(-0.05, 0.05, 21))
    sizes = sorted(jump.size for jump in curves.jumps)
    exact = muscle_path(Skeleton(model), muscle, [0.0]).length - math.dist(
        (-0.06, 0.01, -0.01), (0.06, 0.01, 0.01)
    )
    assert sizes == pytest.approx([-exact, exact], rel=1e-9)
    low, high = sorted(jump.value for jump in curves.jumps)
    assert low == pytest.approx(-high, abs=1e-7) and 0.02 < high < 0.04

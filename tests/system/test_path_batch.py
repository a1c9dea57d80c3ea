"""Lengths and moment arms in many poses, against one pose at a time."""

import numpy as np
import pytest
from joint_cases import every_joint, functional_arm
from numpy.testing import assert_allclose, assert_array_equal
from test_line_chains import chained, ellipsoid, two
from test_line_paths import hinged, random_muscles

import fibermsk as fm
from fibermsk.system.lines.paths import LinePaths

MODELS = {
    "hinges": lambda rng: every_joint(rng, ["hinge", "universal", "hinge", "slider"]),
    "quaternions": lambda rng: every_joint(rng, ["free", "hinge", "spherical", "cylindrical"]),
    "functions": lambda rng: functional_arm(fibers=False),
}


def one_by_one(skeleton, muscles, poses):
    """Each pose by a fresh port."""
    found = []
    for q in poses:
        placed = LinePaths(skeleton, muscles).place(skeleton.at(q), q, 0.0 * q)
        found.append((placed.length, -placed.by_q))
    return [np.array(values) for values in zip(*found, strict=True)]


def solvable(skeleton, muscles, rng, n):
    """Poses in which all paths have a solution."""
    poses = []
    for _ in range(20 * n):
        q = skeleton.start + 0.1 * rng.normal(size=skeleton.n)
        try:
            one_by_one(skeleton, muscles, [q])
        except fm.ModelError:  # a random point inside a surface
            continue
        poses.append(q)
        if len(poses) == n:
            return np.array(poses)
    return None


@pytest.mark.parametrize("name", MODELS)
def test_a_batch_is_its_poses(rng, name):
    """Joints of all kinds, moving points: as one pose at a time, in any order to the last bit."""
    model = MODELS[name](rng)
    skeleton = fm.skeleton(model)
    poses = None
    while poses is None:
        muscles = random_muscles(model, rng)
        try:
            LinePaths(skeleton, muscles)
        except fm.ModelError:
            continue
        poses = solvable(skeleton, muscles, rng, 5)
    found = fm.MuscleGeometry(skeleton, muscles).at(poses)
    length, arm = one_by_one(skeleton, muscles, poses)
    assert_allclose(found.length, length, rtol=1e-13)
    assert_allclose(found.moment_arm, arm, rtol=0, atol=1e-13)
    back = fm.MuscleGeometry(skeleton, muscles).at(poses[::-1])
    assert_array_equal(back.length[::-1], found.length)
    assert_array_equal(back.moment_arm[::-1], found.moment_arm)


@pytest.mark.parametrize("wraps", [ellipsoid, two])
def test_chains_in_a_batch(wraps):
    """By themselves to the last bit in any order; followed to rounding; slopes of the lengths."""
    skeleton, muscle = chained(wraps)
    bend = np.zeros(skeleton.n)
    bend[-2:] = 1.0, -0.5
    t = np.linspace(0.0, 1.0, 9)
    poses = skeleton.start + 1.2 * np.sin(2.0 * t)[:, None] * bend
    geometry = fm.MuscleGeometry(skeleton, [muscle])
    alone, followed = geometry.at(poses), geometry.at(poses, follow=True)
    for found, expected in zip(alone, one_by_one(skeleton, [muscle], poses), strict=True):
        assert_array_equal(found, expected)
    mixed = geometry.at(poses[::-1])
    assert_array_equal(mixed.moment_arm[::-1], alone.moment_arm)
    assert_allclose(followed.length, alone.length, rtol=1e-12)
    assert_allclose(followed.moment_arm, alone.moment_arm, rtol=0, atol=1e-12)
    h = 1e-5
    ahead, behind = geometry.at(poses + h * bend), geometry.at(poses - h * bend)
    slope = (ahead.length - behind.length) / (2.0 * h)
    assert_allclose(alone.moment_arm @ bend, -slope, rtol=0, atol=1e-8)


def test_windings_are_followed_only_on_request():
    """More than half a turn from the start a path is a turn shorter, unless it is followed."""
    model, muscle = hinged(
        [("ground", (0, 0.3, 0)), ("arm", (0, -0.3, 0.1))],
        lambda bodies: [fm.PathWrap(fm.WrapCylinder("c", bodies["ground"], radius=0.05), side=1)],
    )
    geometry = fm.MuscleGeometry(fm.skeleton(model), [muscle])
    turn = np.linspace(0.0, 1.5 * np.pi, 50)[:, None]
    followed, alone = geometry.at(turn, follow=True), geometry.at(turn)
    # a length that grows by the radius times the turn, on a helix
    flat = np.sqrt(followed.length[:, 0] ** 2 - 0.1**2)
    assert_allclose(np.diff(flat), 0.05 * np.diff(turn[:, 0]), rtol=1e-10)
    assert_array_equal(alone.length[:25], followed.length[:25])
    assert alone.length[-1, 0] < followed.length[-1, 0] - 0.2
    # every call starts anew
    assert_array_equal(geometry.at(turn[-1:], follow=True).length, alone.length[-1:])


def test_bad_poses_are_refused():
    """Shapes and values; a pose without a path is named."""
    model, muscle = hinged(
        [("ground", (0, 0.3, 0)), ("arm", (0.1, 0, 0))],
        lambda bodies: [
            fm.PathWrap(fm.WrapCylinder("c", bodies["ground"], (0, 0.1, 0), radius=0.05))
        ],
    )
    geometry = fm.MuscleGeometry(fm.skeleton(model), [muscle])
    with pytest.raises(fm.PathError, match=r"pose 2: line muscle 'm': path point 'arm1'") as error:
        geometry.at([[0.0], [0.1], [0.5 * np.pi], [0.0]])
    assert error.value.pose == 2
    with pytest.raises(fm.ModelError, match=r"q = .*shape \(k, 1\)"):
        geometry.at([[0.0, 0.0]])
    with pytest.raises(fm.ModelError, match="muscles"):
        fm.MuscleGeometry(fm.skeleton(model), muscle)
    assert geometry.at(np.zeros((0, 1))).moment_arm.shape == (0, 1, 1)

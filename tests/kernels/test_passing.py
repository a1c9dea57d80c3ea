"""Planes that keep moving curves apart, and the halving of the others, against dense sampling."""

import numpy as np
import pytest

from fibermsk.kernels.bones.bone_shape import CAPSULE, INFINITE_CYLINDER
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.kernels.search.passing import (
    FIRST_LOOK,
    MOST_PARTS,
    halve_curve,
    passes,
    stays_apart,
)
from fibermsk.kernels.search.passing_bones import find_passing_bones

SAMPLES = np.linspace(0.0, 1.0, 41)
BASIS = np.stack(
    [
        (1 - SAMPLES) ** 3,
        3 * SAMPLES * (1 - SAMPLES) ** 2,
        3 * SAMPLES**2 * (1 - SAMPLES),
        SAMPLES**3,
    ]
)


def least_distance(a0, a1, b0, b1):
    """Least distance of two moving curves, at dense points and times; an upper bound."""
    least = np.inf
    for s in SAMPLES:
        a = BASIS.T @ ((1 - s) * a0 + s * a1)
        b = BASIS.T @ ((1 - s) * b0 + s * b1)
        least = min(least, np.linalg.norm(a[:, None] - b, axis=2).min())
    return least


def random_motion(rng):
    """Two curves of length one that move by about as much, some of them past each other."""
    ends = []
    for _ in range(2):
        line = rng.normal(size=(1, 3)) + np.linspace(-0.5, 0.5, 4)[:, None] * rng.normal(
            size=(1, 3)
        )
        line += 0.1 * rng.normal(size=(4, 3))
        ends += [line, line + rng.normal(size=3) + 0.1 * rng.normal(size=(4, 3))]
    return ends


def test_answers_against_dense_sampling(rng):
    """Apart is always right; near is right but for the part that the halving leaves open."""
    floors = rng.uniform(0.01, 0.5, 300)
    apart = near = planes = 0
    for floor in floors:
        motion = random_motion(rng)
        least = least_distance(*motion)
        answer = passes(*motion, floor, MOST_PARTS)
        if stays_apart(*motion, floor):
            planes += 1
            assert not answer
        if answer:
            near += 1
            assert least < 1.01 * floor + 0.05  # the samples are as far apart as that
        else:
            apart += 1
            assert least > floor
    assert min(near, apart, planes) > 20


def test_sliding_along_costs_nothing():
    """Two parallel curves at a small distance, one of which moves along by many lengths."""
    line = np.linspace(0.0, 1.0, 4)[:, None] * np.array([1.0, 0.0, 0.0])
    beside = line + (0.0, 0.0, 0.02)
    assert stays_apart(line, line + (50.0, 0.0, 0.0), beside, beside, 0.019)
    assert not passes(line, line + (50.0, 0.0, 0.0), beside, beside, 0.019, MOST_PARTS)
    assert passes(line, line + (50.0, 0.0, 0.0), beside, beside, 0.021, MOST_PARTS)


def test_through_and_back_is_seen_from_the_middle_only_in_two_ways(rng):
    """A motion through another curve is seen however far it goes."""
    line = np.linspace(-1.0, 1.0, 4)[:, None] * np.array([1.0, 0.0, 0.0])
    other = np.linspace(-1.0, 1.0, 4)[:, None] * np.array([0.1, 1.0, 0.0])
    for way in (0.1, 1.0, 1e3, 1e6):
        down = np.array([0.0, 0.0, -0.5 * way])
        assert passes(line, line, other - down, other + down, 1e-3, MOST_PARTS)


def test_halves_are_the_curve(rng):
    curve, halves = rng.normal(size=(4, 3)), np.empty((2, 4, 3))
    halve_curve(curve, *halves)
    np.testing.assert_allclose(
        np.concatenate([BASIS[:, ::2].T @ halves[0], BASIS[:, 2::2].T @ halves[1]]),
        BASIS.T @ curve,
        atol=1e-14,
    )


@pytest.mark.parametrize("kind", [CAPSULE, INFINITE_CYLINDER])
def test_bones_against_dense_sampling(rng, kind):
    n = 150
    place = np.zeros((1, 4, 3))
    place[0, :2] = (0.1, -0.4, 0.2), (0.0, 0.5, 0.1)
    field, kinds = np.array([[0.1, 0, 0, 0, 0.0]]), np.array([[kind, 0, 0, 0, 0]])
    before = rng.normal(size=(n, 1, 3)) + 0.4 * rng.normal(size=(n, 4, 3))
    after = before + rng.normal(size=(n, 1, 3))
    floor = rng.uniform(0.02, 0.4, n)
    shapes = np.ones(1), BoneShapes(place, field, kinds, np.zeros(0))
    shape = np.zeros(n, np.int64)
    near, found = np.zeros((2, n), bool)
    find_passing_bones(before, after, shape, floor, *shapes, FIRST_LOOK, near)
    find_passing_bones(before, after, shape, floor, *shapes, MOST_PARTS, found)
    way = place[0, 1] - place[0, 0]
    for i in range(n):
        times = SAMPLES[:, None, None]
        points = np.einsum("pk,spc->skc", BASIS, (1 - times) * before[i] + times * after[i])
        along = (points - place[0, 0]) @ way / (way @ way)
        if kind == CAPSULE:
            along = np.clip(along, 0.0, 1.0)
        d = np.linalg.norm(points - place[0, 0] - along[..., None] * way, axis=-1).min()
        if found[i]:
            assert near[i]
            assert d < 1.01 * floor[i] + 0.1
        else:
            assert d > floor[i]
    assert 10 < found.sum() < n - 10

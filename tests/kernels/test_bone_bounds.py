"""Bounds of elements beside bones, against what they bound."""

import numpy as np
import pytest
from contact_parts import axis_shape
from numpy.testing import assert_allclose
from rigid_parts import random_tree

from fibermsk.kernels.search.bone_bounds import fill_bone_approach, find_near_bone, motion_beside


def random_hulls(rng, n=40):
    """Control points (n, 4, 3) of small elements here and there."""
    return rng.uniform(-0.5, 0.5, (n, 1, 3)) + 0.05 * rng.normal(size=(n, 4, 3))


@pytest.mark.parametrize("kind", ["capsule", "sphere", "cylinder"])
def test_elements_near_an_axis(rng, kind):
    hull = random_hulls(rng, 200)
    start = 0.2 * rng.normal(size=3)
    end = start if kind == "sphere" else 0.2 * rng.normal(size=3)
    reach = 0.4 * rng.uniform(size=200)
    near = np.empty(200, bool)
    bone = axis_shape("infinite_cylinder" if kind == "cylinder" else kind, start, end, 0.1)
    find_near_bone(hull, 0, bone, 1.0, reach, np.full(200, -0.1), near)
    t = np.linspace(-100.0, 101.0, 40001) if kind == "cylinder" else np.linspace(0.0, 1.0, 1001)
    axis = start + t[:, None] * (end - start)
    center = 0.5 * (hull.min(axis=1) + hull.max(axis=1))
    ball = np.linalg.norm(hull - center[:, None], axis=2).max(axis=1)
    apart = np.array([np.linalg.norm(axis - c, axis=1).min() for c in center])
    np.testing.assert_array_equal(near, apart <= ball + reach)
    assert 10 < near.sum() < 190


def test_motion_in_the_frame_of_a_link(rng):
    tree = random_tree(rng, 3)
    states = [tree.evaluate(q, *np.zeros((2, 3))) for q in rng.normal(size=(2, 3))]
    hulls = random_hulls(rng), random_hulls(rng)
    for k in range(3):
        before, after = (
            (hull - state.position[k]) @ state.rotation[k]
            for hull, state in zip(hulls, states, strict=True)
        )
        poses = [part for state in states for part in (state.rotation[k], state.position[k])]
        expected = np.linalg.norm(after - before, axis=2).max()
        assert_allclose(motion_beside(*hulls, *poses), expected, rtol=1e-14)
    hulls[1][3, 2, 1] = np.nan
    assert motion_beside(*hulls, *poses) == np.inf


def approach(tree, state, hull, update, stray, link, update_q):
    found = np.empty(hull.shape[0])
    fill_bone_approach(
        hull, update, stray, link, state.S, tree.moves, state.position, tree.chain_length(state),
        update_q, 1.0, found,
    )  # fmt: skip
    return found


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "mixed"])
def test_approach_bounds_the_motion_beside_a_bone_all_along(rng, kind):
    """Of any point of an element, whichever way its control points stray."""
    tree = random_tree(rng, 4, kind)
    zero, n = np.zeros(4), 30
    for size in (1e-3, 0.1, 1.0):
        q, update_q = rng.normal(size=4), size * rng.normal(size=4) * (rng.uniform(size=4) < 0.8)
        state = tree.evaluate(q, zero, zero)
        hull, update = random_hulls(rng, n), 0.1 * size * rng.normal(size=(n, 4, 3))
        stray = 0.01 * size * rng.uniform(size=n)
        weights = rng.dirichlet(np.ones(4), (n, 8))
        off = rng.normal(size=hull.shape)
        off *= (stray / np.linalg.norm(off, axis=2).max(axis=1))[:, None, None]
        for link in range(4):
            bound = approach(tree, state, hull, update, stray, link, update_q)
            rest = (weights @ hull - state.position[link]) @ state.rotation[link]
            for s in np.linspace(0.0, 1.0, 21):
                now = tree.evaluate(q + s * update_q, zero, zero)
                points = weights @ (hull + s * (update + off))
                local = (points - now.position[link]) @ now.rotation[link]
                moved = np.linalg.norm(local - rest, axis=2).max(axis=1)
                assert np.all(moved <= bound * (1.0 + 1e-12) + 1e-14)
    ground = approach(tree, state, hull, update, stray, -1, update_q)
    assert_allclose(ground, np.linalg.norm(update, axis=2).max(axis=1) + stray, rtol=1e-14)


def test_elements_that_go_with_the_bone_hardly_approach_it(rng):
    """Only the second order of the turn is left: no more than a few times its square."""
    tree = random_tree(rng, 3, "revolute")
    zero = np.zeros(3)
    state = tree.evaluate(rng.normal(size=3), zero, zero)
    hull = random_hulls(rng)
    for turn in (1e-2, 1e-4):
        update_q = np.array([turn, -turn, turn])
        update = sum(
            rate * (S[3:] + np.cross(S[:3], hull))
            for rate, S in zip(update_q, state.S, strict=True)
        )
        bound = approach(tree, state, hull, update, np.zeros(len(hull)), 2, update_q)
        levers = np.linalg.norm(hull[:, :, None] - state.position, axis=3).max(axis=(1, 2))
        levers += tree.chain_length(state)[2]
        assert np.all(bound <= 2.0 * (3.0 * turn) ** 2 * levers)

"""Bounds of a motion between two states, against the same formulas in NumPy."""

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.kernels.contact_arrays import BoneShapes
from fibermsk.kernels.search.bone_bounds import fill_bends, fill_beside
from fibermsk.kernels.search.held import motion_beside_links, motion_between
from fibermsk.kernels.search.passing import FIRST_LOOK
from fibermsk.kernels.search.passing_bones import find_passing_bones, mark_near_bones_between
from fibermsk.system.contact.passing import _State


@pytest.fixture
def ends(rng):
    """System with its candidates, and two states of it."""
    system = fm.build(two_link_arm())
    own = system.configuration
    y, _ = system.initial_state()
    own.look_at(y)
    moved = system.retract(0.0, y, 2e-2 * rng.normal(size=y.size))
    return own, _State.of(own, y), _State.of(own, moved)


def test_bends_in_the_frames_of_the_links(ends, rng):
    own, before, after = ends
    tree, hull, state = own.tree, before.place.hull, before.place.state
    for n_excess in (0, tree.n):
        excess = np.zeros(tree.n)
        excess[:n_excess] = rng.uniform(0.0, 1e-2, n_excess)
        update = rng.uniform(0.0, 0.1, tree.n) + excess
        links, bends = np.array([-1, *range(tree.n)]), np.empty(tree.n + 1)
        chain = tree.chain_length(state)
        fill_bends(
            links, tree.moves, tree.kind, state.position, update, excess, chain, hull,
            after.place.hull, bends,
        )  # fmt: skip
        turn, slide = tree.turns_and_slides(update)
        extra_turn, extra_slide = tree.turns_and_slides(excess)
        way = np.linalg.norm(after.place.hull - hull, axis=2).max()
        reach = np.linalg.norm(hull.reshape(-1, 1, 3) - state.position, axis=2).max(axis=0)
        assert bends[0] == 0.0
        for k in range(tree.n):
            lever = reach[tree.moves[k]].max() + way + slide[k] + turn[k] * chain[k]
            bend = turn[k] * (2.0 * turn[k] * lever + way + slide[k])
            expected = 0.125 * bend + extra_turn[k] * lever + extra_slide[k]
            np.testing.assert_allclose(bends[1 + k], expected, rtol=1e-13)
            assert expected > 0.0


def test_the_motion_is_the_larger_one_of_both_ends(ends, rng):
    own, before, after = ends
    found = own.contact.candidates
    stray, bends = rng.uniform(0.0, 1e-3, own.cables.h.size), rng.uniform(0.0, 1e-2, 2)
    bends = bends[: found.links.size]
    radii, beside = np.empty(len(own.cables.names)), np.empty((2, found.links.size))
    motion = motion_between(
        found._elements, found._found, True, before.place.hull, after.place.hull,
        before.place.state[:2], after.place.state[:2], before.least, after.least, stray, bends,
        radii, beside,
    )  # fmt: skip
    wide = np.maximum(found._bound_radii(before.least), found._bound_radii(after.least))
    np.testing.assert_array_equal(radii, wide)
    relative = []
    for state in (before, after):
        ways = (state.place.hull - found._found.hull).reshape(-1, 3)
        size = np.linalg.norm(ways, axis=1).max()
        relative.append(min(2.0 * size, np.linalg.norm(np.ptp(ways, axis=0))))
    far = [np.empty(found.links.size) for _ in range(2)]
    for own_far, state in zip(far, (before, after), strict=True):
        rotation, position = state.place.state[:2]
        motion_beside_links(found._found, state.place.hull, rotation, position, own_far)
    expected = max(max(relative) + 2.0 * stray.max(), (np.maximum(*far) + bends).max())
    expected += 2.0 * max((wide - found._found.radii).max(), 0.0)
    np.testing.assert_allclose(motion, expected, rtol=1e-13)


def test_near_bones_are_those_of_the_search_with_given_distances(ends, rng):
    own, before, after = ends
    partners, runs = own.partners, own.contact.candidates.bone_runs
    shapes, n = partners.shapes, runs.element.size
    thin = rng.random(shapes.thin.size) < 0.5
    stray, bends = rng.uniform(0.0, 1e-3, own.cables.h.size), rng.uniform(0.0, 1e-3, thin.size)
    thickest = rng.uniform(0.0, 3e-2, own.cables.h.size)
    part = np.full(partners.points.size, 0.7)
    at_rest = BoneShapes(shapes.local, shapes.field, shapes.kind, shapes.grids)
    ways, near = np.empty((2, n, 4, 3)), np.zeros(n, bool)
    mark_near_bones_between(
        before.place.hull, after.place.hull, before.place.state[:2], after.place.state[:2],
        (runs.element, runs.shape, runs.law),
        (partners.shape_link, partners.shape_radius, thin, shapes.steepest),
        (part, thickest, stray, bends), at_rest, FIRST_LOOK, ways, near,
    )  # fmt: skip
    link, expected = partners.shape_link[runs.shape], np.empty((2, n, 4, 3))
    for way, state in zip(expected, (before, after), strict=True):
        rotation, position = state.place.state[:2]
        fill_beside(state.place.hull, runs.element, link, rotation, position, way)
    np.testing.assert_array_equal(ways, expected)
    radius = partners.shape_radius[runs.shape]
    floor = part[runs.law] * (radius + thickest[runs.element])
    floor = np.where(thin[runs.shape], np.maximum(floor, radius), floor)
    floor += (stray[runs.element] + bends[runs.shape]) * shapes.steepest[runs.shape]
    found = np.zeros(n, bool)
    find_passing_bones(*expected, runs.shape, floor, shapes.steepest, at_rest, FIRST_LOOK, found)
    np.testing.assert_array_equal(near, found)
    assert 0 < near.sum() < n

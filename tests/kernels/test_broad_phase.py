"""The search for candidates, against enumerations of all pairs."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fibermsk.kernels.search.bounds import (
    N_BOUNDS,
    enclose,
    fill_after,
    relative_motion,
)
from fibermsk.kernels.search.broad_phase import (
    find_pairs,
    list_runs,
    mark_new,
    mark_new_in_runs,
)
from fibermsk.kernels.search.motion import fill_least_tangents


def random_fibers(rng, n_fibers=12, n_elements=6, size=0.08, length=0.02, bend=0.3):
    """Control points (n, 4, 3) of fibers that wander about in a cube, and the fiber of each."""
    hulls = []
    for _ in range(n_fibers):
        steps = rng.normal(size=3) + bend * rng.normal(size=(3 * n_elements, 3))
        steps *= length / 3.0 / np.linalg.norm(steps, axis=1)[:, None]
        points = rng.uniform(0.0, size, 3) + np.r_[np.zeros((1, 3)), np.cumsum(steps, axis=0)]
        hulls += [points[3 * e : 3 * e + 4] for e in range(n_elements)]
    return np.array(hulls), np.repeat(np.arange(n_fibers), n_elements)


def find(before, fiber, pad, after=None, stray=None, group=None, law=None):
    """Set of pairs (a, b), a < b, each found once."""
    bounds = np.empty((fiber.size, N_BOUNDS))
    moving = after is not None
    after = after if moving else before
    enclose(before, after, np.zeros(fiber.size) if stray is None else stray, pad, bounds)
    n_fibers = int(fiber.max(initial=-1)) + 1
    group = np.zeros(n_fibers, np.int64) if group is None else group
    law = np.zeros((1, 1), np.int64) if law is None else law
    pairs = find_pairs(before, after, bounds, moving, fiber, group, law)
    found = {(min(pair), max(pair)) for pair in pairs.tolist()}
    assert len(found) == pairs.shape[0]
    return found


def curve(hull, n):
    """Points (..., n, 3) of Bezier curves."""
    t = np.linspace(0.0, 1.0, n)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)
    return weights @ hull


def touching(before, fiber, pad, after=None, n=9, n_times=1):
    """Pairs whose curves come closer than their pads, at points and times that are looked at."""
    after = before if after is None else after
    first, second = np.triu_indices(fiber.size, 1)
    other = fiber[first] != fiber[second]
    first, second = first[other], second[other]
    met = np.zeros(first.size, bool)
    for s in np.linspace(0.0, 1.0, n_times):
        points = curve(before + s * (after - before), n)
        # those far apart need not be looked at closely
        reach = pad + np.linalg.norm(points - points[:, :1], axis=2).max(axis=1)
        apart = np.linalg.norm(points[first, 0] - points[second, 0], axis=1)
        near = np.flatnonzero(~met & (apart < reach[first] + reach[second]))
        a, b = first[near], second[near]
        apart = np.linalg.norm(points[a][:, :, None] - points[b][:, None], axis=3)
        met[near] = apart.min(axis=(1, 2)) < pad[a] + pad[b]
    return set(zip(first[met].tolist(), second[met].tolist(), strict=True))


def bounding(before, fiber, pad):
    """Pairs that balls, boxes and chords leave at rest, from their definitions."""
    low, high = before.min(axis=1), before.max(axis=1)
    center = 0.5 * (low + high)
    ball = np.linalg.norm(before - center[:, None], axis=2).max(axis=1)
    chord = before[:, 3] - before[:, 0]
    along = np.einsum("epi,ei->ep", before - before[:, :1], chord) / (chord**2).sum(axis=1)[:, None]
    foot = before[:, :1] + along.clip(0.0, 1.0)[..., None] * chord[:, None]
    bulge = np.linalg.norm(before - foot, axis=2).max(axis=1)
    found = set()
    for a, b in itertools.combinations(range(fiber.size), 2):
        pads = pad[a] + pad[b]
        gap = np.maximum(low[a] - high[b], low[b] - high[a]).clip(min=0.0)
        if (
            fiber[a] != fiber[b]
            and np.linalg.norm(center[a] - center[b]) <= ball[a] + ball[b] + pads
            and np.linalg.norm(gap) <= pads
            and chord_distance(before[a], before[b]) <= pads + bulge[a] + bulge[b]
        ):
            found.add((a, b))
    return found


def chord_distance(a, b):
    """Distance of two segments: the ends to the other one, or the common perpendicular."""

    def to_segment(x, start, end):
        t = np.clip((x - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
        return np.linalg.norm(x - start - t * (end - start))

    least = min(
        *(to_segment(x, b[0], b[3]) for x in (a[0], a[3])),
        *(to_segment(x, a[0], a[3]) for x in (b[0], b[3])),
    )
    u, v, w = a[3] - a[0], b[3] - b[0], b[0] - a[0]
    s, t, _ = np.linalg.lstsq(np.stack([u, -v, np.cross(u, v)], axis=1), w, rcond=None)[0]
    if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
        least = min(least, float(np.linalg.norm(w + t * v - s * u)))
    return least


@pytest.mark.parametrize("bend", [0.0, 0.3, 3.0], ids=["straight", "bent", "crooked"])
@pytest.mark.parametrize("pad", [1e-3, 5e-3, 0.03])
def test_pairs_at_rest_are_those_of_the_definition(rng, bend, pad):
    hull, fiber = random_fibers(rng, n_fibers=20, bend=bend)
    pads = pad * rng.uniform(0.5, 1.5, fiber.size)
    found = find(hull, fiber, pads)
    # a millionth of a length is added to the chord's bulge
    assert bounding(hull, fiber, pads) <= found <= bounding(hull, fiber, pads + 2e-8)
    assert touching(hull, fiber, pads) <= found
    assert found


@pytest.mark.parametrize("far", [1e-3, 0.02, 0.1, 1.0])
@pytest.mark.parametrize("alike", [False, True], ids=["each its own way", "in clouds"])
def test_no_pair_that_touches_on_the_way_is_missing(rng, far, alike):
    hull, fiber = random_fibers(rng, n_elements=4)
    shift = rng.normal(size=(fiber.max() + 1, 1, 3))[fiber]
    after = hull + far * (shift if alike else rng.normal(size=hull.shape))
    pads = 3e-3 * rng.uniform(0.5, 1.5, fiber.size)
    found = find(hull, fiber, pads, after)
    met = touching(hull, fiber, pads, after, n_times=61)
    assert met <= found
    assert len(met) > 5


def test_stray_widens_the_way(rng):
    """Control points anywhere within the stray of the straight way."""
    hull, fiber = random_fibers(rng, n_elements=4)
    after = hull + 0.02 * rng.normal(size=hull.shape)
    stray = 0.01 * rng.uniform(size=fiber.size)
    pads = np.full(fiber.size, 1e-3)
    found = find(hull, fiber, pads, after, stray)
    for _ in range(5):
        off = rng.normal(size=(2, *hull.shape))
        off *= stray[:, None, None] / np.linalg.norm(off, axis=3).max(axis=2)[..., None, None]
        assert touching(hull + off[0], fiber, pads, after + off[1], n_times=21) <= found


def test_a_common_motion_changes_nothing(rng):
    """However far all go together, and hardly more if they shear slowly at the same time."""
    hull, fiber = random_fibers(rng, n_fibers=40, size=0.1)
    pads = np.full(fiber.size, 2e-3)
    rest = find(hull, fiber, pads)
    for shift in (1e-3, 1.0, 1e3):
        # rounding of the motion
        together = find(hull, fiber, pads, hull + shift * np.array([1.0, -2.0, 0.5]))
        assert rest <= together <= find(hull, fiber, pads + 1e-12 * shift + 1e-9)
    sheared = hull.copy()
    sheared[..., 2] += 1.0 + 0.02 * hull[..., 0]
    assert len(find(hull, fiber, pads, sheared)) < 1.2 * len(rest)


def test_sizes_of_all_kinds(rng):
    """Elements from a tenth of a millimeter to a meter among each other, in several grids."""
    parts = [
        random_fibers(rng, n_fibers=n, length=length, size=size)
        for n, length, size in ((30, 1e-4, 0.01), (20, 3e-3, 0.05), (6, 0.05, 0.2), (2, 1.0, 0.1))
    ]
    hull = np.concatenate([part[0] for part in parts])
    fiber = np.concatenate([part[1] + 100 * i for i, part in enumerate(parts)])
    pads = 0.3 * np.linalg.norm(hull[:, 3] - hull[:, 0], axis=1)
    order = rng.permutation(fiber.size)
    found = find(hull[order], fiber[order], pads[order])
    pads_more = pads + 1e-6
    exact = bounding(hull[order], fiber[order], pads[order])
    assert exact <= found <= bounding(hull[order], fiber[order], pads_more[order])
    assert found


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6, 1e12, 1e25, 1e100])
def test_anywhere_in_space(rng, offset):
    """Far from the origin: no pair is lost, though boxes there are only known to rounding."""
    hull, fiber = random_fibers(rng, n_elements=4)
    hull += offset * np.array([1.0, -1.0, 0.3])
    pads = np.full(fiber.size, 5e-3)
    assert touching(hull, fiber, pads) <= find(hull, fiber, pads)


def test_rounding_moves_no_partner_out_of_sight(rng):
    """Pairs of points that just touch, where the numbers of cells are only known to a hundredth."""
    n = 2000
    x = 1e14 + 10.0 * rng.permutation(n) + rng.integers(0, 3, n)
    hull = np.zeros((2 * n, 4, 3))
    hull[:, :, 0] = np.r_[x, x + 2.0][:, None]
    fiber = np.arange(2 * n)
    assert find(hull, fiber, np.ones(2 * n)) == {(i, n + i) for i in range(n)}


def test_long_in_one_way_and_short_in_the_other(rng):
    """Small elements that are longer along y than the large ones, which are long along x."""
    hull, fiber = np.zeros((60, 4, 3)), np.arange(60)
    t = np.linspace(-0.5, 0.5, 4)
    hull[:20, :, 0], hull[20:, :, 1] = 1.0 * t, 0.1 * t
    hull += rng.uniform(-0.5, 0.5, (60, 1, 3)) * (1.0, 0.3, 0.02)
    pads = np.full(60, 2e-3)
    found = find(hull, fiber, pads)
    # along the axes, segments are boxes without width
    low, high = hull.min(axis=1), hull.max(axis=1)
    a, b = np.triu_indices(60, 1)
    gap = np.maximum(low[a] - high[b], low[b] - high[a]).clip(min=0.0)
    near = np.linalg.norm(gap, axis=1) < pads[a] + pads[b]
    touch = set(zip(a[near].tolist(), b[near].tolist(), strict=True))
    assert touch <= found == bounding(hull, fiber, pads)
    assert any(a < 20 <= b for a, b in touch)


def test_two_clouds_far_apart(rng):
    """One of them is as if the other were not there."""
    hull, fiber = random_fibers(rng, n_elements=4)
    pads = np.full(fiber.size, 5e-3)
    both = np.concatenate([hull, hull + np.array([1e7, 0.0, 0.0])])
    fibers = np.concatenate([fiber, fiber + fiber.max() + 1])
    found = find(both, fibers, np.tile(pads, 2))
    near = {pair for pair in found if max(pair) < fiber.size}
    assert near == find(hull, fiber, pads)
    assert not any(a < fiber.size <= b for a, b in found)


def test_all_in_one_place():
    """Points on top of each other, with and without a pad: every pair of two fibers."""
    fiber = np.arange(30) // 3
    for place in (0.0, 1.0, 1e9):
        for pad in (0.0, 0.1):
            found = find(np.full((30, 4, 3), place), fiber, np.full(30, pad))
            assert len(found) == 30 * 27 // 2


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_elements(n):
    hull = np.zeros((n, 4, 3))
    hull[:, :, 0] = np.linspace(0.0, 1.0, 4)
    assert find(hull, np.arange(n), np.full(n, 0.1)) == ({(0, 1)} if n == 2 else set())
    assert find(hull, np.zeros(n, np.int64), np.full(n, 0.1)) == set()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_what_is_not_finite_is_in_no_pair(rng, bad):
    """And takes none away from the others; what is only immense may be in all of them."""
    hull, fiber = random_fibers(rng, n_elements=4)
    pads = np.full(fiber.size, 5e-3)
    rest = find(hull, fiber, pads)
    for after in (None, hull + 1e-9):
        broken = hull.copy()
        broken[5, 1, 2] = bad
        left = find(broken, fiber, pads, after)
        assert left >= {pair for pair in rest if 5 not in pair}
        assert np.isfinite(bad) or not any(5 in pair for pair in left)


def test_only_fibers_with_a_law(rng):
    hull, fiber = random_fibers(rng, n_elements=4)
    pads = np.full(fiber.size, 0.02)
    group = rng.integers(0, 3, fiber.max() + 1)
    law = np.array([[0, -1, 1], [-1, -1, -1], [1, -1, 0]])
    everything = find(hull, fiber, pads)
    expected = {(a, b) for a, b in everything if law[group[fiber[a]], group[fiber[b]]] >= 0}
    assert find(hull, fiber, pads, group=group, law=law) == expected
    assert 0 < len(expected) < len(everything)


def test_runs_have_one_order_for_any_order_of_the_pairs(rng):
    fiber = np.sort(rng.integers(0, 9, 60))
    group, law = rng.integers(0, 2, 9), np.array([[0, 1], [1, 2]])
    pairs = [(a, b) for a, b in itertools.combinations(range(60), 2) if fiber[a] != fiber[b]]
    chosen = [pairs[i] for i in rng.choice(len(pairs), 150, replace=False)]
    expected = {}
    for a, b in sorted(chosen + [(b, a) for a, b in chosen]):
        expected.setdefault((a, fiber[b]), []).append(b)
    for _ in range(3):
        rng.shuffle(chosen)
        turned = [(b, a) if rng.uniform() < 0.5 else (a, b) for a, b in chosen]
        element, run_law, start, candidates = list_runs(np.array(turned), fiber, group, law)
        assert_array_equal(element, [e for e, _ in expected])
        assert_array_equal(run_law, [law[group[fiber[e]], group[f]] for e, f in expected])
        assert_array_equal(candidates, np.concatenate(list(expected.values())))
        assert_array_equal(start, np.r_[0, np.cumsum([len(part) for part in expected.values()])])
    nothing = list_runs(np.zeros((0, 2), np.int64), fiber, group, law)
    assert [part.size for part in nothing] == [0, 0, 1, 0]


def test_new_pairs(rng):
    for n_old, n_new in ((0, 0), (0, 5), (5, 0), (40, 40), (3, 60), (60, 3)):
        old, new = (
            np.array(sorted(map(tuple, rng.integers(0, 9, (n, 2)))), np.int64).reshape(-1, 2)
            for n in (n_old, n_new)
        )
        mask = np.empty(n_new, bool)
        columns = (np.ascontiguousarray(part[:, c]) for part in (new, old) for c in (0, 1))
        mark_new(*columns, mask)
        known = set(map(tuple, old.tolist()))
        assert mask.tolist() == [tuple(pair) not in known for pair in new.tolist()]


def in_runs(pairs, rng):
    """Runs of pairs (n, 2), sorted: element, start and candidates; some runs of an element end."""
    cuts = rng.random(len(pairs)) < 0.3
    begin = [k for k in range(len(pairs)) if k == 0 or cuts[k] or pairs[k, 0] != pairs[k - 1, 0]]
    start = np.array([*begin, len(pairs)], np.int64)
    return pairs[start[:-1], 0].copy(), start, pairs[:, 1].copy()


def test_new_candidates_of_runs(rng):
    for n_old, n_new in ((0, 0), (0, 5), (5, 0), (40, 40), (3, 60), (60, 3)):
        old, new = (
            np.unique(rng.integers(0, 9, (n, 2)), axis=0).reshape(-1, 2) for n in (n_old, n_new)
        )
        mask = np.empty(len(new), bool)
        mark_new_in_runs(*in_runs(new, rng), *in_runs(old, rng), mask)
        known = set(map(tuple, old.tolist()))
        assert mask.tolist() == [tuple(pair) not in known for pair in new.tolist()]


def test_relative_motion_bounds_every_pair(rng):
    hull, _ = random_fibers(rng)
    for shift in (0.0, 1.0):
        after = hull + shift + 0.1 * rng.normal(size=hull.shape)
        motion = (after - hull).reshape(-1, 3)
        largest = np.linalg.norm(motion[:, None] - motion[None], axis=2).max()
        bound = relative_motion(hull, after)
        assert largest <= bound <= np.sqrt(3.0) * largest
        assert_allclose(relative_motion(hull, hull + 3.0), 0.0, atol=1e-15)
    assert relative_motion(hull[:0], hull[:0]) == 0.0
    for bad in (np.nan, np.inf, 1e200):
        after = hull.copy()
        after[7, 2, 1] = bad
        assert relative_motion(hull, after) == np.inf


def test_tangents_that_are_left(rng):
    """Lower bounds all along the elements, now and after a part of an update that strays."""
    hull, fiber = random_fibers(rng, n_elements=1, bend=0.2)
    h, stray = rng.uniform(0.1, 1.0, fiber.size), 1e-4 * rng.uniform(size=fiber.size)
    update = 1e-3 * rng.normal(size=hull.shape)
    least, left, after = np.empty(fiber.size), np.empty(fiber.size), np.empty_like(hull)
    ends = np.arange(2 * fiber.size).reshape(-1, 2)
    no_nodes = np.zeros((ends.size, 6))  # nowhere does the hull turn so far that they are asked
    fill_least_tangents(no_nodes, ends, h, np.array([0.5]), hull, least)
    assert least.min() > 0.0
    fill_after(hull, update, stray, h, 0.7, least, after, left)
    assert_allclose(after, hull + 0.7 * update, rtol=1e-15)
    off = rng.normal(size=hull.shape)
    off *= (stray / np.linalg.norm(off, axis=2).max(axis=1))[:, None, None]
    t = np.linspace(0.0, 1.0, 50)[:, None, None]
    for points, bound in ((hull, least), (after + off, left)):
        d = 3.0 * np.diff(points, axis=1)
        speed = (1 - t) ** 2 * d[:, 0] + 2 * t * (1 - t) * d[:, 1] + t**2 * d[:, 2]
        speed = np.linalg.norm(speed, axis=2).min(axis=0) / h
        kept = bound > 0.1 * least
        assert np.all(bound[kept] <= speed[kept] * (1.0 + 1e-12))
        assert kept.mean() > 0.5 and np.all(bound >= 0.1 * least)

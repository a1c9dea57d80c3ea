"""Random wrap problems: each ends in a taut path or in a status, none inside a body."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from fibermsk.kernels.lines.points import fill_points
from fibermsk.kernels.lines.taut.depth import deepest
from fibermsk.kernels.lines.taut.solve import (
    INSIDE_END,
    INSIDE_START,
    LOOSE,
    LOST,
    ORDER,
    PIECES,
    SHORTER,
    TAUT,
    THROUGH,
    chain,
)
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, ELLIPSOID, SPHERE, TORUS, level

SOLVED = {CYLINDER: 1.0, SPHERE: 1.0, ELLIPSOID: 1.0, TORUS: 0.9}
"""Least share of the problems that have a taut path; a torus may be touched in several places."""


def problem(kind, rng):
    """Surface and two ends near it, all outside, or one inside in every twentieth."""
    size = rng.uniform(0.01, 0.06, 3) if kind == ELLIPSOID else np.full(3, rng.uniform(0.01, 0.05))
    if kind == TORUS:
        size[[0, 2]] *= rng.uniform(0.2, 0.7)
    R = Rotation.random(random_state=rng).as_matrix()
    p = rng.normal(0.0, 0.1, 3)
    inside = rng.uniform() < 0.05
    ends = []
    while len(ends) < 2:
        x = rng.normal(0.0, 0.07, 3)
        if inside and len(ends) == 0 and kind != TORUS:
            x *= 0.1
        if level(kind, size, x, np.empty(3), np.empty((3, 3))) > 0.0 or (
            inside and not ends and kind != TORUS
        ):
            ends.append(R @ x + p)
    return size, R, p, ends


def solved(kind, size, R, p, ends, hint=None):
    """Status, length, and points of the path; through a torus without a hint."""
    foot, active = np.zeros((1, 7)), np.zeros(1, np.int64)
    gradient, hessian = np.empty(12), np.empty((12, 12))
    arrays = np.array([kind]), size[None].copy(), R[None].copy(), p[None].copy()
    hinted = np.array([hint is not None or kind == TORUS])
    at = np.zeros((1, 3)) if hint is None else np.array([hint])
    status, length = chain(*arrays, *ends, at, hinted, foot, active, False, gradient, hessian)
    if status != TAUT:
        return status, length, None, active
    assert np.isfinite(length) and np.isfinite(gradient).all() and np.isfinite(hessian).all()
    x = np.empty((201, 3))
    some = active.astype(bool)
    fill_points(*(a[some] for a in arrays), *ends, foot[some], np.linspace(0.0, 1.0, 201), x)
    return status, length, x, active


def shortest_around(some, x):
    """Length of the shortest polyline of 40 points outside of the surfaces, near a path."""
    start = x[:: (len(x) - 1) // 40].copy()

    def whole(free):
        return np.concatenate([start[:1], free.reshape(-1, 3), start[-1:]])

    def squares(free):
        steps = np.diff(whole(free), axis=0)
        slope = 2.0 * (steps[:-1] - steps[1:])
        return 1e3 * (steps**2).sum(), 1e3 * slope.ravel()

    def outside(free):
        return np.concatenate([
            [level(kind, size, one, np.empty(3), np.empty((3, 3)))
             for one in (free.reshape(-1, 3) - p) @ R]
            for kind, size, R, p in some
        ])  # fmt: skip

    def slopes(free):
        n = free.size // 3
        J = np.zeros((len(some), n, n, 3))
        for j, (kind, size, R, p) in enumerate(some):
            for k, one in enumerate((free.reshape(-1, 3) - p) @ R):
                g = np.empty(3)
                level(kind, size, one, g, np.empty((3, 3)))
                J[j, k, k] = R @ g
        return J.reshape(-1, free.size)

    found = minimize(
        squares, start[1:-1].ravel(), jac=True, method="SLSQP",
        options={"maxiter": 60, "ftol": 1e-12},
        constraints={"type": "ineq", "fun": outside, "jac": slopes},
    )  # fmt: skip
    return np.linalg.norm(np.diff(whole(found.x), axis=0), axis=1).sum()


def tried(kind, rng, number):
    """Statuses of so many problems, each path checked."""
    count, wrapped = Counter(), []
    for _ in range(number):
        size, R, p, ends = problem(kind, rng)
        inside = [
            level(kind, size, R.T @ (x - p), np.empty(3), np.empty((3, 3))) <= 0.0 for x in ends
        ]
        status, length, x, active = solved(kind, size, R, p, ends)
        count[status] += 1
        assert (status in (INSIDE_START, INSIDE_END)) == any(inside)
        if status != TAUT:
            assert status in (
                INSIDE_START,
                INSIDE_END,
                LOST,
                LOOSE,
                SHORTER,
                THROUGH,
                PIECES,
                ORDER,
            )
            continue
        g = np.empty(3)
        for one in (x - p) @ R:
            # depth over radius: free lines may pass at 1e-9
            F = level(kind, size, one, g, np.empty((3, 3)))
            assert F >= -1e-8 * size.min() * np.linalg.norm(g)
        straight = np.linalg.norm(ends[1] - ends[0])
        assert length >= straight * (1.0 - 1e-15)
        if active[0]:
            assert length > straight
            wrapped.append((size, R, p, x, length))
    return count, wrapped


def test_ends_across_flat_ellipsoids(rng):
    """All have a path, and none of the sides that a hint asks for has a shorter one."""
    for number in range(200):
        size = rng.uniform(0.01, 0.06, 3)
        first = rng.normal(size=3)
        first /= np.linalg.norm(first)
        second = rng.normal(scale=0.4, size=3) - first
        second /= np.linalg.norm(second)
        ends = [size * one * rng.uniform(1.02, 2.0) for one in (first, second)]
        here = (ELLIPSOID, size, np.eye(3), np.zeros(3), ends)
        status, length, _, _ = solved(*here)
        assert status == TAUT
        for side in (*np.eye(3), *-np.eye(3)) if number % 4 == 0 else ():
            _, other, _, _ = solved(*here, 1.2 * size * side)
            assert not other < length * (1.0 - 1e-9)


@pytest.mark.parametrize("kind", SOLVED)
def test_random(kind, rng):
    count, wrapped = tried(kind, rng, 100)
    outside = 100 - count[INSIDE_START] - count[INSIDE_END]
    assert count[TAUT] >= SOLVED[kind] * outside
    assert len(wrapped) >= 5
    for size, R, p, x, length in wrapped[:2]:
        # no polyline nearby is shorter by more than its chords, (step / radius)^2 / 24
        assert shortest_around([(kind, size, R, p)], x) > length * (1.0 - 1e-2)


LENGTHS = st.floats(0.005, 0.06)
PLACES = st.tuples(*3 * (st.floats(-0.2, 0.2),)).map(np.array)


@st.composite
def surfaces(draw, kind):
    """Kind, size and frame of a surface."""
    size = np.array([draw(LENGTHS) for _ in range(3)] if kind == ELLIPSOID else 3 * [draw(LENGTHS)])
    if kind == TORUS:
        size[[0, 2]] *= draw(st.floats(0.1, 0.8))
    turn = np.array([draw(st.floats(-1.0, 1.0)) for _ in range(4)])
    turn = turn if np.linalg.norm(turn) > 0.1 else np.array([1.0, 0.0, 0.0, 0.0])
    return kind, size, Rotation.from_quat(turn).as_matrix(), draw(PLACES)


def checked(some, ends):
    """Status of a path over surfaces, its length and points, finite and outside of all of them."""
    kind, size, R, p = (np.array(each) for each in zip(*some, strict=True))
    m = kind.size
    foot, active, n = np.zeros((m, 7)), np.zeros(m, np.int64), 6 + 6 * m
    gradient, hessian = np.empty(n), np.empty((n, n))
    status, length = chain(
        kind, size, R, p, *ends, np.zeros((m, 3)), kind == TORUS, foot, active, False, gradient,
        hessian,
    )  # fmt: skip
    local = [[R[k].T @ (x - p[k]) for x in ends] for k in range(m)]
    levels = np.array(
        [[level(kind[k], size[k], x, np.empty(3), np.empty((3, 3))) for x in local[k]]
         for k in range(m)]
    )  # fmt: skip
    assert (status == INSIDE_START) == (levels[:, 0] <= 0.0).any() or status == INSIDE_END
    assert status != INSIDE_END or (levels[:, 1] <= 0.0).any()
    assert status in range(12)
    if status != TAUT:
        assert not np.isfinite(length)
        return status, length, None
    assert np.isfinite(length) and np.isfinite(gradient).all() and np.isfinite(hessian).all()
    straight = np.linalg.norm(ends[1] - ends[0])
    assert length >= straight * (1.0 - 1e-14)
    x, on = np.empty((101, 3)), active.astype(bool)
    fill_points(
        *(a[on] for a in (kind, size, R, p)), *ends, foot[on], np.linspace(0.0, 1.0, 101), x
    )
    g = np.empty(3)
    for k in range(m):
        for one in (x - p[k]) @ R[k]:
            F = level(kind[k], size[k], one, g, np.empty((3, 3)))
            assert F >= -1e-8 * size[k].min() * np.linalg.norm(g)
    return status, length, x if on.all() else None


MANY = settings(
    max_examples=2000, derandomize=True, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOLVED)
def test_any_problem_has_a_taut_path_or_a_reason(kind):
    @MANY
    @given(surfaces(kind), PLACES, PLACES)
    def hold(one, o, i):
        assume(np.linalg.norm(i - o) > 1e-6)
        checked([one], (o, i))

    hold()


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [(ELLIPSOID, CYLINDER), (SPHERE, TORUS)])
def test_any_chain_has_a_taut_path_or_a_reason(kinds):
    @MANY
    @given(*map(surfaces, kinds), PLACES, PLACES)
    def hold(first, second, o, i):
        assume(np.linalg.norm(i - o) > 1e-6)
        checked([first, second], (o, i))

    hold()


@pytest.mark.parametrize("kinds", [(ELLIPSOID, CYLINDER), (SPHERE, CYLINDER)])
def test_surfaces_that_overlap(kinds, rng):
    """Arcs on one stay outside of the other; no polyline nearby is shorter."""
    count, wrapped = Counter(), []
    for _ in range(60):
        some = []
        for kind, place in zip(kinds, (-0.025, 0.025), strict=True):
            size, R, _, _ = problem(kind, rng)
            some.append((kind, size, R, np.array([place, 0.0, 0.0]) + rng.normal(0.0, 0.005, 3)))
        ends = np.array([[-0.15, 0.0, 0.0], [0.15, 0.0, 0.0]]) + rng.normal(0.0, 0.02, (2, 3))
        status, length, x = checked(some, ends)
        count[status] += 1
        wrapped += [] if x is None else [(some, length, x)]
    assert count[TAUT] >= 0.9 * (60 - count[INSIDE_START] - count[INSIDE_END])
    assert len(wrapped) >= 2
    for some, length, x in wrapped[:2]:
        assert shortest_around(some, x) > length * (1.0 - 1e-2)


def test_lines_from_far_away_meet_a_thin_torus(rng):
    """No line through its tube counts as clear, however far its ends are away."""
    met = 0
    for _ in range(300):
        tube, R = rng.uniform(0.03, 0.3), 1.0
        a = rng.normal(size=3)
        a *= rng.uniform(3.0, 60.0) / np.linalg.norm(a)
        b = -a * rng.uniform(0.5, 2.0) + rng.normal(size=3)
        t = np.linspace(0.0, 1.0, 200001)[:, None]
        x = a + t * (b - a)
        depth = (np.hypot(np.hypot(x[:, 0], x[:, 1]) - R, x[:, 2]) - tube).min() / tube
        if depth > -1e-3:
            continue
        met += 1
        size, point = np.array([tube, R, tube]), np.empty(3)
        assert deepest(TORUS, size, np.eye(3), np.zeros(3), a, b, point) < 0.9 * depth
    assert met > 20

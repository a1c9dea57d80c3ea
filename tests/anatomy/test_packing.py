"""Fibers side by side, around bones and beside other fibers."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from muscles import arm
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.packing import Neighbors, pack_section
from fibermsk.anatomy.path import Grid, smooth, transported_frames
from fibermsk.anatomy.room import least_gap


def least_admissibility(model, bundle):
    """1 + gamma g at the start over all contacts of a bundle, with its bones, densely sampled."""
    copy = model.copy()
    bones = [body for body in model.bodies if body.shapes]
    contacts = bundle.contact(bones, *2 * [fm.PenaltyContact(1.0, 2.0)])
    points = {"points_per_element": 30}
    copy.add(*bundle.fibers)
    copy.add(*(fm.Contact(c.first, c.second, c.law, **points) for c in contacts))
    system = fm.build(copy)
    y, v = system.initial_state()
    return system.evaluate(0.0, y, v, 0.0 * v, tangent=False).admissibility


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 12, 19])
def test_sections_are_packed(n):
    centers = pack_section(n)
    assert centers.shape == (n, 2)
    assert_allclose(centers.mean(axis=0), 0.0, atol=1e-12)
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2) + 10.0 * np.eye(n)
    assert apart.min() > 2.0 - 1e-9
    # as wide as the best hexagonal packings: 2 sqrt(3)/pi of area, and an edge of a fiber
    reach = np.hypot(*centers.T).max() + 1.0
    assert reach < np.sqrt(2.0 * np.sqrt(3.0) / np.pi * n) + 1.0


def test_smoothed_path_keeps_its_ends_and_straight_lines():
    line = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.3, 0.0, 0.0]])
    curve = smooth(line, 0.05)
    assert_allclose(curve, np.linspace(line[0], line[-1], len(curve)), atol=1e-12)
    corner = smooth(np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.1, 0.0]]), 0.05)
    assert_allclose(corner[[0, -1]], [[0.0, 0.0, 0.0], [0.1, 0.1, 0.0]])
    turn = np.linalg.norm(np.diff(corner, 2, axis=0), axis=1).max()
    step = np.linalg.norm(np.diff(corner, axis=0), axis=1).mean()
    assert turn < 0.1 * step


def test_frames_follow_the_curve():
    t = np.linspace(0.0, 4.0, 400)[:, None]
    helix = np.hstack([np.cos(t), np.sin(t), 0.3 * t])
    e1, e2 = transported_frames(helix, np.array([0.0, 0.0, 1.0]))
    tangent = np.gradient(helix, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    for a, b in ((e1, e2), (e1, tangent), (e2, tangent)):
        assert_allclose(np.einsum("ai,ai->a", a, b), 0.0, atol=1e-9)
    assert_allclose(np.linalg.norm(e1, axis=1), 1.0)
    # the frame does not spin: its change is along the tangent, but for half of the squared step
    spin = np.einsum("ai,ai->a", np.diff(e1, axis=0), e2[:-1])
    assert np.abs(spin).max() < 0.5 * 0.0105**2


def test_hermite_grid_reproduces_cubics():
    grid = Grid.over(np.array([0.0, 0.2, 0.7, 1.0]), 5)
    powers = np.arange(4.0)
    rows = np.stack([grid.theta**p for p in powers], axis=1)
    slopes = np.stack([p * grid.theta ** max(p - 1.0, 0.0) for p in powers], axis=1)
    nodal = np.empty((8, 3))
    coefficients = np.random.default_rng(1).normal(size=(4, 3))
    nodal[::2], nodal[1::2] = rows @ coefficients, slopes @ coefficients
    at = grid.at
    assert_allclose(grid.value @ nodal, at[:, None] ** powers @ coefficients, atol=1e-12)
    second = np.stack([0 * at, 0 * at, 2.0 + 0 * at, 6.0 * at], axis=1)
    assert_allclose(grid.bend @ nodal, second @ coefficients, atol=1e-9)
    assert_allclose(grid.weight.sum(), 1.0)


def test_distances_to_round_shapes(rng):
    body = fm.Body(
        "bone",
        shapes=[
            fm.Capsule((0.0, 0.0, 0.0), (0.0, 0.2, 0.0), 0.02),
            fm.Capsule((0.3, 0.0, 0.0), (0.3, 0.0, 0.0), 0.05),
            fm.InfiniteCylinder((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.1),
        ],
    )
    obstacles = Obstacles([body], {"bone": (np.eye(3), np.zeros(3))})
    points = rng.uniform(-0.5, 1.2, (200, 3))
    phi, way = obstacles.distance(points)
    segment = points - np.outer(points[:, 1].clip(0.0, 0.2), [0.0, 1.0, 0.0])
    expected = np.linalg.norm(segment, axis=1) - 0.02
    expected = np.minimum(expected, np.linalg.norm(points - [0.3, 0.0, 0.0], axis=1) - 0.05)
    expected = np.minimum(expected, np.hypot(points[:, 1], points[:, 2] - 1.0) - 0.1)
    assert_allclose(phi, expected, atol=1e-14)
    moved, _ = obstacles.distance(points + 1e-6 * way)
    assert_allclose(moved, phi + 1e-6, atol=1e-9)
    # on the axis itself there is a way out too
    phi, way = obstacles.distance(np.array([[0.0, 0.1, 0.0], [0.3, 0.0, 0.0]]))
    assert_allclose(phi, [-0.02, -0.05])
    assert_allclose(np.linalg.norm(way, axis=1), 1.0)


coordinate = st.floats(-0.03, 0.03)


@pytest.mark.slow
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@example(across=4 * [(0.0, 0.0)], radius=0.02, n=2)  # crosses its neighbor at its end
@given(
    across=st.lists(st.tuples(coordinate, coordinate), min_size=2, max_size=4),
    radius=st.floats(0.005, 0.02),
    n=st.integers(1, 5),
)
def test_nothing_penetrates_at_the_start(across, radius, n):
    heights = np.linspace(0.02, -0.32, len(across))
    path = [(x, y, z) for (x, z), y in zip(across, heights, strict=True)]
    model, muscle = arm(path=path, radius=radius, max_isometric_force=60.0)
    try:
        bundle = fm.fibers_from_muscle(muscle, n, model=model, n_elements=8)
    except fm.ModelError as error:
        # paths through the middle of a bone: refused, never squeezed in
        assert "radii must be reduced" in str(error)
        return
    assert 0.25 <= bundle.report.radius_factor <= 1.0
    assert least_admissibility(model, bundle) >= 1.0 - 1e-9


def crossing(angle, gap, shift):
    """Two straight curves with few points that cross at a gap, between their points."""
    line = np.linspace(-0.1, 0.1, 12)
    first = np.stack([line, 0.0 * line, 0.0 * line], axis=1)
    way = np.array([np.cos(angle), np.sin(angle), 0.0])
    return first, np.outer(line + shift, way) + [0.003, 0.0, gap]


@pytest.mark.parametrize("angle", [0.2, 1.0, np.pi / 2])
@pytest.mark.parametrize("gap", [2e-4, 3e-3])
@pytest.mark.parametrize("shift", [0.0, 0.0041, 0.0087])
def test_room_between_points_is_exact(angle, gap, shift):
    nothing = Obstacles([], {})
    curves, radii = list(crossing(angle, gap, shift)), [np.full(12, 2e-3), np.full(12, 1e-3)]
    found, nearest = least_gap(curves, radii, nothing, Neighbors(np.zeros((0, 3)), np.zeros(0)))
    assert_allclose(found, gap / 3e-3, rtol=1e-9)
    assert nearest == "fibers 2 and 1"
    beside = Neighbors(curves[1], radii[1])
    found, nearest = least_gap(curves[:1], radii[:1], nothing, beside)
    assert_allclose(found, (gap - 1e-3) / 2e-3, rtol=1e-9)
    assert nearest == "fiber 1 and a neighbor"


def test_room_counts_radii_where_they_are():
    """A thick belly that is farther away than a thin tendon bounds the radii all the same."""
    x = np.linspace(0.0, 0.2, 21)
    first = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    second = first + np.stack([0.0 * x, 4e-3 + 0.02 * x, 0.0 * x], axis=1)
    radius = np.where(x < 0.1, 1e-3, 5e-3)
    found, _ = least_gap(
        [first, second], 2 * [radius], Obstacles([], {}), Neighbors(np.zeros((0, 3)), np.zeros(0))
    )
    apart = np.linalg.norm(first[:, None] - second[None], axis=2)
    expected = (apart / (radius[:, None] + radius[None])).min()
    assert found <= expected * (1.0 + 1e-12) and found == pytest.approx(expected, rel=0.05)


def test_room_beside_a_single_point():
    line = np.stack([np.linspace(0.0, 0.1, 5), np.zeros(5), np.zeros(5)], axis=1)
    dot = Neighbors(np.array([[0.03, 4e-3, 0.0]]), np.array([1e-3]))
    found, _ = least_gap([line], [np.full(5, 2e-3)], Obstacles([], {}), dot)
    assert found == pytest.approx(1.5)

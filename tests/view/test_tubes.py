import numpy as np
import pytest
from make_result import make_fiber, make_result
from numpy.testing import assert_allclose, assert_array_equal

from fibermsk.results.result import FiberHistory
from fibermsk.view.drawing.colors import color_table
from fibermsk.view.drawing.detail import Detail, choose_detail
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.drawing.tubes import Tubes


def volume(points, faces):
    a, b, c = points.astype(float)[faces].transpose(1, 0, 2)
    return np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0


def rings(tubes, fiber, array):
    """Points of the rings of one fiber, (n_along, n_around, 3)."""
    n_along, n_around = tubes.detail
    return array[tubes.of(fiber)][: n_along * n_around].reshape(n_along, n_around, -1)


def two_fibers(n_frames=3):
    """Curved fibers with different numbers of nodes and samples."""
    rng = np.random.default_rng(3)
    ends = (
        np.zeros((n_frames, 3)),
        np.array([0.0, 0.1, 0.3]) + 0.02 * rng.normal(size=(n_frames, 3)),
    )
    fibers = []
    for n_nodes, n_samples in ((5, 12), (9, 24)):
        fiber = make_fiber(*ends, np.ones((n_frames, 1)), n_nodes=n_nodes, n_samples=n_samples)
        change = {
            "tangent": fiber.tangent + 0.05 * rng.normal(size=fiber.tangent.shape),
            "theta": np.sort(rng.uniform(0.01, 0.99, n_samples)),
            "radius": 0.005 + 0.001 * rng.uniform(size=(n_frames, n_samples)),
        }
        fibers.append(FiberHistory(**(vars(fiber) | change)))
    return fibers


def test_sections_lie_on_the_hermite_centerline_with_the_current_radius():
    fibers = two_fibers()
    tubes = Tubes(fibers, Detail(41, 8))
    theta = np.linspace(0.0, 1.0, 41)
    for frame in (0, 2):
        tubes.move(frame)
        for number, fiber in enumerate(fibers):
            ring = rings(tubes, number, tubes.points)
            center = ring.mean(axis=1)
            assert_allclose(center, fiber.centerline(theta, frame), atol=1e-7)
            radius = np.interp(theta, fiber.theta, fiber.radius[frame])
            distance = np.linalg.norm(ring - center[:, None], axis=2)
            assert_allclose(distance, np.repeat(radius[:, None], 8, axis=1), atol=1e-7)


def test_sections_are_square_to_the_fiber_and_turn_little():
    fiber = two_fibers()[1]
    tubes = Tubes([fiber], Detail(801, 12))
    tubes.move(1)
    ring = rings(tubes, 0, tubes.points).astype(float)
    center = fiber.centerline(np.linspace(0.0, 1.0, 801), 1)
    spoke = ring - center[:, None]
    along = np.gradient(center, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    spoke /= np.linalg.norm(spoke, axis=2, keepdims=True)
    inner = slice(2, -2)  # where the difference quotient is central
    assert np.max(np.abs(np.einsum("nki,ni->nk", spoke, along))[inner]) < 0.02
    # Parallel transport: the change of a spoke has no part along the one a quarter turn on.
    twist = np.einsum("ni,ni->n", np.diff(spoke[:, 0], axis=0), spoke[:-1, 3])
    change = np.linalg.norm(np.diff(spoke[:, 0], axis=0), axis=1)
    assert np.max(np.abs(twist)) < 0.05 * np.max(change)


@pytest.mark.parametrize("n_around", [5, 64])
def test_straight_tube_is_a_closed_cylinder_with_round_ends(n_around):
    ends = np.zeros((1, 3)), np.array([[0.0, 0.3, 0.4]])
    straight = make_fiber(*ends, np.ones((1, 1)), bow=0.0)
    straight = FiberHistory(**(vars(straight) | {"radius": np.full((1, 21), 0.02)}))
    detail = Detail(30, n_around)
    tubes = Tubes([straight, straight], detail)
    tubes.move(0)
    area = 0.5 * n_around * np.sin(2.0 * np.pi / n_around)  # of the polygon over r^2
    # of the cylinder and two domes, whose rings are at equal angles from rim to pole
    angle = np.linspace(0.0, 0.5 * np.pi, detail.n_dome + 2)
    out, up = np.cos(angle), np.sin(angle)
    dome = np.sum(np.diff(up) * (out[1:] ** 2 + out[1:] * out[:-1] + out[:-1] ** 2)) / 3.0
    expected = 2.0 * area * (0.5 * 0.02**2 + 2.0 * dome * 0.02**3)
    assert_allclose(volume(tubes.points, tubes.faces), expected, rtol=1e-5)
    assert tubes.faces.max() == len(tubes.points) - 1 == 2 * detail.n_points - 1
    edges = np.sort(tubes.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)
    assert tubes.thickness(1) == pytest.approx(0.02, rel=1e-5)


def test_normals_are_unit_and_point_out_of_the_triangles():
    tubes = Tubes(two_fibers(), Detail(61, 16))
    tubes.move(0)
    assert_allclose(np.linalg.norm(tubes.normals, axis=1), 1.0, atol=1e-6)
    a, b, c = tubes.points.astype(float)[tubes.faces].transpose(1, 0, 2)
    flat = np.cross(b - a, c - a)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert np.min(np.sum(flat * tubes.normals[tubes.faces].mean(axis=1), axis=1)) > 0.9


def test_normals_of_a_cone_lean_backwards():
    ends = np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]])
    cone = make_fiber(*ends, np.ones((1, 1)), bow=0.0)
    cone = FiberHistory(**(vars(cone) | {"radius": np.linspace(0.1, 0.2, 21)[None]}))
    tubes = Tubes([cone], Detail(21, 16))
    tubes.move(0)
    assert_allclose(rings(tubes, 0, tubes.normals)[..., 2], -0.1 / np.hypot(1.0, 0.1), rtol=1e-4)


def test_fiber_without_length_has_finite_points():
    ends = np.zeros((1, 3)), np.zeros((1, 3)) + 1e-30
    point = make_fiber(*ends, np.ones((1, 1)), bow=0.0)
    point = FiberHistory(
        **(vars(point) | {"tangent": np.zeros((1, 9, 3)), "radius": np.full((1, 21), 0.1)})
    )
    tubes = Tubes([point], Detail(9, 6))
    tubes.move(0)
    assert np.all(np.isfinite(tubes.points)) and np.all(np.isfinite(tubes.normals))


def test_colors_are_those_of_value_and_tissue():
    ends = np.zeros((2, 3)), np.ones((2, 3))
    fiber = make_fiber(*ends, np.ones((2, 1)), n_samples=3)
    table = color_table("tissue", (0.0, 1.0))
    values = np.array([[0.0, 5.0, 10.0], [0.0, np.nan, 20.0]])
    for fraction, row in ((1.0, 1), (0.0, 0)):
        tissue = FiberHistory(**(vars(fiber) | {"muscle_fraction": np.full(3, fraction)}))
        tubes = Tubes([tissue], Detail(3, 4))
        tubes.paint([values], 0, (0.0, 10.0), table)
        assert_array_equal(tubes.colors[[0, 4, 8]], table[row, [0, 128, 255]])
        assert_array_equal(tubes.colors[12:17], np.tile(table[row, 0], (5, 1)))
        assert_array_equal(tubes.colors[17:], np.tile(table[row, 255], (5, 1)))
        tubes.paint([values], 1, (0.0, 10.0), table)
        assert_array_equal(tubes.colors[4], [128, 128, 128])  # not a number
        assert_array_equal(tubes.colors[8], table[row, 255])  # beyond the end


def test_arrays_stay_where_they_are():
    tubes = Tubes(two_fibers(), Detail(20, 6))
    tubes.move(0)
    places = [a.__array_interface__["data"][0] for a in (tubes.points, tubes.normals)]
    before = tubes.points.copy()
    tubes.move(2)
    assert places == [a.__array_interface__["data"][0] for a in (tubes.points, tubes.normals)]
    assert np.any(before != tubes.points)


@pytest.mark.parametrize("budget", [20_000, 80_000, 400_000])
@pytest.mark.parametrize("n_fibers", [1, 5, 37, 500, 1000])
@pytest.mark.parametrize("n_elements", [1, 8, 20, 128])
def test_points_stay_within_the_budget(n_fibers, n_elements, budget):
    detail = choose_detail(n_fibers, n_elements, budget)
    assert n_fibers * detail.n_points <= budget
    assert detail.n_along >= 3 and detail.n_around >= 3


def test_detail_is_full_where_the_budget_allows_and_grows_with_it():
    assert choose_detail(5, 8, 80_000) == Detail(49, 24)
    used = [500 * choose_detail(500, 20, budget).n_points for budget in (40e3, 80e3, 400e3, 4e6)]
    assert used == sorted(used) and used[0] > 20e3
    # two points an element and a round section, where there is room for them
    detail = choose_detail(500, 20, 80_000)
    assert detail.n_along >= 21 and detail.n_around >= 6
    assert choose_detail(100_000, 20, 80_000) == Detail(3, 3)


def test_stage_has_the_detail_of_its_budget():
    arm = make_result(3)
    assert len(Stage(arm, "stretch", budget=3000).tubes.points) <= 3000
    assert len(Stage(arm, "stretch").tubes.points) > 3000

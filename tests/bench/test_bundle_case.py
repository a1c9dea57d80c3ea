"""What is asked of everyone's bundle, on shapes whose answer is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_bvp

from fibermsk.bench.bundles import case


@pytest.mark.parametrize("n", [1, 2, 8, 32])
def test_neighbors_touch_and_nobody_overlaps(n):
    places = case.packing(n)
    assert places.shape == (n, 2)
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 1e3 * np.eye(n)
    if n > 1:
        assert_allclose(distances.min(axis=1), 2.0 * case.RADIUS, rtol=1e-12)


def straight(y, z, points=21):
    x = np.linspace(0.0, case.LENGTH, points)
    return np.column_stack([x, np.full(points, y), np.full(points, z)])


def test_penetration_of_parallel_fibers():
    pair = np.array([straight(0.0, 0.0), straight(0.0, 0.011)])
    radii = np.full(pair.shape[:2], case.RADIUS)
    assert case.penetration(pair, radii) == pytest.approx(1.0 / 12.0, rel=1e-12)
    assert case.penetration(pair, 0.9 * radii) == 0.0


def test_penetration_takes_the_current_radius_where_it_is():
    pair = np.array([straight(0.0, 0.0), straight(0.0, 0.012)])
    radii = np.full(pair.shape[:2], 0.5 * case.RADIUS)
    radii[:, 10] = 1.1 * case.RADIUS
    assert case.penetration(pair, radii) == pytest.approx(0.1, rel=1e-12)


def test_penetration_of_fibers_that_cross_between_their_points():
    cross = np.array([straight(0.0, 0.0), straight(0.0, 0.0)])
    cross[1] = np.column_stack(
        [np.full(21, 0.5 * case.LENGTH), np.linspace(-0.1, 0.123, 21), np.full(21, 0.01)]
    )
    radii = np.full(cross.shape[:2], case.RADIUS)
    # the sampled points lie up to half of 0.9 and 0.7 mm away from the crossing, 10 mm apart
    assert case.penetration(cross, radii) == pytest.approx((0.002 - 1.7e-5) / 0.012, rel=0.01)


def test_ends_are_not_counted():
    pair = np.array([straight(0.0, 0.0), straight(0.0, 0.012)])
    pair[1, [0, 1, -1], 2] = 0.005
    radii = np.full(pair.shape[:2], case.RADIUS)
    assert case.penetration(pair, radii) == 0.0


def test_measure():
    start = np.array([straight(y, z) for y, z in case.packing(2)])
    down = start - [0.0, 0.0, 0.03]
    radii = np.full(start.shape[:2], case.RADIUS)
    half = start - [0.0, 0.0, 0.02]
    early = [(start, radii)] + 5 * [(down, 1.05 * radii)]
    found = case.measure([*early, (half, 1.01 * radii), (down, radii)])
    assert_allclose(found["sags"], [0.0, *5 * [0.03], 0.02, 0.03], atol=1e-15)
    # the last quarter of eight frames
    assert found["sag"] == pytest.approx(0.025, rel=1e-12)
    assert found["sag_end"] == found["sags"][-1]
    assert found["penetration"] == pytest.approx(0.01, rel=1e-9)
    assert found["largest_penetration"] == pytest.approx(0.05, rel=1e-9)
    down[0, 3, 2] = np.nan
    assert set(case.measure([(start, radii), (down, radii)]).values()) == {None}


def test_string_sag_solves_the_equations_of_the_string():
    area = np.pi * case.RADIUS**2
    weight = case.DENSITY * case.GRAVITY * area  # N/m

    def rates(s, y):
        _, _, Tx, Tz = y
        T = np.hypot(Tx, Tz)
        stretch = 1.0 + T / (case.YOUNGS_MODULUS * area)
        return np.array([stretch * Tx / T, stretch * Tz / T, 0.0 * s, weight + 0.0 * s])

    def ends(a, b):
        return np.array([a[0], a[1], b[0] - case.LENGTH, b[1]])

    s = np.linspace(0.0, case.LENGTH, 101)
    guess = np.array([s, -0.1 * np.sin(np.pi * s / case.LENGTH), 0.3 + 0 * s, weight * (s - 0.15)])
    found = solve_bvp(rates, ends, s, guess, tol=1e-9, max_nodes=10000)
    assert found.success
    assert case.string_sag() == pytest.approx(-found.sol(0.5 * case.LENGTH)[1], rel=1e-6)

"""Closest point of a cubic element, against roots by numpy and against dense sampling."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import closest_point as reference

from fibermsk.kernels.closest.closest_point import distance_quintic, nearest_on_element
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_rows

EPS = np.finfo(float).eps


def find(power, x):
    """xi and distance by the kernel."""
    xi, d2 = nearest_on_element(0, *x, power[None], rows_of(power))
    assert 0.0 <= xi <= 1.0
    assert_allclose(
        d2, np.sum((curve(power, xi) - x) ** 2), rtol=0.0, atol=20 * EPS * size(power, x)
    )
    return xi, np.sqrt(d2)


def rows_of(power):
    """Row of one element of constant radius."""
    rows = np.full((1, N_COLUMNS), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):  # a point has no tangent
        radius = np.array([[1.0, 0, 0, 0, 0]])
        fill_rows(power[None], np.zeros(1, int), power[None], radius, np.ones(1), rows)
    return rows


def curve(power, xi):
    """Points of the element."""
    return np.vander(np.atleast_1d(xi), 4, increasing=True) @ power


def size(power, x):
    """Squared length of all that the squared distance is made of."""
    return np.sum(np.abs(power).sum(axis=0) ** 2 + x**2)


def random_element(rng, kind):
    """Power coefficients (4, 3) of one element."""
    power = rng.normal(size=(4, 3))
    if kind == "nearly straight":
        power[2:] *= 1e-7
    elif kind == "straight":
        power[2:] = 0.0
    elif kind == "straight, uneven":
        power[2:] = np.outer([0.3, 0.1], power[1])
    elif kind == "looped":
        power[1:] *= np.array([[1.0], [-3.0], [2.0]]) * 4.0
    elif kind == "back and forth":  # covers its line more than once
        power[1:] = np.outer([3.0, -9.0, 7.0], power[1])
    elif kind == "planar":
        power[:, 2] = 0.0
    elif kind == "point":
        power[1:] = 0.0
    elif kind == "tiny":
        power[1:] *= 1e-6
    elif kind == "far from the origin":
        power[0] += 1e3
    return power


KINDS = [
    "random", "nearly straight", "straight", "straight, uneven", "looped", "back and forth",
    "planar", "point", "tiny", "far from the origin",
]  # fmt: skip


def queries(rng, power):
    """Points near and far from an element."""
    near = curve(power, rng.uniform(size=30)) + rng.normal(size=(30, 3)) * 0.1
    ahead = curve(power, rng.uniform(-0.3, 1.3, 10)) + rng.normal(size=(10, 3)) * 0.01
    return np.concatenate((near, ahead, power[0] + 3.0 * rng.normal(size=(10, 3))))


@pytest.mark.parametrize("kind", KINDS)
def test_against_numpy_roots(rng, kind):
    """No candidate of numpy's is nearer: real parts of all roots in [0, 1], and both ends."""
    for _ in range(12):
        power = random_element(rng, kind)
        for x in queries(rng, power):
            xi, d = find(power, x)
            a = reference.quintic(power, x)
            kept = np.flatnonzero(np.abs(a) > 1e-14 * np.abs(a).max())
            roots = np.roots(a[kept[-1] :: -1]).real if kept.size else np.empty(0)
            candidates = np.r_[0.0, 1.0, roots[(roots >= 0.0) & (roots <= 1.0)]]
            distances = np.linalg.norm(curve(power, candidates) - x, axis=1)
            # squared distances round to eps times their terms, so distances to the root of it
            atol = 20.0 * EPS * size(power, x)
            assert d**2 <= distances.min() ** 2 + atol
            # and the point is no better than all: it lies on the element
            assert d >= distances.min() - 1e-6 * np.sqrt(size(power, x))


@pytest.mark.parametrize("kind", ["random", "looped", "back and forth", "nearly straight"])
def test_against_dense_sampling(rng, kind):
    """Knows nothing of quintics: no sampled point of the element is nearer."""
    grid = np.linspace(0.0, 1.0, 2001)
    basis = np.vander(grid, 4, increasing=True)
    for _ in range(20):
        power = random_element(rng, kind)
        points = basis @ power
        for x in queries(rng, power):
            _, d = find(power, x)
            sampled = np.linalg.norm(points - x, axis=1)
            assert d**2 <= sampled.min() ** 2 + 20.0 * EPS * size(power, x)
            # the true minimum lies within half a cell of the best sample
            speed = np.abs(power[1:] * [[1.0], [2.0], [3.0]]).sum(axis=0)
            assert d >= sampled.min() - 0.5 / 2000 * np.linalg.norm(speed)


def test_against_brute_force_and_reference(rng):
    """The reference's search by golden section, and its polished root."""
    for _ in range(60):
        values, h = rng.normal(size=(4, 3)), rng.uniform(0.1, 2.0)
        values[1::2] *= 3.0 / h
        x = rng.normal(size=3)
        power = reference.cubic_coefficients(values, h)
        xi, d = find(power, x)
        _, _, d_brute = reference.closest_brute_force(values, h, x, samples=501)
        assert d <= d_brute + 1e-13  # rounding of distances of size 1
        assert_allclose(d, d_brute, rtol=0.0, atol=1e-12)  # the search's last cell, squared
        xi_root, _, d_root = reference.closest_on_element(values, h, x)
        assert_allclose(d, d_root, rtol=0.0, atol=1e-13)
        a = reference.quintic(power, x)
        slope = np.polynomial.polynomial.polyval(xi, a[1:] * np.arange(1, 6))
        if slope > 1e-3 and abs(xi - xi_root) < 0.1:  # not two minima of equal depth
            assert_allclose(xi, xi_root, rtol=0.0, atol=1e-14 * np.abs(a).sum() / slope)


def test_interior_points_are_stationary(rng):
    """Inside the element the connecting line is normal to the curve, to rounding."""
    inside = 0
    for _ in range(300):
        power, x = random_element(rng, "random"), rng.normal(size=3)
        xi, d = find(power, x)
        a = reference.quintic(power, x)
        if 0.0 < xi < 1.0:
            inside += 1
            f = np.polynomial.polynomial.polyval(xi, a)
            assert abs(f) <= 40.0 * EPS * np.abs(a).sum()  # Horner's rounding and one ulp of xi
        elif xi == 0.0:
            assert a[0] >= -EPS * np.abs(a).sum()
        else:
            assert a.sum() <= 10.0 * EPS * np.abs(a).sum()
    assert inside > 100


def test_points_on_the_curve(rng):
    for kind in ("random", "looped", "planar", "nearly straight", "straight"):
        for xi in np.r_[0.0, 1.0, rng.uniform(size=30)]:
            power = random_element(rng, kind)
            x = curve(power, xi)[0]
            _, d = find(power, x)
            # the squared distance there is rounding; a root is known to rounding, too
            assert d <= 1e-14 * np.sqrt(size(power, x)) * 10.0


def test_end_is_nearest_beyond_the_ends(rng):
    for _ in range(50):
        power = random_element(rng, "nearly straight")
        tangent = power[1]
        n = np.cross(tangent, rng.normal(size=3))
        assert find(power, power[0] - 0.5 * tangent + 0.1 * n)[0] == 0.0
        assert find(power, power.sum(axis=0) + 0.5 * tangent + 0.1 * n)[0] == 1.0


def test_straight_element_in_closed_form(rng):
    for _ in range(100):
        power = random_element(rng, "straight")
        x = rng.normal(size=3) * 2.0
        share = (x - power[0]) @ power[1] / (power[1] @ power[1])
        xi, d = find(power, x)
        # eps over the condition of the projection: |x - x0| / |tangent|
        assert_allclose(
            xi, np.clip(share, 0.0, 1.0), rtol=0.0,
            atol=20.0 * EPS * (1.0 + np.linalg.norm(x - power[0]) / np.linalg.norm(power[1])),
        )  # fmt: skip
        expected = np.linalg.norm(power[0] + np.clip(share, 0.0, 1.0) * power[1] - x)
        assert_allclose(d, expected, rtol=1e-13)


def test_point_element():
    power = np.zeros((4, 3))
    power[0] = [1.0, 2.0, 3.0]
    xi, d = find(power, np.zeros(3))
    assert_allclose(d, np.sqrt(14.0), rtol=1e-15)
    assert find(power, power[0])[1] == 0.0


def test_equidistant_points():
    """On the symmetry plane of an arch both minima are equally near; either will do."""
    # y = 4 xi (1 - xi), x = 2 xi - 1: from far below, the two ends; from inside, two mirrored
    # points
    power = np.array([[-1.0, 0, 0], [2.0, 4.0, 0], [0, -4.0, 0], [0, 0, 0]])
    xi, d = find(power, np.array([0.0, -5.0, 0.0]))
    assert xi in (0.0, 1.0)
    assert_allclose(d, np.sqrt(26.0), rtol=1e-15)
    # parabola y = 1 - x^2, focal distance 1/2: from (0, c), c < 1/2, at x^2 = 1/2 - c
    for c in (0.0, 0.3, 0.49):
        xi, d = find(power, np.array([0.0, c, 0.0]))
        offset = np.sqrt(0.5 - c)
        assert_allclose(abs(2.0 * xi - 1.0), offset, rtol=1e-12)  # rounding over 1/2 - c
        assert_allclose(d, np.sqrt(offset**2 + 0.25), rtol=1e-14)
    # at the focus of curvature the three roots are one, flat to the fourth power
    xi, d = find(power, np.array([0.0, 0.5, 0.0]))
    assert_allclose(xi, 0.5, rtol=0.0, atol=1e-4)  # fourth root of eps
    assert_allclose(d, 0.5, rtol=1e-14)


def test_two_minima_the_nearer_wins():
    power = np.array([[-1.0, 0, 0], [2.0, 4.0, 0], [0, -4.0, 0], [0, 0, 0]])
    for side in (-1.0, 1.0):
        for shift in (1e-9, 1e-3, 0.1):
            xi, _ = find(power, np.array([side * shift, 0.1, 0.0]))
            assert np.sign(xi - 0.5) == side


def test_distance_quintic(rng):
    for _ in range(50):
        power, x = rng.normal(size=(4, 3)), rng.normal(size=3)
        a, way = distance_quintic(0, *x, power[None], rows_of(power))
        assert_allclose(way, power[0] - x, rtol=1e-15)
        assert_allclose(a, reference.quintic(power, x), rtol=0.0, atol=1e-14 * size(power, x))
        # half the derivative of the squared distance, by the complex step
        xi = rng.uniform() + 1e-30j
        offset = curve(power, xi)[0] - x
        slope = 0.5 * np.imag(offset @ offset) / 1e-30
        found = np.polynomial.polynomial.polyval(xi.real, a)
        assert_allclose(found, slope, rtol=0.0, atol=1e-14 * size(power, x))


def test_shifting_and_scaling(rng):
    """The parameter does not depend on where the element lies nor on its size."""
    for _ in range(100):
        power, x = random_element(rng, "random"), rng.normal(size=3)
        xi, d = find(power, x)
        big, d_big = find(1024.0 * power, 1024.0 * x)
        assert big == xi  # powers of two round alike
        assert d_big == 1024.0 * d

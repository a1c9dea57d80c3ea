"""All real roots in the unit interval: none missed, none invented."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import polynomial
from numpy.testing import assert_allclose

from fibermsk.kernels.polynomial import WORK_SIZE, quintic_roots

EPS = np.finfo(float).eps

# Quintics in terms of their Bernstein coefficients, which give many roots inside the interval.
BERNSTEIN = np.zeros((6, 6))
for _i in range(6):
    for _j in range(_i, 6):
        _c = np.array([1, 5, 10, 10, 5, 1])[_j] * (-1.0) ** (_j - _i)
        BERNSTEIN[_j, _i] = (
            _c * np.prod(range(_j - _i + 1, _j + 1)) / max(1, np.prod(range(1, _i + 1)))
        )


def solve(a):
    """Roots that the kernel reports, in its order."""
    work, roots = np.full(WORK_SIZE, np.nan), np.full(6, np.nan)
    n = quintic_roots(np.asarray(a, float), work, roots)
    assert 0 <= n <= 5
    return roots[:n]


def value(a, x):
    """Polynomial in exact arithmetic."""
    total = Fraction(0)
    for coefficient in reversed(list(a)):
        total = total * Fraction(float(x)) + Fraction(float(coefficient))
    return total


def rounding(a, x):
    """What Horner's rule may be off by at x, and the smallest numbers."""
    return 20.0 * EPS * float(polynomial.polyval(abs(x), np.abs(a))) + 1e-300


def touching(a):
    """Value that counts as touching zero: the kernel's 4e-16 of the largest coefficient,
    rounded."""
    return 5e-16 * np.abs(a).max()


def check(a, reported):
    """Every reported root is one to rounding; between them the polynomial keeps its sign.

    Both hold for the polynomial in exact arithmetic, up to what Horner's rule rounds and to what
    counts as touching zero.
    """
    assert np.all(np.diff(reported) > 0.0)
    assert np.all((reported >= 0.0) & (reported <= 1.0))
    slope = polynomial.polyder(a)
    for x in reported:
        # one unit in the last place of x besides the rounding of the value
        allowed = (
            rounding(a, x) + touching(a) + 8.0 * EPS * float(polynomial.polyval(x, np.abs(slope)))
        )
        assert abs(float(value(a, x))) <= allowed
    bounds = np.r_[0.0, reported, 1.0]
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        if high - low < 1e-12:
            continue
        samples = low + (high - low) * np.linspace(0.0, 1.0, 26)[1:-1]
        values = np.array([float(value(a, x)) for x in samples])
        clear = np.abs(values) > [rounding(a, x) + touching(a) for x in samples]
        signs = np.sign(values[clear])
        assert np.all(signs == signs[:1])


def certain_roots(a, distance=1e-6):
    """Simple real roots inside (0, 1) that numpy finds, each far from all others."""
    all_roots = np.roots(a[::-1])
    found = []
    for i, root in enumerate(all_roots):
        apart = np.abs(np.delete(all_roots, i) - root).min(initial=np.inf)
        if root.imag == 0.0 and distance < root.real < 1.0 - distance and apart > distance:
            found.append(root.real)
    return np.sort(found)


def sensitivity(a, x):
    """How far a root moves where all coefficients are rounded."""
    slope = abs(polynomial.polyval(x, polynomial.polyder(a)))
    return 50.0 * rounding(a, x) / slope + 4.0 * EPS  # numpy's eigenvalues: 50 times that


@pytest.mark.parametrize("kind", ["monomial", "bernstein"])
def test_random_quintics_against_numpy(rng, kind):
    counts = np.zeros(6, int)
    for _ in range(2000):
        a = rng.normal(size=6)
        if kind == "bernstein":
            a = BERNSTEIN @ (a * np.array([1.0, -1.0] * 3) ** rng.integers(0, 2))
        found, expected = solve(a), certain_roots(a)
        counts[found.size] += 1
        for root in expected:
            assert np.abs(found - root).min(initial=np.inf) <= sensitivity(a, root)
        all_roots = np.roots(a[::-1])
        for root in found:
            # a multiple root of numpy's is off by the square root of rounding
            assert np.abs(all_roots - root).min() < 1e-7
        assert np.all(np.diff(found) > 0.0)
    # up to four roots were there; five are rare, and chosen below
    assert counts[1] > 300
    assert kind == "monomial" or counts[:5].min() > 0


@pytest.mark.parametrize("kind", ["monomial", "bernstein"])
def test_no_root_missed_between_reported_ones(rng, kind):
    for _ in range(60):
        a = rng.normal(size=6)
        a = BERNSTEIN @ a if kind == "bernstein" else a
        check(a, solve(a))


CHOSEN = {
    "five simple": [0.1, 0.3, 0.5, 0.7, 0.9],
    "five close": [0.5, 0.501, 0.502, 0.503, 0.504],
    "two pairs": [0.2, 0.2001, 0.7, 0.7001, 0.9],
    "close to the ends": [1e-9, 0.5, 1.0 - 1e-9, 3.0, -2.0],
    "at the ends": [0.0, 1.0, 0.25, 2.0, -3.0],
    "just outside": [-1e-9, 1.0 + 1e-9, 0.5, 4.0, -4.0],
    "none inside": [-0.1, -2.0, 1.1, 3.0, 7.0],
    "far apart": [1e-8, 0.5, 1e4, -1e5, 1e6],
    "at zero only": [0.0, -1.0, -2.0, -3.0, -4.0],
    "at one only": [1.0, -1.0, -2.0, -3.0, -4.0],
}


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_chosen_simple_roots(name, sign):
    roots = np.sort(CHOSEN[name])
    a = sign * polynomial.polyfromroots(roots)
    found = solve(a)
    inside = roots[(roots >= 0.0) & (roots <= 1.0)]
    assert found.size == inside.size
    # the coefficients are rounded, which moves the roots by this much
    for mine, root in zip(found, inside, strict=True):
        assert abs(mine - root) <= sensitivity(a, root)
    check(a, found)


def test_random_chosen_roots(rng):
    """Odd numbers of roots inside, with complex pairs and outer roots for the rest."""
    for _ in range(2000):
        n = rng.integers(0, 6)
        inside = np.sort(rng.uniform(0.0, 1.0, n))
        others = []
        while n + len(others) < 5:
            if n + len(others) <= 3 and rng.random() < 0.6:
                z = rng.uniform(-0.5, 1.5) + 1j * rng.uniform(0.05, 1.0)
                others += [z, z.conjugate()]
            else:
                others.append(rng.choice([-1.0, 1.0]) * rng.uniform(0.6, 3.0) + 0.5)
        a = rng.normal() * polynomial.polyfromroots(np.r_[inside, others]).real
        if n > 1 and np.diff(inside).min() < 1e-3:
            continue
        found = solve(a)
        if np.any((inside < 1e-12) | (inside > 1.0 - 1e-12)):
            continue
        assert found.size == n
        assert all(abs(x - r) <= sensitivity(a, r) for x, r in zip(found, inside, strict=True))


@pytest.mark.parametrize("multiplicity", [3, 5])
@pytest.mark.parametrize("root", [0.0, 0.125, 0.3, 0.5, 0.77, 1.0])
def test_roots_of_odd_multiplicity_are_found(rng, multiplicity, root):
    """The polynomial changes sign there, which is what makes a minimum of the distance."""
    for _ in range(20):
        others = rng.uniform(1.5, 4.0, 5 - multiplicity) * rng.choice([-1.0, 1.0])
        a = polynomial.polyfromroots(np.r_[[root] * multiplicity, others])
        found = solve(a)
        # rounded coefficients split the root within the m-th root of their rounding; at an end
        # of the interval the parts may lie outside
        reach = (100.0 * EPS) ** (1.0 / multiplicity)
        near = np.abs(found - root) < reach
        assert np.all(near)
        assert near.any() or root in (0.0, 1.0)
        check(a, found)


@pytest.mark.parametrize("root", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_nothing_is_lost_beside_a_double_root(rng, root):
    """Rounding decides whether a double root is none, one or two; the simple root stays."""
    for _ in range(50):
        simple = rng.uniform(0.05, 0.2) if root > 0.3 else rng.uniform(0.8, 0.95)
        others = rng.uniform(1.5, 4.0, 2)
        a = polynomial.polyfromroots(np.r_[root, root, simple, others])
        found = solve(a)
        reach = np.sqrt(100.0 * EPS * np.abs(a).max())
        near = np.abs(found - root) < reach
        assert found.size == near.sum() + 1
        assert np.abs(found - simple).min() <= sensitivity(a, simple)
        check(a, found)


def test_exact_double_roots_are_reported():
    """Coefficients and derivative without rounding: the touching root is there."""
    for a in (
        polynomial.polyfromroots([0.5, 0.5, 2.0, 2.0, 4.0]),
        polynomial.polyfromroots([0.5, 0.5, -1.0, -1.0, -2.0]),
        [0.25, -1.0, 1.0, 0.0, 0.0, 0.0],  # (x - 0.5)^2
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],  # x^2
        [1.0, -2.0, 1.0, 0.0, 0.0, 0.0],  # (x - 1)^2
    ):
        expected = 0.5 if a[0] not in (0.0, 1.0) else a[0]
        found = solve(a)
        assert_allclose(found, [expected], rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("degree", range(5))
def test_lower_degrees(rng, degree):
    for _ in range(300):
        a = np.zeros(6)
        a[: degree + 1] = rng.normal(size=degree + 1)
        found, expected = solve(a), certain_roots(a[: degree + 1]) if degree else np.empty(0)
        assert found.size <= degree
        for root in expected:
            assert np.abs(found - root).min(initial=np.inf) <= sensitivity(a, root)
    check(a, found)


@pytest.mark.parametrize("leading", [1e-30, 1e-18, 1e-12, 1e-6])
def test_almost_lower_degree(rng, leading):
    """Leading coefficients that all but vanish leave the roots where they are."""
    for _ in range(100):
        a = np.zeros(6)
        a[:4] = rng.normal(size=4)
        expected = certain_roots(a[:4], 1e-3)
        a[4:] = leading * rng.normal(size=2)
        found = solve(a)
        for root in expected:
            # the change of the polynomial over its slope, the latter halved for curvature
            slope = abs(polynomial.polyval(root, polynomial.polyder(a)))
            if slope > 0.1:
                move = 2.0 * 5.0 * leading / slope + sensitivity(a, root)
                assert np.abs(found - root).min(initial=np.inf) <= move


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e-8, 1e8, 1e30, 1e200])
def test_scaling_by_a_constant(rng, scale):
    """Powers of two change nothing at all; other factors round the coefficients."""
    for _ in range(100):
        a = BERNSTEIN @ rng.normal(size=6)
        found = solve(a)
        power = 2.0 ** np.round(np.log2(scale))
        assert np.array_equal(solve(a * power), found)
        for root in certain_roots(a):
            assert np.abs(solve(a * scale) - root).min(initial=np.inf) <= sensitivity(a, root)


def test_zero_and_constant_polynomials():
    assert solve(np.zeros(6)).size == 0
    assert solve([1.0, 0, 0, 0, 0, 0]).size == 0
    assert solve([-1e-200, 0, 0, 0, 0, 0]).size == 0


def test_reflection(rng):
    """Roots of f(1 - x) are the mirrored ones."""
    for _ in range(300):
        b = rng.normal(size=6)
        found, mirrored = solve(BERNSTEIN @ b), solve(BERNSTEIN @ b[::-1])
        expected = certain_roots(BERNSTEIN @ b, 1e-3)
        for root in expected:
            bound = 10.0 * sensitivity(BERNSTEIN @ b, root) * 30.0  # the mirrored one's is larger
            assert np.abs(found - root).min() <= bound
            assert np.abs(1.0 - mirrored - root).min() <= bound


COEFFICIENT = st.one_of(
    st.floats(-1.0, 1.0).filter(lambda x: x == 0.0 or abs(x) > 1e-100),
    st.integers(-20, 20).map(float),
    st.sampled_from([0.0, 1e-9, -1e-9, 1e6, -1e6]),
)


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.lists(COEFFICIENT, min_size=6, max_size=6))
def test_property_sign_changes(a):
    """Whatever the coefficients: roots increase, are roots, and no change of sign lies between."""
    a = np.array(a)
    if np.any(a):
        check(a, solve(a))


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5), st.floats(1e-3, 1e3))
def test_property_five_roots_inside(roots, scale):
    """Five roots in the interval, however close."""
    a = scale * polynomial.polyfromroots(roots)
    check(a, solve(a))

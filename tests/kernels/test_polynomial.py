"""The lowest point of a sextic, from its derivative: no minimum missed, no claim that is wrong."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.polynomial import polynomial
from numpy.testing import assert_allclose

from fibermsk.kernels.closest import polynomial as kernels

EPS = np.finfo(float).eps

# Quintics in terms of their Bernstein coefficients, which give many roots inside the interval.
BERNSTEIN = np.zeros((6, 6))
for _i in range(6):
    for _j in range(_i, 6):
        _c = np.array([1, 5, 10, 10, 5, 1])[_j] * (-1.0) ** (_j - _i)
        BERNSTEIN[_j, _i] = (
            _c * np.prod(range(_j - _i + 1, _j + 1)) / max(1, np.prod(range(1, _i + 1)))
        )


def lowest(a):
    """Where the antiderivative is least, by the kernel."""
    x = kernels.lowest_point(tuple(np.asarray(a, float)))
    assert 0.0 <= x <= 1.0
    return x


def value(a, x):
    """Polynomial in exact arithmetic."""
    total = Fraction(0)
    for coefficient in reversed(list(a)):
        total = total * Fraction(float(x)) + Fraction(float(coefficient))
    return total


def depth(a, x):
    """Antiderivative in exact arithmetic."""
    parts = [Fraction(float(c)) / (n + 1) for n, c in enumerate(a)]
    return sum((part * Fraction(float(x)) ** (n + 1) for n, part in enumerate(parts)), Fraction(0))


def real_roots(a):
    """Real parts of all roots in [0, 1] that numpy finds, which hold every minimum."""
    kept = np.flatnonzero(np.abs(a) > 1e-14 * np.abs(a).max())
    roots = np.roots(np.asarray(a)[kept[-1] :: -1]).real
    return roots[(roots >= 0.0) & (roots <= 1.0)]


def sturm_count(a):
    """Number of different roots in (0, 1], exactly, if the polynomial does not vanish at the ends.

    Sturm's theorem with fractions.
    """

    def trim(p):
        while p and p[-1] == 0:
            p = p[:-1]
        return p

    def remainder(p, q):
        p = list(p)
        while len(p) >= len(q):
            factor = p[-1] / q[-1]
            shift = len(p) - len(q)
            p = [c - (factor * q[n - shift] if n >= shift else 0) for n, c in enumerate(p)][:-1]
            p = trim(p)
        return p

    chain = [trim([Fraction(float(c)) for c in a])]
    chain.append(trim([n * c for n, c in enumerate(chain[0])][1:]))
    while chain[-1]:
        chain.append([-c for c in remainder(chain[-2], chain[-1])])
    chain = chain[:-1]

    def changes(x):
        signs = [np.sign(sum(c * x**n for n, c in enumerate(p))) for p in chain]
        signs = [s for s in signs if s != 0]
        return sum(s != t for s, t in zip(signs, signs[1:], strict=False))

    return changes(0) - changes(1)


def check(a):
    """No end, no root and no sample lies deeper; the point is an end or stationary."""
    a = np.asarray(a, float)
    x = lowest(a)
    scale = np.abs(a).sum()
    others = np.r_[0.0, 1.0, np.linspace(0.0, 1.0, 41), real_roots(a)]
    # rounding of the antiderivative: six terms, and what is taken for zero on halved intervals
    allowed = 4e-15 * scale
    assert float(depth(a, x) - min(depth(a, other) for other in others)) <= allowed
    if 0.0 < x < 1.0:
        slope = np.abs(polynomial.polyval(x, polynomial.polyder(a)))
        # what is taken for zero, Horner's rounding, and one unit in the last place of x
        assert abs(float(value(a, x))) <= 4e-15 * scale + 8.0 * EPS * slope
    return x


@pytest.mark.parametrize("kind", ["monomial", "bernstein"])
def test_random_quintics(rng, kind):
    inside = 0
    for _ in range(600):
        a = rng.normal(size=6)
        if kind == "bernstein":
            a = BERNSTEIN @ (a * np.array([1.0, -1.0] * 3) ** rng.integers(0, 2))
        inside += 0.0 < check(a) < 1.0
    assert inside > 100


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
    "double": [0.3, 0.3, 0.7, 2.0, -1.0],
    "triple": [0.3, 0.3, 0.3, 2.0, -1.0],
    "triple on a half": [0.5, 0.5, 0.5, 2.0, -1.0],
    "quintuple": [0.6, 0.6, 0.6, 0.6, 0.6],
    "two double": [0.25, 0.25, 0.75, 0.75, 1.5],
}


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_chosen_roots(name, sign):
    check(sign * polynomial.polyfromroots(CHOSEN[name]))


@pytest.mark.parametrize("shift", [1e-3, 1e-6, 1e-9])
def test_the_deeper_of_two_minima(shift):
    """Minima at 0.25 and 0.75, of equal depth without the shift of the maximum between them."""
    for side in (-1.0, 1.0):
        x = lowest(np.r_[polynomial.polyfromroots([0.25, 0.5 + side * shift, 0.75]), 0.0, 0.0])
        assert_allclose(x, 0.25 if side > 0 else 0.75, rtol=1e-14)


@pytest.mark.parametrize("multiplicity", [3, 5])
@pytest.mark.parametrize("root", [0.125, 0.3, 0.5, 0.77])
def test_roots_of_odd_multiplicity(rng, multiplicity, root):
    """A flat minimum, known as well as its depth tells: to the root of rounding."""
    for _ in range(20):
        others = rng.uniform(1.5, 4.0, 5 - multiplicity)
        a = polynomial.polyfromroots(np.r_[[root] * multiplicity, others])
        a *= -np.sign(value(a, 0.0)) * 1.0
        assert abs(check(a) - root) < (1000.0 * EPS) ** (1.0 / multiplicity)


@pytest.mark.parametrize("degree", range(5))
def test_lower_degrees(rng, degree):
    for _ in range(100):
        a = np.zeros(6)
        a[: degree + 1] = rng.normal(size=degree + 1)
        check(a)


@pytest.mark.parametrize("leading", [1e-30, 1e-18, 1e-12, 1e-6])
def test_almost_lower_degree(rng, leading):
    for _ in range(50):
        check(np.r_[rng.normal(size=4), leading * rng.normal(size=2)])


@pytest.mark.parametrize("exponent", [-600, -100, -30, 30, 100, 600])
def test_scaling_by_a_power_of_two(rng, exponent):
    """Changes nothing at all."""
    for _ in range(100):
        a = BERNSTEIN @ rng.normal(size=6)
        assert lowest(a * 2.0**exponent) == lowest(a)


def test_constants_and_what_is_no_number():
    assert lowest(np.zeros(6)) == 0.0
    assert lowest([1.0, 0, 0, 0, 0, 0]) == 0.0
    assert lowest([-1e-200, 0, 0, 0, 0, 0]) == 1.0
    for bad in (np.nan, np.inf, -np.inf):
        for n in range(6):
            a = np.array([-1.0, 3.0, -1.0, 2.0, 1.0, 1.0])
            a[n] = bad
            with np.errstate(invalid="ignore", over="ignore"):
                kernels.lowest_point(tuple(a))  # comes to an end


def test_halved_intervals(rng):
    """The quintic on a part of the interval, by its value."""
    for _ in range(100):
        a = rng.normal(size=6)
        width = 0.5 ** rng.integers(0, 8)
        low = width * rng.integers(0, round(1.0 / width))
        part = kernels._part(tuple(a), low, width)
        t = rng.uniform(size=5)
        expected = polynomial.polyval(low + width * t, a)
        assert_allclose(polynomial.polyval(t, part), expected, rtol=0.0, atol=1e-14)


def test_derivatives(rng):
    for _ in range(50):
        a, x = rng.normal(size=6), rng.uniform(-1.0, 2.0)
        found = kernels.value_and_slope(tuple(a), x)
        expected = polynomial.polyval(x, a), polynomial.polyval(x, polynomial.polyder(a))
        assert_allclose(found, expected, rtol=1e-13, atol=1e-12)
        integral = kernels.antiderivative(tuple(a), x)
        assert_allclose(integral, float(depth(a, x)), rtol=1e-13, atol=1e-13)


def claims(a):
    """Compare what the signs of the Bernstein coefficients say with an exact count of roots."""
    pattern = kernels.sign_pattern(kernels.bernstein(tuple(a)), 0.0)
    ends = value(a, 0.0), value(a, 1.0)
    if 0 in ends:
        return pattern
    n = sturm_count(a)
    if pattern in (kernels.RISES, kernels.FALLS):
        assert n == 0
        assert (ends[0] > 0) == (pattern == kernels.RISES)
    elif pattern in (kernels.DIPS, kernels.PEAKS):
        assert n == 1
        assert (ends[0] < 0 < ends[1]) == (pattern == kernels.DIPS)
    return pattern


def test_signs_never_claim_too_much(rng):
    """Random ones, and coefficients so near to zero that rounding could matter."""
    seen = np.zeros(5, int)
    for trial in range(600):
        b = rng.normal(size=6) + 1.5 * rng.normal()
        if trial % 3 == 0:
            b = np.sort(b)
        seen[claims(BERNSTEIN @ b)] += 1
    assert seen.min() > 10


COEFFICIENT = st.one_of(
    st.floats(-1.0, 1.0).filter(lambda x: x == 0.0 or abs(x) > 1e-100),
    st.integers(-20, 20).map(float),
    st.sampled_from([0.0, 1e-9, -1e-9, 1e6, -1e6]),
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(COEFFICIENT, min_size=6, max_size=6))
def test_property_nothing_lies_deeper(a):
    if np.any(a):
        check(a)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.integers(-20, 20).map(float), min_size=6, max_size=6))
def test_property_claims(a):
    """Integers, so that the Bernstein coefficients' signs are exact but for rounded fifths."""
    claims(60.0 * np.array(a))


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5), st.floats(1e-3, 1e3))
def test_property_five_roots_inside(roots, scale):
    """Five roots in the interval, however close."""
    check(scale * polynomial.polyfromroots(roots))
    check(-scale * polynomial.polyfromroots(roots))

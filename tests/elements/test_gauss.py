"""Degree of exactness of the quadrature."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk.elements import gauss_rule
from fibermsk.elements.gauss import lobatto_rule


@pytest.mark.parametrize("n", range(1, 11))
def test_exact_to_degree_2n_minus_1_and_no_further(n):
    points, weights = gauss_rule(n)
    for degree in range(2 * n):
        integral = weights @ points**degree
        assert_allclose(integral, 1.0 / (degree + 1), rtol=1e-14)  # rounding of up to 10 terms
    # Error of the rule for x^(2n) on [0, 1]: (n!)^4 / ((2n + 1) (2n)!^2), exactly
    factorial = [1]
    for k in range(1, 2 * n + 1):
        factorial.append(factorial[-1] * k)
    error = float(Fraction(factorial[n] ** 4, (2 * n + 1) * factorial[2 * n] ** 2))
    found = 1.0 / (2 * n + 1) - weights @ points ** (2 * n)
    assert_allclose(found, error, rtol=1e-6, atol=2e-17 * n)  # atol: rounding of the sum
    if n <= 8:  # beyond, the error drowns in rounding
        assert found > 0.0


@pytest.mark.parametrize("n", range(1, 11))
def test_points_inside_symmetric_and_positive(n):
    points, weights = gauss_rule(n)
    assert points.shape == weights.shape == (n,)
    assert np.all(np.diff(points, prepend=0.0, append=1.0) > 0.0)
    assert np.all(weights > 0.0)
    assert_allclose(weights.sum(), 1.0, rtol=1e-15)
    assert_allclose(points, 1.0 - points[::-1], rtol=1e-14)
    assert_allclose(weights, weights[::-1], rtol=1e-14)


def test_random_polynomials(rng):
    for n in range(1, 7):
        p = np.polynomial.Polynomial(rng.normal(size=2 * n))
        points, weights = gauss_rule(n)
        assert_allclose(
            weights @ p(points), p.integ()(1.0), rtol=0.0, atol=1e-14
        )  # coefficients of size 1


def test_arrays_are_new():
    first, _ = gauss_rule(3)
    first[0] = 7.0
    assert gauss_rule(3)[0][0] != 7.0


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_lobatto_rule_is_exact_and_real(n, monkeypatch):
    """Also where the roots of a polynomial are complex numbers, as NumPy 2.5 gives them."""
    roots = np.polynomial.Legendre.roots
    monkeypatch.setattr(np.polynomial.Legendre, "roots", lambda one: roots(one).astype(complex))
    points, weights = rule = lobatto_rule(n)
    assert rule.dtype == np.float64 and points[0] == 0.0 and points[-1] == 1.0
    for degree in range(2 * n - 2):
        assert weights @ points**degree == pytest.approx(1.0 / (degree + 1), rel=1e-13)

"""Functions of one coordinate: values and derivatives, end conditions, what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline, make_interp_spline

import fibermsk as fm

KNOTS = np.array([-1.0, -0.3, 0.1, 0.9, 2.0])
VALUES = np.array([0.2, -0.4, 0.3, 0.1, 0.8])
FUNCTIONS = [
    fm.Linear(2.0, -0.3),
    fm.Polynomial([0.3, -0.2, 0.0, 0.7, 0.1]),
    fm.NaturalSpline(KNOTS, VALUES),
    fm.SimmSpline(KNOTS, VALUES),
    fm.SimmSpline(KNOTS[:3], VALUES[:3]),
    fm.NaturalSpline(KNOTS[:2], VALUES[:2]),
    fm.PiecewiseLinear(KNOTS, VALUES),
    fm.Scaled(fm.SimmSpline(KNOTS, VALUES), -2.5),
    fm.NaturalSpline(KNOTS, VALUES, degree=5),
    fm.NaturalSpline(KNOTS, VALUES, degree=7),
    fm.Sine(0.4, 2.3, 0.3, -0.1),
    fm.Scaled(fm.Sine(0.4, 2.3, 0.3, -0.1), -2.5),
    fm.SmoothStep(-0.71, 1.23, 0.2, -0.3),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: type(f).__name__)
def test_derivatives(function):
    x, h = np.linspace(-2.03, 3.07, 60), 1e-5  # never within h of a knot
    for order in range(3):
        slope = (function(x + h, order) - function(x - h, order)) / (2.0 * h)
        assert_allclose(function(x, order + 1), slope, atol=1e-8, rtol=0.0)


def test_natural_spline_is_that_of_scipy():
    ours, theirs = fm.NaturalSpline(KNOTS, VALUES), CubicSpline(KNOTS, VALUES, bc_type="natural")
    x = np.linspace(-1.0, 2.0, 101)
    for order in range(3):
        assert_allclose(ours(x, order), theirs(x, order), atol=1e-13, rtol=0.0)


@pytest.mark.parametrize("degree", [5, 7])
def test_natural_splines_of_higher_degree_are_those_of_scipy(degree):
    """Derivatives from the degree's half up vanish at the ends, and beyond them."""
    x = np.linspace(-1.0, 2.0, 12) + 0.03 * np.sin(np.arange(12))
    y = np.cos(2 * x)
    half = (degree + 1) // 2
    ends = [(k, 0.0) for k in range(half, degree)]
    ours, theirs = (
        fm.NaturalSpline(x, y, degree), make_interp_spline(x, y, k=degree, bc_type=(ends, ends))
    )  # fmt: skip
    inside = np.linspace(x[0], x[-1], 101)
    for order in range(half + 1):
        off = np.abs(ours(inside, order) - theirs(inside, order)).max()
        assert off < 1e-9 * 30.0**order
    out = np.array([-3.0, 4.0])
    assert_allclose(ours(out, half), 0.0, atol=1e-9)
    assert np.abs(ours(out, half - 1)).min() > 1e-3


def test_a_natural_spline_of_many_points_keeps_its_digits():
    x = np.linspace(0.0, 10.0, 800)
    for degree in (3, 5, 7):
        spline = fm.NaturalSpline(x, np.sin(x), degree)
        inside = np.linspace(2.0, 8.0, 333)
        assert_allclose(spline(inside), np.sin(inside), atol=1e-9)
        assert_allclose(spline(inside, 2), -np.sin(inside), atol=2e-5)


def test_a_polynomial_of_several_coordinates():
    own = fm.MultivariatePolynomial([[0, 0], [1, 0], [1, 2], [3, 1]], [0.3, -1.0, 2.0, 0.5])
    x, y = 0.7, -1.3
    assert float(own((x, y))) == pytest.approx(0.3 - x + 2 * x * y * y + 0.5 * x**3 * y, rel=1e-14)
    assert own(np.zeros((4, 3, 2))).shape == (4, 3) and own.dimension == 2


def test_ends_of_a_simm_spline_are_those_of_cubics_through_four_points():
    """The third derivative of the end intervals; with it, the spline is determined."""
    spline = fm.SimmSpline(KNOTS, VALUES)
    for at, four in ((-0.9, slice(0, 4)), (1.9, slice(1, 5))):
        cubic = np.polyfit(KNOTS[four], VALUES[four], 3)
        assert_allclose(spline(at, 3), 6.0 * cubic[0], rtol=1e-10)
    assert_allclose(spline(KNOTS), VALUES, atol=1e-15)
    for order in (1, 2):  # twice continuously differentiable at the inner knots
        below, above = (spline(KNOTS[1:-1] + s, order) for s in (-1e-9, 1e-9))
        assert_allclose(below, above, atol=1e-6)
    difference = np.abs(
        spline(np.linspace(-1, 2, 50)) - fm.NaturalSpline(KNOTS, VALUES)(np.linspace(-1, 2, 50))
    )
    assert difference.max() > 0.01  # it is no natural spline


@pytest.mark.parametrize("kind", [fm.NaturalSpline, fm.SimmSpline])
def test_splines_go_on_straight(kind):
    spline = kind(KNOTS, VALUES)
    for end, out in ((KNOTS[0], -3.0), (KNOTS[-1], 5.0)):
        inside = end + np.sign(end) * -1e-12
        assert_allclose(spline(out, 1), spline(inside, 1), atol=1e-9)
        assert spline(out, 2) == 0.0
        assert_allclose(spline(out), spline(end) + (out - end) * spline(inside, 1), atol=1e-9)


def test_three_points_of_a_simm_spline_make_a_parabola():
    spline, parabola = fm.SimmSpline([0, 1, 3], [1, 0, 2]), np.polyfit([0, 1, 3], [1, 0, 2], 2)
    x = np.linspace(0.0, 3.0, 20)
    assert_allclose(spline(x), np.polyval(parabola, x), atol=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.SimmSpline([0, 1, 1], [0, 0, 0]), r"SimmSpline: x\[2\] = 1.0; must be greater"),
        (lambda: fm.NaturalSpline([0], [1]), "NaturalSpline: x .* two points or more"),
        (lambda: fm.PiecewiseLinear([0, 1], [1]), r"PiecewiseLinear: y .* shape \(2,\)"),
        (lambda: fm.Polynomial([]), "Polynomial: coefficients .* one or more"),
        (lambda: fm.Polynomial([1.0, np.nan]), r"coefficients\[1\] = nan; must be finite"),
        (lambda: fm.Linear(np.inf), "Linear: slope = inf; must be finite"),
        (lambda: fm.NaturalSpline(KNOTS, VALUES, 4), "degree = 4; must be 1, 3, 5 or 7"),
        (lambda: fm.NaturalSpline(KNOTS[:3], VALUES[:3], 7), "4 points or more for degree 7"),
        (lambda: fm.SmoothStep(1.0, 1.0), "SmoothStep: end = 1.0; must be greater than start"),
        (lambda: fm.Sine(np.nan), "Sine: amplitude = nan; must be finite"),
        (lambda: fm.MultivariatePolynomial([[1, -1]], [1.0]), "be whole numbers from 0 to 20"),
        (lambda: fm.MultivariatePolynomial([[1, 0.5]], [1.0]), "be whole numbers from 0 to 20"),
        (lambda: fm.MultivariatePolynomial([[1, 0]], [1.0, 2.0]), r"finite numbers of shape \(2"),
        (lambda: fm.Scaled(3.0, 2.0), "Scaled: function = 3.0; must be a Linear"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(fm.ModelError, match=message):
        make()

"""Cubic Hermite elements: what makes them nodal, complete and C1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import hermite as reference

from fibermsk.elements import hermite, hermite_d1, hermite_d2

STEP = 1e-30
LENGTHS = [1.0, 0.3, 1.0 / 64.0]


@pytest.mark.parametrize("h", LENGTHS)
def test_nodality(h):
    """Each function or its theta-derivative is one at its own node and zero at the other."""
    values = [hermite(0.0, h), hermite_d1(0.0, h), hermite(1.0, h), hermite_d1(1.0, h)]
    assert np.array_equal(values, np.eye(4))


@pytest.mark.parametrize("h", LENGTHS)
def test_partition_of_unity(rng, h):
    xi = rng.uniform(size=200)
    n, d1, d2 = hermite(xi, h), hermite_d1(xi, h), hermite_d2(xi, h)
    assert_allclose(n[0] + n[2], 1.0, rtol=1e-15)  # one rounding
    # rounding of terms up to 1.5/h and 6/h^2
    assert_allclose(d1[0] + d1[2], 0.0, rtol=0.0, atol=1e-15 / h)
    assert_allclose(d2[0] + d2[2], 0.0, rtol=0.0, atol=4e-15 / h**2)


@pytest.mark.parametrize("h", LENGTHS)
def test_derivatives_by_complex_step(rng, h):
    xi = rng.uniform(size=200)
    moved = xi + 1j * STEP
    first = np.imag(hermite(moved, h)) / STEP / h
    second = np.imag(hermite_d1(moved, h)) / STEP / h
    # the complex step is exact; both sides round sums of terms up to 12/h and 12/h^2
    assert_allclose(hermite_d1(xi, h), first, rtol=0.0, atol=1e-14 / h)
    assert_allclose(hermite_d2(xi, h), second, rtol=0.0, atol=1e-14 / h**2)


def test_against_the_plain_reference(rng):
    """The paper's functions with h at the tangents, arrays of lengths included."""
    xi, h = rng.uniform(size=50), rng.uniform(0.01, 1.0, 50)
    for mine, plain in (
        (hermite, reference.shape),
        (hermite_d1, reference.shape_d),
        (hermite_d2, reference.shape_dd),
    ):
        expected = plain(xi, h).T
        scale = np.abs(expected).max(axis=1, keepdims=True)
        assert_allclose(mine(xi, h), expected, rtol=0.0, atol=4e-15 * scale.max())  # rounding


def cubic(coefficients, theta):
    """Values, first and second derivative of a polynomial curve, each (n, 3)."""
    p = np.polynomial.Polynomial
    curves = [p(c) for c in coefficients.T]
    return [np.column_stack([c.deriv(m)(theta) for c in curves]) for m in (0, 1, 2)]


def test_exact_for_cubics_on_a_graded_mesh(rng):
    """Nodal values and theta-derivatives of a cubic give the cubic back, whatever the lengths."""
    coefficients = rng.normal(size=(4, 3))
    nodes = np.array([0.0, 0.01, 0.2, 0.25, 0.8, 1.0])
    x, t, _ = cubic(coefficients, nodes)
    xi = rng.uniform(size=20)
    for e, h in enumerate(np.diff(nodes)):
        control = np.stack([x[e], t[e], x[e + 1], t[e + 1]])
        expected = cubic(coefficients, nodes[e] + h * xi)
        for m, functions in enumerate((hermite, hermite_d1, hermite_d2)):
            found = np.stack(functions(xi, h), axis=1) @ control
            # m differences of numbers of size 1 over a length h
            assert_allclose(found, expected[m], rtol=0.0, atol=1e-14 / h**m)


def test_elements_of_different_length_join_with_one_tangent(rng):
    """C1 in theta: values and first derivatives agree at the shared node, second ones do not."""
    control = rng.normal(size=(3, 2, 3))  # three nodes: position, dx/dtheta
    left, right = control[:2].reshape(4, 3), control[1:].reshape(4, 3)
    for functions in (hermite, hermite_d1):
        before, after = functions(1.0, 0.02), functions(0.0, 0.7)
        assert_allclose(np.array(before) @ left, np.array(after) @ right, rtol=1e-15)
    assert not np.allclose(np.array(hermite_d2(1.0, 0.02)) @ left, hermite_d2(0.0, 0.7) @ right)

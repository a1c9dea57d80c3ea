import numpy as np
import pytest
from gpu.strict import unwrap, wrap
from numpy.testing import assert_allclose, assert_array_equal

from fibermsk.linalg import gmres


def matrix_of_size(rng, n):
    """A matrix whose solution takes many iterations, but far fewer than its size at 1e-8."""
    return np.diag(np.linspace(1.0, 30.0, n)) + 0.5 * rng.standard_normal((n, n)) / n**0.5


def on_host(A):
    """Product, infinite as it may be."""

    def multiply(x):
        with np.errstate(invalid="ignore"):
            return A @ x

    return multiply


def on_device(A):
    """Product with a vector of a device."""
    return lambda x: wrap(A @ unwrap(x))


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_solutions(rng, n):
    A, b = matrix_of_size(rng, n), rng.standard_normal(n)
    expected = np.linalg.solve(A, b)
    kept = b.copy()
    x, iterations, reduction = gmres(on_host(A), b, 1e-12, 200)
    assert 0 < iterations <= n and reduction <= 1e-12
    assert_allclose(x, expected, rtol=0, atol=1e-11)
    assert_array_equal(b, kept)
    y, same, _ = gmres(on_device(A), wrap(b), 1e-12, 200)
    assert same == iterations
    assert_allclose(unwrap(y), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("n", [1, 7, 200])
def test_parts_of_vectors(rng, n):
    """Dot products that are summed elsewhere: as if another process had the same part."""
    A, b = matrix_of_size(rng, n), rng.standard_normal(n)
    sizes = []

    def total(values):
        sizes.append(values.size)
        return 2.0 * values

    x, iterations, reduction = gmres(on_host(A), b, 1e-12, 200, total)
    expected, same, _ = gmres(on_host(A), b, 1e-12, 200)
    assert iterations == same and reduction <= 1e-12
    assert_allclose(x, expected, rtol=0, atol=1e-11)
    assert sizes == [1, *(size for k in range(1, iterations + 1) for size in (k, k, 1))]


def test_more_iterations_than_there_was_room_for(rng):
    A, b = matrix_of_size(rng, 300), rng.standard_normal(300)
    x, iterations, reduction = gmres(on_host(A), b, 1e-10, 200)
    assert 40 < iterations < 100
    assert reduction <= 1e-10
    assert_allclose(np.linalg.norm(b - A @ x), reduction * np.linalg.norm(b), rtol=1e-3)


@pytest.mark.parametrize("most", [1, 5, 16, 17, 33])
def test_the_least_residual_of_so_many_iterations(rng, most):
    A, b = matrix_of_size(rng, 80), rng.standard_normal(80)
    powers, directions = b.copy(), []
    for _ in range(most):
        directions.append(powers / np.linalg.norm(powers))
        powers = A @ directions[-1]
        for one in directions * 2:
            powers = powers - (one @ powers) * one
    K = np.array(directions).T
    expected = K @ np.linalg.lstsq(A @ K, b)[0]
    x, iterations, reduction = gmres(on_host(A), b, 0.0, most)
    assert iterations == most
    assert_allclose(x, expected, rtol=0, atol=1e-10)
    assert_allclose(reduction, np.linalg.norm(b - A @ x) / np.linalg.norm(b), rtol=1e-5)
    y = gmres(on_device(A), wrap(b), 0.0, most)[0]
    assert_allclose(unwrap(y), expected, rtol=0, atol=1e-10)


def test_a_right_hand_side_of_zeros_or_none():
    for b, reduction in ((np.zeros(5), 0.0), (np.full(5, np.nan), np.inf)):
        x, iterations, found = gmres(on_host(np.eye(5)), b, 1e-6, 10)
        assert (x.shape, iterations, found) == ((5,), 0, reduction)


def test_products_that_end_the_iteration(rng):
    A, b = matrix_of_size(rng, 20), rng.standard_normal(20)
    for flawed in (np.zeros((20, 20)), np.nan * A, np.full((20, 20), np.inf)):
        x, iterations, reduction = gmres(on_host(flawed), b, 1e-6, 10)
        assert (iterations, reduction) == (0, 1.0)
        assert_array_equal(x, 0.0)
    # the space of an eigenvector holds the solution
    x, iterations, reduction = gmres(on_host(np.diag(np.r_[2.0, np.ones(4)])), np.eye(5)[0], 0, 10)
    assert (iterations, reduction) == (1, 0.0)
    assert_array_equal(x, np.eye(5)[0] / 2.0)

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fibermsk.linalg.rows import multiply_rows, subtract_rows


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 9])
@pytest.mark.parametrize("size", [1, 15, 16, 100])
def test_products_with_the_first_rows(rng, n, size):
    # those that are left out must not be noticed
    rows = np.concatenate([rng.standard_normal((n, size)), np.full((3, size), np.nan)])
    x, weights = rng.standard_normal(size), rng.standard_normal(n)
    products = np.full(n + 1, 7.0)
    multiply_rows(rows, n, x, products)
    assert_allclose(products[:n], rows[:n] @ x, rtol=0, atol=1e-13)
    assert products[n] == 7.0
    y = x.copy()
    subtract_rows(rows, n, weights, y)
    assert_allclose(y, x - weights @ rows[:n], rtol=0, atol=1e-13)


def test_infinities_are_seen(rng):
    rows = rng.standard_normal((5, 40))
    rows[4, 39] = np.inf
    products = np.empty(5)
    multiply_rows(rows, 5, np.ones(40), products)
    assert_array_equal(np.isfinite(products), [True, True, True, True, False])

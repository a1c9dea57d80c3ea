"""Transposed matrices of lines, against those in full."""

import pytest
from coupled_lines import random_matrix
from numpy.testing import assert_allclose


@pytest.mark.parametrize("mirrored", [True, False])
def test_lines(rng, mirrored):
    matrix = random_matrix(rng, mirrored)
    assert_allclose(matrix.T.tocsc().toarray(), matrix.tocsc().toarray().T, rtol=0, atol=0)
    x = rng.normal(size=matrix.shape[0])
    assert_allclose(matrix.T @ x, matrix.tocsc().T @ x, atol=1e-14)

import numpy as np
import pytest
from linalg.coupled_lines import no_couplings, random_matrix
from numpy.testing import assert_allclose

from fibermsk.protocol import BorderedMatrix
from fibermsk.solvers.newton.linear import TOLERANCE, factorize, solver


@pytest.fixture(params=[0, 3])
def border(rng, request):
    """B, R and D with so many unknowns."""
    m, n = request.param, random_matrix(rng, True).shape[0]
    B, R = 0.2 * rng.standard_normal((n, m)), 0.2 * rng.standard_normal((m, n))
    return B, R, 5.0 * np.eye(m)


def in_full(matrix):
    """The whole matrix."""
    return np.block([[matrix.A.tocsc().toarray(), matrix.B], [matrix.R, matrix.D]])


@pytest.mark.parametrize("mirrored", [True, False])
def test_iterative_solution(rng, border, mirrored):
    matrix = BorderedMatrix(random_matrix(rng, mirrored), *border)
    K = in_full(matrix)
    right = rng.standard_normal(K.shape[0])
    assert_allclose(matrix @ right, K @ right, rtol=0, atol=1e-12)
    expected = np.linalg.solve(K, right)
    solve = solver(matrix)
    found = solve(right, 1e-13)
    assert 1 < found.iterations < 60
    assert_allclose(found.x, expected, rtol=0, atol=1e-11)
    rough = solve(right, 1e-2)
    assert rough.iterations < found.iterations
    assert_allclose(factorize(matrix)(right), expected, rtol=0, atol=1e3 * TOLERANCE)


def test_direct_solution_of_lines_alone(rng, border):
    matrix = BorderedMatrix(no_couplings(random_matrix(rng, True)), *border)
    K = in_full(matrix)
    right = rng.standard_normal(K.shape[0])
    found = solver(matrix)(right, 0.5)
    assert found.iterations == 0
    assert_allclose(found.x, np.linalg.solve(K, right), rtol=0, atol=1e-12)


@pytest.mark.parametrize("spend", [False, True])
def test_direct_solution_where_iterations_do_not_converge(rng, border, monkeypatch, spend):
    monkeypatch.setattr("fibermsk.solvers.newton.linear.MOST_ITERATIONS", 2)
    monkeypatch.setattr("fibermsk.solvers.newton.linear.GOOD_ENOUGH", 0.0)
    matrix = BorderedMatrix(random_matrix(rng, False, size=0.3), *border)
    K = in_full(matrix)
    solve = solver(matrix, spend=spend)
    for _ in range(2):
        right = rng.standard_normal(K.shape[0])
        found = solve(right, 1e-10)
        assert found.iterations == 0
        expected = np.linalg.solve(K, right)
        assert_allclose(found.x, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    monkeypatch.setattr("fibermsk.solvers.newton.linear.MOST_DIRECT", 10)
    matrix = BorderedMatrix(random_matrix(rng, False, size=0.3), *border)
    with pytest.raises(np.linalg.LinAlgError, match="does not converge in 2 iterations"):
        solver(matrix)(right, 1e-10)


@pytest.mark.parametrize("mirrored", [True, False])
def test_couplings_that_are_not_finite(rng, border, mirrored):
    couplings = random_matrix(rng, mirrored).couplings
    for which in range(1 if mirrored else 2):
        for value in (np.nan, np.inf):
            matrix = random_matrix(rng, mirrored)
            blocks = (matrix.couplings.upper, matrix.couplings.lower)[which]
            blocks[couplings.n_blocks - 1, 0, 0] = value
            with pytest.raises(np.linalg.LinAlgError, match="not finite"):
                factorize(BorderedMatrix(matrix, *border))(
                    np.ones(matrix.shape[0] + border[2].shape[0])
                )


def test_a_singular_corner_and_full_matrices(rng):
    matrix = random_matrix(rng, True)
    B = np.zeros((matrix.shape[0], 2))
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        solver(BorderedMatrix(matrix, B, B.T, np.diag([1.0, 0.0])))
    K, right = rng.standard_normal((5, 5)), rng.standard_normal(5)
    assert_allclose(factorize(K)(right), np.linalg.solve(K, right), rtol=0, atol=1e-12)
    none = np.zeros((0, 5))
    alone = BorderedMatrix(no_couplings(matrix), none, none.T, K)
    assert_allclose(factorize(alone)(right), np.linalg.solve(K, right), rtol=0, atol=1e-12)

from dataclasses import replace

import numpy as np
import pytest
from coupled_lines import dense_couplings, dense_lines, no_couplings, random_matrix
from numpy.testing import assert_allclose

from fibermsk.linalg import LineMatrix, Splitting, gmres
from fibermsk.linalg.lines import lines_of


@pytest.fixture(params=[0, 1, 5])
def border(rng, request):
    """B, R and D with so many unknowns."""
    m, n = request.param, random_matrix(rng, True).shape[0]
    B, R = rng.standard_normal((n, m)), rng.standard_normal((m, n))
    B[:50] = 0.0
    return 0.2 * B, 0.2 * R, 5.0 * np.eye(m) + rng.standard_normal((m, m))


def parts(matrix, border):
    """F + L, F, F + U and the whole in full, with the Schur complement in the corner of F."""
    B, R, D = border
    n, m = B.shape
    E, (below, above) = dense_lines(matrix), dense_couplings(matrix)
    S = D - R @ np.linalg.solve(E, B)
    F = np.block([[E, np.zeros((n, m))], [np.zeros((m, n)), S]])
    lower = np.block([[E + below, np.zeros((n, m))], [R, S]])
    upper = np.block([[E + above, B], [np.zeros((m, n)), S]])
    return lower, F, upper, np.block([[E + below + above, B], [R, D]])


@pytest.mark.parametrize("mirrored", [True, False])
def test_against_full_matrices(rng, border, mirrored):
    matrix = random_matrix(rng, mirrored)
    lower, F, upper, whole = parts(matrix, border)
    split = Splitting(matrix, *border)
    assert not split.is_exact
    for _ in range(2):  # nothing of a call is left for the next
        v = rng.standard_normal(whole.shape[0])
        kept = v.copy()
        expected = np.linalg.solve(lower, v)
        assert_allclose(split.forward(v), expected, rtol=0, atol=1e-12)
        w = np.linalg.solve(upper, F @ v)
        assert_allclose(split.backward(v), w, rtol=0, atol=1e-12)
        product = np.linalg.solve(lower, whole @ w)
        assert_allclose(split.multiply(v), product, rtol=0, atol=1e-12)
        assert np.array_equal(v, kept)


def test_product_with_couplings_outside_the_splitting(rng, border):
    matrix = random_matrix(rng, True)
    lower, F, upper, whole = parts(matrix, border)
    n = border[0].shape[0]
    others, seen = 0.1 * rng.standard_normal((n, n)), []
    split = Splitting(matrix, *border)

    def beside(w):
        seen.append(w.copy())
        return others @ w[:n]

    v = rng.standard_normal(whole.shape[0])
    w = np.linalg.solve(upper, F @ v)
    whole[:n, :n] += others
    product = np.linalg.solve(lower, whole @ w)
    assert_allclose(split.multiply(v, beside), product, rtol=0, atol=1e-12)
    (got,) = seen
    assert_allclose(got, w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_iterations_in_one_call(rng, border, kind):
    matrix, calls = random_matrix(rng, False), []
    pairs = matrix.couplings
    pairs = pairs._replace(upper=pairs.upper.astype(kind), lower=pairs.lower.astype(kind))
    split = Splitting(replace(matrix, couplings=pairs), *border)
    right = rng.standard_normal(sum(border[0].shape))

    def multiply(v):
        calls.append(v)
        return split.multiply(v)

    for tolerance in (1e-3, 1e-9):
        x, iterations, reduction = split.iteration().solve(right, tolerance, 200)
        calls.clear()
        y, expected, left = gmres(multiply, split.forward(right), tolerance, 200)
        assert iterations == expected == len(calls) > 1
        assert_allclose(reduction, left, rtol=1e-6)
        assert_allclose(x, split.backward(y), rtol=0, atol=1e-12)
    x, iterations, reduction = split.iteration().solve(right, 1e-9, 3)
    assert iterations == 3 and reduction > 1e-9  # the caller starts anew
    assert split.iteration().solve(0.0 * right, 1e-9, 3)[1:] == (0, 0.0)
    assert split.iteration().solve(np.nan * right, 1e-9, 3)[1:] == (0, np.inf)


def test_exact_for_lines_alone(rng, border):
    matrix = no_couplings(random_matrix(rng, True))
    split = Splitting(matrix, *border)
    assert split.is_exact
    whole = parts(matrix, border)[3]
    v = rng.standard_normal(whole.shape[0])
    assert_allclose(split.backward(split.forward(v)), np.linalg.solve(whole, v), rtol=0, atol=1e-12)
    assert_allclose(split.multiply(v), v, rtol=0, atol=1e-12)


def test_a_singular_or_infinite_line_is_refused(rng, border):
    matrix = random_matrix(rng, True)
    alone = matrix.start[1]  # the one node of its line
    for at, value in (((alone, 0, 3), 0.0), ((alone, 0, 5, 0), np.nan), ((6, 1, 0, 5), np.inf)):
        lines = matrix.lines.copy()
        lines[at] = value
        with pytest.raises(np.linalg.LinAlgError, match="singular or not finite"):
            Splitting(LineMatrix(matrix.start, lines, matrix.couplings), *border)


def test_a_singular_or_infinite_corner_is_refused(rng):
    matrix = random_matrix(rng, True)
    B = np.zeros((matrix.shape[0], 2))
    for value, message in ((0.0, "singular"), (np.inf, "not finite"), (np.nan, "not finite")):
        with pytest.raises(np.linalg.LinAlgError, match=message):
            Splitting(matrix, B, B.T, np.diag([1.0, value]))


@pytest.mark.parametrize("mirrored", [True, False])
def test_factors_in_place_of_the_lines(rng, border, mirrored):
    """Bitwise the same; the lines follow from their factors, except unused blocks at the ends."""
    matrix = random_matrix(rng, mirrored)
    spent = replace(matrix, lines=matrix.lines.copy())
    split, own = Splitting(matrix, *border), Splitting(spent, *border, in_place=True)
    v = rng.standard_normal(matrix.shape[0] + border[2].shape[0])
    for one in ("forward", "backward", "multiply"):
        assert np.array_equal(getattr(own, one)(v), getattr(split, one)(v))
    assert not np.array_equal(spent.lines, matrix.lines)
    found = replace(spent, lines=lines_of(spent.lines, spent.start))
    assert_allclose(dense_lines(found), dense_lines(matrix), rtol=0, atol=1e-12)

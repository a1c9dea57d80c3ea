from dataclasses import replace

import numpy as np
import pytest
from coupled_lines import (
    PAIRS,
    SIZES,
    dense_couplings,
    dense_lines,
    no_couplings,
    random_matrix,
)
from numpy.testing import assert_allclose, assert_array_equal

from fibermsk.linalg import Couplings
from fibermsk.linalg.couplings import (
    list_entries,
    solve_one_backward,
    solve_one_forward,
    subtract_others,
    sweep_backward,
    sweep_forward,
)
from fibermsk.linalg.lines import factor_lines


@pytest.fixture(
    params=[(True, np.float64), (False, np.float64), (True, np.float32), (False, np.float32)],
    ids=["mirrored", "own lower", "mirrored, single", "own lower, single"],
)
def matrix(rng, request):
    """Coupled lines, whose blocks may be in single precision; all else is in double."""
    mirrored, kind = request.param
    found = random_matrix(rng, mirrored)
    upper, lower = (one.astype(kind) for one in (found.couplings.upper, found.couplings.lower))
    return replace(found, couplings=found.couplings._replace(upper=upper, lower=lower))


def factors_of(matrix):
    """Of the lines."""
    factors, regular = np.empty_like(matrix.lines), np.zeros(matrix.start.size - 1, bool)
    factor_lines(matrix.lines, matrix.start, factors, regular)
    assert regular.all()
    return factors


def test_product_and_compressed_columns(matrix, rng):
    below, above = dense_couplings(matrix)
    K = dense_lines(matrix) + below + above
    x = rng.standard_normal(matrix.shape[0])
    assert_allclose(matrix @ x, K @ x, rtol=0, atol=1e-13)
    assert_array_equal(matrix.tocsc().toarray(), K)
    y = rng.standard_normal(x.size)
    expected = y - K @ x
    matrix.subtract_product(x, y)
    assert_allclose(y, expected, rtol=0, atol=1e-13)
    alone = no_couplings(matrix)
    assert_array_equal(alone.tocsc().toarray(), dense_lines(matrix))


def test_what_others_contribute_to_a_line(matrix, rng):
    below, above = dense_couplings(matrix)
    x, y = rng.standard_normal((2, matrix.shape[0]))
    expected = y - (below + above) @ x
    for line in range(matrix.start.size - 1):
        subtract_others(line, matrix.couplings, x.reshape(-1, 6), y.reshape(-1, 6))
    assert_allclose(y, expected, rtol=0, atol=1e-13)


def test_entries_in_the_order_of_lines():
    pairs = [*PAIRS]
    first, second = np.array(pairs).T.copy()
    n = len(SIZES)
    for order in (np.arange(n), np.array([1, 0, 2, 0, 1, 1])):
        start, middle = np.empty(n + 1, np.int64), np.empty(n, np.int64)
        entries = np.empty(2 * first.size, np.int64)
        list_entries(first, second, order, start, middle, entries)
        assert start[0] == 0 and start[-1] == entries.size
        for line in range(n):
            own = [k for k in range(2 * len(pairs)) if pairs[k // 2][k % 2] == line]
            before = [k for k in own if order[pairs[k // 2][1 - k % 2]] < order[line]]
            assert_array_equal(entries[start[line] : middle[line]], before)
            after = [k for k in own if k not in before]
            assert_array_equal(entries[middle[line] : start[line + 1]], after)


def test_sweeps_solve_with_triangles_of_lines(matrix, rng):
    E, (below, above) = dense_lines(matrix), dense_couplings(matrix)
    right = rng.standard_normal(matrix.shape[0])
    # a right-hand side that is zero on some lines, as those that no force acts on
    right[6 * matrix.start[2] : 6 * matrix.start[4]] = 0.0
    for sweep, beside in ((sweep_forward, below), (sweep_backward, above)):
        x, change = right.copy(), np.full((right.size // 6, 6), np.nan)
        arguments = (matrix.couplings, factors_of(matrix), change)
        sweep(matrix.start, *arguments, x.reshape(-1, 6))
        assert_allclose(x, np.linalg.solve(E + beside, E @ right), rtol=0, atol=1e-13)


def test_lines_in_another_order(matrix, rng):
    # colors: lines of one are not coupled, and could be solved at once
    color = np.array([1, 0, 2, 0, 1, 1])
    couplings = matrix.couplings
    list_entries(
        couplings.first, couplings.second, color, couplings.entry_start, couplings.entry_middle,
        couplings.entries,
    )  # fmt: skip
    E, (below, above) = dense_lines(matrix), dense_couplings(matrix, color)
    right = rng.standard_normal(matrix.shape[0])
    groups = [np.flatnonzero(color == one) for one in range(3)]
    for body, beside, order in (
        (solve_one_forward, below, groups),
        (solve_one_backward, above, groups[::-1]),
    ):
        x, change = right.copy(), np.empty((right.size // 6, 6))
        arguments = (couplings, factors_of(matrix), change, x.reshape(-1, 6))
        for line in np.concatenate(order):
            body(line, matrix.start, *arguments)
        assert_allclose(x, np.linalg.solve(E + beside, E @ right), rtol=0, atol=1e-13)


def test_lines_without_blocks_stay_as_they_are(matrix):
    alone = no_couplings(matrix)
    x = np.ones((matrix.lines.shape[0], 6))
    for sweep in (sweep_forward, sweep_backward):
        # factors that would be noticed
        arguments = (alone.couplings, np.full_like(matrix.lines, np.nan), 1.0 * x)
        sweep(matrix.start, *arguments, x)
    assert_array_equal(x, 1.0)


def test_only_blocks_in_use_have_to_be_finite(matrix):
    couplings = matrix.couplings
    for blocks in (couplings.upper, couplings.lower):
        if not blocks.size:
            continue
        assert np.isnan(blocks[couplings.n_blocks :]).all()
        for value in (np.nan, np.inf, -np.inf):
            kept, blocks[couplings.n_blocks - 1, 5, 5] = blocks[couplings.n_blocks - 1, 5, 5], value
            assert not couplings.is_finite
            blocks[couplings.n_blocks - 1, 5, 5] = kept
    assert couplings.is_finite
    assert Couplings.none(3).is_finite

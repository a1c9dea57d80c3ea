import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk import _vectors
from fibermsk._compile import kernel
from fibermsk.linalg import block
from fibermsk.linalg.lines import invert_block


@kernel
def multiply_all(matrix, x, plain, transposed, replaced):
    """Products with one of two blocks, for all the rows."""
    for i in range(x.shape[0]):
        block.subtract_product(matrix[1], x[i], plain[i])
        block.subtract_transposed(matrix[1], x[i], transposed[i])
        block.multiply_in_place(matrix[1], replaced[i])


def check(compiled, rng, kind=np.float64):
    matrix = rng.standard_normal((2, 6, 6)).astype(kind)  # (column, row)
    x, y, z = rng.standard_normal((3, 4, 6))
    plain, transposed, replaced = y.copy(), z.copy(), x.copy()
    compiled(matrix, x, plain, transposed, replaced)
    for i in range(4):
        assert_allclose(plain[i], y[i] - matrix[1].T @ x[i], rtol=0, atol=1e-14)
        assert_allclose(transposed[i], z[i] - matrix[1] @ x[i], rtol=0, atol=1e-14)
        assert_allclose(replaced[i], matrix[1].T @ x[i], rtol=0, atol=1e-14)


KINDS = pytest.mark.parametrize("kind", [np.float64, np.float32])
"""Of the blocks; products are in double precision in any case."""


@KINDS
def test_products_with_vectors_of_the_cpu(rng, kind):
    check(multiply_all, rng, kind)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@KINDS
def test_products_with_single_numbers(rng, monkeypatch, kind):
    # as on a GPU
    monkeypatch.setattr(_vectors, "CPUContext", ())
    compiled = numba.njit(multiply_all.py_func)
    check(compiled, rng, kind)
    assert "x double>" not in next(iter(compiled.inspect_llvm().values()))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_other_layouts_are_refused(rng):
    matrix, x = rng.standard_normal((2, 6, 6)), rng.standard_normal((4, 6))
    with pytest.raises(numba.TypingError, match="C-contiguous"):
        multiply_all(matrix.transpose(0, 2, 1), x, x, x, x)


def test_inverses(rng):
    for shape in ((6, 6),) * 20:
        matrix = rng.standard_normal(shape)
        matrix[rng.integers(6), rng.integers(6)] = 0.0
        inverse = matrix.copy()
        assert invert_block(inverse)
        scale = np.abs(np.linalg.inv(matrix)).max()
        assert_allclose(inverse, np.linalg.inv(matrix), rtol=0, atol=1e-12 * scale * scale)
    for flaw in (0.0, np.nan, np.inf):
        matrix = rng.standard_normal((6, 6))
        matrix[2] = flaw
        assert not invert_block(matrix)

"""Arrays on the stack."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch


@kernel
def _outer(x):
    square = scratch((3, 3))
    total = 0.0
    for repeat in range(2):
        row = scratch(3)
        for c in range(3):
            row[c] = x[c] + repeat
        for r in range(3):
            for c in range(3):
                square[r, c] = row[r] * row[c]
        total += square[1].sum()
    return total, square.shape, square.strides


def test_scratch_is_an_array():
    total, shape, strides = _outer(np.array([1.0, 2.0, 3.0]))
    assert total == 2.0 * 6.0 + 3.0 * 9.0
    assert (shape, strides) == ((3, 3), (24, 8))


def test_scratch_of_a_size_not_known_to_the_compiler():
    @kernel
    def of_size(n):
        return scratch(n).size

    with pytest.raises(TypingError, match="made of constants"):
        of_size(3)

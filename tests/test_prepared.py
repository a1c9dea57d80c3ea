"""Prepared calls: types of arguments, found again without Numba."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from fibermsk._compile import kernel
from fibermsk._prepared import Packed, call_known, kind_of

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


class Pair(NamedTuple):
    """Two arrays."""

    first: np.ndarray
    second: tuple


class Other(NamedTuple):
    """The same fields of another class."""

    first: np.ndarray
    second: tuple


def read_only(array):
    array.flags.writeable = False
    return array


ARRAYS = [
    np.zeros(3),
    np.zeros(3, np.int32),
    np.zeros((2, 3)),
    np.zeros((2, 3), order="F"),
    np.zeros((2, 3))[:, ::2],
    read_only(np.zeros(3)),
    np.zeros((1, 1)),
    np.zeros(0),
    np.zeros(25, np.uint8)[1:].view(np.float64),  # not aligned
]
VALUES = [
    *ARRAYS, 1, 1.5, True, None, (), (1, 2.0), (1, (np.zeros(2), np.zeros((2, 2)))),
    Pair(np.zeros(2), (1,)), Other(np.zeros(2), (1,)), Pair(np.zeros((2, 2)), (1.0, 2)),
    (Packed((np.zeros(2), 1)),), (Packed((np.zeros(2, np.int8), 1)),),
]  # fmt: skip


@pytest.mark.parametrize("again", [False, True])
def test_types_are_those_of_numba(again):
    """The second time they are known."""
    kinds = [kind_of(value) for value in VALUES]
    assert kinds == [numba.typeof(value) for value in VALUES]
    assert len({id(kind) for kind in kinds}) == len(set(kinds))  # one object each


@kernel
def total(pair, factor):
    """Sum of the first array."""
    return factor * pair.first.sum()


def test_a_known_call_is_the_call():
    for array in (np.arange(4.0), np.arange(6.0).reshape(2, 3), np.arange(4)):
        pair = Pair(array, (1.0,))
        assert call_known(total, pair, 2.0) == total(pair, 2.0) == 2.0 * array.sum()
        again = Pair(array + 1, (1.0,))
        assert call_known(total, again, 2.0) == total(again, 2.0)

"""Sums of short vectors, in vectors of the CPU and in single numbers."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

from fibermsk import _vectors
from fibermsk._compile import kernel
from fibermsk._vectors import add_four, add_three, add_two, fill_three, fill_two


@kernel
def _all(a, u, filled, added):
    """Every sum into a row of its own; those that add take parts of the vectors."""
    fill_two(filled[0], a[0], u[0], a[1], u[1])
    fill_three(filled[1], a[0], u[0], a[1], u[1], a[2], u[2])
    add_two(added[0], a[0], u[0, 6:], a[1], u[1, :6])
    add_three(added[1], a[0], u[0, 6:], a[1], u[1, :6], a[2], u[2, 3:9])
    add_four(added[2], a[0], u[0, 6:], 2, u[1, :6], a[2], u[2, 3:9], a[3], u[3, 1:7])


def _check(compiled, rng, kind=np.float64):
    a, u = rng.standard_normal(4), rng.standard_normal((4, 12))
    before = rng.standard_normal((3, 6))
    filled, added = rng.standard_normal((2, 12)), before.copy()
    compiled(a, u, filled, added)
    two, three = a[0] * u[0] + a[1] * u[1], a[0] * u[0] + a[1] * u[1] + a[2] * u[2]
    assert_allclose(filled, [two, three], rtol=0, atol=1e-14)
    parts = [u[0, 6:], u[1, :6], u[2, 3:9], u[3, 1:7]]
    four = np.array([a[0], 2.0, a[2], a[3]])
    sums = [a[:2] @ parts[:2], a[:3] @ parts[:3], four @ parts]
    assert_allclose(added - before, sums, rtol=0, atol=1e-14)


def test_vectors_of_the_cpu(rng):
    _check(_all, rng)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_single_numbers(rng, monkeypatch):
    # as on a GPU
    monkeypatch.setattr(_vectors, "CPUContext", ())
    compiled = numba.njit(_all.py_func)
    _check(compiled, rng)
    assert "x double>" not in next(iter(compiled.inspect_llvm().values()))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_other_layouts_are_refused(rng):
    u = rng.standard_normal((4, 24))[:, ::2]
    with pytest.raises(numba.TypingError, match="C-contiguous"):
        _all(np.ones(4), u, np.ones((2, 12)), np.ones((3, 6)))

"""The kernels' Python source compiled for a GPU, on machines without one.

What is checked: that numba-cuda translates real kernels, with all that they call, to machine code
of an H100 or H200 (compute capability 9.0), and that the launch covers every task once. What is
not: the numbers that a GPU computes.
"""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import gpu_bodies
import numpy as np
import pytest
from numba import int64, typeof, types
from numba.core.errors import TypingError
from numpy.testing import assert_array_equal

from fibermsk._compile import kernel
from fibermsk.kernels._scratch import scratch

BODIES = [gpu_bodies.nearest_of_all, gpu_bodies.cable_element]
CAPABILITY = (9, 0)


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


@pytest.fixture
def to_ptx(monkeypatch):
    """Function that compiles a body's GPU kernel to PTX: with a capability in place of a device."""
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (extra gpu)")
    from numba import cuda

    from fibermsk.kernels._gpu import over_tasks

    # device functions are compiled for the current device, even where no code is loaded
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device",
        lambda: SimpleNamespace(compute_capability=CAPABILITY),
    )

    def compile_body(body, values):
        signature = (int64, types.Tuple(tuple(typeof(value) for value in values)))
        ptx, _ = cuda.compile_ptx(over_tasks(body), signature, cc=CAPABILITY)
        return ptx

    return compile_body


@pytest.mark.parametrize(
    "body, values",
    [*((body, gpu_bodies.arguments(body)) for body in BODIES), *gpu_bodies.fiber_bodies()],
    ids=lambda part: getattr(part, "__qualname__", ""),
)
def test_compiles_for_a_gpu(to_ptx, body, values):
    ptx = to_ptx(body, values)
    assert ".target sm_90" in ptx and ".visible .entry" in ptx
    # division as on the CPU, and nothing left to link: no allocator, no function of the host
    assert "div.rn.f64" in ptx or "rcp.rn.f64" in ptx
    assert "div.approx" not in ptx
    assert "NRT_" not in ptx and ".extern .func" not in ptx


def test_a_kernel_that_allocates_is_refused(to_ptx):
    @kernel
    def allocating(i, out):
        work = np.empty(3)
        work[0] = i
        out[i] = work[0]

    with pytest.raises(Exception, match="np_empty"):
        to_ptx(allocating, (np.zeros(4),))


_SIMULATED = """
import gpu_bodies
from numpy.testing import assert_array_equal
from fibermsk.kernels._gpu import launch

for body in (gpu_bodies.nearest_of_all, gpu_bodies.cable_element):
    expected, found = gpu_bodies.arguments(body), gpu_bodies.arguments(body)
    for i in range(70):
        body(i, *expected)
    launch(body, 70, found)
    for a, b in zip(expected, found):
        assert_array_equal(a, b)
    launch(body, 0, found)
print("all tasks once")
"""


def test_every_task_runs_once():
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (extra gpu)")
    paths = [str(Path(__file__).parent), *sys.path]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _SIMULATED],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "all tasks once\n"


def test_bodies_write_their_own_task_only():
    for body in BODIES:
        values, after = gpu_bodies.arguments(body), gpu_bodies.arguments(body)
        body(7, *after)
        for before, now in zip(values, after, strict=True):
            if np.ndim(now) == 0 or now.shape[:1] != values[-1].shape[:1]:
                continue
            changed = np.any((before != now).reshape(len(now), -1), axis=1)
            assert set(np.flatnonzero(changed)) <= {7}
    assert_array_equal(after[-1][6], 0.0)

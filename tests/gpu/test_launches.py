"""The bodies that the GPU backend launches, compiled for a GPU on machines without one.

What is checked: that numba-cuda translates them, with all that they call and with the arguments
that the backend makes, to machine code of an H100 or H200 (compute capability 9.0); and that the
launch covers every task once. What is not: the numbers that a GPU computes.
"""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from launches import BODIES, copied, flat, name, recorded_launches
from numba import int64, typeof, types
from numba.core.errors import TypingError
from numpy.testing import assert_array_equal

from fibermsk._compile import kernel
from fibermsk.gpu import host_device

CAPABILITY = (9, 0)


@pytest.fixture(scope="module")
def recorded():
    """All launches of a Newton iteration."""
    return recorded_launches()


def test_all_bodies_are_listed(recorded):
    assert {name(body) for body in recorded} == {name(body) for body in BODIES}


@pytest.mark.parametrize("body", BODIES, ids=name)
def test_the_order_of_tasks_does_not_matter(recorded, body):
    tasks, values = recorded[body]
    expected, found = copied(values), copied(values)
    host_device().launch(body, tasks, expected)
    order = np.arange(tasks) if isinstance(tasks, int) else tasks
    host_device().launch(body, order[::-1], found)
    for a, b in zip(flat(expected), flat(found), strict=True):
        assert_array_equal(a, b)


@pytest.fixture
def to_ptx(monkeypatch):
    """Function that compiles a launch to PTX: with a capability in place of a device."""
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (extra gpu)")
    from numba import cuda

    from fibermsk.kernels._gpu import over_listed, over_tasks

    # device functions are compiled for the current device, even where no code is loaded
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device",
        lambda: SimpleNamespace(compute_capability=CAPABILITY),
    )

    def compile_launch(body, tasks, values):
        listed = not isinstance(tasks, int)
        loop = (over_listed if listed else over_tasks)(body)
        signature = (
            typeof(tasks) if listed else int64,
            types.Tuple(tuple(typeof(value) for value in values)),
        )
        ptx, _ = cuda.compile_ptx(loop, signature, cc=CAPABILITY)
        return ptx

    return compile_launch


@pytest.mark.parametrize("body", BODIES, ids=name)
def test_compiles_for_a_gpu(to_ptx, recorded, body):
    ptx = to_ptx(body, *recorded[body])
    assert ".target sm_90" in ptx and ".visible .entry" in ptx
    # division as on the CPU, and nothing left to link: no allocator, no function of the host
    assert "div.approx" not in ptx and "sqrt.approx" not in ptx
    assert "NRT_" not in ptx and ".extern .func" not in ptx


def test_a_body_that_allocates_is_refused(to_ptx):
    @kernel
    def allocating(i, out):
        work = np.empty(3)
        work[0] = i
        out[i] = work[0]

    with pytest.raises(TypingError, match="np_empty"):
        to_ptx(allocating, 4, (np.zeros(4),))


_SIMULATED = """
import numpy as np
from launches import changed, copied, flat, name, recorded_launches
from fibermsk.gpu import host_device
from fibermsk.kernels._gpu import launch

for body, (tasks, values) in recorded_launches().items():
    expected, found = copied(values), copied(values)
    host_device().launch(body, tasks, expected)
    launch(body, tasks, found)
    launch(body, 0, found)
    for a, b in zip(flat(expected), flat(found)):
        np.testing.assert_array_equal(a, b, name(body))
    assert changed(values, found), name(body)
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

"""Loops that are compiled for one thread and for all: two programs, in the cache as well."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from fibermsk.kernels.closest import rows

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

PROGRAM = """
import numpy as np
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_rows
power = np.random.default_rng(0).normal(size=(9, 4, 3))
for compiled in (fill_rows.alone, fill_rows.shared):
    compiled(power, np.arange(9), power, np.ones((9, 5)), np.ones(9), np.empty((9, N_COLUMNS)))
    print(sum(compiled.stats.cache_hits.values()))
"""


def test_the_cache_tells_them_apart(tmp_path):
    """Files of the cache do not know how they were compiled, only the function's name."""
    for hits in (["0", "0"], ["1", "1"]):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM],
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == hits


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")
@pytest.mark.parametrize("n", [100, 5000])
def test_few_tasks_are_done_by_one_thread(rng, monkeypatch, n):
    called = []
    for name in ("alone", "shared"):
        compiled = getattr(rows.fill_rows, name)

        def spy(*arguments, compiled=compiled, name=name):
            called.append(name)
            return compiled(*arguments)

        cells = rows.fill_rows.__closure__
        cell = next(c for c in cells if c.cell_contents is compiled)
        monkeypatch.setattr(cell, "cell_contents", spy)
    power = rng.normal(size=(n, 4, 3))
    arguments = (power, np.arange(n), power, np.ones((n, 5)), np.ones(n))
    before = numba.get_num_threads()
    filled = []
    for threads in (1, 2):
        numba.set_num_threads(threads)
        filled.append(np.empty((n, rows.N_COLUMNS)))
        rows.fill_rows(*arguments, filled[-1])
    numba.set_num_threads(before)
    assert called == ["alone", "shared" if n == 5000 else "alone"]
    assert np.array_equal(*filled)

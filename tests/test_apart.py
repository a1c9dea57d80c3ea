"""Large functions that are compiled once, and not once more into each caller."""

import os
import subprocess
import sys

import numba
import pytest

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

CALLER, CALLEE = "length_of", "distance"
RUN = """
import sys
import numpy as np
from numba.core import event
from fibermsk import _apart

_apart.LARGE = int(sys.argv[1])
if sys.argv[2:]:
    _apart.sources_stamp = lambda module: sys.argv[2]  # as of other sources

compiled = []

class Listener(event.Listener):
    def on_start(self, one):
        compiled.append(one.data["dispatcher"].py_func.__name__)

    def on_end(self, one):
        pass

event.register("numba:compile", Listener())
from fibermsk.kernels.lines.taut import string
print(string.length_of(np.array([[0.0, 0, 0], [3, 4, 0], [3, 4, 12]])), *compiled)
code = next(iter(string.length_of.overloads.values())).library
print(*sorted({one.place[1] for one in _apart._callees(code)}))
"""


@pytest.fixture
def run(tmp_path):
    """Call a kernel in a process of its own: what is compiled in it, and its callees apart."""

    def run_it(*arguments):
        settings = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", RUN, *map(str, arguments)]
        done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (length, *compiled), apart = (line.split() for line in done.stdout.splitlines())
        assert float(length) == 17.0
        return compiled, apart

    return run_it


def forget(folder, name):
    files = list(folder.rglob(f"string.{name}-*"))
    assert files
    for file in files:
        file.unlink()


def test_a_large_callee_is_compiled_once_and_found_again(run, tmp_path):
    assert run(2) == ([CALLER, CALLEE], [CALLEE])
    assert run(2) == ([], [CALLEE])
    # a callee compiled anew, as by another process at the same time, has the same name
    forget(tmp_path, CALLEE)
    assert run(2) == ([CALLEE], [CALLEE])
    # a new caller finds it
    forget(tmp_path, CALLER)
    assert run(2) == ([CALLER], [CALLEE])


def test_a_small_callee_is_linked(run):
    assert run(10_000) == ([CALLER, CALLEE], [])
    assert run(10_000) == ([], [])


def test_a_caller_of_a_callee_that_is_gone_is_compiled_anew(run, tmp_path):
    run(2)
    forget(tmp_path, CALLEE)
    # other code of the callee, known by another name, comes instead
    compiled, apart = run(2, "other sources")
    assert sorted(compiled) == sorted([CALLER, CALLEE]) and apart == [CALLEE]

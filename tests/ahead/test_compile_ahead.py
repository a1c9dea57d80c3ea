"""Several processes compile what a run needs: into one cache, and whatever happens to them."""

import os
import signal
import subprocess
import sys
import time

import numba
import pytest

from fibermsk._code_cache import fcntl
from fibermsk.ahead.team import PROCESSES, n_processes
from fibermsk.errors import ModelError

pytestmark = [
    pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled"),
    pytest.mark.skipif(fcntl is None, reason="processes share a cache by locks of POSIX"),
]

LIST = """kinds: rows
fibermsk.linalg.rows.multiply_rows f8.2C i8 f8.1C f8.1C
fibermsk.linalg.rows.subtract_rows f8.2C i8 f8.1C f8.1C
fibermsk.linalg.rows.subtract_rows f8 f8 f8 f8
fibermsk.linalg.krylov._orthogonalize f8.2C i8 f8.1C f8.1C
"""
"""The third does not compile, as that of another version."""

BEGIN = """
import os, sys, time
from pathlib import Path
from fibermsk._compile import counting_compilations
from fibermsk.ahead import helper, team
from fibermsk.ahead.listed import functions_for
team._FEW = 0
kinds, lists = frozenset({"rows"}), Path(sys.argv[1])
told = []
def tell(message, part, fraction):
    told.append((message, part, fraction))
"""
AHEAD = """
with counting_compilations() as count:
    team.compile_ahead(kinds, tell, lists)
    import numpy as np
    from fibermsk.linalg.krylov import _orthogonalize
    basis, column, w = np.zeros((3, 20)), np.zeros(3), np.arange(20.0)
    basis[0, 0] = 1.0
    _orthogonalize(basis, 1, w, column)
print(count(), team.compiled_elsewhere(), abs(basis[:2] @ basis[:2].T - np.eye(2)).max() < 1e-14)
print({message for message, _, _ in told}, told[-1:])
"""


def start(tmp_path, program, processes=2):
    (tmp_path / "lists").mkdir(exist_ok=True)
    (tmp_path / "lists" / "rows.txt").write_text(LIST)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "FIBERMSK_COMPILE_PROCESSES": str(processes),
    }
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + program, str(tmp_path / "lists")],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(process):
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return out.splitlines()


HELPED = """
helping = helper.Helper(kinds, lists)
helping.start()
listed = functions_for(kinds, lists)
print([helping.compile(one) for one in listed], [helper.is_kept(one) for one in listed])
helping.end()
helping.close()
"""


def test_another_process_compiles_for_this_one(tmp_path):
    """And this one then compiles nothing."""
    assert ended(start(tmp_path, HELPED)) == ["[True, True, False, True] [True, True, False, True]"]
    assert ended(start(tmp_path, AHEAD)) == ["0 0 True", "set() []"]


def test_two_first_runs_at_once_compile_each_function_once(tmp_path):
    both = [start(tmp_path, AHEAD) for _ in range(2)]
    lines = [ended(one) for one in both]
    assert all(line[0].endswith("True") for line in lines)
    saved = sorted(path.name for path in (tmp_path / "cache").rglob("*.nbc"))
    assert len(saved) == len({name.split(".py")[0] for name in saved}) == 3
    assert any("compiling kernels, once" in line[1] for line in lines)


@pytest.mark.parametrize("program", ["sys.exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_process_that_fails_costs_time_only_and_is_told(tmp_path, program):
    slowly = f"helper._PROGRAM = 'import os, sys; {program}'\n" + (
        "one = team.compile_one\nteam.compile_one = lambda listed: (time.sleep(0.5), one(listed))\n"
    )
    numbers, told = ended(start(tmp_path, slowly + AHEAD))
    assert numbers.split()[1:] == ["0", "True"]
    assert "ended with status" in told and "the others go on" in told


@pytest.mark.parametrize("processes", [0, 1])
def test_one_process_works_as_well(tmp_path, processes):
    numbers, told = ended(start(tmp_path, AHEAD, processes))
    assert numbers.split()[1:] == ["0", "True"] and int(numbers.split()[0]) >= 3
    assert told.startswith("set()") == (processes == 0)


ALIVE = """
helping = helper.Helper(kinds, lists)
helping.start()
print(helping._process.pid, flush=True)
time.sleep(300)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_run(tmp_path, number):
    process = start(tmp_path, ALIVE)
    child = int(process.stdout.readline())
    process.send_signal(number)
    process.communicate(timeout=60)
    until = time.monotonic() + 60
    while is_running(child):
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("asked", ["abc", "-1", "1.5"])
def test_a_wrong_number_of_processes_is_refused(monkeypatch, asked):
    monkeypatch.setenv(PROCESSES, asked)
    with pytest.raises(ModelError, match=f"{PROCESSES} = {asked!r}; must be a whole number"):
        n_processes()

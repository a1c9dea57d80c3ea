"""Compiled kernels on disk: kept apart by processes that compile at once, and done without."""

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

import fibermsk as fm
from fibermsk import _code_cache

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def a_function():
    """Something to have a cache for."""


@pytest.fixture
def caches(monkeypatch, tmp_path):
    """Function that makes caches of one function, as of processes of their own."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def make():
        cache = _code_cache.cache_of(a_function)
        # what is kept is text here, known by a number
        monkeypatch.setattr(cache, "_index_key", lambda sig, codegen: sig)
        monkeypatch.setattr(cache._impl, "check_cachable", lambda data: True)
        monkeypatch.setattr(cache._impl, "reduce", lambda data: data.code)
        monkeypatch.setattr(cache._impl, "rebuild", lambda context, data: data)
        return cache

    return make


@pytest.fixture
def untold(monkeypatch):
    monkeypatch.setattr(_code_cache, "_told", False)


def save(cache, key):
    cache.save_overload(key, SimpleNamespace(code=f"code {key}", codegen=None))


def load(cache, key):
    context = SimpleNamespace(refresh=lambda: None, codegen=lambda: None)
    return cache.load_overload(key, context)


def save_two(make):
    """Save two entries at once, each by an object of its own; what each key loads."""
    made = [make() for _ in range(2)]
    for cache in made:
        file = cache._cache_file
        file._load_index = slowly(file._load_index)
    threads = [threading.Thread(target=save, args=(made[key], key)) for key in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [load(make(), key) for key in range(2)]


def slowly(look):
    """Look, and be slow to go on."""

    def looking():
        found = look()
        time.sleep(0.2)
        return found

    return looking


@pytest.mark.skipif(_code_cache.fcntl is None, reason="locks of files are POSIX")
def test_entries_saved_at_once_do_not_mix(caches):
    assert save_two(caches) == ["code 0", "code 1"]


def test_without_the_lock_they_would(caches, monkeypatch):
    monkeypatch.setattr(_code_cache, "fcntl", None)
    assert save_two(caches) != ["code 0", "code 1"]


def test_a_disk_that_is_full_ends_no_run_and_is_told_once(caches, monkeypatch, untold):
    cache = caches()

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache._cache_file, "_save_index", full)
    with pytest.warns(RuntimeWarning, match="not cached.*No space left.*NUMBA_CACHE_DIR") as told:
        save(cache, 1)
        save(cache, 2)
    assert len(told) == 1 and load(cache, 1) is None


PROGRAM = """
import sys
import numpy as np
from numba.core.caching import CacheImpl
# NUMBA_CACHE_DIR, and neither the folder beside the source nor one of the user
CacheImpl._locator_classes = CacheImpl._locator_classes[:1]
from fibermsk.kernels.closest.polynomial import antiderivative, value_and_slope
print("imported", file=sys.stderr)
for kernel in (value_and_slope, antiderivative):
    kernel(np.ones(6), 0.5)
"""


@pytest.mark.parametrize("kept", [False, True], ids=["no folder", "folder"])
def test_where_no_folder_can_be_written_kernels_work_and_say_so(tmp_path, kept):
    """A folder that is a file can be written by nobody, the superuser included."""
    taken = tmp_path / "taken"
    taken.touch()
    folder = str(tmp_path / "kept" if kept else taken)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": folder}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    before, told = done.stderr.split("imported\n")
    assert before == ""
    if kept:
        assert told == "" and any(Path(folder).rglob("*.nbc"))
    else:
        assert told.count("compiled kernels are not cached") == 1
        assert "NUMBA_CACHE_DIR" in told and "a minute" in told


def test_machine_code_has_names_of_its_own():
    """Numbers of Numba's, which it joins to the names, do not start at 1 in every process."""
    from numba.core.bytecode import FunctionIdentity

    import fibermsk._compile

    assert fibermsk._compile.PARTS
    made = FunctionIdentity.from_function(a_function)
    assert made.unique_id > 2**32 and str(made.unique_id) in made.unique_name


CALLER = """
from fibermsk._compile import kernel
from fibermsk.kernels.own_law import compiled_function
scope = {"__name__": "nowhere"}
exec("def double(x): return 2.0 * x", scope)
own = compiled_function(scope["double"])

@kernel
def after(x):
    return own(x) + 1.0

print(after(3.0), sum(after.stats.cache_hits.values()))
"""


def test_functions_of_no_module_are_loaded_from_disk(tmp_path):
    """As those of a script that another program executes."""
    (tmp_path / "caller.py").write_text(CALLER)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path)}
    printed = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(tmp_path / "caller.py")],
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout.split())
    assert printed == [["7.0", "0"], ["7.0", "1"]]


ASK = """
import numpy as np
from fibermsk.kernels.contact_law import law_force as asked
print(asked(-0.25, np.array([[3.0, 2.0]]), 0)[0], sum(asked.stats.cache_hits.values()))
"""


def test_edited_callees_are_compiled_again(tmp_path):
    """Although the edited file is not the one of the cached function."""
    package = tmp_path / "fibermsk"
    left_out = shutil.ignore_patterns("__pycache__", "weights")
    shutil.copytree(Path(fm.__file__).parent, package, ignore=left_out)
    (tmp_path / "ask.py").write_text(ASK)
    law = package / "laws" / "penalty.py"
    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed = []
    for before in ("", "", "-stiffness * gap /"):
        law.write_text(law.read_text().replace(before, before.replace("-", "-2.0 * ")))
        done = subprocess.run(
            [sys.executable, str(tmp_path / "ask.py")],
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout.split())
    assert printed == [["1.5", "0"], ["1.5", "1"], ["3.0", "0"]]

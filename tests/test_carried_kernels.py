"""Kernels that a package carries are used where they fit, and compiled anew where they do not."""

import json
import os
import subprocess
import sys

import numba
import pytest

from fibermsk import _carried

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

CALL = """
import numpy as np
from fibermsk._compile import counting_compilations
with counting_compilations() as count:
    from fibermsk.linalg.rows import multiply_rows
    A, x = np.arange(20.0).reshape(5, 4), np.arange(4.0)
    out = np.zeros(5)
    multiply_rows(A, 5, x, out)
print(count(), *out)
"""
EXACT = [14.0, 38.0, 62.0, 86.0, 110.0]


def called(folder, tmp_path, number, **more):
    """Number of functions that a call compiles in a process of its own with an empty cache."""
    environment = os.environ | more | {"NUMBA_CACHE_DIR": str(tmp_path / f"cache_{number}")}
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    run = [sys.executable, "-c", CALL]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    count, *out = map(float, done.stdout.split())
    assert out == EXACT
    return int(count)


@pytest.fixture(scope="module")
def carrying(tmp_path_factory):
    """Folder with a package of kernels, for the kind of processor that is asked for."""
    folder = tmp_path_factory.mktemp("carrying")
    cpu = {"NUMBA_CPU_NAME": _carried.CPU, "NUMBA_CPU_FEATURES": ""}
    package = folder / _carried.PACKAGE
    assert called(folder, folder, 0, **cpu, **{_carried.BUILDING: str(package)}) > 0
    magic = json.loads((package / _carried.ABOUT).read_text())["magic"]
    assert magic[1:] == [_carried.CPU, ""]
    return folder


def test_nothing_is_compiled_where_kernels_fit(carrying, tmp_path):
    if not _carried._has_features(_magic(carrying)[0]):
        pytest.skip("this machine is not of that kind")
    assert called(carrying, tmp_path, 1) == 0
    # also where no place is left for a cache
    (tmp_path / "file").write_text("")
    assert called(carrying, tmp_path / "file", 2) == 0


def _magic(folder):
    return json.loads((folder / _carried.PACKAGE / _carried.ABOUT).read_text())["magic"]


@pytest.mark.parametrize("other", ["numba", "python", "llvmlite", "magic"])
def test_kernels_of_something_else_are_ignored(other, carrying, tmp_path):
    path = carrying / _carried.PACKAGE / _carried.ABOUT
    before = path.read_text()
    about = json.loads(before)
    about[other] = ["riscv64", "any", ""] if other == "magic" else "0.1"
    path.write_text(json.dumps(about))
    try:
        assert called(carrying, tmp_path, 1) > 0
    finally:
        path.write_text(before)


@pytest.mark.parametrize("damage", ["cut", "another source"])
def test_damaged_kernels_are_compiled_anew(damage, carrying, tmp_path):
    files = list((carrying / _carried.PACKAGE).glob("*/multiply_rows*.nb[ci]"))
    before = {file: file.read_bytes() for file in files}
    assert len(files) >= 2
    for file in files:
        if damage == "cut":
            file.write_bytes(before[file][:40])
        elif file.suffix == ".nbi":
            file.write_bytes(before[file].replace(b"a", b"b", 1)[::-1])
    try:
        assert called(carrying, tmp_path, 1) > 0
    finally:
        for file, data in before.items():
            file.write_bytes(data)


def test_an_edited_source_has_another_stamp(carrying, monkeypatch):
    from fibermsk.linalg.rows import multiply_rows

    function = multiply_rows.py_func
    store = _carried.Store(carrying / _carried.PACKAGE, tuple(_magic(carrying)))
    assert store._file(function)._load_index()
    monkeypatch.setattr(_carried, "sources_stamp", lambda module: "edited")
    assert not store._file(function)._load_index()

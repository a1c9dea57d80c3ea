"""Ask OpenSim about a model, in a process of its own."""

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "read" / "in_opensim.py"


@cache
def python_of_opensim():
    """An interpreter that can import opensim, or None."""
    named = os.environ.get("FIBERMSK_OPENSIM_PYTHON")
    if named:
        return named
    return sys.executable if importlib.util.find_spec("opensim") else None


def ask(folder, model, configurations=(), **more):
    """Answer of `in_opensim.py`; skips the test where there is no OpenSim."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    answer = folder / "answer.json"
    task = {"model": str(Path(model).resolve()), "configurations": list(configurations), **more}
    done = subprocess.run(
        [python, str(SCRIPT), str(answer)],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(answer.read_text())

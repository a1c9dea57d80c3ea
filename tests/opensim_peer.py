"""Ask OpenSim about a model, in a process beside the tests."""

import atexit
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
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


HANGS = 300.0
"""Seconds after which OpenSim hangs."""


class Peer:
    """A process that answers, one question after the other: to import OpenSim takes longest."""

    def __init__(self, python):
        self._home = tempfile.TemporaryDirectory()
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115  (as long as the process)
        self._process = subprocess.Popen(
            [python, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            cwd=self._home.name,  # where OpenSim leaves its log
        )

    def ask(self, task):
        """Whether there is an answer, and if not, what was said last."""
        guard = threading.Timer(HANGS, self._process.kill)
        guard.start()
        try:
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
            if any(line == "answered\n" for line in iter(self._process.stdout.readline, "")):
                return True, ""
        except BrokenPipeError:
            pass
        finally:
            guard.cancel()
        self._process.wait()
        self._said.seek(0)
        return False, self._said.read()[-2000:]

    def close(self):
        self._process.kill()
        self._process.communicate()
        self._said.close()
        self._home.cleanup()


@cache
def peer(python):
    """The process of this worker."""
    started = Peer(python)
    atexit.register(started.close)
    return started


def ask(folder, model, configurations=(), **more):
    """Answer of `in_opensim.py`; skips the test where there is no OpenSim."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    answer = Path(folder).resolve() / "answer.json"
    task = {"model": str(Path(model).resolve()), "configurations": list(configurations), **more}
    answered, said = peer(python).ask(task | {"folder": str(answer.parent), "answer": str(answer)})
    if not answered:
        peer.cache_clear()  # the next question has a new process
    assert answered, said
    return json.loads(answer.read_text())


def hill_muscles(folder, muscles):
    """Answer of `hill_in_opensim.py`, in a process of its own; skips where there is no OpenSim."""
    answer = Path(folder).resolve() / "answer.json"
    run_script(
        SCRIPT.with_name("hill_in_opensim.py"), folder, {"answer": str(answer), "muscles": muscles}
    )
    return json.loads(answer.read_text())


def run_script(script, folder, task):
    """Run a script that reads a task, in a process of its own; skips where there is no OpenSim."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    run = subprocess.run(
        [python, str(script)], input=json.dumps(task) + "\n",
        capture_output=True, text=True, cwd=folder, timeout=HANGS, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]

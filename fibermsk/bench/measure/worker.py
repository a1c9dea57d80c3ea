"""Functions called in a process of their own, whose standard output is not ours.

A simulator that prints, crashes or brings its own libraries cannot disturb the bench, and memory
is that of one case alone. `Worker` starts ``python -m fibermsk.bench.measure.worker`` with the same
interpreter and the same search path and exchanges one line of JSON a call.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from importlib import import_module
from typing import Any

_THREAD_COUNTS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_TOLD = 2000
"""Characters of a traceback, or of what a process said before it died, that are passed on."""


class CallFailed(RuntimeError):
    """A function raised, or its process ended; the message says how."""


class Worker:
    """A process that waits for calls, with environment variables of its own.

    Compiled loops and linear algebra have so many threads, or as many as there are cores.
    """

    def __init__(self, threads: int | None = None, **variables: str) -> None:
        # each folder absolute: the worker runs in another folder
        path = os.pathsep.join(os.path.abspath(folder or os.curdir) for folder in sys.path)
        environment = os.environ | {"PYTHONPATH": path} | variables
        if threads is not None:
            environment |= dict.fromkeys(_THREAD_COUNTS, str(threads))
        # what simulators leave in the working folder (logs) goes with it
        self._folder = tempfile.TemporaryDirectory(prefix="fibermsk_bench_")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fibermsk.bench.measure.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=environment,
            cwd=self._folder.name,
            text=True,
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        """End the process."""
        process = self._process
        if process.poll() is None:
            process.kill()
        process.communicate()
        self._said.close()
        self._folder.cleanup()

    def call(self, function: str, **arguments: Any) -> Any:
        """Call a function ``"module:function"`` there.

        Arguments and result are what JSON can say.

        Raises
        ------
        CallFailed
            If the function raises, or the process ends.
        """
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps({"function": function, "arguments": arguments}) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            status = process.wait()
            self._said.seek(0)
            said = self._said.read().decode(errors="replace")[-_TOLD:]
            raise CallFailed(f"{function}: its process ended with status {status}: {said}")
        reply = json.loads(answer)
        if "error" in reply:
            raise CallFailed(f"{function}: {reply['error']}")
        return reply["result"]


def load(file: str) -> dict[str, Any]:
    """Names that a Python file defines, which may import what lies beside it."""
    folder = os.path.dirname(file)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return runpy.run_path(file)


def _serve() -> None:
    """Answer calls until standard input ends."""
    # from here on whatever prints, compiled code too, prints on standard error
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        module, _, name = asked["function"].partition(":")
        try:
            result = getattr(import_module(module), name)(**asked["arguments"])
            reply = json.dumps({"result": result})
        except Exception as error:
            traceback.print_exc()
            what = f"{type(error).__name__}: {error}"[:_TOLD]
            reply = json.dumps({"error": what})
        answers.write(reply + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()

"""Calls of functions in a separate process, isolated in output, crashes and memory.

`Worker` starts ``python -m fibermsk.bench.measure.worker`` and exchanges a line of JSON per call.
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
"""Largest number of reported characters of a traceback or output."""


class CallFailed(RuntimeError):
    """Exception of a function in a worker, or the end of its process."""


class Worker:
    """A process that waits for calls, with a number of threads and environment variables."""

    def __init__(self, threads: int | None = None, **variables: str) -> None:
        # absolute, because the worker runs in another folder
        path = os.pathsep.join(os.path.abspath(folder or os.curdir) for folder in sys.path)
        environment = os.environ | {"PYTHONPATH": path} | variables
        if threads is not None:
            environment |= dict.fromkeys(_THREAD_COUNTS, str(threads))
        # removed at the end, with the logs of simulators
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
        """Call a function ``"module:function"`` there, with JSON values.

        Raises CallFailed if the function raises, or the process ends.
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
    """Names defined by a Python file, which may import modules beside it."""
    folder = os.path.dirname(file)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return runpy.run_path(file)


def _serve() -> None:
    """Answer calls until standard input ends."""
    # all other output, also of compiled code, goes to standard error
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

"""A process that compiles functions for another one, which names them on its standard input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.compiler import Flags
from numba.core.targetconfig import ConfigStack

from fibermsk.ahead.listed import Listed, functions_for

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from fibermsk.ahead.helper import main; main()"
)
_READY, _DONE, _LEFT = "ready", "done", "left out"


def compile_one(one: Listed) -> None:
    """Compile a function, or load it from the cache."""
    counting: Any = nullcontext()
    if not one.counting:
        flags: Any = Flags()
        flags.nrt = False
        counting = ConfigStack().enter(flags)
    with counting:
        one.function.compile(one.types)


def is_kept(one: Listed) -> bool:
    """Whether a function is on disk, or in this process."""
    function = one.function
    return one.types in function.overloads or _is_on_disk(one)


def _is_on_disk(one: Listed) -> bool:
    return one.function._cache.has(one.types, one.function.targetctx)


class Helper:
    """A process that compiles.

    It ends when its standard input does, so also when this process is killed.
    """

    def __init__(self, kinds: frozenset[str], lists: Path) -> None:
        settings: Any = config
        folder = {"NUMBA_CACHE_DIR": settings.CACHE_DIR} if settings.CACHE_DIR else {}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=os.environ | folder, text=True, encoding="utf-8",
        )  # fmt: skip
        self._say(json.dumps([sorted(kinds), str(lists)]))

    def compile(self, one: Listed) -> bool:
        """Compile a function; returns whether it could.

        Raises
        ------
        OSError
            If the process ended, or cannot give what it compiled to this one.
        """
        self._say(one.key)
        answer = self._hear()
        if answer not in (_DONE, _LEFT):
            raise OSError(answer)
        return answer == _DONE

    def start(self) -> None:
        """Wait until it has started."""
        answer = self._hear()
        if answer != _READY:
            raise OSError(f"a process that compiles could not start: {answer}")

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise OSError(f"a process that compiles ended with status {self._process.wait()}")
        return line.rstrip("\n")

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes of a process that has ended, after the last call."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what it was told last did not reach it
                    pass


def main() -> None:
    """Compile what standard input names, until it ends."""
    # the process that asks decides what an interrupt ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(line: str) -> None:
        answers.write(f"{line}\n")
        answers.flush()

    kinds, lists = json.loads(sys.stdin.readline())
    known = {one.key: one for one in functions_for(frozenset(kinds), Path(lists))}
    answer(_READY)
    for line in sys.stdin:
        try:
            one = known[line.rstrip("\n")]
            compile_one(one)
        except Exception:  # of what is not as the list has it
            answer(_LEFT)
            continue
        answer(_DONE if _is_on_disk(one) else "what a process compiles cannot be written")

"""Words on standard error while a script waits for its kernels, which are compiled once."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from multiprocessing import parent_process
from typing import Any

from numba.core import event

QUIET = "FIBERMSK_QUIET"
"""Environment variable: nothing is said where it is neither empty nor 0."""

_PATIENCE, _AT_ONCE = 3.0, 1.0
"""Seconds of compilation before anything is said, and on a terminal."""
_PAUSE = 10.0
"""Seconds between two lines."""


class FirstUse(event.Listener):
    """Counts the functions of the package that are compiled, and says so if that takes long."""

    def __init__(self) -> None:
        self._count, self._seconds = 0, 0.0
        self._begin: list[float] = []
        self._ahead = self._told = False
        self._last = -float("inf")

    @property
    def count(self) -> int:
        """Functions that have been compiled."""
        return self._count

    @property
    def seconds(self) -> float:
        """Time that this has taken [s]."""
        running = time.monotonic() - self._begin[0] if self._begin else 0.0
        return self._seconds + running

    def on_start(self, event: Any) -> None:
        """Begin a function, perhaps within another one."""
        if _is_own(event):
            self._begin.append(time.monotonic())
            self._tell()

    def on_end(self, event: Any) -> None:
        """End a function."""
        if _is_own(event) and self._begin:
            begin = self._begin.pop()
            self._count += 1
            if not self._begin:
                self._seconds += time.monotonic() - begin
            self._tell()

    @contextlib.contextmanager
    def knowing_the_rest(self) -> Iterator[Any]:
        """Function to be called with what is done, how much of it, and the fraction."""
        begin, self._ahead = time.monotonic(), True

        def tell(what: str, part: str, done: float) -> None:
            del done
            self._say(", ".join(filter(None, (what, part))), time.monotonic() - begin)

        try:
            yield tell
        finally:
            self._ahead = False

    def _tell(self) -> None:
        if self._ahead:
            return
        spent = self.seconds
        words = "compiling kernels, once"
        if self._count:
            words += f": {self._count} functions in {spent:.0f} s"
        self._say(words, spent)

    def _say(self, words: str, spent: float) -> None:
        now = time.monotonic()
        if now - self._last < _PAUSE or os.environ.get(QUIET, "0") not in ("", "0"):
            return
        if spent < (_AT_ONCE if _on_terminal() else _PATIENCE) or parent_process() is not None:
            return
        self._last = now
        if not self._told:
            words += f" ({QUIET}=1 in the environment hides this)"
            self._told = True
        with contextlib.suppress(OSError, ValueError, AttributeError):  # none, closed, or full
            print(f"fibermsk: {words}", file=sys.stderr, flush=True)


def _on_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _is_own(event: Any) -> bool:
    function = getattr(event.data["dispatcher"], "py_func", None)
    return str(getattr(function, "__module__", "")).startswith("fibermsk.")


FIRST_USE = FirstUse()
"""What listens in this process."""
event.register("numba:compile", FIRST_USE)


def working_time() -> float:
    """Clock [s] that stands still while this process compiles kernels."""
    return time.monotonic() - FIRST_USE.seconds

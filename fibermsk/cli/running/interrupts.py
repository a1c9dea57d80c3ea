"""Ctrl-C and SIGTERM during a run, deferred while compiling or writing."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """Context in which SIGINT and SIGTERM raise KeyboardInterrupt.

    While Numba compiles or loads a function the exception is deferred: LLVM calls back into Python,
    where an exception is lost and leaves an incomplete library. In a finalizer it is lost as well:
    the yielded function, to be called regularly, raises it again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    from numba.core.event import install_listener

    compiling = _compiling()
    with _handling(compiling.interrupt), install_listener("numba:compiler_lock", compiling):
        yield compiling.check


@contextmanager
def _handling(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Context with a handler of SIGINT and SIGTERM."""
    before = {
        number: signal.signal(number, handler)
        for number in (signal.SIGINT, signal.SIGTERM)
        # background processes of a shell ignore Ctrl-C
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def not_at_once(message: str) -> Iterator[None]:
    """Context in which a first SIGINT or SIGTERM prints a message, and a second interrupts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    said = False

    def say(number: int, frame: Any) -> None:
        nonlocal said
        if said:
            raise KeyboardInterrupt
        said = True
        with contextlib.suppress(OSError):
            os.write(2, f"{message}\n".encode())

    with _handling(say):
        yield


def _compiling() -> Any:
    from numba.core.event import Event, Listener

    class Compiling(Listener):
        """Defers interrupts while the main thread compiles."""

        def __init__(self) -> None:
            self._depth = 0
            self._interrupted = self._raised = False

        def check(self) -> None:
            if self._raised:
                self._raised = False
                raise KeyboardInterrupt

        def on_start(self, event: Event) -> None:
            if threading.current_thread() is threading.main_thread():
                self._depth += 1

        def on_end(self, event: Event) -> None:
            if threading.current_thread() is not threading.main_thread():
                return
            self._depth -= 1
            if self._depth == 0 and self._interrupted:
                self._interrupted = False
                raise KeyboardInterrupt

        def interrupt(self, number: int, frame: Any) -> None:
            if self._depth == 0:
                self._raised = True
                raise KeyboardInterrupt
            if not self._interrupted:
                # os.write, because the signal may interrupt a print
                os.write(2, b"interrupted: ends once what is now compiled is done\n")
            self._interrupted = True

    return Compiling()

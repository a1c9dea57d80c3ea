"""How the package's kernels are compiled: once, cached on disk, without fast-math."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core import event

__all__ = ["body", "inlined", "kernel", "on_first_compilation", "parallel"]


def kernel(function: Any) -> Any:
    """Compile a plain function to machine code, releasing the interpreter lock while it runs."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def body(function: Any) -> Any:
    """Compile the task of a parallel loop, or what it calls: it must not allocate memory.

    Reference counts of arrays are left out, which would cost more than a short task and which
    threads would fight over.
    """
    return njit(_nrt=False, cache=True, nogil=True, error_model="numpy")(function)


def inlined(function: Any) -> Any:
    """Compile a `body` into whatever calls it, where the call itself would cost too much."""
    return njit(_nrt=False, cache=True, nogil=True, error_model="numpy", inline="always")(function)


def parallel(function: Any) -> Any:
    """Compile a loop over `numba.prange`, whose tasks write to disjoint memory, for all threads.

    Results then do not depend on the number of threads.
    """
    return njit(parallel=True, cache=True, nogil=True, error_model="numpy")(function)


class _Once(event.Listener):
    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def on_start(self, event) -> None:
        if self._callback is not None:
            callback, self._callback = self._callback, None
            callback()

    def on_end(self, event) -> None:
        pass


@contextmanager
def on_first_compilation(callback: Callable[[], None]) -> Iterator[None]:
    """Call back once if any kernel has to be compiled, which loading from the cache is not."""
    with event.install_listener("numba:compile", _Once(callback)):
        yield

"""How the package's kernels are compiled: once, cached on disk, without fast-math."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core import event

__all__ = ["inlined", "kernel", "on_first_compilation", "parallel"]


def kernel(function: Any) -> Any:
    """Compile a plain function to machine code, releasing the interpreter lock while it runs."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def inlined(function: Any) -> Any:
    """Compile as `kernel` does, and anew within each caller.

    There a constant argument leaves out what it switches off, as does a result that is ignored.
    """
    return njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function)


def parallel(function: Any) -> Any:
    """Compile likewise, with the loops over `numba.prange` shared among the threads.

    The tasks of such a loop write to disjoint memory, so that results do not depend on the number
    of threads.
    """
    return njit(cache=True, nogil=True, error_model="numpy", parallel=True)(function)


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

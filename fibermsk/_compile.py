"""How the package's kernels are compiled: once, cached on disk, without fast-math."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from types import FunctionType
from typing import Any

from numba import get_num_threads, njit
from numba.core import event

from fibermsk._code_cache import cache_of

__all__ = ["PARTS", "body", "inlined", "inlined_body", "kernel", "on_first_compilation", "parallel"]

# Threads that wait for each other spin shortly and then sleep. By default they spin for long, which
# on a machine with other work costs milliseconds where that has the core of the one waited for.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

PARTS = 64
"""Ranges that many short tasks are shared out in: a task of its own costs a thread more than most
of them take, and references to arrays, which threads fight over."""

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_TASK_OPTIONS: dict[str, Any] = {**_OPTIONS, "_nrt": False}


def _compiled(function: Any, **options: Any) -> Any:
    dispatcher: Any = njit(**options)(function)
    # where `NUMBA_DISABLE_JIT` is set, Numba gives the plain function
    if dispatcher is not function:
        dispatcher._cache = cache_of(function)
    return dispatcher


def kernel(function: Any) -> Any:
    """Compile a plain function to machine code, releasing the interpreter lock while it runs."""
    return _compiled(function, **_OPTIONS)


def body(function: Any) -> Any:
    """Compile the task of a parallel loop, or what it calls: it must not allocate memory.

    Reference counts of arrays are left out, which would cost more than a short task and which
    threads would fight over.
    """
    return _compiled(function, **_TASK_OPTIONS)


def inlined_body(function: Any) -> Any:
    """Compile a `body` into whatever calls it, where the call itself would cost too much."""
    return _compiled(function, **_TASK_OPTIONS, inline="always")


def inlined(function: Any) -> Any:
    """Compile as `kernel` does, and anew within each caller.

    There a constant argument leaves out what it switches off, as does a result that is ignored.
    """
    return _compiled(function, **_OPTIONS, forceinline=True)


def parallel(tasks: str, least: int) -> Callable[[Any], Any]:
    """Compile a loop over `numba.prange` twice: for one thread, and shared among the threads.

    The tasks of the loop write to disjoint memory, so that results do not depend on the number of
    threads. Few tasks are done by one thread: to wake the others takes longer, on a busy machine up
    to milliseconds.

    Parameters
    ----------
    tasks : str
        Argument whose length tells the number of tasks.
    least : int
        Length from which on the threads share them.

    Returns
    -------
    decorator
        Of a function whose compiled forms are its attributes `alone` and `shared`.
    """

    def compile_both(function: Any) -> Any:
        # files of the cache are known by the function's name and not by how it was compiled
        twin = FunctionType(function.__code__, function.__globals__, function.__name__)
        twin.__qualname__, twin.__module__ = f"{function.__qualname__}_shared", function.__module__
        alone = _compiled(function, **_OPTIONS)
        shared = _compiled(twin, **_OPTIONS, parallel=True)
        index = list(signature(function).parameters).index(tasks)

        @wraps(function)
        def call(*arguments: Any) -> Any:
            many = arguments[index].shape[0] >= least and get_num_threads() > 1
            return (shared if many else alone)(*arguments)

        call.alone, call.shared = alone, shared  # type: ignore[attr-defined]
        return call

    return compile_both


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

"""Compilation of the kernels: once, cached on disk, without fast-math."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from itertools import count
from operator import attrgetter
from random import SystemRandom
from types import FunctionType
from typing import Any

from numba import get_num_threads, njit, types
from numba.core import event
from numba.core.bytecode import FunctionIdentity

from fibermsk._apart import may_be_apart
from fibermsk._code_cache import cache_of
from fibermsk._first_use import FIRST_USE  # which says what is compiled
from fibermsk.laws.own import codes_of

# Waiting threads spin briefly and then sleep. By default they spin for long, which costs
# milliseconds on a busy machine, where another process may occupy the core.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")


def _number_uniquely() -> None:
    """Give the machine code of this process names that no other process uses.

    Numba names it by function, argument types and a number that counts from 1 in every process, and
    the linker takes callees by name: code from the cache would call that of another law.
    """
    # a class attribute that pyright does not know
    identity: Any = FunctionIdentity
    identity._unique_ids = count(SystemRandom().randrange(2**32, 2**62))


_number_uniquely()
if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_number_uniquely)

PARTS = 64
"""Number of ranges for many short tasks: scheduling each separately would cost more than most of
them take, and cause contention on reference counts of arrays."""

# no kernel is called through a pointer: an entry for that would only take time to compile
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_TASK_OPTIONS: dict[str, Any] = {**_OPTIONS, "_nrt": False}


def _compiled(function: Any, version: str = "", **options: Any) -> Any:
    dispatcher: Any = njit(**options)(function)
    # with `NUMBA_DISABLE_JIT`, Numba returns the plain function
    if dispatcher is not function:
        dispatcher._cache = cache_of(function, version)
        if "inline" not in options and "forceinline" not in options:
            _ignore_values(dispatcher)
            if not version and not options.get("parallel"):
                may_be_apart(dispatcher, function)
    dispatcher.made_with = options
    return dispatcher


def _ignore_values(dispatcher: Any) -> None:
    """Compile a callee once for the types of its arguments.

    By default Numba compiles it once more for each constant that a caller passes.
    """
    compiler = dispatcher._compiler
    fold = compiler.fold_argument_types

    def folded(arguments: Any, named: Any) -> Any:
        parameters, kinds = fold(arguments, named)
        return parameters, tuple(map(types.unliteral, kinds))

    compiler.fold_argument_types = folded


def kernel(function: Any) -> Any:
    """Compile a function to machine code that releases the interpreter lock."""
    return _compiled(function, **_OPTIONS)


def allocating(function: Any) -> Any:
    """Compile a `kernel` that allocates memory although a `body` calls it.

    Otherwise a callee is compiled without reference counts, as its first caller is.
    """
    return _compiled(function, **_OPTIONS, _nrt=True)


def body(function: Any) -> Any:
    """Compile the task of a parallel loop, or its callee: it must not allocate memory.

    Reference counts of arrays are omitted: they cost more than a short task and cause contention.
    """
    return _compiled(function, **_TASK_OPTIONS)


def loop_body(function: Any) -> Any:
    """Compile a `body` into the loops that call it: passing many arrays costs like a short task."""
    return _compiled(function, **_TASK_OPTIONS, forceinline=True)


def part(function: Any) -> Any:
    """Compile a `loop_body` that only kernels call: an entry for Python takes long to compile.

    It would unpack all columns of its groups.
    """
    return _compiled(function, **_TASK_OPTIONS, forceinline=True, no_cpython_wrapper=True)


def inner(function: Any) -> Any:
    """Compile a `kernel` that only kernels call, as `part`."""
    return _compiled(function, **_OPTIONS, no_cpython_wrapper=True)


def inner_body(function: Any) -> Any:
    """Compile a `body` that only kernels call, as `inner`."""
    return _compiled(function, **_TASK_OPTIONS, no_cpython_wrapper=True)


def inlined_body(function: Any) -> Any:
    """Compile a `body` inline into its callers, if the call itself would cost too much."""
    return _compiled(function, **_TASK_OPTIONS, inline="always")


def inlined(function: Any) -> Any:
    """Compile as `kernel` does, specialized for each caller.

    Constant arguments and ignored results then eliminate dead code.
    """
    return _compiled(function, **_OPTIONS, forceinline=True)


def parallel(tasks: str, least: int, version: str = "") -> Callable[[Any], Any]:
    """Compile a loop over `numba.prange` twice: for one thread, and parallel.

    The tasks of the loop write to disjoint memory, so that results do not depend on the number of
    threads. Few tasks run on one thread: waking others takes longer, up to milliseconds on a busy
    machine.

    `tasks` is the argument whose length is the number of tasks, or a column of a group, such as
    "runs.element", and `least` the smallest length for parallel execution; `version` as in
    `fibermsk._code_cache.cache_of`. The compiled versions are the attributes `alone` and `shared`.
    """

    def compile_both(function: Any) -> Any:
        # cache files are named by function, not by compiler options
        twin = FunctionType(function.__code__, function.__globals__, function.__name__)
        twin.__qualname__, twin.__module__ = f"{function.__qualname__}_shared", function.__module__
        alone = _compiled(function, version, **_OPTIONS)
        shared = _compiled(twin, version, **_OPTIONS, parallel=True)
        name, _, column = tasks.partition(".")
        index = list(signature(function).parameters).index(name)
        of_group = attrgetter(column) if column else None

        @wraps(function)
        def call(*arguments: Any) -> Any:
            counted = arguments[index] if of_group is None else of_group(arguments[index])
            many = len(counted) >= least and get_num_threads() > 1
            return (shared if many else alone)(*arguments)

        named: Any = call
        named.alone, named.shared, named.made_by = alone, shared, (tasks, least)
        return call

    return compile_both


def uncached(function: Any) -> Any:
    """Compile as `kernel` does, without caching under the function's file."""
    return njit(**_OPTIONS)(function)


class Rebuilding:
    """Kernels recompiled from the same source with replaced callees.

    `replaced` has pairs of functions called by kernels or their callees, and their replacements;
    `label` names these in compiled files, `version` identifies their content.
    """

    def __init__(self, replaced: Sequence[tuple[Any, Any]], label: str, version: str) -> None:
        self._known: dict[int, Any] = {id(old): new for old, new in replaced}
        self._label, self._version = label, version

    def of(self, function: Any) -> Any:
        """Copy of a kernel, or of a function that calls kernels; itself if nothing differs.

        It is compiled as the original. Callees without replaced functions are shared.
        """
        key = id(function)
        if key not in self._known:
            self._known[key] = function
            self._known[key] = self._made(function)
        return self._known[key]

    def _made(self, function: Any) -> Any:
        plain: Any = getattr(function, "__wrapped__", getattr(function, "py_func", function))
        if not isinstance(plain, FunctionType):
            return function
        names = {name for code in codes_of(plain.__code__) for name in code.co_names}
        called = {name: plain.__globals__[name] for name in names & plain.__globals__.keys()}
        new = {
            name: self.of(value)
            for name, value in called.items()
            if id(value) in self._known
            or str(getattr(value, "__module__", "")).startswith("fibermsk.kernels")
        }
        if all(new[name] is called[name] for name in new):
            return function
        twin = FunctionType(
            plain.__code__, {**plain.__globals__, **new}, plain.__name__, plain.__defaults__
        )
        twin.__qualname__ = f"{plain.__qualname__}_{self._label}"
        if hasattr(function, "made_by"):
            return parallel(*function.made_by, version=self._version)(twin)
        if hasattr(function, "made_with"):
            return _compiled(twin, self._version, **function.made_with)
        return twin


_PAUSE = 10.0
"""Seconds between two calls that tell what has been compiled."""


class _Telling(event.Listener):
    def __init__(self, callback: Callable[[str], None]) -> None:
        self._callback = callback
        self._last, self._count, self._seconds = -math.inf, 0, 0.0

    def on_start(self, event) -> None:
        if self._last == -math.inf:
            self._count, self._seconds = FIRST_USE.count, FIRST_USE.seconds
            self._tell("")

    def on_end(self, event) -> None:
        count, seconds = FIRST_USE.count - self._count, FIRST_USE.seconds - self._seconds
        if time.monotonic() - self._last >= _PAUSE and count > 0:
            self._tell(f"{count} functions in {seconds:.0f} s")

    def _tell(self, words: str) -> None:
        self._last = time.monotonic()
        self._callback(words)


class _Counter(event.Listener):
    def __init__(self) -> None:
        self.count = 0

    def on_start(self, event) -> None:
        self.count += 1

    def on_end(self, event) -> None:
        pass


@contextmanager
def counting_compilations() -> Iterator[Callable[[], int]]:
    """Function that returns how many kernels were compiled in the block, not loaded."""
    counter = _Counter()
    with event.install_listener("numba:compile", counter):
        yield lambda: counter.count


@contextmanager
def while_compiling(callback: Callable[[str], None]) -> Iterator[None]:
    """Call back when a kernel is compiled, not loaded from the cache, and every ten seconds then.

    With what has been compiled in the block: nothing at first.
    """
    with event.install_listener("numba:compile", _Telling(callback)):
        yield

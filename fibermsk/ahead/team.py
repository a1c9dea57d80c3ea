"""Compile what a run needs before it begins, in several processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from numba.core import config

from fibermsk import _check
from fibermsk._code_cache import fcntl
from fibermsk.ahead.helper import Helper, compile_one, is_kept
from fibermsk.ahead.listed import FOLDER, Listed, functions_for
from fibermsk.ahead.schedule import Schedule

PROCESSES = "FIBERMSK_COMPILE_PROCESSES"
"""Environment variable: how many processes compile; by default one a core, four at most. With 0
every kernel is compiled when it is first called."""

_MOST = 4
_FEW = 20
"""Functions that one process compiles in the time that another takes to start."""
_PATIENCE = 0.2
_LONGEST_WAIT = 300.0
"""Seconds that a run waits for another one that compiles."""

Tell = Callable[[str, str, float], None]
"""Called with what is done, how much of it, and the fraction."""

_elsewhere = 0


def compiled_elsewhere() -> int:
    """Number of functions that other processes have compiled for this one."""
    return _elsewhere


def n_processes() -> int:
    """Processes that compile at once.

    Raises
    ------
    ModelError
        If the environment asks for something else than a number of them.
    """
    asked = os.environ.get(PROCESSES, "").strip()
    if asked:
        if not asked.isdecimal():
            _check.refuse("environment", PROCESSES, asked, "be a whole number, or be left out")
        return int(asked)
    own = getattr(os, "sched_getaffinity", None)
    cores = len(own(0)) if own is not None else os.cpu_count() or 1
    return min(cores, _MOST)


def compile_ahead(kinds: frozenset[str], tell: Tell, lists: Path = FOLDER) -> None:
    """Compile what is listed for models with such kinds of parts, unless it is on disk.

    `tell` is called from this thread, about once a second. Functions that cannot be compiled from
    the lists are left out: they are compiled when they are called.
    """
    settings: Any = config
    if settings.DISABLE_JIT or n_processes() == 0:
        return
    listed = functions_for(kinds, lists)
    missing = _missing(listed)
    if not missing:
        return
    with _one_at_a_time(listed, tell) as waited:
        if waited:  # for a run that has compiled them
            missing = _missing(listed)
        if missing:
            _compile_all(kinds, lists, missing, tell)


def _missing(listed: Sequence[Listed]) -> list[Listed]:
    """Functions to be compiled: all that those need that nothing else calls."""
    called = {id(callee) for one in listed for callee in one.callees}
    left = [one for one in listed if id(one) not in called and not is_kept(one)]
    needed: dict[int, Listed] = {}
    while left:
        one = left.pop()
        if id(one) not in needed:
            needed[id(one)] = one
            left += one.callees
    return [one for one in listed if id(one) in needed and not is_kept(one)]


def _is_shared(listed: Sequence[Listed]) -> bool:
    """Whether what another process compiles reaches this one."""
    return fcntl is not None and all(one.function._cache.cache_path for one in listed)


@contextmanager
def _one_at_a_time(listed: Sequence[Listed], tell: Tell) -> Iterator[bool]:
    """Wait for other processes that compile into the same folder; yields whether there were any."""
    if not _is_shared(listed):
        yield False
        return
    assert fcntl is not None
    folder = Path(listed[0].function._cache.cache_path)
    folder.mkdir(parents=True, exist_ok=True)
    begin, waited = time.monotonic(), False
    with open(folder / "ahead.lock", "a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited = True
            if time.monotonic() - begin > _LONGEST_WAIT:
                break
            tell("waiting for another run, which compiles the kernels", "", 0.0)
            time.sleep(_PATIENCE)
        yield waited


def _compile_all(kinds: frozenset[str], lists: Path, found: Sequence[Listed], tell: Tell) -> None:
    schedule, failures, begin = Schedule(found), list[str](), time.monotonic()
    n_helpers = n_processes() - 1 if len(found) > _FEW and _is_shared(found) else 0

    def told() -> None:
        part = f"{schedule.done} of {schedule.total}"
        if schedule.done > _FEW:
            left = (time.monotonic() - begin) / schedule.done * (schedule.total - schedule.done)
            part += f", about {left:.0f} s left"
        message = "compiling kernels, once"
        if failures:
            message += f" ({failures[0]}; the others go on)"
        tell(message, part, schedule.done / schedule.total)

    helpers: list[Helper] = []
    threads: list[Thread] = []
    told()
    try:
        for _ in range(n_helpers):
            try:
                helpers.append(Helper(kinds, lists))
            except OSError as error:
                failures.append(f"a process that compiles could not start: {error}")
                break
            work = (helpers[-1], schedule, failures)
            threads.append(Thread(target=_hand_out, args=work, daemon=True))
            threads[-1].start()
        while not schedule.is_over:
            one = schedule.take(_PATIENCE)
            if one is not None:
                try:
                    compile_one(one)
                except Exception:  # it is compiled, or fails, where it is called
                    pass
                finally:
                    schedule.finish(one)
            told()
    finally:
        schedule.stop()
        for helper in helpers:
            helper.end()
        for thread in threads:
            thread.join()
        for helper in helpers:
            helper.close()


def _hand_out(helper: Helper, schedule: Schedule, failures: list[str]) -> None:
    """Have a helper compile until all is done, or it fails."""
    global _elsewhere
    one = None
    try:
        helper.start()
        while not schedule.is_over:
            one = schedule.take(_PATIENCE)
            if one is None:
                continue
            _elsewhere += helper.compile(one)
            schedule.finish(one)
            one = None
    except (OSError, ValueError) as error:  # also of pipes that were closed
        if not schedule.is_over:
            failures.append(str(error))
        if one is not None:
            schedule.give_back(one)
